#!/usr/bin/env python3
"""Nodes that an answer lists (include=nodes): each node of the model with what it reads and makes, held against the model itself."""
from build import const, function, graph, model, op
from harness import MODELS, Daemon, check, equal, finish, run
from harness import model as whole
from messages import onnx, shaped
from rpc import connect, grpc_web

ADD = graph([op("co = Identity(ci)"), op("so = Add(s, y)", name="sum")], ["i: int64[]", "ci: bool[]", "s: float"], ["co", "so"])
BRANCHES = {"then_branch": graph([op("t = Relu(x)")], [], ["t"]), "else_branch": graph([op("h = Neg(x)"), op("u = Abs(h)")], [], ["u"])}
KINDS = {
    "inputs that are left out": model(graph([op("y = Clip(x, , most)"), const("most", "float[]", [6.0])], ["x: float[N]"], ["y"])),
    "several outputs, one left out": model(graph([op("a, , c = Split(x)", num_outputs=3)], ["x: float[N]"], ["a"]), 18),
    "what no other node reads": model(graph([op("a = Relu(x)"), op("b = Relu(x)")], ["x: float[N]"], ["b"])),
    "an If": model(graph([op("y = If(c)", name="choose", **BRANCHES), op("z = Relu(y)")], ["x: float[N]", "c: bool[]"], ["z"])),
    "a Loop": model(graph([op("z = Loop(m, c, x)", name="l", body=ADD)], ["x: float[N]", "y: float[N]", "m: int64[]", "c: bool[]"], ["z"])),
    "an operator that nobody knows": model(graph([op("y = my.Thing(x)")], ["x: float[N]"], ["y"])),
    "a faulty node": model(graph([op("y = Concat(x, x)"), op("z = Relu(y)")], ["x: float[N]"], ["z"])),
    "nodes out of order": model(graph([op("z = Relu(y)"), op("y = Relu(x)")], ["x: float[N]"], ["z"])),
    "no nodes": model(graph([], ["x: float[N]"], ["x"])),
}


def nodes_within(found):
    """The nodes of a graph and of what stands in it: (index, name, operator, domain, inputs, outputs)."""
    for index, node in enumerate(found.node):
        yield index, node.name, node.op_type, node.domain, list(node.input), list(node.output)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes_within(attribute.g)


def listed(nodes):
    """The same of an answer in JSON."""
    return [(n["nodeIndex"], n.get("name", ""), n["op"], n.get("domain", ""), n.get("inputs", []), n.get("outputs", [])) for n in nodes]


def check_same(daemon, what, data):
    answer = daemon.infer(data, include="nodes").json
    wanted = sorted(nodes_within(onnx.ModelProto.FromString(data).graph))
    equal("%s: every node" % what, sorted(listed(answer["nodes"])), wanted)
    equal("%s: the rest as without" % what, {k: v for k, v in answer.items() if k != "nodes"}, daemon.infer(data).json)
    for values in "outputs", "unknown", "all":
        equal("%s: whichever values are shown: %s" % (what, values), daemon.infer(data, include="nodes", values=values).json["nodes"], answer["nodes"])
    message = shaped.InferModelResponse.FromString(daemon.infer(data, include="nodes", format="proto").body)
    found = [(n.node_index, n.name, n.op, n.domain, list(n.inputs), list(n.outputs)) for n in message.nodes]
    equal("%s: the same in protobuf" % what, found, listed(answer["nodes"]))
    equal("%s: with their scopes" % what, [n.scope for n in message.nodes], [n.get("scope", "") for n in answer["nodes"]])
    request = shaped.InferModelRequest(model=data, options=shaped.InferOptions(nodes=True))
    for call in connect, grpc_web:
        equal("%s: by %s" % (what, call.__name__), call(daemon, "InferModel", request, shaped.InferModelResponse).message.nodes, message.nodes)


def scopes(daemon):
    nodes = daemon.infer(KINDS["an If"], include="nodes").json["nodes"]
    equal("nodes of branches have the scope that their values have", [(n["op"], n.get("scope")) for n in nodes],
          [("Relu", "choose/then_branch"), ("Neg", "choose/else_branch"), ("Abs", "choose/else_branch"), ("If", None), ("Relu", None)])
    twice = function("Twice", "a", "b", [op("h = Add(a, a)"), op("b = Relu(h)")])
    data = model(graph([op("y = my.Twice(x)", name="f"), op("z = my.Twice(y)", name="g")], ["x: float[N]"], ["z"]), functions=[twice])
    answer = daemon.infer(data, include="nodes").json
    made = {(n.get("scope"), name) for n in answer["nodes"] for name in n["outputs"]}
    equal("nodes of functions are listed where their values are", made,
          {(v.get("scope"), v["name"]) for v in answer["values"] if v["kind"] not in ("input", "initializer")})


def main():
    with Daemon() as daemon:
        for what, data in KINDS.items():
            check_same(daemon, what, data)
        for name in "resnet50", "encoder":
            check_same(daemon, name, whole(name))
        scopes(daemon)
        check("without the option there are none", "nodes" not in daemon.infer(whole("encoder")).json)
        check("nor beside other parts", "nodes" not in daemon.infer(whole("encoder"), include="sizes").json)
        both = daemon.infer(whole("encoder"), include="nodes,sizes").json
        check("both parts", both["nodes"] and "sizes" in both)
        bound = daemon.infer(whole("encoder"), include="nodes", bind="batch=2").json
        equal("once, with sets of sizes too", bound["nodes"], both["nodes"])
        answer = daemon.infer(whole("encoder"), include="edges")
        check("an unknown part names those there are", answer.status == 400 and "nodes or sizes" in answer.json["message"], answer.text)
        request = shaped.InferModelRequest(model=whole("encoder"), options=shaped.InferOptions(costs=True))
        equal("costs are refused, not left out", connect(daemon, "InferModel", request, shaped.InferModelResponse).code, "unimplemented")
    status, out, _ = run("infer", MODELS + "/encoder.onnx", "--include", "nodes", "--format", "json")
    check("the command lists them", status == 0 and b'"nodes":[' in out)
    status, out, _ = run("infer", "-", "--include", "nodes", stdin=KINDS["an If"])
    check("in a table as well", status == 0 and out.endswith(b"\n\nchoose/then_branch: t = Relu(x)\nchoose/else_branch: h = Neg(x)\n"
                                                            b"choose/else_branch: u = Abs(h)\ny = If(c)\nz = Relu(y)\n"), out)
    finish()


main()
