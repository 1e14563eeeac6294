/* InferOptions as the engine takes them. */
#pragma once

#include "rpc/rpc.h"
#include "shaped.pb-c.h"

/* `given` NULL: none. What *ret points to lives on the context's arena and in `given`. */
enum ox_code rpc_options(struct rpc *rpc, const Shaped__V1__InferOptions *given, struct ox_options *ret);
