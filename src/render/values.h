/* What every writer asks of a value. */
#pragma once

#include <string.h>

#include "base/bounds.h"
#include "infer/result.h"

/* The element as a float; false when it is not one. An expression in a float tensor counts only if it is a number by
 * now. */
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

/* The contents as an answer shows them: all elements known, and none a fraction of symbols, for which there is no
   spelling. NULL otherwise. */
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

/* The type of a tensor as a writer wrote it last: values that follow each other often share it. */
#define LAST_TYPE_BYTES 256
struct last_type {
        const struct dim *dim;
        int rank;
        enum elem elem;
        size_t length; /* 0: there is none */
        char text[LAST_TYPE_BYTES];
};

static inline bool last_type_can(const struct type *type)
{
        return type->kind == TYPE_TENSOR && type->rank > 0;
}

static inline bool last_type_is(const struct last_type *last, const struct type *type)
{
        return last_type_can(type) && last->length && type->dim == last->dim && type->rank == last->rank &&
               type->elem == last->elem;
}

/* Keeps what was written of `type`, where it can be shared and is short. */
static inline void last_type_keep(struct last_type *last, const struct type *type, const char *text, size_t length)
{
        if (!last_type_can(type) || length > LAST_TYPE_BYTES)
                return;
        memcpy(last->text, text, length);
        last->length = length;
        last->dim = type->dim;
        last->rank = type->rank;
        last->elem = type->elem;
}
