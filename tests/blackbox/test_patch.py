#!/usr/bin/env python3
"""The ONNX patch: what it holds, and that the model with it appended says the same as before."""
import os

from harness import MODELS, Daemon, check, equal, finish, model, run
from wire import chain, fields, model as build, node, number, text, tensor_type, value_info

INFER = "/v1/models:infer"
PATCH = "application/vnd.onnx.patch"


def infos(patch):
    """Name -> TypeProto of graph.value_info, and whether there is nothing else."""
    top = fields(patch)
    inner = [f for number, graph in top if number == 7 for f in fields(graph)]
    named = {dict(fields(v))[1].decode(): dict(fields(v))[2] for number, v in inner if number == 13}
    return named, all(number == 7 for number, _ in top) and all(number == 13 for number, _ in inner)


def text_concat():
    """Concat of x and x along axis 1."""
    return node("Concat", ["x", "x"], ["k"]) + text(5, text(1, "axis") + number(3, 1) + number(20, 2))


def check_content(daemon):
    answer = daemon.infer(chain(3), format="patch")
    named, alone = infos(answer.body)
    check("its type, and nothing but value_info", answer.headers["Content-Type"] == PATCH and alone, answer.headers)
    equal("a value's type", named, {"x1": tensor_type(["N", 3]), "x2": tensor_type(["N", 3])})
    answer = daemon.post(INFER, chain(3), headers={"Accept": PATCH})
    equal("Accept", (answer.headers["Content-Type"], infos(answer.body)[0]), (PATCH, named))
    equal("nothing to say", daemon.infer(chain(1), format="patch").body, b"")
    odd = build([node("Shape", ["x"], ["s"]), node("Unheard", ["x"], ["u"]), node("SequenceConstruct", ["x", "x"], ["q"]),
                 node("Conv", ["x", "x"], ["c"]), text_concat(), node("Relu", ["k"], ["y"])],
                [value_info("x", ["N", "M"])], ["y"])
    named, _ = infos(daemon.infer(odd, format="patch").body)
    equal("what is unknown or faulty is left out", "u" in named, False)
    equal("an expression", named["k"], tensor_type(["N", "2*M"]))
    equal("a sequence", named["q"], text(4, text(1, tensor_type(["N", "M"]))))
    equal("a tensor of integers", named["s"], tensor_type([2], 7))
    equal("a number bound", infos(daemon.infer(chain(2), format="patch", dim="N=5").body)[0], {"x1": tensor_type([5, 3])})


def check_appended(daemon):
    for name in ("resnet50", "encoder"):
        data = model(name)
        before = daemon.infer(data).json
        patch = daemon.infer(data, format="patch").body
        after = daemon.infer(data + patch).json
        equal("%s: appended, the same values" % name, after["values"], before["values"])
        equal("%s: no diagnostics" % name, after["diagnostics"], before["diagnostics"])
        equal("%s: nothing is left to add" % name, daemon.infer(data + patch, format="patch").body, b"")
        status, out, _ = run("infer", os.path.join(MODELS, name + ".onnx"), "--format", "patch")
        equal("%s: the command gives the same" % name, (status, out), (0, patch))


def main():
    with Daemon() as daemon:
        check_content(daemon)
        check_appended(daemon)
    finish()


if __name__ == "__main__":
    main()
