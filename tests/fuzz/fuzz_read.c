/* What is read from the wire at once is what the skimmer and protobuf-c make of it, for whatever bytes: the same model
   or the same fault, and as many bytes dropped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "model/load.h"
#include "model/skim.h"
#include "model_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
        enum ox_code code;
        const char *error;
        uint64_t dropped;
        const uint8_t *model; /* serialized anew */
        size_t size;
};

/* In one piece that stays, or, with a seed, in pieces of its choosing. */
static void feed(struct skimmer *skimmer, const uint8_t *data, size_t size, uint64_t seed)
{
        for (size_t i = 0, n; i < size; i += n) {
                n = size - i;
                if (seed != 0) {
                        size_t most = 1 + seed % 300;

                        seed ^= seed << 13;
                        seed ^= seed >> 7;
                        seed ^= seed << 17;
                        n = n < most ? n : most;
                }
                if (skim_feed(skimmer, data + i, n) != OX_OK)
                        return;
        }
}

/* `loader` NULL: all is kept, and protobuf-c reads it. */
static struct outcome load(struct arena *arena, const struct ox_limits *limits, struct loader *loader,
                           const uint8_t *data, size_t size, uint64_t seed)
{
        const struct skim_sink sink = {loader_read, loader_take, loader_settle, loader};
        struct skimmer *skimmer = skim_new(arena, limits, loader ? &sink : NULL);
        struct outcome outcome = {.error = ""};
        struct model *model;
        const uint8_t *kept;
        size_t kept_size;

        feed(skimmer, data, size, seed);
        outcome.code = skim_end(skimmer, &kept, &kept_size);
        outcome.dropped = skim_bytes_dropped(skimmer);
        if (outcome.code != OX_OK) {
                outcome.error = skim_error(skimmer);
                return outcome;
        }
        outcome.code = model_load(arena, kept, kept_size, loader, &model, &outcome.error);
        if (outcome.code == OX_OK)
                outcome.model = model_serialize(model, &outcome.size);
        return outcome;
}

static void hold(const struct outcome *wanted, const struct outcome *got)
{
        HOLD(wanted->code == got->code, "the outcome is the same");
        HOLD(strcmp(wanted->error, got->error) == 0, "the fault is the same");
        if (wanted->code != OX_OK)
                return;
        HOLD(wanted->dropped == got->dropped, "as many bytes are dropped");
        HOLD(wanted->size == got->size && memcmp(wanted->model, got->model, got->size) == 0, "the model is the same");
}

static void check(struct arena *arena, const struct ox_limits *limits, const uint8_t *data, size_t size)
{
        struct outcome wanted = load(arena, limits, NULL, data, size, 0);

        for (int turn = 0; turn < 3; turn++) {
                struct loader *loader = loader_new(arena, 0);

                loader_bytes_stay(loader, turn == 0);
                if (turn == 2)
                        loader_defer(loader, 0);
                struct outcome got = load(arena, limits, loader, data, size, turn ? bytes_hash(data, size) | 1 : 0);

                hold(&wanted, &got);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct arena *arena = arena_new((size_t)256 << 20);
        uint64_t seed = bytes_hash(data, size);
        struct ox_limits limits;
        struct arena_guard guard;

        ox_limits_default(&limits);
        if (seed % 4 == 0) {
                limits.name_bytes = (int64_t)(seed / 4 % 40);
                limits.message_depth = (int64_t)(seed / 160 % 12);
        }
        arena_set_guard(arena, &guard);
        if (arena != NULL && setjmp(guard.jump) == 0)
                check(arena, &limits, data, size);
        arena_free(arena);
        return 0;
}
