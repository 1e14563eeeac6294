/* Values and shapes as callers see them, and the names that a context has for them. */
#include <inttypes.h>
#include <string.h>

#include "api/internal.h"
#include "base/checked.h"
#include "ops/table/registry.h"

enum ox_code shape_fail(struct ox_context *context, enum ox_code code, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        context->error = arena_vprintf(context->arena, format, args);
        va_end(args);
        return code;
}

enum ox_code shape_check_text(struct ox_context *context, const char *what, const char *text)
{
        size_t length = strlen(text);

        if (length > (size_t)context->limits.name_bytes)
                return shape_fail(context, OX_RESOURCE_EXHAUSTED, "%s has %zu bytes, the limit name_bytes is %" PRId64,
                                  what, length, context->limits.name_bytes);
        if (!utf8_is_clean(text, length))
                return shape_fail(context, OX_INVALID_ARGUMENT, "%s is no UTF-8", what);
        return OX_OK;
}

/* -- reading what a caller says -- */

/* One value that is being read. */
struct reading {
        struct ox_context *context;
        const char *name;
};

/* A symbol of this context stands for itself in what is read, alone and in expressions. */
static bool is_known(void *user, str_id name)
{
        struct reading *r = user;
        struct dim d;

        return dim_find(r->context->dims, str_text(r->context->strings, name), str_length(r->context->strings, name),
                        &d);
}

static enum ox_code read_text(struct reading *r, const char *text, int axis, struct dim *ret)
{
        struct ox_context *context = r->context;
        const char *name = str_text(context->strings, str_intern_z(context->strings, r->name));
        const struct dim_origin origin = {.value = name, .axis = axis};
        size_t length = strlen(text);

        TRY(shape_check_text(context, "a size or element", text));
        if (!length)
                *ret = dim_fresh_input(context->dims,
                                       axis < 0 ? arena_printf(context->arena, "%s_length", r->name)
                                                : arena_printf(context->arena, "%s_%d", r->name, axis),
                                       &origin);
        else if (!dim_find(context->dims, text, length, ret))
                *ret = dim_read(context->dims, text, length, is_known, r, &origin);
        return OX_OK;
}

/* A size, or with axis -1 a length. */
static enum ox_code read_size(struct reading *r, const struct ox_dim *given, int axis, struct dim *ret)
{
        *ret = dim_int(given->value);
        if (given->text)
                TRY(read_text(r, given->text, axis, ret));
        if (!dim_is_int(*ret) || ret->val >= 0)
                return OX_OK;
        if (axis < 0)
                return shape_fail(r->context, OX_INVALID_ARGUMENT,
                                  "%s: the length is %" PRId64 ", it must be 0 or more", r->name, ret->val);
        return shape_fail(r->context, OX_INVALID_ARGUMENT, "%s: axis %d is %" PRId64 ", a size is 0 or more", r->name,
                          axis, ret->val);
}

enum ox_code shape_read_shape(struct ox_context *context, const char *name, const struct ox_shape *given,
                              struct type *ret)
{
        struct reading r = {context, name};
        struct dim *dims;

        if (given->rank > (size_t)context->limits.rank)
                return shape_fail(context, OX_RESOURCE_EXHAUSTED, "%s: rank %zu, the limit rank is %" PRId64, name,
                                  given->rank, context->limits.rank);
        dims = arena_new_array(context->arena, struct dim, given->rank);
        for (size_t d = 0; d < given->rank; d++)
                TRY(read_size(&r, &given->dims[d], (int)d, &dims[d]));
        ret->rank = (int)given->rank;
        ret->dim = dims;
        return OX_OK;
}

/* The tensor within sequences and optionals, which are copied on the way; NULL when there is none. */
static struct type *tensor_within(struct ox_context *context, struct type *type)
{
        while (type->kind == TYPE_SEQUENCE || type->kind == TYPE_OPTIONAL) {
                struct type *of = arena_new_array(context->arena, struct type, 1);

                *of = *type->of;
                type->of = of;
                type = of;
        }
        return type_is_tensor(type) ? type : NULL;
}

static enum ox_code read_element(struct reading *r, enum elem elem, const struct ox_element *given, struct scalar *ret)
{
        bool is_float = elem_is_float(elem);
        int64_t lower, upper;
        struct dim d;

        *ret = scalar_unknown();
        switch (given->kind) {
        case OX_ELEMENT_UNKNOWN:
                return OX_OK;
        case OX_ELEMENT_INT:
                if (is_float)
                        *ret = scalar_float(float_round(elem, (double)given->i));
                else if (elem_int_range(elem, &lower, &upper) && given->i >= lower && given->i <= upper)
                        *ret = scalar_int(dim_int(given->i));
                else
                        return shape_fail(r->context, OX_INVALID_ARGUMENT, "%s: element %" PRId64 " is no %s", r->name,
                                          given->i, elem_name((int)elem));
                return OX_OK;
        case OX_ELEMENT_FLOAT:
                if (!is_float)
                        return shape_fail(r->context, OX_INVALID_ARGUMENT, "%s: element %g is no %s", r->name, given->f,
                                          elem_name((int)elem));
                *ret = scalar_float(float_round(elem, given->f));
                return OX_OK;
        case OX_ELEMENT_TEXT:
                if (!given->text || !given->text[0])
                        return OX_OK;
                TRY(read_text(r, given->text, -1, &d));
                *ret = (struct scalar){.kind = is_float ? SCALAR_RATIO : SCALAR_INT, .d = d, .den = 1};
                return OX_OK;
        }
        return shape_fail(r->context, OX_INVALID_ARGUMENT, "%s: an element is of no kind", r->name);
}

/* The number of elements that a shape in integers has. */
static bool count_elements(const struct type *type, size_t *ret)
{
        int64_t count = 1;

        if (type->rank == RANK_UNKNOWN)
                return false;
        for (int d = 0; d < type->rank; d++)
                if (!dim_is_int(type->dim[d]) || !mul_i64(count, type->dim[d].val, &count))
                        return false;
        *ret = (size_t)count;
        return true;
}

static enum ox_code read_content(struct reading *r, const struct ox_value *given, struct value *ret)
{
        const struct type *type = &ret->type;
        struct scalar *at;
        size_t wanted;

        if (type->kind != TYPE_TENSOR || type->elem == ELEM_UNDEFINED)
                return shape_fail(r->context, OX_INVALID_ARGUMENT,
                                  "%s: it has contents, and is no tensor of a known type", r->name);
        if (!count_elements(type, &wanted) || wanted != given->n_content)
                return shape_fail(r->context, OX_INVALID_ARGUMENT,
                                  "%s: its contents are %zu elements, which is not what the shape says", r->name,
                                  given->n_content);
        if (given->n_content > (size_t)r->context->limits.content_elements)
                return OX_OK;
        if (!elem_is_float(type->elem) && !elem_is_integer(type->elem) && type->elem != ELEM_BOOL)
                return OX_OK; /* texts and complex numbers decide no shape */
        ret->content = content_new(r->context->arena, given->n_content, &at);
        for (size_t i = 0; i < given->n_content; i++)
                TRY(read_element(r, type->elem, &given->content[i], &at[i]));
        return OX_OK;
}

enum ox_code shape_read_value(struct ox_context *context, const char *name, const struct ox_value *given,
                              struct value *ret)
{
        struct reading r = {context, name};
        struct type *tensor;

        *ret = (struct value){.type = type_unknown};
        if (given->type && given->type[0] && !type_parse(context->arena, given->type, strlen(given->type), &ret->type))
                return shape_fail(context, OX_INVALID_ARGUMENT, "%s: '%.100s' is no type", name, given->type);
        if (given->shape) {
                if (ret->type.kind == TYPE_UNKNOWN)
                        ret->type = type_tensor(ELEM_UNDEFINED, RANK_UNKNOWN, NULL);
                tensor = tensor_within(context, &ret->type);
                if (!tensor)
                        return shape_fail(context, OX_INVALID_ARGUMENT,
                                          "%s: it has a shape, and there is no tensor in %s", name, given->type);
                TRY(shape_read_shape(context, name, given->shape, tensor));
        }
        if (given->length) {
                if (ret->type.kind != TYPE_SEQUENCE && ret->type.kind != TYPE_OPTIONAL)
                        return shape_fail(context, OX_INVALID_ARGUMENT,
                                          "%s: it has a length, and is no sequence or optional", name);
                ret->has_length = true;
                TRY(read_size(&r, given->length, -1, &ret->length));
        }
        return given->content ? read_content(&r, given, ret) : OX_OK;
}

/* -- telling what is known -- */

static struct ox_dim tell_dim(struct dim_table *dims, struct dim d)
{
        d = dim_resolve(dims, d);
        return dim_is_int(d) ? (struct ox_dim){.value = d.val} : (struct ox_dim){.text = dim_text(dims, d)};
}

const struct ox_shape *shape_tell_shape(struct arena *arena, struct dim_table *dims, int rank, const struct dim *dim)
{
        struct ox_shape *shape;
        struct ox_dim *to;

        if (rank == RANK_UNKNOWN)
                return NULL;
        shape = arena_new_array(arena, struct ox_shape, 1);
        to = arena_new_array(arena, struct ox_dim, (size_t)rank);
        for (int d = 0; d < rank; d++)
                to[d] = tell_dim(dims, dim[d]);
        *shape = (struct ox_shape){.rank = (size_t)rank, .dims = to};
        return shape;
}

static struct ox_element tell_element(struct dim_table *dims, const struct scalar *s)
{
        struct dim d = s->kind == SCALAR_INT || s->kind == SCALAR_RATIO ? dim_resolve(dims, s->d) : dim_int(0);

        switch (s->kind) {
        case SCALAR_UNKNOWN:
                break;
        case SCALAR_FLOAT:
                return (struct ox_element){.kind = OX_ELEMENT_FLOAT, .f = s->f};
        case SCALAR_INT:
                if (dim_is_int(d))
                        return (struct ox_element){.kind = OX_ELEMENT_INT, .i = d.val};
                return (struct ox_element){.kind = OX_ELEMENT_TEXT, .text = dim_text(dims, d)};
        case SCALAR_RATIO:
                if (dim_is_int(d))
                        return (struct ox_element){.kind = OX_ELEMENT_FLOAT, .f = (double)d.val / (double)s->den};
                if (s->den == 1) /* else it is a fraction of symbols, for which there is no spelling */
                        return (struct ox_element){.kind = OX_ELEMENT_TEXT, .text = dim_text(dims, d)};
                break;
        }
        return (struct ox_element){.kind = OX_ELEMENT_UNKNOWN};
}

void shape_tell_value(struct arena *arena, struct dim_table *dims, const struct value *value, struct ox_value *ret)
{
        const struct content *content = content_read(value->content);
        const struct type *tensor = &value->type;
        struct buf buf;

        *ret = (struct ox_value){.type = NULL};
        buf_init(&buf, arena);
        if (type_print(&value->type, &buf))
                ret->type = buf_text(&buf);
        while (ret->type && (tensor->kind == TYPE_SEQUENCE || tensor->kind == TYPE_OPTIONAL))
                tensor = tensor->of;
        if (type_is_tensor(tensor))
                ret->shape = shape_tell_shape(arena, dims, tensor->rank, tensor->dim);
        if (value->has_length && ret->type) {
                struct ox_dim *length = arena_new_array(arena, struct ox_dim, 1);

                *length = tell_dim(dims, value->length);
                ret->length = length;
        }
        if (content) {
                struct ox_element *elements = arena_new_array(arena, struct ox_element, content->count);

                for (size_t i = 0; i < content->count; i++)
                        elements[i] = tell_element(dims, &content->at[i]);
                ret->content = elements;
                ret->n_content = content->count;
        }
}

/* -- names -- */

struct begun {
        struct ox_context *context;
        enum ox_code (*run)(void *user);
        void *user;
};

static enum ox_code run_begun(void *user)
{
        struct begun *begun = user;
        struct ox_context *context = begun->context;

        if (!context->dims) {
                context->strings = strings_new(context->arena, 0);
                context->dims = dim_table_new(context->arena, context->strings, &context->limits, 0);
        }
        return begun->run(begun->user);
}

enum ox_code shape_run_values(struct ox_context *context, enum ox_code (*run)(void *user), void *user)
{
        struct begun begun = {context, run, user};

        if (context->spent) {
                context->error = "memory or time ran out before: the context must be reset";
                return OX_FAILED_PRECONDITION;
        }
        return shape_run(context, run_begun, &begun);
}

const struct value *shape_find(const struct ox_context *context, const char *name)
{
        str_id id;

        if (!str_find(context->strings, name, strlen(name), &id) || id >= context->value_room)
                return NULL;
        return context->value[id];
}

void shape_set(struct ox_context *context, const char *name, const struct value *value)
{
        str_id id = str_intern_z(context->strings, name);
        const struct value **grown;

        if (id >= context->value_room) {
                uint32_t room = 2 * id + 64;

                grown = (const struct value **)arena_zalloc(context->arena, (size_t)room * sizeof(*grown));
                if (context->value_room)
                        memcpy(grown, context->value, context->value_room * sizeof(*grown));
                context->value = grown;
                context->value_room = room;
        }
        context->value[id] = value;
}

struct naming {
        struct ox_context *context;
        const char *name;
        const struct ox_value *given;
        struct ox_value *ret;
        int64_t version;
};

static enum ox_code run_set(void *user)
{
        struct naming *n = user;
        struct value *value = NULL;

        TRY(shape_check_text(n->context, "the name of a value", n->name));
        if (!n->name[0])
                return shape_fail(n->context, OX_INVALID_ARGUMENT, "a value needs a name");
        if (n->given) {
                value = arena_new_array(n->context->arena, struct value, 1);
                TRY(shape_read_value(n->context, n->name, n->given, value));
        }
        shape_set(n->context, n->name, value);
        return OX_OK;
}

enum ox_code ox_context_set(struct ox_context *context, const char *name, const struct ox_value *value)
{
        struct naming n = {.context = context, .name = name, .given = value};

        return shape_run_values(context, run_set, &n);
}

static enum ox_code run_get(void *user)
{
        struct naming *n = user;
        const struct value *value = shape_find(n->context, n->name);

        if (!value)
                return shape_fail(n->context, OX_OUT_OF_RANGE, "%.100s stands for nothing", n->name);
        shape_tell_value(n->context->arena, n->context->dims, value, n->ret);
        return OX_OK;
}

enum ox_code ox_context_get(struct ox_context *context, const char *name, struct ox_value *ret)
{
        struct naming n = {.context = context, .name = name, .ret = ret};

        *ret = (struct ox_value){.type = NULL};
        return shape_run_values(context, run_get, &n);
}

static enum ox_code run_opset(void *user)
{
        struct naming *n = user;
        struct ox_context *context = n->context;
        const char *domain = op_canonical_domain(n->name);
        size_t at = 0;

        TRY(shape_check_text(context, "the name of a domain", domain));
        if (n->version < 1)
                return shape_fail(context, OX_INVALID_ARGUMENT, "version %" PRId64 " of domain \"%s\" is below 1",
                                  n->version, domain);
        while (at < context->n_opset && strcmp(context->opset[at].domain, domain) != 0)
                at++;
        if (at == context->n_opset) {
                context->opset = arena_grow(context->arena, context->opset, at * sizeof(*context->opset),
                                            (at + 1) * sizeof(*context->opset));
                context->opset[at].domain = arena_strndup(context->arena, domain, strlen(domain));
                context->n_opset++;
        }
        context->opset[at].version = n->version;
        return OX_OK;
}

enum ox_code ox_context_opset(struct ox_context *context, const char *domain, int64_t version)
{
        struct naming n = {.context = context, .name = domain, .version = version};

        return shape_run_values(context, run_opset, &n);
}
