"""Models whose values are all outputs, for a runtime that shows only these. An `If` gets an output for each value of its
branches; the branch that does not have it gives an empty tensor of a shape that nothing else has."""
from build import ELEMENTS, Tensor, attribute
from rewrite import Graph, Model, made, scope_of
from wire import tensor, text

ABSENT = [0, 1, 1, 1, 1, 1, 1, 77]  # the shape of what a branch that did not run gives
CONTAINERS = ("seq(", "optional(", "map(", "sparse_tensor(")  # what the runtime's binding cannot hand out


class Exposed:
    """`data`: the model; `keys`: the scope and the name of the value behind each output that it has more; `hidden`: the number
    of values that are no output, those of bodies of loops among them; `operators`: those of other domains."""

    def __init__(self, data, values):
        """`values` are those of the answer, by scope and name."""
        self.values, self.keys, self.hidden, self.operators = values, {}, 0, set()
        main = Model(data)
        listed = self._opened(main.main, "")
        for name, key in listed:
            self.keys.setdefault(name, key)
        outputs = [name for name, _ in listed if name not in main.main.outputs]
        self.data = main.written(main.main.written(b"".join(text(12, text(1, name)) for name in outputs)))

    def _opened(self, graph, scope):
        """Writes the graph's nodes; what it has as outputs then: names, with scopes and names in the answer."""
        listed = []
        for index, n in enumerate(graph.nodes):
            if n.domain:
                self.operators.add("%s.%s" % (n.domain, n.op))
            outputs, attributes = list(n.outputs), None
            for output in filter(None, n.outputs):
                kind = self.values.get((scope, output), {}).get("type", "")
                if kind.startswith(CONTAINERS) or (scope and kind[7:-1] not in ELEMENTS) or kind == "tensor(string)":
                    self.hidden += 1
                else:
                    listed.append((output, (scope, output)))
            subgraphs = n.subgraphs()
            if n.op == "If":
                attributes = n.with_subgraphs(self._branches(graph, scope, index, n, subgraphs, outputs, listed))
            else:
                self.hidden += sum(len(Graph(data).nodes) for data in subgraphs.values())
            graph.lines.append(n.written(outputs=outputs, attributes=attributes))
        return listed

    def _branches(self, graph, scope, index, n, subgraphs, outputs, listed):
        """The branches of an `If`, each with the outputs of both; adds these to the node's and to the graph's."""
        branches = {name: Graph(data, graph) for name, data in subgraphs.items()}
        found = {name: self._opened(branch, scope_of(scope, index, n, name)) for name, branch in branches.items()}
        more = {name: [] for name in branches}
        for name, inner in found.items():
            for value, key in inner:
                outer = "%s@%d" % (value, len(self.keys))
                self.keys[outer] = key
                outputs.append(outer)
                listed.append((outer, key))
                for other, branch in branches.items():
                    empty = tensor("", ABSENT, b"", ELEMENTS[self.values[key]["type"][7:-1]])
                    branch.lines.append(made("Identity", [value], [outer + "_shown"]) if other == name else
                                        made("Constant", [], [outer + "_shown"], more=text(5, attribute("value", Tensor(empty)))))
                    more[other].append(outer + "_shown")
        return {name: branch.written(b"".join(text(12, text(1, o)) for o in more[name])) for name, branch in branches.items()}
