/* base64 (RFC 4648), a piece at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of text for `size` bytes, without a NUL. */
#define BASE64_ENCODED(size) (((size) + 2) / 3 * 4)

/* Writes the text of `size` bytes, padded or not, in the standard alphabet. Returns its length. */
size_t base64_encode(char *text, const uint8_t *bytes, size_t size, bool pad);

/* Decodes both alphabets, padded or not, as the text arrives. All zero at the beginning. */
struct base64_decoder {
        uint32_t bits;
        unsigned n_bits, n_chars, n_pads; /* n_chars: of all, modulo 4 */
};

/* Decodes the next characters into `bytes`, which has room for `length`. False if they are not base64. */
bool base64_decode(struct base64_decoder *decoder, const char *text, size_t length, uint8_t *bytes, size_t *ret_size);

/* Whether the text may end here. */
bool base64_may_end(const struct base64_decoder *decoder);
