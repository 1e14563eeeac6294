/* Functions on values for all writers. */
#pragma once

#include <string.h>

#include "base/bounds.h"
#include "infer/result.h"

/* A word of ours with its length. */
struct word {
        const char *text;
        size_t length;
};
#define WORD(text)                                                                                                     \
        {                                                                                                              \
                text, sizeof(text) - 1                                                                                 \
        }

/* The element as a float; false if it is not one. An expression in a float tensor counts only if it has become a
   number. */
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

/* The contents for an answer, if all elements are known, and none is a fraction of symbols, which cannot be spelled.
   NULL otherwise. */
static inline const struct content *value_content(const struct value *value)
{
        const struct content *content = value->content;

        if (!content || (content->count > FLOATS_SHOWN && elem_is_float(value->type.elem)))
                return NULL;
        content = content_read(content);

        for (size_t i = 0; content && content->form == CONTENT_SCALARS && i < content->count; i++) {
                const struct scalar s = content_at(content, i);

                if (s.kind == SCALAR_UNKNOWN || scalar_is_rounded(s) ||
                    (s.kind == SCALAR_RATIO && s.den != 1 && !dim_is_int(s.d)))
                        return NULL;
        }
        return content;
}

/* The types of tensors as a writer wrote them lately: most values have one that others have. */
#define KEPT_TYPES      32
#define KEPT_TYPE_BYTES 192 /* of the longest one that is kept */
#define KEPT_TYPE_PIECE 16  /* it is copied in pieces of so many bytes, the last of which is filled up with others */

struct kept_type {
        const struct dim *dim;
        int rank;
        enum elem elem;
        size_t length; /* 0: nothing is kept */
};

struct kept_types {
        struct kept_type type[KEPT_TYPES];
        char text[KEPT_TYPES][KEPT_TYPE_BYTES];
};

static inline struct kept_types *kept_types_new(struct arena *arena)
{
        struct kept_types *kept = arena_new_array(arena, struct kept_types, 1);

        memset(kept->type, 0, sizeof(kept->type));
        return kept;
}

static inline size_t kept_place(const struct type *type)
{
        uint64_t place = (uint64_t)type->elem;

        for (int d = 0; d < type->rank; d++)
                place = (place + (uint64_t)type->dim[d].val + type->dim[d].expr) * UINT64_C(0x9e3779b97f4a7c15);
        return (place ^ place >> 32) % KEPT_TYPES;
}

static inline bool kept_is(const struct kept_type *kept, const struct type *type)
{
        if (!kept->length || kept->rank != type->rank || kept->elem != type->elem)
                return false;
        for (int d = 0; kept->dim != type->dim && d < type->rank; d++)
                if (!dim_same(kept->dim[d], type->dim[d]))
                        return false;
        return true;
}

/* What was written of the type; NULL: it is not kept. */
static inline const struct kept_type *kept_find(const struct kept_types *kept, const struct type *type)
{
        const struct kept_type *found;

        if (type->kind != TYPE_TENSOR)
                return NULL;
        found = &kept->type[kept_place(type)];
        return kept_is(found, type) ? found : NULL;
}

/* Copies it to where there is room for KEPT_TYPE_BYTES, and returns where it ends. */
static inline char *kept_copy(char *at, const struct kept_types *kept, const struct kept_type *type)
{
        const char *text = kept->text[type - kept->type];

        for (size_t done = 0; done < type->length; done += KEPT_TYPE_PIECE)
                memcpy(at + done, text + done, KEPT_TYPE_PIECE);
        return at + type->length;
}

/* Keeps what was written, where it is short enough. */
static inline void kept_add(struct kept_types *kept, const struct type *type, const char *text, size_t length)
{
        size_t place;

        if (type->kind != TYPE_TENSOR || length > KEPT_TYPE_BYTES)
                return;
        place = kept_place(type);
        memcpy(kept->text[place], text, length);
        kept->type[place] = (struct kept_type){type->dim, type->rank, type->elem, length};
}
