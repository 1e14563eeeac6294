/* Faults of a message, with the path of the field. */
#pragma once

#include "rpc/messages.h"

/* Both give OX_INVALID_ARGUMENT. */
enum ox_code message_fail(struct message_fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum ox_code message_fail_at(struct message_fault *fault, const char *field, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* The fault is in the message of that field, or of that element of it. */
void message_fault_within(struct message_fault *fault, const char *field);
void message_fault_within_element(struct message_fault *fault, const char *field, size_t element);
