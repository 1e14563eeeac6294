/* Forms from hostile bytes: the first line is the Content-Type, the rest the body. What comes out does not depend on
   the pieces it came in, and stands in the body. */
#include <string.h>

#include "draw.h"
#include "net/multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct taken {
        char *bytes;
        size_t size;
        bool is_good;
        char error[512];
};

static bool take(void *user, const char *bytes, size_t size)
{
        struct taken *taken = user;

        memcpy(taken->bytes + taken->size, bytes, size);
        taken->size += size;
        return true;
}

static const struct multipart_field fields[] = {{"model", true, take}, {"operators", false, take}};

/* In pieces of any size, or as a whole for `seed` 0. */
static void read_form(const char *type, const char *body, size_t size, uint64_t seed, struct taken *ret)
{
        *ret = (struct taken){.bytes = malloc(size + 1)};
        struct multipart *m = multipart_new(type, fields, sizeof(fields) / sizeof(*fields), ret);
        struct draw draw = {.state = seed};

        HOLD(m != NULL && ret->bytes != NULL, "there is memory for a form");
        ret->is_good = !multipart_error(m)[0];
        for (size_t at = 0, step; ret->is_good && at < size; at += step) {
                step = seed ? 1 + draw_below(&draw, 19) : size;
                step = step < size - at ? step : size - at;
                ret->is_good = multipart_feed(m, body + at, step);
        }
        ret->is_good = ret->is_good && multipart_end(m);
        snprintf(ret->error, sizeof(ret->error), "%s", multipart_error(m));
        HOLD(ret->is_good == !ret->error[0], "what is refused has a reason, and nothing else has one");
        multipart_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const uint8_t *end = size ? memchr(data, '\n', size) : NULL;

        if (!end)
                return 0;
        size_t length = (size_t)(end - data);
        char *type = malloc(length + 1);
        struct taken whole, pieces;

        HOLD(type != NULL, "there is memory for a type");
        memcpy(type, data, length);
        type[length] = '\0';
        read_form(type, (const char *)end + 1, size - length - 1, 0, &whole);
        read_form(type, (const char *)end + 1, size - length - 1, bytes_hash(data, size) | 1, &pieces);
        HOLD(strcmp(whole.error, pieces.error) == 0, "the same in pieces: '%s' and '%s'", whole.error, pieces.error);
        HOLD(whole.size == pieces.size && memcmp(whole.bytes, pieces.bytes, whole.size) == 0, "the same is taken");
        HOLD(!whole.is_good || !whole.size || memmem(end, size - length, whole.bytes, whole.size) != NULL,
             "what is taken stands in the body");
        free(whole.bytes);
        free(pieces.bytes);
        free(type);
        return 0;
}
