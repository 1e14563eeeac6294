#include "rpc/fault.h"

#include <stdarg.h>
#include <stdio.h>

static void put_text(struct message_fault *fault, const char *format, va_list args)
        __attribute__((format(printf, 2, 0)));

static void put_text(struct message_fault *fault, const char *format, va_list args)
{
        vsnprintf(fault->text, sizeof(fault->text), format, args);
}

enum ox_code message_fail(struct message_fault *fault, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        put_text(fault, format, args);
        va_end(args);
        return OX_INVALID_ARGUMENT;
}

enum ox_code message_fail_at(struct message_fault *fault, const char *field, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        put_text(fault, format, args);
        va_end(args);
        message_fault_within(fault, field);
        return OX_INVALID_ARGUMENT;
}

/* A path that is too long keeps its outer part. */
static void put_before(struct message_fault *fault, const char *outer)
{
        char inner[MESSAGE_FIELD_PATH];

        snprintf(inner, sizeof(inner), "%s", fault->field);
        snprintf(fault->field, sizeof(fault->field), "%.*s%s%.*s", MESSAGE_FIELD_PATH / 2, outer, inner[0] ? "." : "",
                 MESSAGE_FIELD_PATH, inner);
}

void message_fault_within(struct message_fault *fault, const char *field)
{
        put_before(fault, field);
}

void message_fault_within_element(struct message_fault *fault, const char *field, size_t element)
{
        char name[MESSAGE_FIELD_PATH];

        snprintf(name, sizeof(name), "%.100s[%zu]", field, element);
        put_before(fault, name);
}
