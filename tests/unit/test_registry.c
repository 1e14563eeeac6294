/* The registry's table can be walked row by row, and looked up. */
#include "ops/table/allowed.h"

#include <string.h>

#include "unit.h"
#include "value/value.h"

static int compare_rows(const struct op_row *a, const struct op_row *b)
{
        int order = strcmp(a->domain, b->domain);

        if (order == 0)
                order = strcmp(a->name, b->name);
        return order != 0 ? order : (a->since > b->since) - (a->since < b->since);
}

START_TEST(rows_are_sorted_and_found)
{
        for (size_t r = 0; r < op_row_count; r++) {
                const struct op_row *row = &op_rows[r];
                bool exists;
                size_t count;

                if (r > 0)
                        ck_assert_int_lt(compare_rows(row - 1, row), 0);
                ck_assert_ptr_eq(op_find(row->domain, row->name, row->since, &exists), row);
                ck_assert(exists);
                ck_assert_uint_le(row->n_attr, 64); /* those that a node has are bits of a number */
                const struct op_row *first = op_versions(row->domain, row->name, &count);
                ck_assert(first <= row && row < first + count);
                ck_assert_ptr_eq(op_find(row->domain, row->name, INT64_MAX, NULL), first + count - 1);
                ck_assert_ptr_eq(op_find(row->domain, row->name, row->since - 1, NULL), row > first ? row - 1 : NULL);
                ck_assert_int_le(row->since, op_newest_opset(row->domain));
        }
}
END_TEST

START_TEST(lookup_knows_its_limits)
{
        bool exists;
        size_t count;

        ck_assert_ptr_eq(op_find("ai.onnx", "Conv", 13, NULL), op_find("", "Conv", 11, NULL));
        ck_assert_int_eq(op_find("", "Conv", 13, NULL)->since, 11);
        ck_assert_ptr_null(op_find("", "LayerNormalization", 16, &exists));
        ck_assert(exists);
        ck_assert_ptr_null(op_find("", "Convolution", 16, &exists));
        ck_assert(!exists);
        ck_assert_ptr_null(op_find("com.example", "Conv", 16, &exists));
        ck_assert(!exists);
        ck_assert_ptr_null(op_find("", "Conv", -1, NULL));
        ck_assert_ptr_null(op_versions("", "", &count));
        ck_assert_uint_eq(count, 0);
        ck_assert_int_eq(op_newest_opset("ai.onnx"), op_newest_opset(""));
        ck_assert_int_eq(op_newest_opset("com.example"), 0);
}
END_TEST

static void check_constraint(struct arena *arena, const struct op_constraint *set)
{
        uint64_t elems = 0;
        bool others = false;

        ck_assert_uint_gt(set->count, 0);
        for (size_t t = 0; t < set->count; t++) {
                struct type type;
                struct buf text;

                ck_assert(type_parse(arena, set->types[t], strlen(set->types[t]), &type));
                buf_init(&text, arena);
                ck_assert(type_print(&type, &text));
                ck_assert_str_eq(buf_text(&text), set->types[t]);
                if (type.kind == TYPE_TENSOR)
                        elems |= UINT64_C(1) << (unsigned)type.elem;
                else
                        others = true;
                if (set->only)
                        ck_assert(type_same(&type, set->only));
        }
        ck_assert(elems == set->tensor_elems);
        ck_assert(others == set->others);
        ck_assert((set->count == 1) == (set->only != NULL));
}

static void check_param(struct arena *arena, const struct op_row *row, const struct op_param *param, bool is_last)
{
        struct type type;

        if (op_param_set(row, param) != NULL) {
                ck_assert_str_eq(op_param_set(row, param)->name, param->type);
        } else {
                ck_assert(type_parse(arena, param->type, strlen(param->type), &type));
                ck_assert_int_eq(type.kind, TYPE_TENSOR);
                ck_assert(type_same(&type, param->is));
        }
        ck_assert(param->option != PARAM_VARIADIC || is_last);
}

START_TEST(types_are_types)
{
        struct arena *arena = arena_new(SIZE_MAX);

        for (size_t r = 0; r < op_row_count; r++) {
                const struct op_row *row = &op_rows[r];
                ck_assert_uint_le(row->n_attr, 64);
                for (size_t c = 0; c < row->n_constraint; c++)
                        check_constraint(arena, &row->constraint[c]);
                for (size_t p = 0; p < row->n_in; p++)
                        check_param(arena, row, &row->in[p], p + 1 == row->n_in);
                for (size_t p = 0; p < row->n_out; p++)
                        check_param(arena, row, &row->out[p], p + 1 == row->n_out);
                arena_reset(arena, SIZE_MAX);
        }
        arena_free(arena);
}
END_TEST

START_TEST(parameters_and_attributes)
{
        const struct op_row *concat = op_find("", "Concat", 13, NULL), *conv = op_find("", "Conv", 22, NULL);

        ck_assert_int_eq(concat->min_in, 1);
        ck_assert_int_eq(concat->max_in, -1);
        ck_assert_str_eq(op_in_param(concat, 70)->name, "inputs");
        ck_assert(op_find_attr(concat, "axis")->required);
        ck_assert_ptr_null(op_out_param(concat, 1));
        ck_assert_int_eq(conv->min_in, 2);
        ck_assert_int_eq(conv->max_in, 3);
        ck_assert_int_eq(op_in_param(conv, 2)->option, PARAM_OPTIONAL);
        ck_assert_ptr_null(op_in_param(conv, 3));
        ck_assert_ptr_null(op_in_param(conv, -1));
        ck_assert_int_eq(op_find_attr(conv, "group")->i, 1);
        ck_assert_str_eq(op_find_attr(conv, "auto_pad")->s, "NOTSET");
        ck_assert(!op_find_attr(conv, "pads")->has_default);
        ck_assert_ptr_null(op_find_attr(conv, "padding"));
        ck_assert(op_find_attr(op_find("", "LeakyRelu", 16, NULL), "alpha")->f == (double)0.01F);
        ck_assert(op_find("", "Upsample", 10, NULL)->deprecated);
        ck_assert_int_eq(op_find("", "Loop", 16, NULL)->control, CONTROL_LOOP);
}
END_TEST

/* What an attribute may hold, in words. */
static void holds(const char *op, int64_t opset, const char *attr, const char *wanted)
{
        struct arena *arena = arena_new(65536);
        struct buf buf;

        buf_init(&buf, arena);
        op_allowed_print(&buf, op_find_attr(op_find("", op, opset, NULL), attr));
        ck_assert_str_eq(buf_text(&buf), wanted);
        arena_free(arena);
}

START_TEST(attributes_say_what_they_hold)
{
        holds("Conv", 22, "auto_pad", "one of NOTSET, SAME_UPPER, SAME_LOWER, VALID");
        holds("BitShift", 11, "direction", "LEFT or RIGHT");
        holds("Conv", 22, "strides", "at least 1");
        holds("RNN", 14, "layout", "in [0, 1]");
        holds("Upsample", 7, "scales", "at least 1");
        holds("Cast", 13, "to", "the number of an element type of T2");
        holds("Gemm", 13, "alpha", "");
        ck_assert(op_find_attr(op_find("", "Pad", 18, NULL), "mode")->allowed->warns);
        ck_assert(!op_find_attr(op_find("", "Conv", 22, NULL), "auto_pad")->allowed->warns);
        ck_assert_uint_eq(op_find_attr(op_find("", "MaxRoiPool", 1, NULL), "pooled_shape")->allowed->max_count, 2);
}
END_TEST

/* Cast's `to` names the element type of its output, T2; that of its input, T1, no attribute does. */
START_TEST(an_attribute_names_an_element_type)
{
        const struct op_row *cast = op_find("", "Cast", 13, NULL);

        ck_assert_int_eq(cast->constraint[cast->in->set].attr, -1);
        ck_assert_ptr_eq(&cast->attr[cast->constraint[cast->out->set].attr], op_find_attr(cast, "to"));
}
END_TEST

UNIT_MAIN("registry", rows_are_sorted_and_found, lookup_knows_its_limits, types_are_types, parameters_and_attributes,
          attributes_say_what_they_hold, an_attribute_names_an_element_type);
