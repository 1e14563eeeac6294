#include <string.h>

#include "base/nearest.h"
#include "value/value.h"

const struct type type_unknown = {.kind = TYPE_UNKNOWN, .rank = RANK_UNKNOWN};
const struct members members_unknown;

bool members_same(const struct members *a, const struct members *b)
{
        return a->has_length == b->has_length && (!a->has_length || dim_same(a->length, b->length)) &&
               a->elements == b->elements && a->along == b->along;
}

void value_hold(struct arena *arena, struct value *value, const struct members *members)
{
        struct members *kept = arena_new_array(arena, struct members, 1);

        *kept = *members;
        value->members = kept;
}

struct type type_tensor(enum elem elem, int rank, const struct dim *dim)
{
        return (struct type){.kind = TYPE_TENSOR, .elem = elem, .rank = rank, .dim = dim};
}

struct type type_sequence(const struct type *of)
{
        return (struct type){.kind = TYPE_SEQUENCE, .rank = RANK_UNKNOWN, .of = of};
}

struct type type_optional(const struct type *of)
{
        return (struct type){.kind = TYPE_OPTIONAL, .rank = RANK_UNKNOWN, .of = of};
}

const struct type *type_keep(struct arena *arena, struct type type)
{
        struct type *kept = arena_new_array(arena, struct type, 1);

        *kept = type;
        return kept;
}

struct type type_kind_alone(const struct type *type)
{
        return (struct type){.kind = type->kind,
                             .elem = type->elem,
                             .rank = RANK_UNKNOWN,
                             .of = type_within(type) ? &type_unknown : NULL};
}

bool type_same(const struct type *a, const struct type *b)
{
        for (; a != b; a = a->of, b = b->of) {
                if (a->kind != b->kind || a->elem != b->elem)
                        return false;
                if (type_is_tensor(a)) {
                        if (a->rank != b->rank)
                                return false;
                        for (int d = 0; d < a->rank; d++)
                                if (!dim_same(a->dim[d], b->dim[d]))
                                        return false;
                        return true;
                }
                if (!type_within(a) || !type_within(b))
                        return type_within(a) == type_within(b);
        }
        return true;
}

bool type_kinds_agree(const struct type *a, const struct type *b)
{
        for (; a && b && a != b; a = type_within(a), b = type_within(b)) {
                if (a->kind == TYPE_UNKNOWN || b->kind == TYPE_UNKNOWN)
                        return true;
                if (a->kind != b->kind)
                        return false;
                if (a->elem != b->elem && a->elem != ELEM_UNDEFINED && b->elem != ELEM_UNDEFINED)
                        return false;
        }
        return true;
}

struct type type_join(struct arena *arena, struct dim_table *dims, const struct type *a, const struct type *b,
                      struct dim (*differ)(void *user, int axis), void *user)
{
        if (a->kind != b->kind)
                return type_unknown;
        struct type joined = *a;

        if (a->elem != b->elem) {
                if (a->kind == TYPE_MAP)
                        return type_unknown;
                joined.elem = ELEM_UNDEFINED;
        }
        if (type_is_tensor(a)) {
                if (a->rank != b->rank || a->rank == RANK_UNKNOWN) {
                        joined.rank = RANK_UNKNOWN;
                        joined.dim = NULL;
                        return joined;
                }
                struct dim *dim = arena_new_array(arena, struct dim, (size_t)a->rank);

                for (int d = 0; d < a->rank; d++)
                        if (dim_proves_equal(dims, a->dim[d], b->dim[d]))
                                dim[d] = dim_is_int(b->dim[d]) ? b->dim[d] : a->dim[d];
                        else
                                dim[d] = differ(user, d);
                joined.dim = dim;
        } else if (type_within(a) && type_within(b)) {
                struct type *of = arena_new_zero(arena, struct type);

                *of = type_join(arena, dims, a->of, b->of, differ, user);
                joined.of = of;
        }
        return joined;
}

/* Whether every kind and element type at every depth is known. */
static bool is_printable(const struct type *t)
{
        for (int depth = 0; depth < TYPE_DEPTH; depth++) {
                if (t->kind == TYPE_UNKNOWN)
                        return false;
                if ((type_is_tensor(t) || t->kind == TYPE_MAP) && !elem_is_valid(t->elem))
                        return false;
                if (type_is_tensor(t))
                        return true;
                t = type_within(t);
                if (!t)
                        return false;
        }
        return false;
}

bool type_print(const struct type *type, struct buf *buf)
{
        static const char *const opening[] = {
                [TYPE_TENSOR] = "tensor(", [TYPE_SPARSE_TENSOR] = "sparse_tensor(",
                [TYPE_SEQUENCE] = "seq(",  [TYPE_OPTIONAL] = "optional(",
                [TYPE_MAP] = "map(",
        };
        int depth = 0;

        if (!is_printable(type))
                return false;
        for (;; type = type->of) {
                depth++;
                buf_puts(buf, opening[type->kind]);
                if (type_is_tensor(type) || type->kind == TYPE_MAP)
                        buf_puts(buf, elem_name((int)type->elem));
                if (type_is_tensor(type))
                        break;
                if (type->kind == TYPE_MAP)
                        buf_putc(buf, ',');
        }
        while (depth--)
                buf_putc(buf, ')');
        return true;
}

static const struct kind {
        const char *opening;
        enum type_kind kind;
} kinds[] = {{"tensor(", TYPE_TENSOR},
             {"sparse_tensor(", TYPE_SPARSE_TENSOR},
             {"seq(", TYPE_SEQUENCE},
             {"optional(", TYPE_OPTIONAL},
             {"map(", TYPE_MAP}};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct reader {
        const char *at;
        size_t left;
};

static bool take(struct reader *r, const char *word)
{
        size_t length = strlen(word);

        while (r->left && *r->at == ' ') {
                r->at++;
                r->left--;
        }
        if (r->left < length || memcmp(r->at, word, length) != 0)
                return false;
        r->at += length;
        r->left -= length;
        return true;
}

static bool take_elem(struct reader *r, struct type *ret)
{
        size_t length = 0;
        enum elem elem;

        while (length < r->left && r->at[length] != ')' && r->at[length] != ',')
                length++;
        if (!elem_by_name(r->at, length, &elem))
                return false;
        ret->elem = elem;
        r->at += length;
        r->left -= length;
        return true;
}

bool type_parse(struct arena *arena, const char *text, size_t length, struct type *ret)
{
        struct reader r = {text, length};
        struct type root = type_unknown, *at = &root;
        int depth = 0;

        for (;;) {
                size_t k = 0;

                while (k < KINDS && !take(&r, kinds[k].opening))
                        k++;
                if (k == KINDS || ++depth > TYPE_DEPTH)
                        return false;
                at->kind = kinds[k].kind;
                at->rank = RANK_UNKNOWN;
                if ((type_is_tensor(at) || at->kind == TYPE_MAP) && !take_elem(&r, at))
                        return false;
                if (type_is_tensor(at))
                        break;
                if (at->kind == TYPE_MAP && !take(&r, ","))
                        return false;
                struct type *of = arena_new_zero(arena, struct type);

                *of = type_unknown;
                at->of = of;
                at = of;
        }
        while (depth--)
                if (!take(&r, ")"))
                        return false;
        if (r.left)
                return false;
        *ret = root;
        return true;
}

/* The nearest element type, or the nearest start of a type, for a word of a type. NULL: none. */
static const char *nearest_word(const char *word, size_t length)
{
        struct nearest near;

        nearest_begin(&near, word, length);
        if (word[length - 1] == '(')
                for (size_t k = 0; k < KINDS; k++)
                        nearest_try(&near, kinds[k].opening);
        else
                for (int e = ELEM_UNDEFINED + 1; e < ELEM_COUNT; e++)
                        nearest_try(&near, elem_name(e));
        return near.best;
}

/* `text` with each word replaced by the nearest one. False if a word has none. */
static bool put_meant(struct buf *buf, const char *text)
{
        static const char ends[] = " (),";

        while (*text) {
                size_t length = strcspn(text, ends);
                const char *meant;

                if (length == 0) {
                        buf_putc(buf, *text++);
                        continue;
                }
                length += text[length] == '(';
                meant = nearest_word(text, length);
                if (!meant)
                        return false;
                buf_puts(buf, meant);
                text += length;
        }
        return true;
}

const char *type_meant(struct arena *arena, const char *text)
{
        bool is_bare = !text[strcspn(text, "(")];
        struct type type;
        struct buf buf;

        /* A longer text is not a misspelt type. */
        if (strnlen(text, NEAREST_BYTES + 1) > NEAREST_BYTES)
                return NULL;
        buf_init(&buf, arena);
        buf_puts(&buf, is_bare ? "tensor(" : "");
        if (!put_meant(&buf, text))
                return NULL;
        buf_puts(&buf, is_bare ? ")" : "");
        return type_parse(arena, buf_text(&buf), buf.length, &type) ? buf_text(&buf) : NULL;
}

bool type_elements(struct dim_table *dims, const struct type *type, struct dim *ret)
{
        struct dim product = dim_int(1);

        if (!type_is_tensor(type) || type->rank == RANK_UNKNOWN)
                return false;
        for (int d = 0; d < type->rank; d++)
                product = dim_mul(dims, product, dim_resolve(dims, type->dim[d]));
        *ret = product;
        return true;
}
