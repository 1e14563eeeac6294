/* Element types of tensors, by ONNX's own numbers (TensorProto.DataType). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, number, its spelling in type strings, bits of one element as stored in raw_data (0: none) */
#define OX_ELEMS(X)                                                                                                    \
        X(UNDEFINED, 0, "undefined", 0)                                                                                \
        X(FLOAT, 1, "float", 32)                                                                                       \
        X(UINT8, 2, "uint8", 8)                                                                                        \
        X(INT8, 3, "int8", 8)                                                                                          \
        X(UINT16, 4, "uint16", 16)                                                                                     \
        X(INT16, 5, "int16", 16)                                                                                       \
        X(INT32, 6, "int32", 32)                                                                                       \
        X(INT64, 7, "int64", 64)                                                                                       \
        X(STRING, 8, "string", 0)                                                                                      \
        X(BOOL, 9, "bool", 8)                                                                                          \
        X(FLOAT16, 10, "float16", 16)                                                                                  \
        X(DOUBLE, 11, "double", 64)                                                                                    \
        X(UINT32, 12, "uint32", 32)                                                                                    \
        X(UINT64, 13, "uint64", 64)                                                                                    \
        X(COMPLEX64, 14, "complex64", 64)                                                                              \
        X(COMPLEX128, 15, "complex128", 128)                                                                           \
        X(BFLOAT16, 16, "bfloat16", 16)                                                                                \
        X(FLOAT8E4M3FN, 17, "float8e4m3fn", 8)                                                                         \
        X(FLOAT8E4M3FNUZ, 18, "float8e4m3fnuz", 8)                                                                     \
        X(FLOAT8E5M2, 19, "float8e5m2", 8)                                                                             \
        X(FLOAT8E5M2FNUZ, 20, "float8e5m2fnuz", 8)                                                                     \
        X(UINT4, 21, "uint4", 4)                                                                                       \
        X(INT4, 22, "int4", 4)                                                                                         \
        X(FLOAT4E2M1, 23, "float4e2m1", 4)                                                                             \
        X(FLOAT8E8M0, 24, "float8e8m0", 8)                                                                             \
        X(UINT2, 25, "uint2", 2)                                                                                       \
        X(INT2, 26, "int2", 2)                                                                                         \
        X(FLOAT6E2M3, 27, "float6e2m3", 6)                                                                             \
        X(FLOAT6E3M2, 28, "float6e3m2", 6)

enum elem {
#define X(name, number, text, bits) ELEM_##name = number,
        OX_ELEMS(X)
#undef X
                ELEM_COUNT
};

/* "float"; "undefined" for what is no element type. Static. */
const char *elem_name(int elem);

/* The element type of a name of `length` bytes; false for no such name ("undefined" is none). */
bool elem_by_name(const char *name, size_t length, enum elem *ret);

bool elem_is_valid(int64_t elem);     /* a number that names an element type other than UNDEFINED */
bool elem_is_integer(enum elem elem); /* signed and unsigned of any width; not BOOL */
bool elem_is_float(enum elem elem);   /* the IEEE-like types of any width, not complex */

/* The range of an integer type (BOOL counts as 0..1); false for other types. UINT64's upper bound is INT64_MAX. */
bool elem_int_range(enum elem elem, int64_t *ret_lower, int64_t *ret_upper);
int elem_bits(enum elem elem);
