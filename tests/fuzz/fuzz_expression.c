/* Expressions of dimensions: two lines of text. What reads is printed, reads again as the same handle, and has the
   value that the text has by an evaluator that knows nothing of canonical forms (text_value.c); what is proven, unified
   and bound holds for numbers. */
#include <inttypes.h>
#include <setjmp.h>
#include <string.h>

#include "base/checked.h"
#include "draw.h"
#include "text_value.h"

#define TEXT_MOST   2000
#define ASSIGNMENTS 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pair {
        struct arena *arena;
        struct strings *strings;
        struct dim_table *dims;
        struct text text[2];
        bool reads[2];
        bool modest; /* no product of them overflows */
        struct dim dim[2];
};

/* -- symbols -- */

/* Numbers for the names of a text, by a hash of the name and the turn. */
static bool number_of(void *user, const char *name, size_t length, int64_t *ret)
{
        static const int64_t numbers[] = {0, 1, 2, 3, 7, 4, 5, 6, 8, 9, 10, 12, 16, 100, 32, 64};
        const unsigned *turn = user;
        uint64_t hash = bytes_hash((const uint8_t *)name, length) + *turn * UINT64_C(11400714819323198485);

        *ret = *turn == 0 ? 1 : numbers[(hash >> 32) % (sizeof(numbers) / sizeof(numbers[0]))];
        return true;
}

/* The symbols of a table have the numbers of their names; one may be given another. */
struct numbers {
        const struct pair *pair;
        unsigned turn;
        uint32_t other;
        int64_t made_up;
};

#define NO_OTHER UINT32_MAX

static bool look_up(void *user, uint32_t symbol, int64_t *ret)
{
        struct numbers *n = user;
        const char *name = str_text(n->pair->strings, dim_symbol_at(n->pair->dims, symbol)->name);

        *ret = n->made_up;
        return symbol == n->other || number_of(&n->turn, name, strlen(name), ret);
}

/* Whether the numbers keep to what is known of the symbols by now. */
static bool is_allowed(struct numbers *n)
{
        struct dim_table *dims = n->pair->dims;
        int64_t number, bound;

        for (uint32_t i = 0; i < dim_symbol_count(dims); i++) {
                const struct dim_symbol *symbol = dim_symbol_at(dims, i);

                if (!look_up(n, i, &number) || number < symbol->lower || number > symbol->upper)
                        return false;
                if (symbol->is_bound && dim_eval(dims, symbol->facts->bound, look_up, n, &bound) && bound != number)
                        return false;
        }
        return true;
}

/* -- reading -- */

static void read_text(struct pair *p, int i)
{
        struct dim again;
        const char *text;

        p->reads[i] = dim_parse(p->dims, p->text[i].at, p->text[i].size, NULL, NULL, NULL, true, &p->dim[i]);
        if (!p->reads[i])
                return;
        if (dim_is_int(p->dim[i]))
                return;
        text = dim_text(p->dims, p->dim[i]);
        uint32_t symbol;

        if (dim_as_symbol(p->dims, p->dim[i], &symbol))
                return; /* as the model spells it, which need not read as itself */
        HOLD(dim_parse(p->dims, text, strlen(text), NULL, NULL, NULL, true, &again), "%s reads", text);
        HOLD(dim_same(p->dim[i], again), "%s reads as itself, not as %s", text, dim_text(p->dims, again));
}

static void hold_number(struct numbers *n, struct dim d, int64_t is, const char *what)
{
        struct dim_table *dims = n->pair->dims;
        int64_t said, lower, upper;

        if (!n->pair->modest && !dim_eval(dims, d, look_up, n, &said))
                return; /* multiplied out, it may overflow on the way */
        HOLD(dim_eval(dims, d, look_up, n, &said), "%s: %s has a value in turn %u, %" PRId64, what, dim_text(dims, d),
             n->turn, is);
        HOLD(said == is, "%s: %s is %" PRId64 " in turn %u, not %" PRId64, what, dim_text(dims, d), said, n->turn, is);
        dim_range(dims, d, &lower, &upper);
        HOLD(lower <= is && is <= upper, "%s: %s is in its range, not %" PRId64, what, dim_text(dims, d), is);
}

static void hold_value(struct pair *p, int i, struct dim d, unsigned turn, const char *what)
{
        struct numbers n = {p, turn, NO_OTHER, 0};
        int64_t is;

        if (text_value(&p->text[i], number_of, &turn, &is))
                hold_number(&n, d, is, what);
}

static void check_values(struct pair *p)
{
        for (unsigned turn = 0; turn < ASSIGNMENTS; turn++)
                for (int i = 0; i < 2; i++)
                        if (p->reads[i])
                                hold_value(p, i, p->dim[i], turn, "as read");
}

/* -- two of them -- */

static void check_proofs(struct pair *p)
{
        struct dim a = p->dim[0], b = p->dim[1];
        bool ge = dim_proves_ge(p->dims, a, b), equal = dim_proves_equal(p->dims, a, b);
        bool unequal = dim_proves_unequal(p->dims, a, b);
        int64_t left, right;

        HOLD(!(equal && unequal), "nothing is equal and unequal");
        for (unsigned turn = 0; turn < ASSIGNMENTS; turn++) {
                if (!text_value(&p->text[0], number_of, &turn, &left) ||
                    !text_value(&p->text[1], number_of, &turn, &right))
                        continue;
                HOLD(!ge || left >= right, "%s >= %s", dim_text(p->dims, a), dim_text(p->dims, b));
                HOLD(!equal || left == right, "%s == %s", dim_text(p->dims, a), dim_text(p->dims, b));
                HOLD(!unequal || left != right, "%s != %s", dim_text(p->dims, a), dim_text(p->dims, b));
        }
}

/* k * u + a == b, where u was made up: a symbol that can be bound. Whatever makes the two equal numbers must stay
   allowed, and the values stay as they are. */
static void check_made_up(struct pair *p, int64_t k)
{
        struct dim u = dim_fresh(p->dims, "made up", NULL), joint;
        struct dim left = dim_add(p->dims, dim_mul(p->dims, u, dim_int(k)), p->dim[0]);
        enum dim_unify outcome = dim_unify(p->dims, left, p->dim[1], &joint);
        struct dim resolved = dim_resolve(p->dims, left);
        int64_t a, b;
        uint32_t number;

        if (dim_take_faults(p->dims) || !dim_as_symbol(p->dims, u, &number))
                return;
        for (unsigned turn = 0; turn < ASSIGNMENTS; turn++) {
                struct numbers n = {p, turn, number, 0};

                if (!text_value(&p->text[0], number_of, &turn, &a) || !text_value(&p->text[1], number_of, &turn, &b) ||
                    !sub_i64(b, a, &n.made_up) || n.made_up % k != 0 || n.made_up < 0)
                        continue;
                n.made_up /= k;
                HOLD(outcome != DIM_UNIFY_CONFLICT, "%s can be %s in turn %u", dim_text(p->dims, left),
                     dim_text(p->dims, p->dim[1]), turn);
                HOLD(is_allowed(&n), "what makes %s and %s equal is allowed in turn %u", dim_text(p->dims, left),
                     dim_text(p->dims, p->dim[1]), turn);
                hold_number(&n, joint, b, "to go on with");
                hold_number(&n, resolved, b, "resolved");
        }
}

/* Two texts without symbols that can be bound. */
static void check_unify(struct pair *p)
{
        enum dim_unify outcome = dim_unify(p->dims, p->dim[0], p->dim[1], NULL);
        int64_t left, right;

        HOLD(outcome != DIM_UNIFY_BOUND, "nothing can be bound");
        for (unsigned turn = 0; turn < ASSIGNMENTS; turn++) {
                if (!text_value(&p->text[0], number_of, &turn, &left) ||
                    !text_value(&p->text[1], number_of, &turn, &right))
                        continue;
                HOLD(outcome != DIM_UNIFY_SAME || left == right, "%s is %s", dim_text(p->dims, p->dim[0]),
                     dim_text(p->dims, p->dim[1]));
                HOLD(outcome != DIM_UNIFY_CONFLICT || left != right, "%s is never %s", dim_text(p->dims, p->dim[0]),
                     dim_text(p->dims, p->dim[1]));
        }
}

/* A symbol gets a number, as the caller of an inference may ask. */
static void check_define(struct pair *p, unsigned turn)
{
        struct numbers n = {p, turn, NO_OTHER, 0};
        int64_t number;

        if (dim_symbol_count(p->dims) == 0 || !look_up(&n, turn % dim_symbol_count(p->dims), &number))
                return;
        const struct dim_symbol *open = dim_symbol_at(p->dims, turn % dim_symbol_count(p->dims));

        if (open->is_bound)
                return;
        dim_define(p->dims, open->name, number);
        struct dim resolved = dim_resolve(p->dims, p->dim[0]);

        if (dim_take_faults(p->dims) == DIM_FAULT_NONE)
                hold_value(p, 0, resolved, turn, "with a symbol defined");
}

/* -- the input -- */

/* Few factors, and no large number. */
static bool is_modest(const struct text *text)
{
        int factors = 0, digits = 0;

        for (size_t i = 0; i < text->size; i++) {
                factors += text->at[i] == '*' || text->at[i] == '/' || text->at[i] == '%';
                digits = text->at[i] >= '0' && text->at[i] <= '9' ? digits + 1 : 0;
                if (factors > 4 || digits > 3)
                        return false;
        }
        return true;
}

static void begin(struct pair *p)
{
        struct ox_limits limits;

        ox_limits_default(&limits);
        p->strings = strings_new(p->arena, 7);
        p->dims = dim_table_new(p->arena, p->strings, &limits, 7);
        read_text(p, 0);
        read_text(p, 1);
}

static void check(struct pair *p, const uint8_t *data, size_t size)
{
        const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
        size_t first = end != NULL ? (size_t)(end - data) : size;

        if (size > TEXT_MOST || !utf8_is_clean((const char *)data, size))
                return; /* as whoever takes texts sees to */
        p->text[0] = (struct text){(const char *)data, first};
        p->text[1] = (struct text){(const char *)data + first + (end != NULL), size - first - (end != NULL)};
        p->modest = is_modest(&p->text[0]) && is_modest(&p->text[1]);
        begin(p);
        check_values(p);
        if (!p->reads[0])
                return;
        if (p->reads[1]) {
                check_proofs(p);
                check_unify(p);
                begin(p);
                check_made_up(p, 1 + (int64_t)(size % 2));
        }
        begin(p);
        check_define(p, 1 + (unsigned)(size % (ASSIGNMENTS - 1)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct pair p = {.arena = arena_new((size_t)256 << 20)};
        struct arena_guard guard;

        arena_set_guard(p.arena, &guard);
        if (p.arena != NULL && setjmp(guard.jump) == 0)
                check(&p, data, size);
        arena_free(p.arena);
        return 0;
}
