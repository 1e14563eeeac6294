/* Reads InferOptions into the engine's options. */
#pragma once

#include "rpc/messages.h"
#include "service.h"
#include "shaped.pb-c.h"

/* `given` NULL: only those of the daemon. *ret points to the context's arena and into `given`. After a failure
 *ret_fault, or else the context, has the error. */
enum ox_code options_take(const struct service *service, struct ox_context *context,
                          const Shaped__V1__InferOptions *given, struct ox_options *ret,
                          struct message_fault *ret_fault);
