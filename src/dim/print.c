/* Prints dimensions as text that Python reads back, by its rules of precedence and order. */
#include <string.h>

#include "base/digits.h"
#include "dim/internal.h"

bool dim_is_identifier(const char *text, size_t length)
{
        for (size_t i = 0; i < length; i++) {
                char c = text[i];
                bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

                if (!letter && !(i > 0 && c >= '0' && c <= '9'))
                        return false;
        }
        return length > 0 && !is_function_name(text, length);
}

static void print_expr(struct dim_table *t, struct dim d, struct buf *buf);

/* A text of a few bytes, whose number is mostly a constant. */
static inline __attribute__((always_inline)) void put(struct buf *buf, const char *text, size_t length)
{
        buf_reserve(buf, length);
        buf->length = (size_t)(text_copy(buf->text + buf->length, text, length) - buf->text);
}

static inline void put_number(struct buf *buf, uint64_t value)
{
        buf_reserve(buf, DIGITS_MOST);
        char *at = buf->text + buf->length;

        if (value < 10)
                *at++ = (char)('0' + value);
        else
                at = digits_put(at, value);
        buf->length = (size_t)(at - buf->text);
}

/* -- order: by the text and not by age, so that the order of nodes does not show -- */

/* The shorter first. */
static int compare_texts(const char *a, const char *b)
{
        size_t x = strlen(a), y = strlen(b);

        return x != y ? (x > y) - (x < y) : strcmp(a, b);
}

/* An operation's text, without parentheses around it. */
static const char *operation_text(struct dim_table *t, struct atom *atom);

/* Symbols before operations; inputs' symbols in the order of the inputs, others by name. */
static int compare_atoms(struct dim_table *t, uint32_t a, uint32_t b)
{
        struct atom *x = t->atom[a], *y = t->atom[b];

        if (a == b)
                return 0;
        if (x->kind != ATOM_SYMBOL && y->kind != ATOM_SYMBOL)
                return compare_texts(operation_text(t, x), operation_text(t, y));
        if (x->kind != ATOM_SYMBOL || y->kind != ATOM_SYMBOL)
                return x->kind == ATOM_SYMBOL ? -1 : 1;
        const struct dim_symbol *p = &t->symbol[x->symbol]->info, *q = &t->symbol[y->symbol]->info;

        if (p->from_input != q->from_input)
                return p->from_input ? -1 : 1;
        if (p->from_input)
                return x->symbol < y->symbol ? -1 : 1;
        return strcmp(str_text(t->strings, p->name), str_text(t->strings, q->name));
}

/* The factors of a monomial in order; their number. */
static uint32_t sort_factors(struct dim_table *t, const struct mono *mono, uint32_t *ret)
{
        for (uint32_t i = 0; i < mono->n; i++) {
                uint32_t at = i;

                for (; at > 0 && compare_atoms(t, mono->atom[i], ret[at - 1]) < 0; at--)
                        ret[at] = ret[at - 1];
                ret[at] = mono->atom[i];
        }
        return mono->n;
}

/* Products of more factors come first, then by the order of the factors; the constant comes last. */
static int compare_monos(struct dim_table *t, uint64_t a, uint64_t b)
{
        const struct mono *x = t->mono[a], *y = t->mono[b];
        uint32_t of_x[MAX_DEGREE], of_y[MAX_DEGREE];

        if (x->n != y->n)
                return x->n > y->n ? -1 : 1;
        if (x->n == 1)
                return compare_atoms(t, x->atom[0], y->atom[0]);
        sort_factors(t, x, of_x);
        sort_factors(t, y, of_y);
        for (uint32_t i = 0; i < x->n; i++) {
                int order = compare_atoms(t, of_x[i], of_y[i]);

                if (order != 0)
                        return order;
        }
        return 0;
}

/* The order of operands of max, min and broadcast: single symbols and operations, then sums, then numbers. */
static int compare_dims(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is_int(a) || dim_is_int(b))
                return dim_is_int(a) - dim_is_int(b);
        const struct expr *x = t->expr[a.expr], *y = t->expr[b.expr];

        if (x->n != 1 || y->n != 1)
                return x->n == 1 || y->n == 1 ? (x->n == 1 ? -1 : 1) : compare_texts(dim_text(t, a), dim_text(t, b));
        uint32_t of_x = t->mono[x->term[0].mono]->n, of_y = t->mono[y->term[0].mono]->n;
        int order = of_x != of_y ? (of_x > of_y) - (of_x < of_y) : compare_monos(t, x->term[0].mono, y->term[0].mono);

        return order ? order : (x->term[0].coef > y->term[0].coef) - (x->term[0].coef < y->term[0].coef);
}

static void sort_operands(struct dim_table *t, const struct atom *atom, struct dim *ret)
{
        for (uint32_t i = 0; i < atom->n; i++) {
                uint32_t at = i;

                for (; at > 0 && compare_dims(t, atom->arg[i], ret[at - 1]) < 0; at--)
                        ret[at] = ret[at - 1];
                ret[at] = atom->arg[i];
        }
}

/* -- names -- */

static void print_name(struct dim_table *t, str_id name, struct buf *buf)
{
        const char *text = str_text(t->strings, name);
        size_t length = str_length(t->strings, name);

        if (dim_is_identifier(text, length)) {
                put(buf, text, length);
                return;
        }
        buf_putc(buf, '`');
        for (size_t i = 0; i < length; i++) {
                if (text[i] == '`' || text[i] == '\\')
                        buf_putc(buf, '\\');
                buf_putc(buf, text[i]);
        }
        buf_putc(buf, '`');
}

/* Whether a dimension can be an operand of // or % as it stands: on the left a product may, without a sign and without
   a division in it, whose parentheses help the reader at the least. */
static bool is_operand(struct dim_table *t, struct dim d, bool left)
{
        if (dim_is_int(d))
                return d.val >= 0;
        const struct expr *expr = t->expr[d.expr];
        const struct mono *mono = t->mono[expr->term[0].mono];

        if (expr->n != 1 || expr->term[0].coef < 0 || (!left && (expr->term[0].coef != 1 || mono->n != 1)))
                return false;
        for (uint32_t i = 0; i < mono->n; i++)
                if (t->atom[mono->atom[i]]->kind == ATOM_FLOORDIV || t->atom[mono->atom[i]]->kind == ATOM_MOD)
                        return false;
        return true;
}

static void print_operand(struct dim_table *t, struct dim d, bool left, struct buf *buf)
{
        bool bare = is_operand(t, d, left);

        if (!bare)
                buf_putc(buf, '(');
        print_expr(t, d, buf);
        if (!bare)
                buf_putc(buf, ')');
}

static void print_call(struct dim_table *t, const char *name, const struct atom *atom, struct buf *buf)
{
        struct dim arg[MAX_ARGUMENTS];

        sort_operands(t, atom, arg);
        buf_puts(buf, name);
        for (uint32_t i = 0; i < atom->n; i++) {
                buf_puts(buf, i == 0 ? "(" : ", ");
                print_expr(t, arg[i], buf);
        }
        buf_putc(buf, ')');
}

/* Prints a broadcast of more than two as nested broadcasts of two: unlike max and min it is not a function of Python,
   and readers of our texts may define it for two arguments. */
static void print_broadcast(struct dim_table *t, const struct atom *atom, struct buf *buf)
{
        struct dim arg[MAX_ARGUMENTS] = {{.val = 0}};

        sort_operands(t, atom, arg);
        for (uint32_t i = 1; i < atom->n; i++)
                buf_puts(buf, "broadcast(");
        print_expr(t, arg[0], buf);
        for (uint32_t i = 1; i < atom->n; i++) {
                buf_puts(buf, ", ");
                print_expr(t, arg[i], buf);
                buf_putc(buf, ')');
        }
}

static void print_operation(struct dim_table *t, const struct atom *atom, struct buf *buf)
{
        switch (atom->kind) {
        case ATOM_RING:
        case ATOM_SYMBOL:
                break;
        case ATOM_FLOORDIV:
        case ATOM_MOD:
                print_operand(t, atom->arg[0], true, buf);
                put(buf, atom->kind == ATOM_MOD ? "%" : "//", atom->kind == ATOM_MOD ? 1 : 2);
                print_operand(t, atom->arg[1], false, buf);
                break;
        case ATOM_MAX:
                print_call(t, "max", atom, buf);
                break;
        case ATOM_MIN:
                print_call(t, "min", atom, buf);
                break;
        case ATOM_BROADCAST:
                print_broadcast(t, atom, buf);
                break;
        }
}

static const char *operation_text(struct dim_table *t, struct atom *atom)
{
        struct buf buf;

        struct atom_memo *memo = atom->memo;

        if (memo->text && memo->text_generation == t->text_generation)
                return memo->text;
        buf_init(&buf, t->arena);
        print_operation(t, atom, &buf);
        memo->text = buf_text(&buf);
        memo->text_generation = t->text_generation;
        return memo->text;
}

/* `alone`: nothing multiplies it and no sign stands before it. */
static void print_atom(struct dim_table *t, struct atom *atom, bool alone, struct buf *buf)
{
        bool is_division = atom->kind == ATOM_FLOORDIV || atom->kind == ATOM_MOD;

        if (atom->kind == ATOM_SYMBOL) {
                print_name(t, t->symbol[atom->symbol]->info.name, buf);
                return;
        }
        if (is_division && !alone)
                buf_putc(buf, '(');
        buf_puts(buf, operation_text(t, atom));
        if (is_division && !alone)
                buf_putc(buf, ')');
}

static void print_term(struct dim_table *t, const struct term *term, bool first, struct buf *buf)
{
        const struct mono *mono = t->mono[term->mono];
        uint64_t size = term->coef < 0 ? -(uint64_t)term->coef : (uint64_t)term->coef;
        bool begun = size != 1 || mono->n == 0;
        bool alone = !begun && mono->n == 1 && !(first && term->coef < 0);

        if (!first)
                put(buf, term->coef < 0 ? " - " : " + ", 3);
        else if (term->coef < 0)
                buf_putc(buf, '-');
        if (begun)
                put_number(buf, size);
        uint32_t factor[MAX_DEGREE], count = sort_factors(t, mono, factor);

        for (uint32_t i = 0; i < count; i++) {
                if (begun)
                        buf_putc(buf, '*');
                print_atom(t, t->atom[factor[i]], alone, buf);
                begun = true;
        }
}

/* The parser reads a number before its sign, so the least integer is written as a difference. */
static void print_readable_term(struct dim_table *t, const struct term *term, bool first, struct buf *buf)
{
        struct term part = {.coef = -INT64_MAX, .mono = term->mono};

        if (term->coef != INT64_MIN) {
                print_term(t, term, first, buf);
                return;
        }
        print_term(t, &part, first, buf);
        part.coef = -1;
        print_term(t, &part, false, buf);
}

static bool is_before(struct dim_table *t, const struct expr *expr, uint32_t a, uint32_t b)
{
        return compare_monos(t, expr->term[a].mono, expr->term[b].mono) < 0;
}

/* Merge sort of numbers of terms, most of which are in order: where two runs are, they are one. */
static void sort_terms(struct dim_table *t, const struct expr *expr, uint32_t *order, uint32_t *other)
{
        for (uint32_t width = 1; width < expr->n; width *= 2) {
                for (uint32_t at = 0; at < expr->n; at += 2 * width) {
                        uint32_t i = at, mid = at + width < expr->n ? at + width : expr->n;
                        uint32_t j = mid, end = at + 2 * width < expr->n ? at + 2 * width : expr->n;

                        bool runs_on = mid == end || !is_before(t, expr, order[mid], order[mid - 1]);

                        for (uint32_t to = at; to < end; to++) {
                                bool right =
                                        i == mid || (!runs_on && j < end && is_before(t, expr, order[j], order[i]));

                                other[to] = right ? order[j++] : order[i++];
                        }
                }
                memcpy(order, other, expr->n * sizeof(*order));
        }
}

/* Puts the terms of a sum in order; `other` has room for as many. */
static void order_terms(struct dim_table *t, const struct expr *expr, uint32_t *order, uint32_t *other)
{
        if (expr->n == 2) {
                order[0] = is_before(t, expr, 1, 0);
                order[1] = 1 - order[0];
                return;
        }
        for (uint32_t i = 0; i < expr->n; i++)
                order[i] = i;
        sort_terms(t, expr, order, other);
}

static void print_sum(struct dim_table *t, const struct expr *expr, struct buf *buf)
{
        uint32_t few[2 * FEW_TERMS], *order = few, lead = 0;

        if (expr->n > FEW_TERMS)
                order = arena_array(buf->arena, 2 * (size_t)expr->n, sizeof(*order));
        order_terms(t, expr, order, order + expr->n);
        /* A positive term goes first, so that the text does not begin with a sign. */
        for (uint32_t i = 0; i < expr->n && expr->term[order[lead]].coef < 0; i++)
                if (expr->term[order[i]].coef > 0)
                        lead = i;
        print_readable_term(t, &expr->term[order[lead]], true, buf); /* NOLINT: a sum has two terms or more */
        for (uint32_t i = 0; i < expr->n; i++)
                if (i != lead)
                        print_readable_term(t, &expr->term[order[i]], false, buf);
}

static void print_expr(struct dim_table *t, struct dim d, struct buf *buf)
{
        const struct term least = {.coef = INT64_MIN, .mono = MONO_ONE};
        const struct expr *expr = dim_is_int(d) ? NULL : t->expr[d.expr];

        if (!expr && d.val == INT64_MIN)
                print_readable_term(t, &least, true, buf);
        else if (!expr && d.val < 0)
                buf_put_i64(buf, d.val);
        else if (!expr)
                put_number(buf, (uint64_t)d.val);
        else if (expr->n == 1)
                print_readable_term(t, &expr->term[0], true, buf);
        else
                print_sum(t, expr, buf);
}

/* The text of a dimension of which nothing is remembered; that of an operation alone is the operation's. */
static const char *new_text(struct dim_table *t, struct dim d)
{
        struct atom *alone = lone_atom(t, d);
        struct buf buf;

        if (alone)
                return operation_text(t, alone);
        buf_init(&buf, t->arena);
        print_expr(t, d, &buf);
        return buf_text(&buf);
}

const char *dim_text(struct dim_table *t, struct dim d)
{
        struct expr_memo *memo = d.expr ? t->expr[d.expr]->memo : NULL;
        uint32_t symbol;

        if (memo && memo->text && memo->text_generation == t->text_generation)
                return memo->text;
        if (dim_as_symbol(t, d, &symbol))
                return str_text(t->strings, t->symbol[symbol]->info.name);
        const char *text = new_text(t, d);

        if (memo) {
                memo->text = text;
                memo->text_generation = t->text_generation;
        }
        return text;
}
