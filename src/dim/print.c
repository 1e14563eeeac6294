/* Text. Python reads back what is printed, by its precedence and from left to right. */
#include <string.h>

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

static void print_expr(const struct dim_table *t, struct dim d, struct buf *buf);

static void print_name(const struct dim_table *t, str_id name, struct buf *buf)
{
        const char *text = str_text(t->strings, name);
        size_t length = str_length(t->strings, name);

        if (dim_is_identifier(text, length)) {
                buf_put(buf, text, length);
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
static bool is_operand(const struct dim_table *t, struct dim d, bool left)
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

static void print_operand(const struct dim_table *t, struct dim d, bool left, struct buf *buf)
{
        bool bare = is_operand(t, d, left);

        if (!bare)
                buf_putc(buf, '(');
        print_expr(t, d, buf);
        if (!bare)
                buf_putc(buf, ')');
}

static void print_call(const struct dim_table *t, const char *name, const struct atom *atom, struct buf *buf)
{
        buf_puts(buf, name);
        for (uint32_t i = 0; i < atom->n; i++) {
                buf_puts(buf, i == 0 ? "(" : ", ");
                print_expr(t, atom->arg[i], buf);
        }
        buf_putc(buf, ')');
}

/* A broadcast of more than two, as broadcasts of two: unlike max and min it is no function of Python's own, and who
   reads our texts may have written it for two. */
static void print_broadcast(const struct dim_table *t, const struct atom *atom, struct buf *buf)
{
        for (uint32_t i = 1; i < atom->n; i++)
                buf_puts(buf, "broadcast(");
        print_expr(t, atom->arg[0], buf);
        for (uint32_t i = 1; i < atom->n; i++) {
                buf_puts(buf, ", ");
                print_expr(t, atom->arg[i], buf);
                buf_putc(buf, ')');
        }
}

/* `alone`: nothing multiplies it and no sign stands before it. */
static void print_atom(const struct dim_table *t, const struct atom *atom, bool alone, struct buf *buf)
{
        switch (atom->kind) {
        case ATOM_SYMBOL:
                print_name(t, t->symbol[atom->symbol]->open.name, buf);
                break;
        case ATOM_FLOORDIV:
        case ATOM_MOD:
                if (!alone)
                        buf_putc(buf, '(');
                print_operand(t, atom->arg[0], true, buf);
                buf_puts(buf, atom->kind == ATOM_MOD ? "%" : "//");
                print_operand(t, atom->arg[1], false, buf);
                if (!alone)
                        buf_putc(buf, ')');
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

static void print_term(const struct dim_table *t, const struct term *term, bool first, struct buf *buf)
{
        const struct mono *mono = t->mono[term->mono];
        uint64_t size = term->coef < 0 ? -(uint64_t)term->coef : (uint64_t)term->coef;
        bool begun = size != 1 || mono->n == 0;
        bool alone = !begun && mono->n == 1 && !(first && term->coef < 0);

        if (!first)
                buf_puts(buf, term->coef < 0 ? " - " : " + ");
        else if (term->coef < 0)
                buf_putc(buf, '-');
        if (begun)
                buf_printf(buf, "%llu", (unsigned long long)size);
        /* Symbols before operations, which read as what is multiplied. */
        for (int operations = 0; operations < 2; operations++) {
                for (uint32_t i = 0; i < mono->n; i++) {
                        const struct atom *atom = t->atom[mono->atom[i]];

                        if ((atom->kind != ATOM_SYMBOL) != operations)
                                continue;
                        if (begun)
                                buf_putc(buf, '*');
                        print_atom(t, atom, alone, buf);
                        begun = true;
                }
        }
}

/* What reads texts reads the number before its sign, so that the least of all integers is written in two. */
static void print_readable_term(const struct dim_table *t, const struct term *term, bool first, struct buf *buf)
{
        struct term part = *term;

        if (term->coef == INT64_MIN) {
                part.coef = -INT64_MAX;
                print_term(t, &part, first, buf);
                part.coef = -1;
                first = false;
        }
        print_term(t, &part, first, buf);
}

/* Products of more factors first, then in order of the atoms' making, symbols before operations; the constant last. */
static bool prints_before(const struct dim_table *t, uint64_t a, uint64_t b)
{
        const struct mono *x = t->mono[a], *y = t->mono[b];

        if (x->n != y->n)
                return x->n > y->n;
        for (uint32_t i = 0; i < x->n; i++) {
                bool x_symbol = t->atom[x->atom[i]]->kind == ATOM_SYMBOL;
                bool y_symbol = t->atom[y->atom[i]]->kind == ATOM_SYMBOL;

                if (x_symbol != y_symbol)
                        return x_symbol;
                if (x->atom[i] != y->atom[i])
                        return x->atom[i] < y->atom[i];
        }
        return false;
}

/* Merge sort of numbers of terms. */
static void sort_terms(const struct dim_table *t, const struct expr *expr, uint32_t *order, uint32_t *other)
{
        for (uint32_t width = 1; width < expr->n; width *= 2) {
                for (uint32_t at = 0; at < expr->n; at += 2 * width) {
                        uint32_t i = at, mid = at + width < expr->n ? at + width : expr->n;
                        uint32_t j = mid, end = at + 2 * width < expr->n ? at + 2 * width : expr->n;

                        for (uint32_t to = at; to < end; to++) {
                                bool right = i == mid || (j < end && prints_before(t, expr->term[order[j]].mono,
                                                                                   expr->term[order[i]].mono));

                                other[to] = right ? order[j++] : order[i++];
                        }
                }
                memcpy(order, other, expr->n * sizeof(*order));
        }
}

#define FEW_TERMS 32

static void print_expr(const struct dim_table *t, struct dim d, struct buf *buf)
{
        uint32_t few[2 * FEW_TERMS] = {0}, *order = few;

        if (dim_is_int(d)) {
                if (d.val == INT64_MIN)
                        print_readable_term(t, &(struct term){.coef = d.val, .mono = MONO_ONE}, true, buf);
                else
                        buf_put_i64(buf, d.val);
                return;
        }
        const struct expr *expr = t->expr[d.expr];
        uint32_t lead = 0;

        if (expr->n > FEW_TERMS)
                order = arena_array(buf->arena, 2 * (size_t)expr->n, sizeof(*order));
        for (uint32_t i = 0; i < expr->n; i++)
                order[i] = i;
        sort_terms(t, expr, order, order + expr->n);
        /* A positive term goes first, lest the text begin with a sign; but never the constant. */
        for (uint32_t i = 0; i < expr->n && expr->term[order[lead]].coef < 0; i++)
                if (expr->term[order[i]].coef > 0 && expr->term[order[i]].mono != MONO_ONE)
                        lead = i;
        print_readable_term(t, &expr->term[order[lead]], true, buf);
        for (uint32_t i = 0; i < expr->n; i++)
                if (i != lead)
                        print_readable_term(t, &expr->term[order[i]], false, buf);
}

static void dim_print(const struct dim_table *t, struct dim d, struct buf *buf)
{
        const struct expr *expr = d.expr ? t->expr[d.expr] : NULL;
        uint32_t symbol;

        if (expr && expr->text && expr->text_generation == t->text_generation)
                buf_puts(buf, expr->text);
        else if (dim_is_int(d))
                buf_put_i64(buf, d.val);
        else if (dim_as_symbol(t, d, &symbol))
                buf_puts(buf, str_text(t->strings, t->symbol[symbol]->open.name));
        else
                print_expr(t, d, buf);
}

const char *dim_text(struct dim_table *t, struct dim d)
{
        struct expr *expr = d.expr ? t->expr[d.expr] : NULL;
        struct buf buf;

        if (expr && expr->text && expr->text_generation == t->text_generation)
                return expr->text;
        buf_init(&buf, t->arena);
        dim_print(t, d, &buf);
        const char *text = buf_text(&buf);

        if (expr) {
                expr->text = text;
                expr->text_generation = t->text_generation;
        }
        return text;
}
