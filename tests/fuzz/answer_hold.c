/* The properties of answers. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer.h"
#include "base/checked.h"

#define FLOAT_EXACT 16777216 /* integers up to here are floats as they are */

/* -- one answer -- */

static const char *size_fault(struct dim d)
{
        return dim_is_int(d) && d.val < 0 ? "no size is negative" : NULL;
}

static const char *type_fault(const struct type *type)
{
        const char *fault = NULL;

        for (; type_within(type) != NULL; type = type->of)
                if (type->kind == TYPE_UNKNOWN || type_is_tensor(type))
                        return "only containers have a type inside";
        if (type_is_tensor(type))
                for (int d = 0; d < type->rank && fault == NULL; d++)
                        fault = size_fault(type->dim[d]);
        return fault;
}

/* What is wrong with a value, NULL when nothing is. */
static const char *value_fault(const struct value *value)
{
        const struct content *content = content_read(value->content);
        const char *fault = type_fault(&value->type);
        bool is_empty = false, overflows = false;
        int64_t count = 1;

        if (fault == NULL && value_members(value)->has_length)
                fault = size_fault(value->members->length);
        if (fault != NULL || content == NULL)
                return fault;
        if (value->type.kind != TYPE_TENSOR || value->type.rank == RANK_UNKNOWN)
                return "only tensors of known shape have elements";
        for (int d = 0; d < value->type.rank; d++) {
                if (!dim_is_int(value->type.dim[d]))
                        return "elements go with sizes in numbers";
                is_empty = is_empty || dim_is(value->type.dim[d], 0);
                overflows = overflows || !mul_i64(count, value->type.dim[d].val, &count);
        }
        if (is_empty ? content->count == 0 : !overflows && (size_t)count == content->count)
                return NULL;
        return "there are as many elements as the shape says";
}

void answer_hold(struct subject *s, const struct answer *answer)
{
        if (answer->code != OX_OK) {
                HOLD(answer->code == OX_INVALID_ARGUMENT || answer->code == OX_OUT_OF_RANGE ||
                             answer->code == OX_RESOURCE_EXHAUSTED || answer->code == OX_DEADLINE_EXCEEDED ||
                             answer->code == OX_UNIMPLEMENTED,
                     "code %d is one of a node's", (int)answer->code);
                HOLD(answer->error != NULL && answer->error[0] != '\0', "a fault has a text");
                return;
        }
        HOLD(answer->result != NULL, "there is a result when there is no error");
        HOLD(answer->result->diags->errors == 0, "a result has no error in it");
        for (size_t i = 0; i < answer->result->n_value; i++) {
                const char *fault = value_fault(&result_at(answer->result, i)->value);

                if (fault == NULL)
                        continue;
                subject_print(s, "the node", answer->in, answer->code, answer->result);
                HOLD(false, "%s", fault);
        }
}

/* -- two answers -- */

struct holding {
        struct subject *s;
        const struct answer *weak, *strong;
        struct dim_table *dims; /* of the weaker answer */
        /* By the weaker answer's symbols. */
        int64_t *value;
        bool *has_value;
        uint32_t count;
        bool binds; /* the first time round: a symbol that stands alone takes the stronger answer's number */
        const char *name;
};

static const char *symbol_name(const struct holding *h, uint32_t symbol)
{
        return str_text(h->weak->strings, dim_symbol_at(h->dims, symbol)->name);
}

static void contradiction(const struct holding *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void contradiction(const struct holding *h, const char *format, ...)
{
        va_list args;

        subject_print(h->s, "what is said of", h->weak->in, h->weak->code, h->weak->result);
        subject_print(h->s, "does not hold for", h->strong->in, h->strong->code, h->strong->result);
        for (uint32_t i = 0; i < h->count; i++)
                if (h->has_value[i])
                        fprintf(stderr, "  with %s = %" PRId64 "\n", symbol_name(h, i), h->value[i]);
        fprintf(stderr, "  %s: ", h->name);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        HOLD(false, " (a contradiction)");
}

static bool look_up(void *user, uint32_t symbol, int64_t *ret)
{
        const struct holding *h = user;

        if (symbol >= h->count || !h->has_value[symbol])
                return false;
        *ret = h->value[symbol];
        return true;
}

static void hold_number(struct holding *h, struct dim said, int64_t is)
{
        int64_t lower, upper, value;
        uint32_t symbol;

        if (h->binds) {
                if (dim_as_symbol(h->dims, said, &symbol) && symbol < h->count && !h->has_value[symbol]) {
                        h->value[symbol] = is;
                        h->has_value[symbol] = true;
                }
                return;
        }
        if (dim_eval(h->dims, said, look_up, h, &value)) {
                if (value != is)
                        contradiction(h, "%s is %" PRId64 ", not %" PRId64, dim_text(h->dims, said), value, is);
                return;
        }
        dim_range(h->dims, said, &lower, &upper);
        if (is < lower || is > upper)
                contradiction(h, "%s is not %" PRId64, dim_text(h->dims, said), is);
}

static void hold_dim(struct holding *h, struct dim said, struct dim is)
{
        if (dim_is_int(is))
                hold_number(h, said, is.val);
}

static void hold_types(struct holding *h, const struct type *said, const struct type *is)
{
        if (said->kind == TYPE_UNKNOWN || is->kind == TYPE_UNKNOWN)
                return;
        if (said->kind != is->kind)
                contradiction(h, "it is of another kind");
        if (said->elem != ELEM_UNDEFINED && is->elem != ELEM_UNDEFINED && said->elem != is->elem)
                contradiction(h, "it is of %s, not %s", elem_name((int)said->elem), elem_name((int)is->elem));
        if (type_within(said) != NULL) {
                hold_types(h, said->of, is->of);
                return;
        }
        if (!type_is_tensor(said) || said->rank == RANK_UNKNOWN || is->rank == RANK_UNKNOWN)
                return;
        if (said->rank != is->rank)
                contradiction(h, "its rank is %d, not %d", said->rank, is->rank);
        for (int d = 0; d < said->rank; d++)
                hold_dim(h, said->dim[d], is->dim[d]);
}

static void hold_float(struct holding *h, const struct scalar *said, double is)
{
        int64_t number;
        double value = said->f;

        if (said->kind != SCALAR_FLOAT) {
                if (!dim_eval(h->dims, said->d, look_up, h, &number) || number > FLOAT_EXACT || number < -FLOAT_EXACT)
                        return;
                value = (double)number / (double)said->den;
        }
        if (value != is && !(isnan(value) && isnan(is)))
                contradiction(h, "an element is %.17g, not %.17g", value, is);
}

static void hold_content(struct holding *h, const struct content *said, const struct content *is)
{
        int64_t number;

        said = content_read(said);
        is = content_read(is);
        if (said == NULL || is == NULL)
                return;
        if (said->count != is->count)
                contradiction(h, "it has %zu elements, not %zu", said->count, is->count);
        for (size_t i = 0; i < said->count; i++) {
                const struct scalar a = content_at(said, i), b = content_at(is, i);

                if (a.kind == SCALAR_UNKNOWN || b.kind == SCALAR_UNKNOWN)
                        continue;
                if (b.kind == SCALAR_FLOAT && !h->binds)
                        hold_float(h, &a, b.f);
                else if (a.kind == SCALAR_INT && scalar_is_number(b, &number))
                        hold_number(h, a.d, number);
        }
}

static void hold_values(struct holding *h)
{
        const struct ox_result *said = h->weak->result, *is = h->strong->result;

        for (size_t i = 0; i < said->n_value && i < is->n_value; i++) {
                const struct value *a = &result_at(said, i)->value, *b = &result_at(is, i)->value;
                const struct members *x = value_members(a), *y = value_members(b);

                h->name = result_name(said, result_at(said, i));
                hold_types(h, &a->type, &b->type);
                hold_content(h, a->content, b->content);
                if (x->has_length && y->has_length)
                        hold_dim(h, x->length, y->length);
                if (x->elements == NULL || y->elements == NULL || !dim_is_int(x->length) ||
                    !dim_same(x->length, y->length))
                        continue;
                for (int64_t k = 0; k < x->length.val; k++)
                        hold_types(h, x->elements->at[k], y->elements->at[k]);
        }
}

/* A symbol alone is spelled as it is, whatever that reads as. A name that was made up reads as another one, which has
   no value. */
static bool read_side(struct holding *h, const char *text, int64_t *ret)
{
        struct dim d;

        return (dim_find(h->dims, text, strlen(text), &d) ||
                dim_parse(h->dims, text, strlen(text), NULL, NULL, NULL, true, &d)) &&
               dim_eval(h->dims, d, look_up, h, ret);
}

static bool relation_holds(const char *relation, int64_t left, int64_t right)
{
        if (strcmp(relation, "<=") == 0)
                return left <= right;
        if (strcmp(relation, ">=") == 0)
                return left >= right;
        if (strcmp(relation, "divides") == 0)
                return left != 0 && right % left == 0;
        return left == right || (strcmp(relation, "either") == 0 && (left == 1 || right == 1));
}

/* What must hold by the weaker answer. */
static void hold_constraints(struct holding *h)
{
        const struct ox_result *said = h->weak->result;
        int64_t left, right;

        h->name = "where";
        for (size_t i = 0; i < said->n_constraint; i++) {
                const struct ox_constraint *c = &said->constraint[i];

                if (read_side(h, c->left, &left) && read_side(h, c->right, &right) &&
                    !relation_holds(c->relation, left, right))
                        contradiction(h, "%s %s %s", c->left, c->relation, c->right);
        }
}

/* The subject's symbols have their values by name. */
static void give_values(struct holding *h, const struct assignment *assignment)
{
        struct subject *s = h->s;
        str_id name;

        for (uint32_t i = 0; i < h->count; i++) {
                const char *text = symbol_name(h, i);

                if (!str_find(s->strings, text, strlen(text), &name))
                        continue;
                for (uint32_t k = 0; k < assignment->count; k++) {
                        const struct dim_symbol *symbol = dim_symbol_at(s->dims, k);

                        if (symbol->name != name || symbol->anonymous)
                                continue;
                        h->value[i] = assignment->value[k];
                        h->has_value[i] = true;
                }
        }
}

static bool has_reason(const struct answer *answer, const char *reason)
{
        for (size_t i = 0; answer->result != NULL && i < answer->result->diags->count; i++)
                if (strstr(answer->result->diags->at[i].reason, reason) != NULL)
                        return true;
        return false;
}

void answer_hold_for(struct subject *s, const struct answer *weak, const struct assignment *assignment,
                     const struct answer *strong)
{
        struct holding h = {.s = s, .weak = weak, .strong = strong, .name = "the node"};

        /* A node that the specification forbids and models have nonetheless has a warning: its answer is no measure.
           Nor is one of a size past all memory, or with a faulty branch that is not taken. */
        if (strong->code != OX_OK || has_reason(strong, "_MISMATCH") || has_reason(weak, "DIM_OVERFLOW") ||
            has_reason(weak, "UNKNOWN_INPUT") || (weak->code != OX_OK && has_reason(weak, "OPERATOR_VERSION")) ||
            weak->code == OX_RESOURCE_EXHAUSTED || weak->code == OX_DEADLINE_EXCEEDED)
                return;
        if (weak->code != OX_OK)
                contradiction(&h, "%s", weak->error);
        h.dims = weak->result->dims;
        h.count = dim_symbol_count(h.dims);
        h.value = arena_new_array(s->arena, int64_t, h.count);
        h.has_value = arena_zalloc(s->arena, h.count * sizeof(*h.has_value));
        give_values(&h, assignment);
        h.binds = true;
        hold_values(&h);
        h.binds = false;
        hold_values(&h);
        hold_constraints(&h);
}
