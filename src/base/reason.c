#include "base/reason.h"

#include <assert.h>

enum about { PLAIN, SHAPES };

static const struct {
        const char *word;
        enum about about;
} reasons[REASON_COUNT] = {
#define REASON(word, code, about, sentence) [REASON_##word] = {#word, about},
#include "base/reasons.def"
#undef REASON
};

const char *reason_word(enum reason reason)
{
        assert(reason < REASON_COUNT);
        return reasons[reason].word;
}

bool reason_has_shapes(enum reason reason)
{
        return reasons[reason].about == SHAPES;
}
