#include <math.h>

#include "value/value.h"

struct content *content_new(struct arena *arena, size_t count)
{
        struct content *content = arena_new_array(arena, struct content, 1);

        *content = (struct content){.count = count, .form = CONTENT_EMPTY, .arena = arena};
        return content;
}

/* The integers so far as sizes. */
static void content_widen(struct content *content)
{
        const int64_t *ints = content->form == CONTENT_INTS ? content->ints : NULL;
        struct dim *sizes = arena_new_array(content->arena, struct dim, content->count);

        for (size_t i = 0; i < content->count; i++)
                sizes[i] = dim_int(ints ? ints[i] : 0);
        content->sizes_set = sizes;
        content->form = CONTENT_SIZES;
}

/* The elements so far as scalars. */
static void content_open(struct content *content)
{
        struct scalar *scalars = arena_new_array(content->arena, struct scalar, content->count);

        for (size_t i = 0; i < content->count; i++)
                scalars[i] = content_at(content, i);
        content->scalars = scalars;
        content->form = CONTENT_SCALARS;
}

void content_set_other(struct content *content, size_t i, struct scalar s)
{
        bool is_int = s.kind == SCALAR_INT && dim_is_int(s.d);

        if (content->form == CONTENT_EMPTY && (is_int || s.kind == SCALAR_FLOAT)) {
                content->ints = arena_zalloc(content->arena, content->count * sizeof(*content->ints));
                content->form = is_int ? CONTENT_INTS : CONTENT_FLOATS;
                content_set(content, i, s);
                return;
        }
        if (s.kind == SCALAR_INT && (content->form == CONTENT_EMPTY || content->form == CONTENT_INTS)) {
                content_widen(content);
                content->sizes_set[i] = s.d;
                return;
        }
        if (content->form != CONTENT_SCALARS)
                content_open(content);
        content->scalars[i] = s;
}

const struct content *content_of_sizes(struct arena *arena, const struct dim *sizes, size_t count)
{
        struct content *content = content_new(arena, count);

        content->sizes = sizes;
        content->form = CONTENT_SIZES;
        return content;
}

const struct content *content_single(struct arena *arena, struct scalar s)
{
        struct {
                struct content content;
                struct dim size;
        } * of;

        if (s.kind != SCALAR_INT) {
                struct content *content = content_new(arena, 1);

                content_set(content, 0, s);
                return content;
        }
        of = arena_alloc(arena, sizeof(*of));
        of->content = (struct content){.count = 1, .form = CONTENT_SIZES, .sizes = &of->size, .arena = arena};
        of->size = s.d;
        return &of->content;
}

const struct content *content_of_int(struct arena *arena, int64_t number)
{
        struct content *content = content_new(arena, 1);

        content_set(content, 0, scalar_int(dim_int(number)));
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

bool content_floats(const struct content *content, const double **ret)
{
        static const double none[1];

        *ret = content->count ? content->floats : none;
        return content->form == CONTENT_FLOATS || content->count == 0;
}

bool content_is_known(const struct content *content)
{
        if (content->form == CONTENT_EMPTY)
                return content->count == 0;
        for (size_t i = 0; content->form == CONTENT_SCALARS && i < content->count; i++)
                if (content->scalars[i].kind == SCALAR_UNKNOWN)
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
