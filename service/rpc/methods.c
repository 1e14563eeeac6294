#include "health.pb-c.h"
#include "rpc/rpc.h"
#include "service.h"
#include "shaped.pb-c.h"

#define SHAPED(method, rest, request, response, is_model, run)                                                         \
        {                                                                                                              \
                "/shaped.v1.ShapeInference/" method, rest, &shaped__v1__##request##__descriptor,                       \
                        &shaped__v1__##response##__descriptor, is_model, run                                           \
        }

const struct rpc_method rpc_methods[] = {
        SHAPED("InferModel", NULL, infer_model_request, infer_model_response, true, rpc_infer_model),
        SHAPED("InferNode", "/v1/nodes:infer", infer_node_request, infer_node_response, false, rpc_infer_node),
        SHAPED("BatchInferNodes", "/v1/nodes:batchInfer", batch_infer_nodes_request, batch_infer_nodes_response, false,
               rpc_batch_infer_nodes),
        SHAPED("ListOperators", NULL, list_operators_request, list_operators_response, false, rpc_list_operators),
        SHAPED("GetOperator", NULL, get_operator_request, operator, false, rpc_get_operator),
        {"/grpc.health.v1.Health/Check", NULL, &grpc__health__v1__health_check_request__descriptor,
         &grpc__health__v1__health_check_response__descriptor, false, rpc_health_check},
};

const size_t rpc_method_count = sizeof(rpc_methods) / sizeof(rpc_methods[0]);
