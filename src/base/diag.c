#include "base/diag.h"

#include "base/bounds.h"

bool diags_full(const struct diags *diags)
{
        return diags->count >= DIAGS_KEPT;
}

void diags_end(struct diags *diags, struct arena *arena, const struct ox_diag *diag)
{
        if (diags->count == diags->capacity) {
                size_t capacity = diags->capacity ? 2 * diags->capacity : 16;

                diags->at = arena_grow(arena, diags->at, diags->capacity * sizeof(*diags->at),
                                       capacity * sizeof(*diags->at));
                diags->capacity = capacity;
        }
        diags->at[diags->count++] = *diag;
}

void diags_add(struct diags *diags, struct arena *arena, const struct ox_diag *diag)
{
        if (diag->severity == OX_ERROR)
                diags->errors++;
        else if (diag->severity == OX_WARNING)
                diags->warnings++;
        if (diags_full(diags))
                diags->dropped++;
        else
                diags_end(diags, arena, diag);
}
