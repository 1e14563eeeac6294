#include "health.pb-c.h"
#include "rpc/rpc.h"
#include "service.h"
#include "shaped.pb-c.h"

#define SHAPED(method, request, response, is_model, run)                                                               \
        {                                                                                                              \
                "/shaped.v1.ShapeInference/" method, &shaped__v1__##request##__descriptor,                             \
                        &shaped__v1__##response##__descriptor, is_model, run                                           \
        }

const struct rpc_method rpc_methods[] = {
        SHAPED("InferModel", infer_model_request, infer_model_response, true, rpc_infer_model),
        SHAPED("ListOperators", list_operators_request, list_operators_response, false, rpc_list_operators),
        SHAPED("GetOperator", get_operator_request, operator, false, rpc_get_operator),
        {"/grpc.health.v1.Health/Check", &grpc__health__v1__health_check_request__descriptor,
         &grpc__health__v1__health_check_response__descriptor, false, rpc_health_check},
};

const size_t rpc_method_count = sizeof(rpc_methods) / sizeof(rpc_methods[0]);
