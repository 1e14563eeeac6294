"""Calls by gRPC with python3-grpcio, unmodified: what rpc.py does for Connect and gRPC-Web."""
import contextlib

from messages import CODES, status  # first: it knows where Debian's modules are

import grpc  # pylint: disable=wrong-import-order

SERVICE = "/shaped.v1.ShapeInference/"
PLAIN = [("grpc.enable_http_proxy", 0), ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1),
         ("grpc.use_local_subchannel_pool", 1)]


@contextlib.contextmanager
def channel(daemon, *options):
    opened = grpc.insecure_channel("127.0.0.1:%d" % daemon.port, options=[*PLAIN, *options])
    try:
        yield opened
    finally:
        opened.close()


def stub(opened, method, kind, path=SERVICE, shape="unary_unary"):
    """A callable for a method; messages that are bytes already are sent as they are."""
    return getattr(opened, shape)(path + method, lambda m: m if isinstance(m, bytes) else m.SerializeToString(), kind.FromString)


def code_of(error):
    return CODES[error.code().value[0]]


def details_of(error):
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            return [(d.type_url.rpartition("/")[2], d.value) for d in status.Status.FromString(value).details]
    return []


def unary(daemon, method, request, kind, compress=False, path=SERVICE, timeout=None, metadata=None):
    """(code, message, text, details)"""
    with channel(daemon) as opened:
        try:
            how = grpc.Compression.Gzip if compress else grpc.Compression.NoCompression
            return "ok", stub(opened, method, kind, path)(request, timeout=timeout, metadata=metadata, compression=how), "", []
        except grpc.RpcError as error:
            return code_of(error), None, error.details(), details_of(error)
