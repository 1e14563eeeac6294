/* Decimal digits of numbers, two at a time. */
#pragma once

#include <stdint.h>
#include <string.h>

#define DIGITS_MOST 20 /* of 64 bits */
#define NUMBER_MOST (DIGITS_MOST + 1)

/* "00" to "99". */
extern const char digit_pairs[200];

/* How many digits a number has, at least 1. */
static inline unsigned digits_count(uint64_t value)
{
        unsigned count = 1;

        for (; value >= 10000; value /= 10000)
                count += 4;
        return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

/* Writes a number, which has `count` digits, and returns where they end. */
static inline char *digits_put_counted(char *at, uint64_t value, unsigned count)
{
        char *end = at + count;
        uint32_t rest;

        for (at = end; value > UINT32_MAX; value /= 100) {
                at -= 2;
                memcpy(at, digit_pairs + 2 * (value % 100), 2);
        }
        for (rest = (uint32_t)value; rest >= 10; rest /= 100) {
                at -= 2;
                memcpy(at, digit_pairs + (size_t)2 * (rest % 100), 2);
        }
        if (at - end + (int)count > 0)
                at[-1] = (char)('0' + rest);
        return end;
}

/* Writes all digits, at most DIGITS_MOST, and returns where they end. */
static inline char *digits_put(char *at, uint64_t value)
{
        return digits_put_counted(at, value, digits_count(value));
}

/* The same with a sign where it is negative: at most NUMBER_MOST bytes. */
static inline char *number_put(char *at, int64_t value)
{
        if (value < 0)
                *at++ = '-';
        return digits_put(at, value < 0 ? -(uint64_t)value : (uint64_t)value);
}
