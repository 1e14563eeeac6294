/* Explains why a size, a rank or a type is unknown: follows a value back to the first place where it was lost, and says
   what would determine it there. */
#include <string.h>

#include "base/bounds.h"
#include "infer/explain.h"

struct seeking {
        const struct dim_table *dims;
        const struct dim_symbol *found;
};

struct explaining {
        struct infer *f;
        struct name_map wanted;  /* names of entries that can be found */
        struct name_map by_name; /* these entries, by their full names */
        struct name_map scopes;  /* texts of paths of scopes, by their addresses */
        const struct result_value *
                *lost_at;               /* of an entry without a rank or type, by its number: where that was lost */
        size_t n_lost_at;               /* entries that were looked at */
        const struct model_node *asked; /* the node whose inputs were searched for a lost one last, */
        const char *asked_in;           /* its scope, */
        int64_t asked_at;               /* and what was found: a node may have many outputs */
};

/* -- finding -- */

/* A text that is no name: names have no NUL. */
static str_id key_of(struct explaining *x, const void *part, size_t size)
{
        char key[1 + 2 * sizeof(uint64_t)] = {0};

        memcpy(key + 1, part, size);
        return str_intern(x->f->strings, key, 1 + size);
}

/* Paths may be long, and there are few: the text of each is looked at once. */
static str_id scope_text(struct explaining *x, const char *scope)
{
        str_id address = key_of(x, &scope, sizeof(scope));
        int64_t known = map_get(&x->scopes, address);

        if (known >= 0)
                return (str_id)known;
        str_id text = str_intern_z(x->f->strings, scope);

        map_put(x->f, &x->scopes, address, text);
        return text;
}

static str_id full_name(struct explaining *x, const char *scope, str_id name)
{
        const str_id part[] = {scope_text(x, scope), name};

        return key_of(x, part, sizeof(part));
}

static str_id entry_full_name(struct explaining *x, const struct result_value *entry)
{
        return full_name(x, result_scope(entry), entry->name);
}

/* The number of the entry of a name in a scope, or in an enclosing one; -1: none. */
static int64_t find_number(struct explaining *x, const char *scope, str_id name)
{
        int64_t at = -1;

        for (; scope && at < 0; scope = scope_around(scope))
                at = map_get(&x->by_name, full_name(x, scope, name));
        return at;
}

/* That entry; NULL: none. */
static struct result_value *find(struct explaining *x, const char *scope, str_id name)
{
        int64_t at = find_number(x, scope, name);

        return at < 0 ? NULL : entry_at(x->f, (size_t)at);
}

/* The entry that a caller means by "outer/then_branch/y"; NULL: none. */
static struct result_value *find_written(struct explaining *x, const char *written)
{
        struct strings *strings = x->f->strings;
        const char *slash = strrchr(written, '/');
        int64_t at = map_get(&x->by_name, full_name(x, "", str_intern_z(strings, written)));

        if (at < 0 && slash)
                at = map_get(&x->by_name,
                             full_name(x, arena_printf(x->f->arena, "%.*s", (int)(slash - written), written),
                                       str_intern_z(strings, slash + 1)));
        return at < 0 ? NULL : entry_at(x->f, (size_t)at);
}

static bool is_lost(const struct infer *f, const struct result_value *entry)
{
        (void)f;
        const struct type *type = type_innermost(&entry->value.type);

        return type->kind == TYPE_UNKNOWN || (type_is_tensor(type) && type->rank == RANK_UNKNOWN);
}

/* A number that depends on data: an element of an input, or a fresh symbol. */
static bool is_of_data(const struct dim_symbol *symbol)
{
        return symbol->anonymous && (!symbol->from_input || symbol->origin.axis < 0);
}

static void see_data(void *user, uint32_t symbol)
{
        struct seeking *s = user;

        if (!s->found && is_of_data(dim_symbol_at(s->dims, symbol)))
                s->found = dim_symbol_at(s->dims, symbol);
}

/* The first symbol that depends on data; NULL: none. */
static const struct dim_symbol *data_symbol(const struct infer *f, struct dim d)
{
        struct seeking s = {.dims = f->dims};

        if (!dim_is_int(d))
                dim_each_symbol(f->dims, d, see_data, &s);
        return s.found;
}

/* Whether a value has few elements, which may decide sizes, and some of them are unknown. */
static bool lacks_content(const struct infer *f, const struct result_value *entry)
{
        const struct type *type = &entry->value.type;
        const struct content *content = content_read(entry->value.content);

        if (type->kind != TYPE_TENSOR || type->rank > 1 || !(elem_is_integer(type->elem) || type->elem == ELEM_BOOL))
                return false;
        if (!content || !content_is_known(content))
                return true;
        for (size_t i = 0; i < content->count; i++)
                if (data_symbol(f, content_at(content, i).d))
                        return true;
        return false;
}

/* The number of the first input, of the node that computes an entry, with a given kind of loss; -1: none. */
static int64_t input_number(struct explaining *x, const struct result_value *entry,
                            bool (*is)(const struct infer *f, const struct result_value *entry))
{
        const struct model_node *node = entry->made_by;

        for (size_t i = 0; node && i < node->n_input; i++) {
                int64_t at = find_number(x, result_scope(entry), node_input(node, i));

                if (at >= 0 && is(x->f, entry_at(x->f, (size_t)at)))
                        return at;
        }
        return -1;
}

/* That input; NULL: none. */
static struct result_value *input_that(struct explaining *x, const struct result_value *entry,
                                       bool (*is)(const struct infer *f, const struct result_value *entry))
{
        int64_t at = input_number(x, entry, is);

        return at < 0 ? NULL : entry_at(x->f, (size_t)at);
}

/* -- what is said -- */

struct chain {
        struct explaining *x;
        struct result_step step[STEPS_TOLD];
        size_t count;
        const char *decide;
        const struct result_value *followed; /* the rest was already listed */
};

static void say(struct chain *c, const struct result_value *at, const char *text)
{
        if (c->count < STEPS_TOLD)
                c->step[c->count++] = (struct result_step){at, text};
}

/* The message of a diagnostic of the node that computes an entry; NULL: none. */
static const struct ox_diag *diag_of(const struct infer *f, const struct result_value *entry)
{
        for (size_t i = 0; i < f->diags.count; i++) {
                const struct ox_diag *d = &f->diags.at[i];

                if (d->node_index == result_node_index(entry) && d->node_index >= 0 &&
                    strcmp(d->scope, result_scope(entry)) == 0 &&
                    (d->severity != OX_INFO || strcmp(d->reason, reason_word(REASON_RANK_UNDECIDED)) == 0))
                        return d;
        }
        return NULL;
}

/* The single integer in an entry. */
static bool single(const struct result_value *entry, struct dim *ret)
{
        const struct content *content = entry ? content_read(entry->value.content) : NULL;

        if (!content || content->count != 1 || content_at(content, 0).kind != SCALAR_INT)
                return false;
        *ret = content_at(content, 0).d;
        return true;
}

/* For a condition that compares two numbers: how it is made true, and the option that does so, if there is one. NULL if
   it is not such a condition. */
static const char *comparison(struct explaining *x, const struct result_value *condition, const char **ret_decide)
{
        static const struct {
                const char *op, *sign;
        } comparisons[] = {
                {"Equal", "=="}, {"Less", "<"}, {"LessOrEqual", "<="}, {"Greater", ">"}, {"GreaterOrEqual", ">="}};
        const struct model_node *node = condition->made_by;
        uint32_t symbol;

        for (size_t i = 0; node && node->n_input == 2 && i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
                if (strcmp(node->op->type, comparisons[i].op) != 0)
                        continue;
                struct dim left, right;

                if (!single(find(x, result_scope(condition), node_input(node, 0)), &left) ||
                    !single(find(x, result_scope(condition), node_input(node, 1)), &right))
                        return NULL;
                const char *a = dim_text(x->f->dims, left), *b = dim_text(x->f->dims, right);
                const char *holds = arena_printf(x->f->arena, "%s %s %s", a, comparisons[i].sign, b);

                *ret_decide = i == 0 && dim_as_symbol(x->f->dims, left, &symbol) && dim_is_int(right)
                                      ? arena_printf(x->f->arena, "dim=%s=%s", a, b)
                                      : holds;
                return holds;
        }
        return NULL;
}

/* Continues from unknown elements to their source. */
static void follow_content(struct chain *c, const struct result_value *at)
{
        struct infer *f = c->x->f;
        const struct result_value *from;

        for (size_t steps = 0; steps < STEPS_FOLLOWED && (from = input_that(c->x, at, lacks_content)) != NULL;
             steps++) {
                say(c, at, arena_printf(f->arena, "hangs on the elements of %s", entry_name(f, from)));
                at = from;
        }
        if (at->kind == OX_KIND_INPUT && !result_scope(at)[0]) {
                say(c, at, "is an input whose elements are not known");
                c->decide = arena_printf(f->arena, "value=%s:...", entry_name(f, at));
        } else if (at->kind == OX_KIND_INITIALIZER) {
                say(c, at, "is an initializer whose elements are not in the model, or too many");
        } else if (at->kind == OX_KIND_INPUT) {
                say(c, at, "is an input of a body or function");
        } else {
                const char *holds = comparison(c->x, at, &c->decide);

                say(c, at, holds ? arena_printf(f->arena, "is whether %s", holds) : "is computed from data");
        }
}

/* Explains what was lost at the node that computes an entry. */
static void tell_first(struct chain *c, const struct result_value *at)
{
        struct infer *f = c->x->f;
        const struct ox_diag *diag = diag_of(f, at);

        if (at->kind == OX_KIND_INPUT && !at->made_by) {
                say(c, at,
                    at->value.type.kind == TYPE_UNKNOWN ? "is an input without a type" : "is an input without a shape");
                if (at->value.type.kind != TYPE_UNKNOWN)
                        c->decide = arena_printf(f->arena, "shape=%s:...", entry_name(f, at));
                return;
        }
        if (diag)
                say(c, at, diag->message);
        if (diag && diag->hint[0])
                c->decide = diag->hint;
        if (!diag || diag->severity == OX_INFO)
                follow_content(c, at);
}

/* -- one value -- */

static void tell_rank(struct chain *c, const struct result_value *at)
{
        struct infer *f = c->x->f;
        const struct result_value *from;

        for (size_t steps = 0; steps < STEPS_FOLLOWED && (from = input_that(c->x, at, is_lost)) != NULL; steps++) {
                say(c, at,
                    arena_printf(f->arena, "is made of %s, whose %s is not known", entry_name(f, from),
                                 type_innermost(&from->value.type)->kind == TYPE_UNKNOWN ? "type" : "rank"));
                at = from;
        }
        tell_first(c, at);
}

static const struct result_value *origin_entry(struct explaining *x, const struct dim_symbol *symbol)
{
        const struct dim_origin *o = &symbol->origin;

        return o->value && o->value[0] ? find(x, text_or_empty(o->scope), str_intern_z(x->f->strings, o->value)) : NULL;
}

static void tell_axis(struct chain *c, const struct result_value *at, int axis, const struct dim_symbol *symbol)
{
        struct infer *f = c->x->f;
        const struct result_value *origin = origin_entry(c->x, symbol);

        say(c, at,
            arena_printf(f->arena, "has %s on axis %d, %s", str_text(f->strings, symbol->name), axis,
                         symbol->joins ? "one of several sizes" : "which data decides"));
        if (!origin || !origin->made_by || origin == c->followed)
                return;
        c->followed = origin;
        follow_content(c, origin);
}

static void tell_value(struct explaining *x, const struct result_value *entry, struct result_explanation *ret)
{
        struct chain c = {.x = x, .decide = ""};
        const struct type *type = type_innermost(&entry->value.type);
        const struct dim_symbol *symbol, *last = NULL;

        if (is_lost(x->f, entry))
                tell_rank(&c, entry);
        for (int d = 0; type_has_shape(type) && d < type->rank; d++)
                if ((symbol = data_symbol(x->f, type->dim[d])) != NULL && symbol != last)
                        tell_axis(&c, entry, d, last = symbol);
        struct result_step *step = arena_new_array(x->f->arena, struct result_step, c.count);

        memcpy(step, c.step, c.count * sizeof(*step));
        *ret = (struct result_explanation){.value = entry, .step = step, .n_step = c.count, .decide = c.decide};
}

/* -- causes -- */

/* The number of the first input whose rank or type is not known; -1: none. */
static int64_t lost_input(struct explaining *x, const struct result_value *entry)
{
        if (x->asked != entry->made_by || x->asked_in != result_scope(entry)) {
                x->asked = entry->made_by;
                x->asked_in = result_scope(entry);
                x->asked_at = input_number(x, entry, is_lost);
        }
        return x->asked_at;
}

/* Where an entry's rank or type was lost. Of those before it this is known, so that a chain is not followed anew from
   each of its values. */
static const struct result_value *lost_at(struct explaining *x, const struct result_value *entry)
{
        for (size_t steps = 0; steps < STEPS_FOLLOWED; steps++) {
                int64_t from = lost_input(x, entry);

                if (from < 0)
                        break;
                if ((size_t)from < x->n_lost_at)
                        return x->lost_at[from];
                entry = entry_at(x->f, (size_t)from);
        }
        return entry;
}

/* The place where an unknown part of an entry was lost first; NULL if everything is known. */
static const struct result_value *cause_of(struct explaining *x, const struct result_value *entry)
{
        const struct type *type = type_innermost(&entry->value.type);

        for (int d = 0; type_has_shape(type) && d < type->rank; d++) {
                const struct dim_symbol *symbol = data_symbol(x->f, type->dim[d]);

                if (symbol)
                        return origin_entry(x, symbol);
        }
        return NULL;
}

/* The costliest first, and of these the first one; no more than are told. */
static void sort_causes(struct result_cause *cause, size_t *count)
{
        for (size_t i = 1; i < *count; i++) {
                const struct result_cause moved = cause[i];
                size_t to = i;

                for (; to > 0 && cause[to - 1].values < moved.values; to--)
                        cause[to] = cause[to - 1];
                cause[to] = moved;
        }
        *count = *count < CAUSES_TOLD ? *count : CAUSES_TOLD;
}

static void count_causes(struct explaining *x, struct ox_result *result)
{
        struct infer *f = x->f;
        struct name_map causes = {0};
        struct result_cause *cause = arena_new_array(f->arena, struct result_cause, CAUSES_COUNTED);

        x->lost_at = (const struct result_value **)arena_array(f->arena, f->n_entry, sizeof(*x->lost_at));
        for (x->n_lost_at = 0; x->n_lost_at < f->n_entry; x->n_lost_at++) {
                struct result_value *entry = entry_at(f, x->n_lost_at);
                const struct result_value *from = is_lost(f, entry) ? lost_at(x, entry) : cause_of(x, entry);

                x->lost_at[x->n_lost_at] = from;
                if (!from || entry->is_absent || entry->kind == OX_KIND_INITIALIZER)
                        continue;
                str_id name = entry_full_name(x, from);
                int64_t at = map_get(&causes, name);

                if (at < 0) {
                        if (result->n_cause == CAUSES_COUNTED)
                                continue;
                        at = (int64_t)result->n_cause++;
                        map_put(f, &causes, name, (uint32_t)at);
                        cause[at] = (struct result_cause){.value = from};
                }
                cause[at].values++;
        }
        sort_causes(cause, &result->n_cause);
        result->cause = cause;
}

/* Without explanations only causes are looked for: what is lost, what else has such a name, and where symbols arose. */
static void want_causes(struct explaining *x)
{
        struct infer *f = x->f;

        for (size_t i = 0; i < f->n_entry; i++)
                if (is_lost(f, entry_at(f, i)))
                        map_put(f, &x->wanted, entry_at(f, i)->name, 0);
        for (uint32_t i = 0; i < dim_symbol_count(f->dims); i++) {
                const struct dim_symbol *symbol = dim_symbol_at(f->dims, i);

                if (is_of_data(symbol) && !symbol->is_bound && symbol->origin.value)
                        map_put(f, &x->wanted, str_intern_z(f->strings, symbol->origin.value), 0);
        }
}

static bool is_wanted(const struct explaining *x, const struct result_value *entry)
{
        return !entry->is_absent && (x->f->options->n_explain || map_get(&x->wanted, entry->name) >= 0);
}

/* -- all -- */

static enum ox_code tell_wanted(struct explaining *x, struct ox_result *result, const char **ret_error)
{
        struct infer *f = x->f;
        const struct ox_options *o = f->options;
        struct result_explanation *told = arena_new_array(f->arena, struct result_explanation, o->n_explain);

        for (size_t i = 0; i < o->n_explain; i++) {
                struct result_value *entry = find_written(x, o->explain[i]);

                if (!entry) {
                        *ret_error = arena_printf(f->arena, "explain: the model has no value %s", o->explain[i]);
                        return OX_INVALID_ARGUMENT;
                }
                tell_value(x, entry, &told[i]);
        }
        result->explanation = told;
        result->n_explanation = o->n_explain;
        return OX_OK;
}

enum ox_code explain(struct infer *f, struct ox_result *result, const char **ret_error)
{
        struct explaining x = {.f = f};

        if (!f->options->n_explain && !result->summary.unknown)
                return OX_OK;
        if (!f->options->n_explain)
                want_causes(&x);
        for (size_t i = 0; i < f->n_entry; i++) {
                const struct result_value *entry = entry_at(f, i);

                if (is_wanted(&x, entry))
                        map_put(f, &x.by_name, entry_full_name(&x, entry), (uint32_t)i);
        }
        count_causes(&x, result);
        return tell_wanted(&x, result, ret_error);
}
