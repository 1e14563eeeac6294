import sys

import grpc
import shaped_pb2

with grpc.insecure_channel(sys.argv[1]) as channel, open(sys.argv[2], "rb") as model:
    infer_model = channel.unary_unary("/shaped.v1.ShapeInference/InferModel",
                                      request_serializer=shaped_pb2.InferModelRequest.SerializeToString,
                                      response_deserializer=shaped_pb2.InferModelResponse.FromString)
    request = shaped_pb2.InferModelRequest(model=model.read(), options={"dims": [{"name": "N", "value": 8}]})
    answer = infer_model(request, timeout=60)

for value in answer.values:
    dims = value.type.tensor_type.shape.dim
    print(value.name, [getattr(dim, dim.WhichOneof("value")) for dim in dims])
