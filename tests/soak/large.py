#!/usr/bin/env python3
"""Ten clients at once that each send a model of so many MiB by Connect, gRPC-Web and gRPC, in protobuf and JSON, plain and gzip, while the
daemon's memory is watched: tests/blackbox/test_rpc_large.py in its full size."""
import os
import sys

os.environ["LARGE_MIB"] = sys.argv[1]

import test_rpc_large  # noqa: E402  reads the size

test_rpc_large.main()
