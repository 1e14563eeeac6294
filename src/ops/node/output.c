/* Types, shapes and contents of a node's outputs, as set by its rule. */
#include "ops/node/output.h"

#include <assert.h>
#include <string.h>

#include "ops/node/input.h"

bool out_wanted(const struct node *n, int o)
{
        return o >= 0 && o < n->n_out && node_output(n->source, (size_t)o) != STR_EMPTY;
}

enum elem out_row_elem(const struct node *n, int o)
{
        return o < n->n_out ? n->out[o].type.elem : ELEM_UNDEFINED;
}

enum ox_code out_type(struct node *n, int o, const struct type *type)
{
        if (o >= 0 && o < n->n_out)
                n->out[o] = (struct value){.type = *type};
        return OX_OK;
}

/* A size is not negative; the model must ensure this where it is not known. */
static enum ox_code expect_size(struct node *n, int o, int axis, struct dim size)
{
        struct dim_condition condition;

        size = dim_resolve(n->dims, size);
        if (dim_is_int(size) && size.val < 0)
                return node_error(n, REASON_NEGATIVE_SIZE, -1, "output %d would have size %lld on axis %d", o,
                                  (long long)size.val, axis);
        if (dim_is_int(size))
                return OX_OK;
        switch (dim_require_ge(n->dims, size, dim_int(0), &condition)) {
        case DIM_HOLDS:
                break;
        case DIM_REQUIRED:
                node_constrain(n, &condition, -1);
                break;
        case DIM_FAILS:
                return node_error(n, REASON_NEGATIVE_SIZE, -1,
                                  "output %d would have size %s, which is negative, on axis %d", o,
                                  dim_text(n->dims, size), axis);
        }
        return OX_OK;
}

/* The sizes of an output. Shapes of which all are known are remembered: by facts alone no
   known size comes to be unknown. */
static enum ox_code expect_sizes(struct node *n, int o, int rank, const struct dim *dims, struct sized *ret)
{
        bool known = true;

        if (rank > n->limits->rank)
                return node_error(n, REASON_RANK_LIMIT, -1,
                                  "output %d would have rank %d, more than the limit rank, %lld", o, rank,
                                  (long long)n->limits->rank);
        assert(rank >= 0 && (rank == 0 || dims));
        for (int d = 0; d < rank; d++) {
                if (dim_is_int(dims[d]) ? dims[d].val >= 0 : dim_is_known_size(n->dims, dims[d]))
                        continue;
                known = false;
                TRY(expect_size(n, o, d, dims[d]));
        }
        if (known)
                *ret = (struct sized){dims, rank, dim_bindings(n->dims)};
        return OX_OK;
}

enum ox_code out_tensor(struct node *n, int o, enum elem elem, int rank, const struct dim *dims)
{
        struct sized *sized = &n->sized[(uintptr_t)dims / sizeof(*dims) % SIZED_KEPT];

        if (!out_wanted(n, o))
                return OX_OK;
        if (dims != sized->dims || rank > sized->rank || sized->bindings != dim_bindings(n->dims))
                TRY(expect_sizes(n, o, rank, dims, sized));
        n->out[o] = (struct value){.type = {.kind = TYPE_TENSOR, .elem = elem, .rank = rank, .dim = dims}};
        return OX_OK;
}

enum ox_code out_elem(struct node *n, int o, enum elem elem)
{
        return out_type(n, o, &(struct type){.kind = TYPE_TENSOR, .elem = elem, .rank = RANK_UNKNOWN});
}

enum ox_code out_rank(struct node *n, int o, enum elem elem, int rank)
{
        if (!out_wanted(n, o))
                return OX_OK;
        if (rank > n->limits->rank)
                return out_tensor(n, o, elem, rank, NULL);
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        for (int d = 0; d < rank; d++)
                dims[d] = out_fresh(n, o, d);
        return out_tensor(n, o, elem, rank, dims);
}

enum ox_code out_like(struct node *n, int o, enum elem elem, int i)
{
        if (!in_has_rank(n, i))
                return out_elem(n, o, elem);
        return out_tensor(n, o, elem, in_rank(n, i), in_type(n, i)->dim);
}

enum ox_code out_copy(struct node *n, int o, int i)
{
        if (!in_given(n, i) || o < 0 || o >= n->n_out)
                return OX_OK;
        if (n->in[i]->type.kind != TYPE_UNKNOWN) {
                n->out[o] = *n->in[i];
                n->out[o].content = NULL;
        }
        return OX_OK;
}

/* Whether a shape consists of integers with the product `count`. A shape with a symbol does not, even beside a size of
   0. */
static bool shape_has(const struct type *type, size_t count)
{
        uint64_t product = 1;
        bool overflows = false, is_empty = false;

        if (type->kind != TYPE_TENSOR || type->rank == RANK_UNKNOWN)
                return false;
        for (int d = 0; d < type->rank; d++) {
                if (!dim_is_int(type->dim[d]))
                        return false;
                is_empty = is_empty || type->dim[d].val == 0;
                overflows = overflows || __builtin_mul_overflow(product, (uint64_t)type->dim[d].val, &product);
        }
        return is_empty ? count == 0 : !overflows && product == count;
}

void out_content(struct node *n, int o, const struct content *content)
{
        if (!content || !out_wanted(n, o) || (int64_t)content->count > n->limits->content_elements)
                return;
        if (shape_has(&n->out[o].type, content->count))
                n->out[o].content = content;
}

/* -- fresh symbols -- */

static struct dim_origin origin_of(const struct node *n, int o, int axis)
{
        return (struct dim_origin){
                .value = o < n->n_out ? out_name(n, o) : "",
                .axis = axis,
                .op = node_op(n),
                .node = node_name(n),
                .scope = n->scope,
        };
}

struct dim out_fresh(struct node *n, int o, int axis)
{
        return out_fresh_numbered(n, o, axis, node_op(n));
}

struct dim out_fresh_numbered(struct node *n, int o, int axis, const char *stem)
{
        const struct dim_origin origin = origin_of(n, o, axis);

        return dim_fresh_numbered(n->dims, stem, &origin);
}

struct dim out_fresh_like(struct node *n, int o, int axis, uint32_t symbol)
{
        const struct dim_symbol *like = dim_symbol_at(n->dims, symbol);
        struct dim_origin origin = origin_of(n, o, axis);
        const char *name = str_text(n->strings, like->name), *end = name + strlen(name);

        while (end > name && end[-1] >= '0' && end[-1] <= '9')
                end--;
        if (like->origin.op && like->origin.op[0])
                origin.op = like->origin.op;
        if (*end && end > name + 1 && end[-1] == '_')
                name = arena_printf(n->arena, "%.*s", (int)(end - 1 - name), name);
        return dim_fresh_numbered(n->dims, name, &origin);
}

struct dim out_fresh_named(struct node *n, int o, int axis, const char *format, ...)
{
        const struct dim_origin origin = origin_of(n, o, axis);
        va_list args;

        va_start(args, format);
        const char *hint = arena_vprintf(n->arena, format, args);

        va_end(args);
        return dim_fresh(n->dims, hint, &origin);
}
