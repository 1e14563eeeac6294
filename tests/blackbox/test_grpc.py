#!/usr/bin/env python3
"""gRPC over HTTP/2 by python3-grpcio, unmodified: what test_rpc.py does not ask of every protocol."""
import os
import subprocess
import sys
import tempfile
import threading

from build import graph, op
from build import model as build
from harness import MODELS, PATIENCE_SECONDS, ROOT, Daemon, check, equal, finish, wait_for
from messages import DEBIAN, PROTO, health, proto_files, reflection, reflection_alpha, shaped
from rpc import SERVICE, grpc_calls
from google.protobuf import descriptor_pb2, descriptor_pool
from wire import number, text, value_info

INFER = SERVICE + "InferModel"
HEALTH = "/grpc.health.v1.Health/"


def chain(length):
    return build(graph([op("x%d = Relu(x%d)" % (i + 1, i)) for i in range(length)], ["x0: float[N,3]"], ["x%d" % length]), 17)


def weights(size):
    """A model with this many bytes of weights."""
    tensor = number(1, size // 4) + number(2, 1) + text(8, "w") + text(9, bytes(size))
    node = text(1, text(1, "x") + text(1, "w") + text(2, "y") + text(4, "Add"))
    rest = text(11, value_info("x", [size // 4])) + text(12, text(1, "y"))
    return number(1, 8) + text(8, number(2, 17)) + text(7, node + text(5, tensor) + rest)


def infer(daemon, data, **more):
    return grpc_calls.unary(daemon, "InferModel", shaped.InferModelRequest(model=data), shaped.InferModelResponse, **more)


def check_methods(daemon):
    code, found, _, _ = infer(daemon, chain(3))
    equal("InferModel", (code, len(found.values)), ("ok", 4))
    request = shaped.InferNodeRequest()
    request.node.op_type = "Relu"
    request.node.input.append("x")
    request.node.output.append("y")
    code, _, message, details = grpc_calls.unary(daemon, "InferNode", request, shaped.InferNodeResponse)
    equal("InferNode of an unknown input", (code, bool(message), bool(details)), ("out_of_range", True, True))
    info = request.inputs.add(name="x")
    info.type.tensor_type.elem_type = 1
    info.type.tensor_type.shape.dim.add(dim_param="N")
    code, found, _, _ = grpc_calls.unary(daemon, "InferNode", request, shaped.InferNodeResponse)
    equal("InferNode", (code, found.values[0].type.tensor_type.shape.dim[0].dim_param), ("ok", "N"))
    batch = shaped.BatchInferNodesRequest(requests=[request] * 3)
    code, found, _, _ = grpc_calls.unary(daemon, "BatchInferNodes", batch, shaped.BatchInferNodesResponse)
    equal("BatchInferNodes", (code, len(found.results)), ("ok", 3))
    code, found, _, _ = grpc_calls.unary(daemon, "ListOperators", shaped.ListOperatorsRequest(page_size=1000), shaped.ListOperatorsResponse)
    check("ListOperators", code == "ok" and len(found.operators) > 150)
    code, found, _, _ = grpc_calls.unary(daemon, "GetOperator", shaped.GetOperatorRequest(name="Relu"), shaped.Operator)
    equal("GetOperator", (code, found.name), ("ok", "Relu"))
    code, found, _, _ = grpc_calls.unary(daemon, "Check", health.HealthCheckRequest(), health.HealthCheckResponse, path=HEALTH)
    equal("Health/Check", (code, found.status), ("ok", 1))


def check_errors(daemon):
    for what, method, request, code in (
            ("no model", "InferModel", b"", "invalid_argument"),
            ("bytes that are no message", "InferModel", b"\xff", "invalid_argument"),
            ("a method of no name", "Nothing", b"", "unimplemented"),
            ("an operator of no name", "GetOperator", shaped.GetOperatorRequest(name="Ünï%"), "not_found"),
            ("more than a node may have", "InferNode", bytes(5 << 20), "resource_exhausted"),
            ("options that are not there yet", "InferModel",
             shaped.InferModelRequest(model=chain(1), options=shaped.InferOptions(costs=True)), "unimplemented")):
        got, _, message, _ = grpc_calls.unary(daemon, method, request, shaped.InferModelResponse)
        equal(what, got, code)
        check("%s: there is a message" % what, message)
    equal("no service of that name", grpc_calls.unary(daemon, "Check", b"", health.HealthCheckResponse, path="/no.such/")[0], "unimplemented")
    message = grpc_calls.unary(daemon, "GetOperator", shaped.GetOperatorRequest(name="Ünï%"), shaped.Operator)[2]
    check("a message is UTF-8 again", "Ünï%" in message, message)
    equal("a compression that is not known", infer(daemon, chain(1), metadata=[("grpc-encoding", "br")])[0] in ("ok", "unimplemented"), True)


def check_deadlines(daemon):
    equal("a deadline is kept", infer(daemon, chain(200000), timeout=0.02)[0], "deadline_exceeded")
    before = daemon.metric("canceled_total")
    with grpc_calls.channel(daemon) as opened:
        call = grpc_calls.stub(opened, "InferModel", shaped.InferModelResponse).future(shaped.InferModelRequest(model=chain(400000)))
        wait_for(lambda: daemon.metric("requests_in_flight") > 0)
        call.cancel()
        check("a canceled call is not in flight any more", wait_for(lambda: daemon.metric("requests_in_flight") == 0))
    check("deadlines and cancelations are logged or counted", daemon.metric("canceled_total") >= before)


def check_sizes(daemon):
    for compress in (False, True):
        code, found, message, _ = infer(daemon, weights(64 << 20), compress=compress)
        equal("64 MiB%s" % (", gzip" if compress else ""), (code, message, code == "ok" and found.model.bytes_skipped > 60 << 20), ("ok", "", True))
    code, found, _, _ = infer(daemon, chain(60000))
    equal("an answer of many windows", (code, code == "ok" and len(found.values)), ("ok", 60001))
    code, plain, _, _ = infer(daemon, chain(3000))
    code, packed, _, _ = infer(daemon, chain(3000), compress=True)
    equal("an answer to a client that takes gzip", packed, plain)


def check_streams(daemon):
    """Many calls at once on one connection, large ones between small ones."""
    requests = [shaped.InferModelRequest(model=chain(20000 if i % 10 == 0 else 3)) for i in range(200)]
    with grpc_calls.channel(daemon) as opened:
        call = grpc_calls.stub(opened, "InferModel", shaped.InferModelResponse)
        futures = [call.future(request) for request in requests]
        lengths = [len(f.result(PATIENCE_SECONDS).values) for f in futures]
    equal("200 calls on one connection", lengths, [20001 if i % 10 == 0 else 4 for i in range(200)])


def check_upload(daemon):
    """A model in parts of many messages."""
    with grpc_calls.channel(daemon) as opened:
        call = grpc_calls.stub(opened, "InferModelStream", shaped.InferModelResponse, shape="stream_unary")

        def parts(data, size, options=None):
            yield shaped.InferModelRequest(options=options) if options else shaped.InferModelRequest()
            for at in range(0, len(data), size):
                yield shaped.InferModelRequest(model=data[at:at + size])

        data = chain(50)
        wanted = infer(daemon, data)[1]
        for size in (1, 7, 1000, len(data)):
            for compression in (grpc_calls.grpc.Compression.NoCompression, grpc_calls.grpc.Compression.Gzip):
                found = call(parts(data, size), compression=compression)
                check("in parts of %d it is the same, %s" % (size, compression), found == wanted)
        options = shaped.InferOptions(dims=[shaped.Binding(name="N", value=7)])
        found = call(parts(data, 100, options))
        equal("with options", found.values[-1].type.tensor_type.shape.dim[0].dim_value, 7)
        found = call(parts(weights(64 << 20), 1 << 20))
        check("64 MiB in parts", found.model.bytes_skipped > 60 << 20)
        for what, stream, code in (("no message", [], "unimplemented"), ("no model", [shaped.InferModelRequest()], "invalid_argument"),
                                   ("a message that ends in a field", [b"\x0a\x05abc"], "invalid_argument"),
                                   ("one that goes on in the next", [b"\x0a\x05abc", b"de"], "invalid_argument")):
            try:
                got = call(iter(stream)) and "ok"
            except grpc_calls.grpc.RpcError as error:
                got = grpc_calls.code_of(error)
            equal("parts: %s" % what, got, code)


def check_reflection(daemon):
    for version, messages in (("v1", reflection), ("v1alpha", reflection_alpha)):
        with grpc_calls.channel(daemon) as opened:
            ask = grpc_calls.stub(opened, "ServerReflectionInfo", messages.ServerReflectionResponse,
                                  "/grpc.reflection.%s.ServerReflection/" % version, "stream_stream")
            waiting, asked = [], threading.Semaphore(0)

            def requests():
                while asked.acquire() and waiting[-1] is not None:
                    yield waiting[-1]

            answers = ask(requests())

            def answer(**request):
                """Each is answered while the stream stays open."""
                waiting.append(messages.ServerReflectionRequest(**request))
                asked.release()
                return next(answers)

            names = [s.name for s in answer(list_services="").list_services_response.service]
            equal("%s: services" % version, sorted(names), ["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                                                           "grpc.reflection.v1alpha.ServerReflection", "shaped.v1.ShapeInference"])
            pool = descriptor_pool.DescriptorPool()
            for name in names:
                for data in reversed(answer(file_containing_symbol=name).file_descriptor_response.file_descriptor_proto):
                    pool.AddSerializedFile(data)
            methods = [m.name for m in pool.FindServiceByName("shaped.v1.ShapeInference").methods]
            equal("%s: methods" % version, methods, [m.name for m in shaped.DESCRIPTOR.services_by_name["ShapeInference"].methods])
            found = answer(file_by_filename="onnx.proto").file_descriptor_response.file_descriptor_proto
            equal("%s: a file" % version, descriptor_pb2.FileDescriptorProto.FromString(found[0]).package, "shaped.onnx.v1")
            for what in ("file_by_filename", "file_containing_symbol", "all_extension_numbers_of_type"):
                equal("%s: no such %s" % (version, what), answer(**{what: "no.such"}).error_response.error_code, 5)
            equal("%s: extensions of a type" % version,
                  answer(all_extension_numbers_of_type="shaped.v1.Value").all_extension_numbers_response.base_type_name, "shaped.v1.Value")
            waiting.append(None)
            asked.release()
            equal("%s: its end" % version, list(answers), [])


def check_watch():
    """A watcher is informed at once that the daemon drains, and does not delay the drain."""
    with Daemon() as daemon:
        with grpc_calls.channel(daemon) as opened:
            watch = grpc_calls.stub(opened, "Watch", health.HealthCheckResponse, HEALTH, "unary_stream")
            states, unknown = watch(health.HealthCheckRequest()), watch(health.HealthCheckRequest(service="x"))
            left = watch(health.HealthCheckRequest(service="shaped.v1.ShapeInference"))
            equal("it serves", (next(states).status, next(unknown).status, next(left).status), (1, 3, 1))
            left.cancel()
            check("who has left is not waited for", wait_for(lambda: daemon.metric("requests_in_flight") == 2))
            equal("the daemon ends well", daemon.stop(), 0)
            equal("it serves no more", [s.status for s in states], [2])
            equal("and what is not there stays so", [s.status for s in unknown], [3])


def check_drain():
    """Calls that have begun are answered; those that come later fail in a way that clients try elsewhere."""
    with Daemon() as daemon:
        with grpc_calls.channel(daemon) as opened:
            call = grpc_calls.stub(opened, "InferModel", shaped.InferModelResponse)
            call(shaped.InferModelRequest(model=chain(1)))
            begun = [call.future(shaped.InferModelRequest(model=chain(100000))) for _ in range(4)]
            wait_for(lambda: daemon.metric("requests_in_flight") + sum(f.done() for f in begun) >= 4)
            equal("the daemon ends well", daemon.stop(), 0)
            equal("what was begun is answered", [len(f.result(PATIENCE_SECONDS).values) for f in begun], [100001] * 4)
            try:
                code = call(shaped.InferModelRequest(model=chain(1))) and "ok"
            except grpc_calls.grpc.RpcError as error:
                code = grpc_calls.code_of(error)
            equal("what comes later is not", code, "unavailable")


def check_example(daemon):
    """The README's, with code that protoc makes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", "-I", PROTO, "--python_out", folder, *proto_files()], check=True)
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "clients", "example.py"), "127.0.0.1:%d" % daemon.port,
                               os.path.join(MODELS, "resnet50.onnx")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join((folder, DEBIAN)), "no_proxy": "*"})
        lines = done.stdout.decode().splitlines()
        check("the README's example lists values with their shapes",
              done.returncode == 0 and len(lines) > 100 and all(line.endswith("]") for line in lines) and "[8, " in lines[0], lines[-3:])


def main():
    if not grpc_calls:
        check("left out: python3-grpcio is not installed", True)
        finish()
    with Daemon() as daemon:
        check_methods(daemon)
        check_errors(daemon)
        check_deadlines(daemon)
        check_sizes(daemon)
        check_streams(daemon)
        check_upload(daemon)
        check_reflection(daemon)
        check_example(daemon)
    check_watch()
    check_drain()
    finish()


if __name__ == "__main__":
    main()
