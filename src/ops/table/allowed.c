#include "ops/table/allowed.h"

#include <math.h>

static void put_value(struct buf *buf, const struct op_allowed *allowed, size_t i)
{
        if (allowed->words)
                buf_puts(buf, allowed->words[i]);
        else if (allowed->ints)
                buf_put_i64(buf, allowed->ints[i]);
        else
                buf_printf(buf, "%g", (double)allowed->floats[i]);
}

static void put_values(struct buf *buf, const struct op_allowed *allowed)
{
        buf_puts(buf, allowed->count > 2 ? "one of " : "");
        for (size_t i = 0; i < allowed->count; i++) {
                buf_puts(buf, i == 0 ? "" : allowed->count == 2 ? " or " : ", ");
                put_value(buf, allowed, i);
        }
}

static void put_int_range(struct buf *buf, const struct op_allowed *allowed)
{
        if (allowed->most == INT64_MAX)
                buf_printf(buf, "at least %lld", (long long)allowed->least);
        else if (allowed->least == INT64_MIN)
                buf_printf(buf, "at most %lld", (long long)allowed->most);
        else
                buf_printf(buf, "in [%lld, %lld]", (long long)allowed->least, (long long)allowed->most);
}

static void put_float_range(struct buf *buf, const struct op_allowed *allowed)
{
        if (isinf(allowed->f_most))
                buf_printf(buf, "at least %g", allowed->f_least);
        else if (isinf(allowed->f_least))
                buf_printf(buf, "at most %g", allowed->f_most);
        else
                buf_printf(buf, "in [%g, %g]", allowed->f_least, allowed->f_most);
}

static bool is_int(const struct op_attr *attr)
{
        return attr->type == ATTR_INT || attr->type == ATTR_INTS;
}

static bool is_float(const struct op_attr *attr)
{
        return attr->type == ATTR_FLOAT || attr->type == ATTR_FLOATS;
}

bool op_allowed_bounds_values(const struct op_attr *attr)
{
        const struct op_allowed *allowed = attr->allowed;

        if (!allowed)
                return false;
        return allowed->count > 0 || allowed->variable ||
               (is_int(attr) && (allowed->least != INT64_MIN || allowed->most != INT64_MAX)) ||
               (is_float(attr) && !(isinf(allowed->f_least) && isinf(allowed->f_most)));
}

void op_allowed_print(struct buf *buf, const struct op_attr *attr)
{
        const struct op_allowed *allowed = attr->allowed;

        if (!op_allowed_bounds_values(attr))
                return;
        if (allowed->variable)
                buf_printf(buf, "the number of an element type of %s", allowed->variable);
        else if (allowed->count > 0)
                put_values(buf, allowed);
        else if (is_int(attr))
                put_int_range(buf, allowed);
        else
                put_float_range(buf, allowed);
}
