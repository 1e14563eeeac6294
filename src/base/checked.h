/* Arithmetic that detects overflow. Each function stores a value and returns true, or returns false, and the stored
   value must not be used. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool add_i64(int64_t a, int64_t b, int64_t *ret)
{
        return !__builtin_add_overflow(a, b, ret);
}

static inline bool sub_i64(int64_t a, int64_t b, int64_t *ret)
{
        return !__builtin_sub_overflow(a, b, ret);
}

static inline bool mul_i64(int64_t a, int64_t b, int64_t *ret)
{
        return !__builtin_mul_overflow(a, b, ret);
}

static inline bool add_size(size_t a, size_t b, size_t *ret)
{
        return !__builtin_add_overflow(a, b, ret);
}

static inline bool mul_size(size_t a, size_t b, size_t *ret)
{
        return !__builtin_mul_overflow(a, b, ret);
}

/* The quotient rounded down, as Python's //. False for a zero divisor and for INT64_MIN // -1. */
static inline bool floordiv_i64(int64_t a, int64_t b, int64_t *ret)
{
        if (b == 0 || (a == INT64_MIN && b == -1))
                return false;
        *ret = a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
        return true;
}

/* Remainder with the divisor's sign, as Python's %. False for a zero divisor. */
static inline bool mod_i64(int64_t a, int64_t b, int64_t *ret)
{
        if (b == 0)
                return false;
        if (b == -1) {
                *ret = 0;
                return true;
        }
        *ret = a % b;
        if (*ret != 0 && (*ret < 0) != (b < 0))
                *ret += b;
        return true;
}

/* The greatest common divisor; of 0 and another number, the other number. */
static inline uint64_t gcd_u64(uint64_t a, uint64_t b)
{
        while (b) {
                uint64_t rest = a % b;

                a = b;
                b = rest;
        }
        return a;
}
