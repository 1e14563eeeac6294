/* Calls that are alike, and the symbols that each of them has to itself. */
#include "infer/call.h"

#include <string.h>

#include "base/bounds.h"
#include "ops/kit/arith.h"
#include "ops/node/output.h"

/* -- calls that are alike -- */

static bool bytes_same(const void *a, size_t n_a, const void *b, size_t n_b)
{
        return n_a == n_b && (n_a == 0 || a == b || memcmp(a, b, n_a) == 0);
}

static bool strings_same(const ProtobufCBinaryData *a, const ProtobufCBinaryData *b, size_t count)
{
        for (size_t i = 0; i < count; i++)
                if (!bytes_same(a[i].data, a[i].len, b[i].data, b[i].len))
                        return false;
        return true;
}

/* Whether two attributes hold the same value. Graphs and tensors are equal if they are the same object, as they often
   are through references. */
static bool held_same(const struct model_attribute *a, const struct model_attribute *b)
{
        if (a->held != b->held || a->count != b->count)
                return false;
        switch (a->held) {
        case HELD_UNDEFINED:
                return true;
        case HELD_INT:
                return a->i == b->i;
        case HELD_FLOAT:
                return memcmp(&a->f, &b->f, sizeof(a->f)) == 0;
        case HELD_STRING:
                return bytes_same(a->bytes, a->count, b->bytes, b->count);
        case HELD_INTS:
                return bytes_same(a->ints, a->count * sizeof(*a->ints), b->ints, b->count * sizeof(*b->ints));
        case HELD_FLOATS:
                return bytes_same(a->floats, a->count * sizeof(*a->floats), b->floats, b->count * sizeof(*b->floats));
        case HELD_STRINGS:
                return strings_same(a->strings, b->strings, a->count);
        default:
                return a->list == b->list;
        }
}

static bool content_same(const struct content *a, const struct content *b)
{
        if (a == b)
                return true;
        a = content_read(a);
        b = content_read(b);
        if (!a || !b || a->count != b->count)
                return a == b;
        for (size_t i = 0; i < a->count; i++)
                if (!scalar_same(content_at(a, i), content_at(b, i)))
                        return false;
        return true;
}

static bool value_same(const struct value *a, const struct value *b)
{
        return type_same(&a->type, &b->type) && content_same(a->content, b->content) &&
               members_same(value_members(a), value_members(b));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
        return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t call_hash(const struct function_memo *memo)
{
        uint64_t hash = 0;

        for (size_t i = 0; i < memo->function->proto->n_input; i++) {
                const struct type *type = &memo->args[i].type;

                for (; type_within(type); type = type->of)
                        hash = mix(hash, (uint64_t)type->kind);
                hash = mix(hash, (uint64_t)type->elem << 32 | (uint32_t)type->rank);
                for (int d = 0; d < type->rank; d++)
                        hash = mix(hash, (uint64_t)type->dim[d].val + type->dim[d].expr);
        }
        return hash ^ hash >> 32;
}

static bool call_fits(const struct function_memo *memo, const struct function_memo *wanted)
{
        for (size_t i = 0; i < wanted->function->proto->n_input; i++)
                if (memo->given[i] != wanted->given[i] || !value_same(&memo->args[i], &wanted->args[i]))
                        return false;
        return node_attributes_same(memo->call, wanted->call, held_same);
}

const struct function_memo *call_find(const struct function_memo *wanted)
{
        int looked = 0;

        for (const struct function_memo *m = wanted->function->memo; m && looked < MEMO_SEARCHED; m = m->same, looked++)
                if (m->hash == wanted->hash && m->is_unreached <= wanted->is_unreached &&
                    !(m->is_cut && m->depth > wanted->depth) && call_fits(m, wanted))
                        return m;
        return NULL;
}

/* -- symbols of a call -- */

static bool is_of_call(const struct function_memo *memo, uint32_t symbol)
{
        return symbol >= memo->first_symbol && symbol < memo->end_symbol;
}

/* The place of a symbol among those that stand in the outputs; -1: it has none. */
static int made_find(const struct function_memo *memo, uint32_t symbol)
{
        int i = 0;

        while (i < memo->n_made && memo->made[i].symbol != symbol)
                i++;
        return i < memo->n_made ? i : -1;
}

/* Replaces the symbols that an earlier call made, because they stand for other data. */
struct renewal {
        struct node *n;
        const struct function_memo *memo;
        int output;
        struct dim fresh[RENEWED];               /* for each of memo->made; 0: not yet */
        struct dim old[RENEWED], whole[RENEWED]; /* sizes that are replaced as a whole, and what takes their place */
        int n_whole;
};

struct seeking {
        const struct dim_table *dims;
        const struct function_memo *memo;
        bool has_any, has_others; /* symbols of the call; some that have no place in memo->made */
        bool has_several, has_bound;
        int at; /* the place of the last one seen */
};

static void see_made(void *user, uint32_t symbol)
{
        struct seeking *s = user;

        if (!is_of_call(s->memo, symbol))
                return;
        int at = made_find(s->memo, symbol);

        s->has_several = s->has_several || (s->has_any && at != s->at);
        s->has_any = true;
        s->has_others = s->has_others || at < 0;
        s->has_bound = s->has_bound || dim_symbol_at(s->dims, symbol)->is_bound;
        s->at = at;
}

static struct seeking seek(const struct renewal *r, struct dim d)
{
        struct seeking s = {.dims = r->n->dims, .memo = r->memo};

        if (!dim_is_int(d))
                dim_each_symbol(r->n->dims, d, see_made, &s);
        return s;
}

static bool renew(struct renewal *r, struct dim *d, int axis);

/* The symbol in the place of one of the earlier call: called alike, and with the same bounds. What it is at most is
   made of older symbols, which bounds the recursion. */
static struct dim renew_symbol(struct renewal *r, int at, int axis)
{
        struct dim_table *dims = r->n->dims;
        const struct made *made = &r->memo->made[at];
        struct dim most = made->most;

        if (!dim_is(r->fresh[at], 0))
                return r->fresh[at];
        bool has_most = made->has_most && renew(r, &most, -1);
        struct dim fresh = out_fresh_like(r->n, r->output, axis, made->symbol);

        if (made->joins)
                dim_symbol_joins(dims, fresh);
        dim_assume_ge(dims, fresh, made->lower);
        dim_assume_le(dims, fresh, made->upper);
        if (has_most)
                dim_assume_most(dims, fresh, most);
        return r->fresh[at] = fresh;
}

/* Replaces each symbol of the earlier call in a size; false where that cannot be. What was learned of them since the
   call must not come in: while one of several is replaced, those of the others that are bound would be too. */
static bool renew(struct renewal *r, struct dim *d, int axis)
{
        struct dim_table *dims = r->n->dims;
        struct seeking s = seek(r, *d);
        uint32_t symbol;

        if (dim_as_symbol(dims, *d, &symbol) && s.has_any && !s.has_others) {
                *d = renew_symbol(r, s.at, axis);
                return true;
        }
        for (int i = 0; s.has_any && i < r->memo->n_made; i++, s = seek(r, *d)) {
                if (s.has_others || (s.has_several && s.has_bound))
                        return false;
                *d = dim_substitute(dims, *d, dim_symbol_lone(dims, r->memo->made[s.at].symbol),
                                    renew_symbol(r, s.at, -1));
        }
        return !s.has_any;
}

static struct dim renew_size(void *user, struct dim d, int axis)
{
        struct renewal *r = user;
        struct dim renewed = d;

        if (renew(r, &renewed, axis))
                return renewed;
        for (int i = 0; i < r->n_whole; i++)
                if (dim_same(r->old[i], d))
                        return r->whole[i];
        renewed = out_fresh(r->n, r->output, axis);
        if (r->n_whole < RENEWED) {
                r->old[r->n_whole] = d;
                r->whole[r->n_whole++] = renewed;
        }
        return renewed;
}

static bool renew_number(void *user, struct dim *d)
{
        struct renewal *r = user;

        for (int i = 0; i < r->n_whole; i++)
                if (dim_same(r->old[i], *d)) {
                        *d = r->whole[i];
                        return true;
                }
        return renew(r, d, -1);
}

void call_repeat(struct node *n, const struct function_memo *memo)
{
        struct renewal r = {.n = n, .memo = memo};
        const struct value_map map = {n->arena, renew_size, renew_number, &r, 0};
        bool renews = memo->end_symbol > memo->first_symbol;

        for (r.output = 0; r.output < n->n_out; r.output++)
                n->out[r.output] = renews ? value_map(&map, &memo->outputs[r.output]) : memo->outputs[r.output];
}

/* -- outputs of a call -- */

struct resolving {
        struct infer *f;
        struct function_memo *memo;
};

static void keep_made(void *user, uint32_t number)
{
        const struct resolving *r = user;
        struct function_memo *memo = r->memo;
        const struct dim_symbol *symbol = dim_symbol_at(r->f->dims, number);

        if (!is_of_call(memo, number) || memo->n_made == RENEWED || made_find(memo, number) >= 0)
                return;
        if (!memo->made)
                memo->made = arena_new_array(r->f->arena, struct made, RENEWED);
        memo->made[memo->n_made++] = (struct made){.symbol = number,
                                                   .joins = symbol->joins,
                                                   .has_most = symbol->has_most,
                                                   .lower = symbol->presumed ? 0 : symbol->lower,
                                                   .upper = symbol->upper,
                                                   .most = symbol->has_most ? symbol->facts->most : dim_int(0)};
}

static struct dim resolve_size(void *user, struct dim d, int axis)
{
        struct resolving *r = user;

        (void)axis;
        d = dim_resolve(r->f->dims, d);
        if (!dim_is_int(d))
                dim_each_symbol(r->f->dims, d, keep_made, r);
        return d;
}

static bool resolve_number(void *user, struct dim *d)
{
        *d = resolve_size(user, *d, -1);
        return true;
}

void call_resolve(struct infer *f, struct function_memo *memo)
{
        struct resolving r = {f, memo};
        const struct value_map map = {f->arena, resolve_size, resolve_number, &r, 0};

        memo->end_symbol = dim_symbol_count(f->dims);
        if (memo->end_symbol == memo->first_symbol)
                return;
        for (size_t o = 0; o < memo->function->proto->n_output; o++)
                memo->outputs[o] = value_map(&map, &memo->outputs[o]);
        for (int i = 0; i < memo->n_made; i++)
                if (memo->made[i].has_most)
                        memo->made[i].most = resolve_size(&r, memo->made[i].most, -1);
}
