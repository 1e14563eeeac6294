#include "health.pb-c.h"
#include "reflection_v1.pb-c.h"
#include "rpc/rpc.h"
#include "service.h"
#include "shaped.pb-c.h"

#define SHAPED(method, rest, request, response, is_model, run)                                                         \
        {                                                                                                              \
                "/shaped.v1.ShapeInference/" method, rest, &shaped__v1__##request##__descriptor,                       \
                        &shaped__v1__##response##__descriptor, is_model, run, RPC_UNARY                                \
        }
#define HEALTH(method, kind)                                                                                           \
        {                                                                                                              \
                "/grpc.health.v1.Health/" method, NULL, &grpc__health__v1__health_check_request__descriptor,           \
                        &grpc__health__v1__health_check_response__descriptor, false, rpc_health_check, kind            \
        }
/* The messages of both versions are the same on the wire. */
#define REFLECTION(version)                                                                                            \
        {                                                                                                              \
                "/grpc.reflection." version ".ServerReflection/ServerReflectionInfo", NULL,                            \
                        &grpc__reflection__v1__server_reflection_request__descriptor,                                  \
                        &grpc__reflection__v1__server_reflection_response__descriptor, false, rpc_reflect, RPC_DIALOG  \
        }

const struct rpc_method rpc_methods[] = {
        SHAPED("InferModel", NULL, infer_model_request, infer_model_response, true, rpc_infer_model),
        SHAPED("InferNode", "/v1/nodes:infer", infer_node_request, infer_node_response, false, rpc_infer_node),
        SHAPED("BatchInferNodes", "/v1/nodes:batchInfer", batch_infer_nodes_request, batch_infer_nodes_response, false,
               rpc_batch_infer_nodes),
        SHAPED("ListOperators", NULL, list_operators_request, list_operators_response, false, rpc_list_operators),
        SHAPED("GetOperator", NULL, get_operator_request, operator, false, rpc_get_operator),
        {"/shaped.v1.ShapeInference/InferModelStream", NULL, &shaped__v1__infer_model_request__descriptor,
         &shaped__v1__infer_model_response__descriptor, true, rpc_infer_model, RPC_UPLOAD},
        HEALTH("Check", RPC_UNARY),
        HEALTH("Watch", RPC_WATCH),
        REFLECTION("v1"),
        REFLECTION("v1alpha"),
};

const size_t rpc_method_count = sizeof(rpc_methods) / sizeof(rpc_methods[0]);
