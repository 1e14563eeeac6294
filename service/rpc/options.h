/* InferOptions as the engine takes them. */
#pragma once

#include "rpc/messages.h"
#include "service.h"
#include "shaped.pb-c.h"

/* `given` NULL: none but those of the daemon. What *ret points to lives on the context's arena and in `given`. After a
   failure *ret_fault says what is wrong with which field, or the context does. */
enum ox_code options_take(const struct service *service, struct ox_context *context,
                          const Shaped__V1__InferOptions *given, struct ox_options *ret,
                          struct message_fault *ret_fault);
