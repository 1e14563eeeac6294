#include "net/target.h"

#include <stdlib.h>
#include <string.h>

static int hex_of(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        c |= 0x20;
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool target_decode(char *text, bool is_parameter)
{
        char *to = text;
        bool is_text = true;

        for (const char *at = text; *at; to++) {
                int high = *at == '%' ? hex_of(at[1]) : -1, low = high >= 0 ? hex_of(at[2]) : -1;

                if (low >= 0) {
                        *to = (char)(high << 4 | low);
                        is_text = is_text && *to;
                        at += 3;
                } else {
                        *to = is_parameter && *at == '+' ? ' ' : *at;
                        at++;
                }
        }
        *to = '\0';
        return is_text;
}

bool target_each(const char *target, bool (*each)(void *user, const char *name, const char *value), void *user)
{
        const char *query = strchr(target, '?');
        char *copy = query ? strdup(query + 1) : NULL;
        bool goes_on = copy || !query;

        for (char *at = copy, *next; at && goes_on; at = next) {
                next = strchr(at, '&');
                if (next)
                        *next++ = '\0';
                char *value = strchr(at, '=');

                if (value)
                        *value++ = '\0';
                if (*at || value)
                        goes_on = target_decode(at, true) && (!value || target_decode(value, true)) &&
                                  each(user, at, value);
        }
        free(copy);
        return goes_on;
}
