#include "ops/kit/indices.h"

#include "ops/kit/sizes.h"
#include "ops/node/input.h"

bool index_normalize(int64_t index, int64_t size, int64_t *ret)
{
        if (index < 0)
                index += size;
        if (index < 0 || index >= size)
                return false;
        *ret = index;
        return true;
}

/* Known indices must be in [-size, size - 1], which is a condition if the size is not a number. */
static enum ox_code index_check(struct node *n, struct scalar index, struct dim size, int input)
{
        int64_t number, at;

        if (!scalar_is_number(index, &number))
                return OX_OK;
        if (!dim_is_int(size)) {
                if (number == INT64_MAX || number == INT64_MIN)
                        return OX_OK;
                return size_at_least(n, size, dim_int(number < 0 ? -number : number + 1), 0);
        }
        if (index_normalize(number, size.val, &at))
                return OX_OK;
        if (size.val == 0)
                return node_error_at(n, REASON_INDEX_OUT_OF_RANGE, input, -1, NULL, node_number(n, number),
                                     "index %lld is out of range: the axis has size 0", (long long)number);
        return node_error_at(n, REASON_INDEX_OUT_OF_RANGE, input, -1,
                             arena_printf(n->arena, "[-%lld, %lld]", (long long)size.val, (long long)size.val - 1),
                             node_number(n, number), "index must be in [-%lld, %lld], got %lld", (long long)size.val,
                             (long long)size.val - 1, (long long)number);
}

enum ox_code indices_check(struct node *n, int input, struct dim size)
{
        const struct content *indices = in_content(n, input);

        for (size_t k = 0; indices && k < indices->count; k++)
                TRY(index_check(n, content_at(indices, k), size, input));
        return OX_OK;
}

enum ox_code tuples_check(struct node *n, int input, int first, int width)
{
        const struct content *indices = in_content(n, input);

        for (size_t k = 0; indices && width > 0 && k < indices->count; k++)
                TRY(index_check(n, content_at(indices, k), in_dim(n, 0, first + (int)(k % (size_t)width)), input));
        return OX_OK;
}

enum ox_code tuple_fault(struct node *n, int most)
{
        int axis = in_rank(n, 1) - 1;
        int64_t length = in_dim(n, 1, axis).val;

        return node_error_at(
                n, REASON_DIM_MISMATCH, 1, axis, arena_printf(n->arena, "%d or less", most), node_number(n, length),
                "%s x %s: axis %d of %s, the length of an index, must be at most %d, got %lld", node_input_text(n, 0),
                node_input_text(n, 1), axis, node_input_name(n, 1), most, (long long)length);
}
