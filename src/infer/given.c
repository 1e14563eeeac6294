/* Sizes for symbols, and shapes and contents of inputs, given by the caller. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/nearest.h"
#include "infer/internal.h"

/* -- sizes -- */

enum ox_code given_bind(struct infer *f, const char **ret_error)
{
        for (size_t i = 0; i < f->options->n_binding; i++) {
                const struct ox_binding *b = &f->options->binding[i];

                if (b->value < 0) {
                        *ret_error = arena_printf(f->arena, "dim: %s must be 0 or more, got %lld", b->name,
                                                  (long long)b->value);
                        return OX_INVALID_ARGUMENT;
                }
                dim_define(f->dims, str_intern_z(f->strings, b->name), b->value);
        }
        return OX_OK;
}

/* The names of inputs' sizes, for an error. */
static const char *list_names(struct infer *f)
{
        struct buf names;
        size_t listed = 0;

        buf_init(&names, f->arena);
        for (uint32_t s = 0; s < dim_symbol_count(f->dims); s++) {
                const struct dim_symbol *symbol = dim_symbol_at(f->dims, s);

                if (!symbol->from_input)
                        continue;
                if (listed == NAMES_LISTED) {
                        buf_puts(&names, " and more");
                        break;
                }
                buf_printf(&names, "%s%s", listed++ ? ", " : "", str_text(f->strings, symbol->name));
        }
        return listed ? buf_text(&names) : NULL;
}

enum ox_code given_check_bound(struct infer *f, const char **ret_error)
{
        for (size_t i = 0; i < f->options->n_binding; i++) {
                str_id name = str_intern_z(f->strings, f->options->binding[i].name);

                if (dim_is_used(f->dims, name) || map_get(&f->names, name) >= 0 || declare_is_ignored(f, name))
                        continue;
                const char *names = list_names(f);

                *ret_error = arena_printf(f->arena, "dim: no size is named %s; sizes of inputs are named %s",
                                          f->options->binding[i].name, names ? names : "nowhere");
                return OX_INVALID_ARGUMENT;
        }
        return OX_OK;
}

/* -- shapes -- */

/* The forms in which other tools write an open size. */
static bool is_unnamed(const char *text)
{
        return !text[0] || strcmp(text, "?") == 0 || strcmp(text, "-1") == 0;
}

/* Whether a text may be a new symbol's name: what can only be a slip of the pen, or an expression that cannot be read,
   is none. Names that the model has may be anything. */
static bool is_new_name(const char *text)
{
        return !(text[0] >= '0' && text[0] <= '9') && dim_looks_like_name(text, strlen(text)) &&
               !text[strcspn(text, "\t[]{}<>=!?;'\"\\")];
}

static bool is_known(void *user, str_id name)
{
        return map_get(&((struct infer *)user)->names, name) >= 0;
}

static enum ox_code fail_size(struct infer *f, const struct ox_input_shape *shape, size_t axis, const char **ret_error)
{
        *ret_error = arena_printf(f->arena,
                                  "shape: axis %zu of %s must be a number of 0 or more, a name, an expression, or ? "
                                  "for a size without a name, got '%.100s'",
                                  axis, shape->input, shape->dim[axis]);
        return OX_INVALID_ARGUMENT;
}

/* The nearest input, or all inputs, for an error. */
static const char *list_inputs(struct infer *f, const OnnxGraph *graph, const char *wanted)
{
        struct nearest near;
        struct buf names;

        buf_init(&names, f->arena);
        nearest_begin(&near, wanted, strlen(wanted));
        for (size_t i = 0; i < graph->n_input; i++) {
                const char *name = graph->input[i]->name ? graph->input[i]->name : "";

                nearest_try(&near, name);
                if (i < NAMES_LISTED)
                        buf_printf(&names, "%s%.100s", i ? ", " : "", name);
        }
        if (near.best)
                return arena_printf(f->arena, "did you mean %s?", near.best);
        return arena_printf(f->arena, "its inputs are %s%s", graph->n_input ? buf_text(&names) : "none",
                            graph->n_input > NAMES_LISTED ? " and more" : "");
}

/* An option that names an input of the graph. */
static enum ox_code check_input(struct infer *f, const OnnxGraph *graph, const struct name_map *inputs,
                                const char *option, const char *input, const char **ret_error)
{
        if (map_get(inputs, str_intern_z(f->strings, input)) >= 0)
                return OX_OK;
        *ret_error = arena_printf(f->arena, "%s: the model has no input %.100s; %s", option, input,
                                  list_inputs(f, graph, input));
        return OX_INVALID_ARGUMENT;
}

static enum ox_code note_shape(struct infer *f, const struct ox_input_shape *shape, const char **ret_error)
{
        if ((int64_t)shape->rank > f->limits->rank) {
                *ret_error = arena_printf(f->arena, "shape has rank %zu, more than the limit rank, %lld", shape->rank,
                                          (long long)f->limits->rank);
                return OX_RESOURCE_EXHAUSTED;
        }
        for (size_t d = 0; d < shape->rank; d++)
                if (!is_unnamed(shape->dim[d]) && is_new_name(shape->dim[d]))
                        dim_name_entry(f, str_intern_z(f->strings, shape->dim[d]));
        return OX_OK;
}

enum ox_code given_inputs(struct infer *f, const OnnxGraph *graph, struct given *ret, const char **ret_error)
{
        const struct ox_options *o = f->options;
        struct name_map inputs = {0};

        if (!o->n_shape && !o->n_content)
                return OX_OK;
        for (size_t i = 0; i < graph->n_input; i++)
                if (graph->input[i]->name)
                        map_put(f, &inputs, str_intern_z(f->strings, graph->input[i]->name), 0);
        for (size_t i = 0; i < o->n_shape; i++) {
                map_put(f, &ret->shapes, str_intern_z(f->strings, o->shape[i].input), (uint32_t)i);
                TRY(check_input(f, graph, &inputs, "shape", o->shape[i].input, ret_error));
                TRY(note_shape(f, &o->shape[i], ret_error));
        }
        for (size_t i = 0; i < o->n_content; i++) {
                map_put(f, &ret->contents, str_intern_z(f->strings, o->content[i].input), (uint32_t)i);
                TRY(check_input(f, graph, &inputs, "value", o->content[i].input, ret_error));
        }
        return OX_OK;
}

const struct ox_input_shape *given_shape(const struct infer *f, const struct given *given, str_id input)
{
        int64_t at = map_get(&given->shapes, input);

        return at < 0 ? NULL : &f->options->shape[at];
}

static bool text_as_int(const char *text, int64_t *ret)
{
        int64_t value = 0;

        if (!*text)
                return false;
        for (; *text; text++)
                if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
                    __builtin_add_overflow(value, *text - '0', &value))
                        return false;
        *ret = value;
        return true;
}

/* Reads a caller's size: a number, a name as the model spells it, or an expression, possibly with new names. */
static bool read_size(struct infer *f, const char *text, int axis, const struct declare_site *site, struct dim *ret)
{
        struct dim_origin origin = {.value = site->value, .axis = axis, .op = "", .node = "", .scope = site->scope};
        size_t length = strlen(text);
        uint32_t symbol;
        int64_t number;
        str_id name;

        if (text_as_int(text, &number)) {
                *ret = dim_int(number);
                return true;
        }
        if (is_unnamed(text) || (str_find(f->strings, text, length, &name) && is_known(f, name))) {
                *ret = declare_dim_text(f, is_unnamed(text) ? "" : text, axis, site);
                return true;
        }
        *ret = dim_read(f->dims, text, length, is_known, f, &origin);
        if (dim_is_int(*ret))
                return ret->val >= 0;
        if (dim_as_symbol(f->dims, *ret, &symbol))
                return is_new_name(text) ||
                       strcmp(str_text(f->strings, dim_symbol_at(f->dims, symbol)->name), text) != 0;
        dim_assume_size(f->dims, *ret);
        return true;
}

enum ox_code given_replace_shape(struct infer *f, struct type *type, const struct ox_input_shape *shape,
                                 const struct declare_site *site, const char **ret_error)
{
        struct dim *dims = arena_new_array(f->arena, struct dim, shape->rank);

        for (size_t d = 0; d < shape->rank; d++)
                if (!read_size(f, shape->dim[d], (int)d, site, &dims[d]))
                        return fail_size(f, shape, d, ret_error);
        if (type_within(type))
                return OX_OK; /* no tensor, which alone has sizes */
        if (type->kind == TYPE_UNKNOWN)
                type->kind = TYPE_TENSOR;
        type->rank = (int)shape->rank;
        type->dim = dims;
        return OX_OK;
}

/* -- contents -- */

const struct ox_input_content *given_content(const struct infer *f, const struct given *given, str_id input)
{
        int64_t at = map_get(&given->contents, input);

        return at < 0 ? NULL : &f->options->content[at];
}

static bool read_integer(const char *text, enum elem elem, int64_t *ret)
{
        int64_t lower, upper;
        char *end;

        if (elem == ELEM_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
                *ret = text[0] == 't';
                return true;
        }
        errno = 0;
        *ret = strtoll(text, &end, 10);
        return !errno && end > text && !*end && elem_int_range(elem, &lower, &upper) && *ret >= lower && *ret <= upper;
}

static bool read_element(const char *text, enum elem elem, struct scalar *ret)
{
        int64_t integer;
        char *end;

        if (elem_is_float(elem)) {
                double number = strtod(text, &end);

                *ret = scalar_float(float_round(elem, number));
                return end > text && !*end;
        }
        if (!read_integer(text, elem, &integer))
                return false;
        *ret = scalar_int(dim_int(integer));
        return true;
}

/* Sets the single open size, if there is one, from the count of elements. */
static bool fit_count(struct infer *f, struct value *value, int64_t count)
{
        struct dim known = dim_int(1), open = dim_int(0);
        uint32_t symbol;

        if (!type_has_shape(&value->type))
                return false;
        for (int d = 0; d < value->type.rank; d++) {
                if (dim_is_int(value->type.dim[d]))
                        known = dim_mul(f->dims, known, value->type.dim[d]);
                else if (dim_is(open, 0))
                        open = value->type.dim[d];
                else
                        return false;
        }
        if (!dim_is_int(known))
                return false;
        if (dim_is(open, 0))
                return known.val == count;
        if (known.val == 0 || count % known.val || !dim_as_symbol(f->dims, open, &symbol))
                return false;
        dim_define(f->dims, dim_symbol_at(f->dims, symbol)->name, count / known.val);
        value_resolve(f->arena, f->dims, value);
        return true;
}

enum ox_code given_set_content(struct infer *f, struct result_value *entry, const struct ox_input_content *given,
                               const char **ret_error)
{
        enum elem elem = entry->value.type.elem;
        struct scalar element;

        if (entry->value.type.kind != TYPE_TENSOR ||
            !(elem_is_float(elem) || elem_is_integer(elem) || elem == ELEM_BOOL)) {
                *ret_error = arena_printf(f->arena, "value: %s must be a tensor of numbers", given->input);
                return OX_INVALID_ARGUMENT;
        }
        if ((int64_t)given->count > f->limits->content_elements) {
                *ret_error =
                        arena_printf(f->arena, "value: %s has %zu elements, more than the limit content_elements, %lld",
                                     given->input, given->count, (long long)f->limits->content_elements);
                return OX_RESOURCE_EXHAUSTED;
        }
        if (!fit_count(f, &entry->value, (int64_t)given->count)) {
                *ret_error = arena_printf(
                        f->arena, "value: %zu elements do not decide the shape of %s; give it with shape=%s:...",
                        given->count, given->input, given->input);
                return OX_INVALID_ARGUMENT;
        }
        struct content *content = content_new(f->arena, given->count);

        for (size_t i = 0; i < given->count; i++) {
                if (read_element(given->element[i], elem, &element)) {
                        content_set(content, i, element);
                        continue;
                }
                *ret_error = arena_printf(f->arena, "value: element %zu of %s must be of type %s, got '%.40s'", i,
                                          given->input, elem_name((int)elem), given->element[i]);
                return OX_INVALID_ARGUMENT;
        }
        entry->value.content = content;
        return OX_OK;
}

void given_name_elements(struct infer *f, struct result_value *entry)
{
        const struct type *type = &entry->value.type;
        struct dim_origin origin = {.value = entry_name(f, entry), .axis = -1, .op = "", .node = "", .scope = ""};
        int64_t lower, upper, count = 1;

        if (entry->value.content || type->kind != TYPE_TENSOR || !elem_is_integer(type->elem) || type->rank < 0 ||
            type->rank > 1 || !elem_int_range(type->elem, &lower, &upper))
                return;
        if (type->rank == 1) {
                if (!dim_is_int(type->dim[0]) || type->dim[0].val > ELEMENTS_NAMED)
                        return;
                count = type->dim[0].val;
        }
        struct content *content = content_new(f->arena, (size_t)count);

        for (int64_t i = 0; i < count; i++) {
                const char *name =
                        type->rank ? arena_printf(f->arena, "%s[%lld]", origin.value, (long long)i) : origin.value;

                content_set(content, (size_t)i, scalar_int(dim_fresh_element(f->dims, name, lower, upper, &origin)));
        }
        entry->value.content = content;
}
