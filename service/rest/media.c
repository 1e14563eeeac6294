#include "rest/media.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
        const char *name, *type;
} formats[] = {
        [FORMAT_JSON] = {"json", "application/json"},
        [FORMAT_TEXT] = {"text", "text/plain"},
        [FORMAT_PROTO] = {"proto", "application/x-protobuf"},
        [FORMAT_PATCH] = {"patch", "application/vnd.onnx.patch"},
};

static_assert(sizeof(formats) / sizeof(formats[0]) == FORMAT_COUNT, "each format has its type");

#define NAMED(type) type, sizeof(type) - 1

static const struct {
        const char *type;
        size_t length;
        enum media media;
} medias[] = {
        {NAMED("application/json"), MEDIA_JSON},
        {NAMED("application/octet-stream"), MEDIA_BYTES},
        {NAMED("application/onnx"), MEDIA_BYTES},
        {NAMED("application/x-onnx"), MEDIA_BYTES},
        {NAMED("application/x-www-form-urlencoded"), MEDIA_BYTES}, /* the type that curl --data-binary sends */
        {NAMED("application/x-protobuf"), MEDIA_PROTO},
        {NAMED("application/protobuf"), MEDIA_PROTO},
        {NAMED("multipart/form-data"), MEDIA_FORM},
};

static size_t type_length(const char *type)
{
        return strcspn(type, "; \t,");
}

static bool is_type(const char *given, size_t length, const char *type)
{
        return strlen(type) == length && strncasecmp(given, type, length) == 0;
}

enum media media_read(const char *type)
{
        if (!type || !*type)
                return MEDIA_NONE;
        size_t length = type_length(type);

        for (size_t i = 0; i < sizeof(medias) / sizeof(medias[0]); i++)
                if (medias[i].length == length && strncasecmp(type, medias[i].type, length) == 0)
                        return medias[i].media;
        return MEDIA_OTHER;
}

bool format_read(const char *name, enum format *ret)
{
        for (size_t i = 0; i < FORMAT_COUNT; i++) {
                if (strcmp(name, formats[i].name) == 0) {
                        *ret = (enum format)i;
                        return true;
                }
        }
        return false;
}

const char *format_type(enum format format)
{
        return format == FORMAT_TEXT ? "text/plain; charset=utf-8" : formats[format].type;
}

/* The weight of a range's parameters, in thousandths. */
static int weight(const char *at, const char *end)
{
        for (; at < end; at++) {
                if (*at != ';')
                        continue;
                at += 1 + strspn(at + 1, " \t");
                if (strncasecmp(at, "q=", 2) == 0) {
                        double q = strtod(at + 2, NULL);

                        return q > 1 ? 1000 : q > 0 ? (int)(q * 1000) : 0; /* NaN as well */
                }
        }
        return 1000;
}

/* How precisely a range names a format: 0 not at all, 1 any type, 2 its main type, 3 exactly. */
static int closeness(const char *range, size_t length, const char *type)
{
        size_t main_type = strcspn(type, "/") + 1;

        if (is_type(range, length, type))
                return 3;
        if (length == main_type + 1 && range[length - 1] == '*' && strncasecmp(range, type, main_type) == 0)
                return 2;
        return is_type(range, length, "*/*");
}

void accept_read(struct accept *accept, const char *field)
{
        while (*field) {
                field += strspn(field, ", \t");
                const char *end = field + strcspn(field, ",");

                for (size_t i = 0; i < FORMAT_COUNT; i++) {
                        int closer = closeness(field, type_length(field), formats[i].type);

                        if (closer > accept->closeness[i]) {
                                accept->closeness[i] = closer;
                                accept->weight[i] = weight(field, end);
                        }
                }
                field = end;
        }
}

enum format accept_best(const struct accept *accept, unsigned wanted, enum format usual)
{
        size_t best = usual;

        for (size_t i = 0; i < FORMAT_COUNT; i++)
                if (wanted & 1U << i && accept->weight[i] > accept->weight[best])
                        best = i;
        return (enum format)best;
}
