/* What a caller gives besides the model: sizes for symbols, and shapes of inputs. */
#include <string.h>

#include "base/bounds.h"
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

/* What other tools write for a size that they leave open. */
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

enum ox_code given_shapes(struct infer *f, const OnnxGraph *graph, struct name_map *ret_shapes, const char **ret_error)
{
        struct name_map inputs = {0};

        for (size_t i = 0; i < graph->n_input && f->options->n_shape; i++)
                if (graph->input[i]->name)
                        map_put(f, &inputs, str_intern_static(f->strings, graph->input[i]->name), 0);
        for (size_t i = 0; i < f->options->n_shape; i++) {
                const struct ox_input_shape *shape = &f->options->shape[i];
                str_id input = str_intern_z(f->strings, shape->input);

                map_put(f, ret_shapes, input, (uint32_t)i);
                if (map_get(&inputs, input) < 0) {
                        *ret_error = arena_printf(f->arena, "shape: the model has no input %s", shape->input);
                        return OX_INVALID_ARGUMENT;
                }
                if ((int64_t)shape->rank > f->limits->rank) {
                        *ret_error = arena_printf(f->arena, "shape has rank %zu, more than the limit rank, %lld",
                                                  shape->rank, (long long)f->limits->rank);
                        return OX_RESOURCE_EXHAUSTED;
                }
                for (size_t d = 0; d < shape->rank; d++)
                        if (!is_unnamed(shape->dim[d]) && is_new_name(shape->dim[d]))
                                dim_name_entry(f, str_intern_z(f->strings, shape->dim[d]));
        }
        return OX_OK;
}

const struct ox_input_shape *given_shape(const struct infer *f, const struct name_map *shapes, str_id input)
{
        int64_t at = map_get(shapes, input);

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

/* A size as a caller writes it: a number, the model's own spelling of a name, or an expression, of new names too. */
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
        if (type->kind == TYPE_UNKNOWN)
                type->kind = TYPE_TENSOR;
        type->rank = (int)shape->rank;
        type->dim = dims;
        return OX_OK;
}
