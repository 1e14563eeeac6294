/* What every sink asks of a value. */
#pragma once

#include "base/bounds.h"
#include "infer/result.h"

/* The element as a float, when it is one. An expression in a float tensor is none, unless it is a number by now. */
static inline bool scalar_float_value(const struct scalar *s, double *ret)
{
        if (s->kind == SCALAR_RATIO && dim_is_int(s->d))
                *ret = (double)s->d.val / (double)s->den;
        else if (s->kind == SCALAR_FLOAT)
                *ret = s->f;
        else
                return false;
        return true;
}

/* The contents as they are told: all elements known, and none a fraction of symbols, for which there is no spelling.
   NULL otherwise. */
static inline const struct content *value_content(const struct value *value)
{
        const struct content *content = value->content;

        if (content && content->count > FLOATS_SHOWN && elem_is_float(value->type.elem))
                return NULL;
        content = content_read(content);

        for (size_t i = 0; content && i < content->count; i++) {
                const struct scalar *s = &content->at[i];

                if (s->kind == SCALAR_UNKNOWN || (s->kind == SCALAR_RATIO && s->den != 1 && !dim_is_int(s->d)))
                        return NULL;
        }
        return content;
}
