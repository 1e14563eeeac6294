/* Plain texts: printable ASCII without quotes and backslashes, which JSON does not escape. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of eight bytes, the high bit of each that is not plain. A byte may have it that stands above such a one. */
static inline uint64_t plain_odd(uint64_t word)
{
        const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
        uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\'), rubout = word + ones;

        return (word | (word - ones * 0x20) | (quote - ones) | (backslash - ones) | rubout) & highs;
}

/* Bytes of a text as a number. */
static inline uint64_t text_eight(const char *at)
{
        uint64_t word;

        memcpy(&word, at, sizeof(word));
        return word;
}

static inline uint64_t text_four(const char *at)
{
        uint32_t word;

        memcpy(&word, at, sizeof(word));
        return word;
}

/* The odd bits of at most eight bytes, which are read in two words that overlap, or three bytes that may be the same.
 */
static inline uint64_t plain_odd_short(const char *text, size_t length)
{
        uint64_t word = UINT64_C(0x2020202020202020);

        if (length >= 4)
                word = text_four(text) | text_four(text + length - 4) << 32;
        else if (length)
                word = (word << 24) | (uint64_t)(unsigned char)text[0] << 16 |
                       (uint64_t)(unsigned char)text[length / 2] << 8 | (unsigned char)text[length - 1];
        return plain_odd(word);
}

typedef int8_t plain_sixteen __attribute__((vector_size(16)));
typedef uint64_t plain_halves __attribute__((vector_size(16)));

/* -1 for each byte that is not plain, else 0. As signed numbers, those from 0x80 on are below any text. */
static inline plain_sixteen plain_odd_sixteen(plain_sixteen bytes)
{
        return (bytes < 0x20) | (bytes == '"') | (bytes == '\\') | (bytes == 0x7f);
}

static inline plain_sixteen text_sixteen(const char *at)
{
        plain_sixteen bytes;

        memcpy(&bytes, at, sizeof(bytes));
        return bytes;
}

static inline bool plain_none_is_odd(plain_sixteen odd)
{
        const plain_halves half = (plain_halves)odd;

        return (half[0] | half[1]) == 0;
}

/* Of 8 bytes to 16. The halves are joined in a register: joined in memory, they could be read as one only once all that
   was written before is out of the processor, and among that is what no cache holds. */
static inline bool plain_is_middle(const char *text, size_t length)
{
        const plain_halves both = {text_eight(text), text_eight(text + length - 8)};

        return plain_none_is_odd(plain_odd_sixteen((plain_sixteen)both));
}

static inline bool plain_is_long(const char *text, size_t length)
{
        plain_sixteen odd = plain_odd_sixteen(text_sixteen(text + length - 16));

        for (size_t i = 0; i + 16 < length; i += 16)
                odd |= plain_odd_sixteen(text_sixteen(text + i));
        return plain_none_is_odd(odd);
}

/* The last bytes are read together with some that were read before. */
static inline bool plain_is(const char *text, size_t length)
{
        if (length > 16)
                return plain_is_long(text, length);
        return length >= 8 ? plain_is_middle(text, length) : plain_odd_short(text, length) == 0;
}
