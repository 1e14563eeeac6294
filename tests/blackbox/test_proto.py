#!/usr/bin/env python3
"""Answers in protobuf, read back by protobuf's own library and by protoc, say what JSON says, value by value."""
import os

from build import const, graph, model as build, op
from harness import MODELS, Daemon, check, equal, finish, model, run
from messages import decode, differences, shaped
from wire import chain

INFER = "/v1/models:infer"
PROTO = "application/x-protobuf"


BRANCH = graph([op("t = Relu(x)")], [], ["t"])

# What the repository's models have none of: name -> (nodes, inputs, outputs).
KINDS = {
    "a sequence": ([op("y = SequenceConstruct(x, x)")], ["x: float[N,3]"], ["y"]),
    "a sequence of known length": ([op("y = SplitToSequence(x)", axis=1, keepdims=1)], ["x: float[N,3]"], ["y"]),
    "an optional": ([op("y = Optional(x)")], ["x: float[N,3]"], ["y"]),
    "an optional sequence": ([op("y = OptionalGetElement(x)")], ["x: optional(seq(float[N,3]))"], ["y"]),
    "a map": ([op("y = ai.onnx.ml.ZipMap(x)", classlabels_int64s=[1, 2])], ["x: float[N,2]"], ["y"]),
    "a sparse tensor": ([op("y = Relu(x)")], ["s: sparse(float[N,3])", "x: float"], ["y"]),
    "a scalar and an unknown rank": ([op("y = Add(a, b)")], ["a: float[]", "b: float"], ["y"]),
    "an unknown type": ([op("y = Unheard(x)")], ["x: float[N]"], ["y"]),
    "contents": ([op("y = Shape(x)"), op("z = Cast(y)", to=1), const("f", "float[3]", [0.1, -0.0, 1e30]),
                  const("n", "float[2]", [float("nan"), float("-inf")]), const("w", "double[1]", [0.1]),
                  const("e", "int64[0]", [])], ["x: float[N,3,batch-size]"], ["z"]),
    "faults": ([op("y = MatMul(x, x)"), op("z = Add(x, c)"), op("n = NonZero(x)")], ["x: float[N,3]", "c: float[4]"], ["y"]),
    "facts": ([op("y = MatMul(a, b)"), op("z = Add(a, b)")], ["a: float[N,K]", "b: float[M,P]"], ["y"]),
    "bounds": ([op("n = NonZero(x)"), op("y = Concat(n, n)", axis=1)], ["x: float[N,3]"], ["y"]),
    "scopes": ([op("y = If(c)", then_branch=BRANCH, else_branch=BRANCH)], ["x: float[N]", "c: bool[]"], ["y"]),
    "declared otherwise": ([op("y = Relu(x)")], ["x: float[N,3]"], ["y: float[rows,?]"]),
    "an empty graph": ([], [], []),
}


def check_same(what, daemon, data, **options):
    """The answer in both forms."""
    ours = daemon.infer(data, format="json", **options)
    answer = daemon.infer(data, format="proto", **options)
    if not equal("%s: status and type" % what, (answer.status, answer.headers["Content-Type"]), (200, PROTO)):
        return None
    message = shaped.InferModelResponse.FromString(answer.body)
    text = differences(ours.json, message)
    check("%s: the same in JSON and protobuf" % what, not text, text)
    equal("%s: in the order of fields, nothing twice" % what, message.SerializeToString(), answer.body)
    check("%s: smaller than JSON" % what, len(answer.body) < len(ours.body), "%d and %d" % (len(answer.body), len(ours.body)))
    return answer


def check_models(daemon):
    for name in ("resnet50", "encoder"):
        data = model(name)
        answer = check_same(name, daemon, data)
        check_same("%s, initializers too" % name, daemon, data, values="all")
        status, out, _ = run("infer", os.path.join(MODELS, name + ".onnx"), "--format", "proto")
        equal("%s: the command gives the same" % name, (status, out), (0, answer.body))
        text = decode("shaped.v1.InferModelResponse", answer.body)
        check("%s: protoc knows every field" % name, "\n1:" not in text and "\n  1:" not in text and "summary {" in text, text[-400:])


def check_head(daemon):
    answer = daemon.post(INFER, chain(3), headers={"Accept": PROTO})
    equal("Accept", (answer.status, answer.headers["Content-Type"]), (200, PROTO))
    equal("an error is JSON", daemon.infer(b"no model", format="proto").json["code"], "invalid_argument")


def check_lists(daemon):
    """The lists that a request has to ask for stand in the order of their numbers too."""
    data = build(graph([op("y = Add(a, b)"), op("n = NonZero(y)"), op("z = Concat(n, n)", axis=1)], ["a: float[H]", "b: float[W]"], ["z"]), 17)
    body = daemon.infer(data, format="proto", include="sizes,nodes", bind="H=2,W=2", explain="z").body
    message = shaped.InferModelResponse.FromString(body)
    equal("lists that were asked for are there", [f for f in ("explanations", "nodes", "sizes", "bindings", "tied_sizes", "dynamic_sizes") if not getattr(message, f)], [])
    equal("lists that were asked for: in the order of fields, nothing twice", message.SerializeToString(), body)


def main():
    with Daemon() as daemon:
        check_head(daemon)
        check_models(daemon)
        for name, (nodes, inputs, outputs) in KINDS.items():
            check_same(name, daemon, build(graph(nodes, inputs, outputs), 17))
        check_lists(daemon)
    finish()


if __name__ == "__main__":
    main()
