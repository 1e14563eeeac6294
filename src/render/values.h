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
#define KEPT_TYPE_BITS  5
#define KEPT_TYPES      (1 << KEPT_TYPE_BITS)
#define KEPT_TYPE_BYTES 232 /* of the longest one that is kept */
#define KEPT_TYPE_PIECE 64  /* most have no more; so many bytes are copied in any case */

struct kept_type {
        uint64_t head; /* kept_head(); 0: nothing is kept */
        const struct dim *dim;
        size_t length;
        char text[KEPT_TYPE_BYTES];
};

_Static_assert(sizeof(void *) > 4 ? sizeof(struct kept_type) == 256 : true, "one is found by a shift");

struct kept_types {
        struct kept_type type[KEPT_TYPES];
        struct kept_type *last; /* that was found: a value mostly has the dimensions of the one before */
};

static inline struct kept_types *kept_types_new(struct arena *arena)
{
        struct kept_types *kept = arena_new_array(arena, struct kept_types, 1);

        for (size_t i = 0; i < KEPT_TYPES; i++)
                kept->type[i].head = 0;
        kept->last = &kept->type[0];
        return kept;
}

/* What a type is beside its dimensions, in one number, which is not 0. */
static inline uint64_t kept_head(const struct type *type)
{
        return (uint64_t)(uint32_t)type->rank << 32 | (uint64_t)type->elem << 8 | (uint64_t)type->kind;
}

static inline uint64_t kept_part(struct dim d)
{
        return (uint64_t)d.val + ((uint64_t)d.expr << 20);
}

/* By the dimensions in which types of one rank differ most: the last one, and the one before or, of images, the
   channels. */
static inline size_t kept_place(const struct type *type)
{
        uint64_t place = kept_head(type);

        if (type->rank > 0)
                place += kept_part(type->dim[type->rank > 2]) * 8 + (kept_part(type->dim[type->rank - 1]) << 10);
        return place * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KEPT_TYPE_BITS);
}

static inline bool kept_is(const struct kept_type *kept, const struct type *type)
{
        if (kept->head != kept_head(type))
                return false;
        if (kept->dim == type->dim)
                return true;
        for (int d = 0; d < type->rank; d++)
                if (!dim_same(kept->dim[d], type->dim[d]))
                        return false;
        return true;
}

/* What was written of the type; NULL: it is not kept. */
static inline const struct kept_type *kept_find(struct kept_types *kept, const struct type *type)
{
        struct kept_type *found = kept->last;

        if (type->kind != TYPE_TENSOR)
                return NULL;
        if (found->dim == type->dim && found->head == kept_head(type))
                return found;
        found = &kept->type[kept_place(type)];
        if (!kept_is(found, type))
                return NULL;
        found->dim = type->dim;
        kept->last = found;
        return found;
}

/* Copies it to where there is room for KEPT_TYPE_BYTES, and returns where it ends. */
static inline char *kept_copy(char *at, const struct kept_type *kept)
{
        memcpy(at, kept->text, KEPT_TYPE_PIECE);
        if (__builtin_expect(kept->length > KEPT_TYPE_PIECE, 0))
                memcpy(at + KEPT_TYPE_PIECE, kept->text + KEPT_TYPE_PIECE, kept->length - KEPT_TYPE_PIECE);
        return at + kept->length;
}

/* Keeps what was written, where it is short enough. */
static inline void kept_add(struct kept_types *kept, const struct type *type, const char *text, size_t length)
{
        struct kept_type *place;

        if (type->kind != TYPE_TENSOR || length > KEPT_TYPE_BYTES)
                return;
        place = &kept->type[kept_place(type)];
        place->head = kept_head(type);
        place->dim = type->dim;
        place->length = length;
        memcpy(place->text, text, length);
}
