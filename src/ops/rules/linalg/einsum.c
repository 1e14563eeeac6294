/* Einsum 12: sums of products, given by an equation of labels. */
#include "ops/kit/sizes.h"
#include "ops/rules/linalg.h"

#include <string.h>

/* Labels in the order of their bytes, which is their order in the output of an equation without ->. */
#define LABELS   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define N_LABELS 52
#define ELLIPSIS N_LABELS

/* A size that several operands may determine. An operand of unknown rank leaves it open, because a size that is 1
   elsewhere may be larger there. */
struct shared_size {
        struct dim dim;
        bool known, open;
};

struct einsum {
        struct shared_size label[N_LABELS];
        int uses[N_LABELS];
        bool has_ellipsis;
        int rank; /* the number of axes of the ellipsis; RANK_UNKNOWN until an operand determines it */
        struct shared_size *ellipsis;
        bool ellipsis_open;
};

/* One term: labels and perhaps one ellipsis, by number. */
struct term {
        const unsigned char *at;
        int count;
        bool has_ellipsis;
};

__attribute__((format(printf, 2, 3))) static enum ox_code bad_equation(struct node *n, const char *format, ...)
{
        const char *text;
        va_list args;

        va_start(args, format);
        text = arena_vprintf(n->arena, format, args);
        va_end(args);
        return node_error(n, REASON_EQUATION_INVALID, -1, "the equation %s", text);
}

/* Reads the term in [text, end). */
static enum ox_code term_read(struct node *n, const char *text, const char *end, struct term *ret)
{
        unsigned char *at = arena_new_array(n->arena, unsigned char, (size_t)(end - text));

        *ret = (struct term){.at = at};
        while (text < end) {
                const char *label = *text != '\0' ? strchr(LABELS, *text) : NULL;

                if (label) {
                        at[ret->count++] = (unsigned char)(label - LABELS);
                        text++;
                } else if (end - text >= 3 && memcmp(text, "...", 3) == 0) {
                        if (ret->has_ellipsis)
                                return bad_equation(n, "has two ellipses in one term");
                        ret->has_ellipsis = true;
                        at[ret->count++] = ELLIPSIS;
                        text += 3;
                } else {
                        return bad_equation(n, "has a character that is not a letter");
                }
                if (ret->count > n->limits->rank)
                        return bad_equation(n, "has a term of more labels than %lld", (long long)n->limits->rank);
        }
        return OX_OK;
}

/* `label` is the axis' name in the message: a letter, or "..." for an axis of the ellipsis. */
static enum ox_code size_meet(struct node *n, struct shared_size *size, const char *label, int input, int axis)
{
        struct dim dim = in_dim(n, input, axis);

        if (!size->known) {
                *size = (struct shared_size){.dim = dim, .known = true, .open = size->open};
                return OX_OK;
        }
        if (sizes_broadcast(n, size->dim, dim, input, &size->dim))
                return OX_OK;
        const char *expected = dim_text(n->dims, size->dim), *actual = dim_text(n->dims, dim);

        return node_error_at(n, REASON_DIM_MISMATCH, input, axis, expected, actual,
                             "%s: axis %d (label %s) must be %s as earlier in the equation, got %s",
                             node_input_text(n, input), axis, label, expected, actual);
}

static struct dim size_take(struct node *n, const struct shared_size *size, int axis)
{
        if (size->known && (!size->open || (dim_is_int(size->dim) && size->dim.val != 1)))
                return size->dim;
        return out_fresh(n, 0, axis);
}

/* Of an operand of unknown rank only the labels are known. */
static void operand_open(struct einsum *e, const struct term *term)
{
        for (int k = 0; k < term->count; k++) {
                if (term->at[k] == ELLIPSIS)
                        e->ellipsis_open = true;
                else
                        e->label[term->at[k]].open = true;
        }
}

/* Every ellipsis stands for the same number of axes. */
static enum ox_code ellipsis_meet(struct node *n, struct einsum *e, int i, int first, int rank)
{
        if (e->rank != RANK_UNKNOWN && e->rank != rank)
                return node_error(n, REASON_RANK_MISMATCH, i,
                                  "%s: the ellipsis stands for %d axes, but for %d of an earlier input",
                                  node_input_text(n, i), rank, e->rank);
        if (e->rank == RANK_UNKNOWN)
                e->ellipsis = arena_zalloc(n->arena, ((size_t)rank + 1) * sizeof(*e->ellipsis));
        e->rank = rank;
        for (int d = 0; d < rank; d++)
                TRY(size_meet(n, &e->ellipsis[d], "...", i, first + d));
        return OX_OK;
}

static enum ox_code einsum_rank_fault(struct node *n, int i, int labels, bool has_ellipsis)
{
        const char *expected = arena_printf(n->arena, has_ellipsis ? "%d or more" : "%d", labels);

        return node_error_at(n, REASON_RANK_MISMATCH, i, -1, expected, node_number(n, in_rank(n, i)),
                             "%s: expected rank %s by its term in the equation, got %d", node_input_text(n, i),
                             expected, in_rank(n, i));
}

static enum ox_code operand_meet(struct node *n, struct einsum *e, int i, const struct term *term)
{
        int rank = in_rank(n, i), labels = term->count - (term->has_ellipsis ? 1 : 0), axis = 0;

        TRY(in_expect_tensor(n, i));
        for (int k = 0; k < term->count; k++)
                if (term->at[k] != ELLIPSIS)
                        e->uses[term->at[k]]++;
        e->has_ellipsis = e->has_ellipsis || term->has_ellipsis;
        if (rank == RANK_UNKNOWN) {
                operand_open(e, term);
                return OX_OK;
        }
        if (term->has_ellipsis ? rank < labels : rank != labels)
                return einsum_rank_fault(n, i, labels, term->has_ellipsis);
        for (int k = 0; k < term->count; k++) {
                if (term->at[k] == ELLIPSIS) {
                        TRY(ellipsis_meet(n, e, i, axis, rank - labels));
                        axis += rank - labels;
                } else {
                        const char label[] = {LABELS[term->at[k]], '\0'};

                        TRY(size_meet(n, &e->label[term->at[k]], label, i, axis++));
                }
        }
        return OX_OK;
}

/* The terms before the arrow, one for each input. */
static enum ox_code operands_read(struct node *n, struct einsum *e, const char *text, const char *end)
{
        struct term term;
        int i = 0;

        for (;; i++) {
                const char *comma = memchr(text, ',', (size_t)(end - text));

                if (i >= n->n_in)
                        break;
                TRY(term_read(n, text, comma ? comma : end, &term));
                TRY(operand_meet(n, e, i, &term));
                if (!comma) {
                        i++;
                        break;
                }
                text = comma + 1;
                if (i + 1 == n->n_in)
                        return bad_equation(n, "has more terms than the %d inputs", n->n_in);
        }
        if (i != n->n_in)
                return bad_equation(n, "has %d terms for %d inputs", i, n->n_in);
        return OX_OK;
}

/* Without an arrow: the ellipsis, then the labels that occur exactly once. */
static struct term term_implied(struct node *n, const struct einsum *e)
{
        unsigned char *at = arena_new_array(n->arena, unsigned char, N_LABELS + 1);
        struct term term = {.at = at, .has_ellipsis = e->has_ellipsis};

        if (e->has_ellipsis)
                at[term.count++] = ELLIPSIS;
        for (int label = 0; label < N_LABELS; label++)
                if (e->uses[label] == 1)
                        at[term.count++] = (unsigned char)label;
        return term;
}

static enum ox_code term_check(struct node *n, const struct einsum *e, const struct term *term)
{
        bool seen[N_LABELS] = {false};

        for (int k = 0; k < term->count; k++) {
                int label = term->at[k];

                if (label == ELLIPSIS)
                        continue;
                if (e->uses[label] == 0)
                        return bad_equation(n, "has the label %c only in the output", LABELS[label]);
                if (seen[label])
                        return bad_equation(n, "has the label %c twice in the output", LABELS[label]);
                seen[label] = true;
        }
        return OX_OK;
}

/* An ellipsis that only the output has stands for zero axes. */
static enum ox_code output_set(struct node *n, const struct einsum *e, const struct term *term)
{
        struct dim *dims;
        int to = 0;

        if (term->has_ellipsis && e->has_ellipsis && e->rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        dims = arena_new_array(n->arena, struct dim, (size_t)term->count + (size_t)(e->rank > 0 ? e->rank : 0));
        for (int k = 0; k < term->count; k++) {
                if (term->at[k] != ELLIPSIS) {
                        dims[to] = size_take(n, &e->label[term->at[k]], to);
                        to++;
                        continue;
                }
                for (int d = 0; d < e->rank; d++, to++) {
                        struct shared_size size = e->ellipsis[d];

                        size.open = size.open || e->ellipsis_open;
                        dims[to] = size_take(n, &size, to);
                }
        }
        return out_tensor(n, 0, out_row_elem(n, 0), to, dims);
}

/* The equation without spaces, which may occur anywhere in it. */
static const char *equation_read(struct node *n)
{
        const char *text = "";
        char *equation, *to;

        attr_string(n, "equation", &text);
        to = equation = arena_strndup(n->arena, text, strlen(text));
        for (; *text != '\0'; text++)
                if (*text != ' ')
                        *to++ = *text;
        *to = '\0';
        return equation;
}

/* Einsum 12 */
enum ox_code infer_Einsum(struct node *n)
{
        struct einsum *e = arena_new_zero(n->arena, struct einsum);
        const char *equation = equation_read(n), *arrow;
        struct term term;

        e->rank = RANK_UNKNOWN;
        arrow = strstr(equation, "->");
        TRY(operands_read(n, e, equation, arrow ? arrow : equation + strlen(equation)));
        if (arrow)
                TRY(term_read(n, arrow + 2, equation + strlen(equation), &term));
        else
                term = term_implied(n, e);
        TRY(term_check(n, e, &term));
        return output_set(n, e, &term);
}
