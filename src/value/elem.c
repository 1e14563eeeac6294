#include "value/elem.h"

#include <string.h>

static const struct {
        const char *name;
        int bits;
} elems[] = {
#define ELEM_TYPE(name, number, text, bits) [number] = {text, bits},
#include "value/elem_types.def"
#undef ELEM_TYPE
};

bool elem_is_valid(int64_t elem)
{
        return elem > ELEM_UNDEFINED && elem < ELEM_COUNT;
}

const char *elem_name(int elem)
{
        return elem_is_valid(elem) ? elems[elem].name : "undefined";
}

bool elem_by_name(const char *name, size_t length, enum elem *ret)
{
        for (int e = ELEM_UNDEFINED + 1; e < ELEM_COUNT; e++) {
                if (strlen(elems[e].name) == length && memcmp(elems[e].name, name, length) == 0) {
                        *ret = (enum elem)e;
                        return true;
                }
        }
        return false;
}

int elem_bits(enum elem elem)
{
        return elem_is_valid(elem) ? elems[elem].bits : 0;
}

static bool is_unsigned(enum elem elem)
{
        return elem == ELEM_UINT8 || elem == ELEM_UINT16 || elem == ELEM_UINT32 || elem == ELEM_UINT64 ||
               elem == ELEM_UINT4 || elem == ELEM_UINT2;
}

bool elem_is_integer(enum elem elem)
{
        return is_unsigned(elem) || elem == ELEM_INT8 || elem == ELEM_INT16 || elem == ELEM_INT32 ||
               elem == ELEM_INT64 || elem == ELEM_INT4 || elem == ELEM_INT2;
}

bool elem_is_float(enum elem elem)
{
        return elem_is_valid(elem) && !elem_is_integer(elem) && elem != ELEM_STRING && elem != ELEM_BOOL &&
               elem != ELEM_COMPLEX64 && elem != ELEM_COMPLEX128;
}

bool elem_int_range(enum elem elem, int64_t *ret_lower, int64_t *ret_upper)
{
        int bits = elem_bits(elem);

        if (elem == ELEM_BOOL) {
                *ret_lower = 0;
                *ret_upper = 1;
                return true;
        }
        if (!elem_is_integer(elem))
                return false;
        if (is_unsigned(elem)) {
                *ret_lower = 0;
                *ret_upper = bits == 64 ? INT64_MAX : ((int64_t)1 << bits) - 1;
        } else {
                *ret_upper = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
                *ret_lower = -*ret_upper - 1;
        }
        return true;
}
