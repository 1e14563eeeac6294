#include "net/fields.h"

#include <string.h>
#include <strings.h>

static const struct {
        const char *name;
        size_t length;
} fields[FIELD_COUNT] = {
#define X(id, name) [FIELD_##id] = {name, sizeof(name) - 1},
        FIELDS(X)
#undef X
};

enum field field_find(const char *name, size_t length)
{
        size_t i = 0;

        while (i < FIELD_COUNT && fields[i].length < length)
                i++;
        for (; i < FIELD_COUNT && fields[i].length == length; i++)
                if ((name[0] | 0x20) == fields[i].name[0] &&
                    (memcmp(fields[i].name, name, length) == 0 || strncasecmp(fields[i].name, name, length) == 0))
                        return (enum field)i;
        return FIELD_COUNT;
}
