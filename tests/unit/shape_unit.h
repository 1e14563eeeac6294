/* What the tests of shape.h share. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "shape.h"
#include "unit.h"

#define NUMBER(n)                                                                                                      \
        {                                                                                                              \
                .kind = OX_ELEMENT_INT, .i = (n)                                                                       \
        }
#define SYMBOL(s)                                                                                                      \
        {                                                                                                              \
                .kind = OX_ELEMENT_TEXT, .text = (s)                                                                   \
        }
#define FLOAT(x)                                                                                                       \
        {                                                                                                              \
                .kind = OX_ELEMENT_FLOAT, .f = (x)                                                                     \
        }
#define UNKNOWN                                                                                                        \
        {                                                                                                              \
                .kind = OX_ELEMENT_UNKNOWN                                                                             \
        }

static inline struct ox_context *new_context(void)
{
        struct ox_context *context = ox_context_new(NULL);

        ck_assert_ptr_nonnull(context);
        return context;
}

static inline void says(const struct ox_context *context, const char *text)
{
        ck_assert_msg(strstr(ox_context_error(context), text) != NULL, "wanted '%s', got '%s'", text,
                      ox_context_error(context));
}

static inline void set(struct ox_context *context, const char *name, const char *type, const struct ox_shape *shape)
{
        struct ox_value value = {.type = type, .shape = shape};

        ck_assert_msg(ox_context_set(context, name, &value) == OX_OK, "%s", ox_context_error(context));
}

static inline void shape_is(struct ox_context *context, const struct ox_shape *shape, const char *wanted)
{
        const char *text;

        ck_assert_int_eq(ox_shape_text(context, shape, &text), OX_OK);
        ck_assert_str_eq(text, wanted);
}

static inline struct ox_value get(struct ox_context *context, const char *name)
{
        struct ox_value value;

        ck_assert_msg(ox_context_get(context, name, &value) == OX_OK, "%s", ox_context_error(context));
        return value;
}

/* The type and shape that a name stands for. */
static inline void value_is(struct ox_context *context, const char *name, const char *type, const char *shape)
{
        struct ox_value value = get(context, name);

        if (type)
                ck_assert_str_eq(value.type, type);
        else
                ck_assert_ptr_null(value.type);
        shape_is(context, value.shape, shape);
}

/* The elements that a name stands for, as texts with blanks between; "-" when they are not known. */
static inline void content_is(struct ox_context *context, const char *name, const char *wanted)
{
        struct ox_value value = get(context, name);
        char text[1000] = "";
        size_t length = 0;

        for (size_t i = 0; value.content && i < value.n_content; i++) {
                const struct ox_element *e = &value.content[i];
                size_t room = sizeof(text) - length;
                const char *blank = i ? " " : "";
                int n;

                ck_assert_uint_gt(room, 100);
                if (e->kind == OX_ELEMENT_INT)
                        n = snprintf(text + length, room, "%s%lld", blank, (long long)e->i);
                else if (e->kind == OX_ELEMENT_FLOAT)
                        n = snprintf(text + length, room, "%s%g", blank, e->f);
                else
                        n = snprintf(text + length, room, "%s%s", blank, e->kind == OX_ELEMENT_TEXT ? e->text : "?");
                length += (size_t)n;
        }
        ck_assert_str_eq(value.content ? text : "-", wanted);
}

/* A node of up to two inputs (NULL: none) and the output y. */
static inline struct ox_node *node_of(struct ox_context *context, const char *op, const char *a, const char *b)
{
        struct ox_node *node;

        ck_assert_int_eq(ox_node_new(context, "", op, &node), OX_OK);
        if (a)
                ck_assert_int_eq(ox_node_input(node, a), OX_OK);
        if (b)
                ck_assert_int_eq(ox_node_input(node, b), OX_OK);
        ck_assert_int_eq(ox_node_output(node, "y"), OX_OK);
        return node;
}

static inline void infers(struct ox_context *context, const struct ox_node *node)
{
        const struct ox_result *result;

        ck_assert_msg(ox_infer_node(context, node, NULL, &result) == OX_OK, "%s", ox_context_error(context));
        ck_assert_ptr_nonnull(result);
}
