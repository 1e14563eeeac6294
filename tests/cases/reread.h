/* Answers in protobuf, read back by protobuf-c. */
#pragma once

#include "engine.h"

/* Whether the protobuf answer of a node is the one that protobuf-c would write of it, to the byte; else *ret_error says
   what is wrong. */
bool reread(struct ox_context *context, const struct ox_result *result, const char **ret_error);
