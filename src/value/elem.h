/* Element types of tensors, by ONNX's own numbers (TensorProto.DataType). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum elem {
#define ELEM_TYPE(name, number, text, bits) ELEM_##name = number,
#include "value/elem_types.def"
#undef ELEM_TYPE
        ELEM_COUNT
};

/* "float"; "undefined" for a number that is not an element type. Static. */
const char *elem_name(int elem);

/* The element type of a name of `length` bytes; false for an unknown name ("undefined" included). */
bool elem_by_name(const char *name, size_t length, enum elem *ret);

bool elem_is_valid(int64_t elem);     /* a number that names an element type other than UNDEFINED */
bool elem_is_integer(enum elem elem); /* signed and unsigned of any width; not BOOL */
bool elem_is_float(enum elem elem);   /* the IEEE-like types of any width, not complex */

/* The range of an integer type (BOOL counts as 0..1); false for other types. UINT64's upper bound is INT64_MAX. */
bool elem_int_range(enum elem elem, int64_t *ret_lower, int64_t *ret_upper);
int elem_bits(enum elem elem);
