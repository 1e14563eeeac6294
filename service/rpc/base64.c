#include "rpc/base64.h"

size_t base64_encode(char *text, const uint8_t *bytes, size_t size, bool pad)
{
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        char *at = text;

        for (size_t i = 0; i < size; i += 3) {
                size_t left = size - i;
                uint32_t bits = (uint32_t)bytes[i] << 16;

                bits |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
                bits |= left > 2 ? bytes[i + 2] : 0;
                for (unsigned c = 0; c < 4; c++) {
                        if (c <= left)
                                *at++ = letters[bits >> (18 - 6 * c) & 63];
                        else if (pad)
                                *at++ = '=';
                }
        }
        return (size_t)(at - text);
}

/* The value of a character; 64 for a character outside the alphabets. */
static unsigned value_of(char c)
{
        if (c >= 'A' && c <= 'Z')
                return (unsigned)(c - 'A');
        if (c >= 'a' && c <= 'z')
                return (unsigned)(c - 'a') + 26;
        if (c >= '0' && c <= '9')
                return (unsigned)(c - '0') + 52;
        if (c == '+' || c == '-')
                return 62;
        return c == '/' || c == '_' ? 63 : 64;
}

bool base64_decode(struct base64_decoder *decoder, const char *text, size_t length, uint8_t *bytes, size_t *ret_size)
{
        *ret_size = 0;
        for (size_t i = 0; i < length; i++) {
                unsigned value = value_of(text[i]);

                if (text[i] == '=' && decoder->n_chars % 4 >= 2 && decoder->n_chars + decoder->n_pads < 4) {
                        decoder->n_pads++;
                        continue;
                }
                if (value == 64 || decoder->n_pads)
                        return false;
                decoder->bits = (decoder->bits << 6 | value) & 0xffff;
                decoder->n_bits += 6;
                decoder->n_chars = (decoder->n_chars + 1) % 4;
                if (decoder->n_bits >= 8) {
                        decoder->n_bits -= 8;
                        bytes[(*ret_size)++] = (uint8_t)(decoder->bits >> decoder->n_bits);
                }
        }
        return true;
}

bool base64_may_end(const struct base64_decoder *decoder)
{
        return decoder->n_chars != 1 && (decoder->n_pads == 0 || decoder->n_chars + decoder->n_pads == 4);
}
