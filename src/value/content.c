#include <math.h>
#include <string.h>

#include "value/value.h"

struct content *content_new(struct arena *arena, size_t count, struct scalar **ret_at)
{
        struct content *content = arena_new_array(arena, struct content, 1);
        struct scalar *at = arena_new_array(arena, struct scalar, count);

        memset(at, 0, count * sizeof(*at));
        *content = (struct content){.count = count, .at = at};
        *ret_at = at;
        return content;
}

const struct content *content_read(const struct content *content)
{
        if (!content || !content->unread)
                return content;
        if (!content->unread->read)
                content->unread->read = content->unread->fetch(content->unread);
        return content->unread->read;
}

bool content_is_known(const struct content *content)
{
        for (size_t i = 0; i < content->count; i++)
                if (content->at[i].kind == SCALAR_UNKNOWN)
                        return false;
        return true;
}

/* Rounds to a float with `digits` bits of significand (the leading one included) whose smallest exponent of a normal
   number is `least` and whose largest is `most`; to nearest, ties to even. */
static double round_to(double f, int digits, int least, int most)
{
        int exponent;

        if (f == 0.0 || !isfinite(f))
                return f;
        frexp(f, &exponent); /* f = m * 2^exponent, 0.5 <= |m| < 1 */
        int scale = (exponent - 1 < least ? least : exponent - 1) - (digits - 1);
        double rounded = ldexp(nearbyint(ldexp(f, -scale)), scale);

        return fabs(rounded) >= ldexp(1.0, most + 1) ? copysign(INFINITY, f) : rounded;
}

double float_round(enum elem elem, double f)
{
        switch (elem) {
        case ELEM_FLOAT:
                return (double)(float)f;
        case ELEM_FLOAT16:
                return round_to(f, 11, -14, 15);
        case ELEM_BFLOAT16:
                return round_to(f, 8, -126, 127);
        default:
                return f;
        }
}
