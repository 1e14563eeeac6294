/* The skimmer: whatever the chunks, the outcome is the same; what it kept is no more than what came, parses, and comes
   through again as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "model/load.h"
#include "model/skim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct skim {
        struct skimmer *skimmer;
        enum ox_code code;
        const uint8_t *at;
        size_t size;
};

/* In one piece, or, with a seed, in pieces of its choosing. */
static struct skim skim(struct arena *arena, const struct ox_limits *limits, const uint8_t *data, size_t size,
                        uint64_t seed)
{
        struct skim skim = {.skimmer = skim_new(arena, limits, NULL)};

        for (size_t i = 0, n; i < size; i += n) {
                n = size - i;
                if (seed != 0) {
                        size_t most = seed & 64 ? 3 : 1 + seed % 64;

                        seed ^= seed << 13;
                        seed ^= seed >> 7;
                        seed ^= seed << 17;
                        n = n < most ? n : most;
                }
                skim.code = skim_feed(skim.skimmer, data + i, n);
                if (skim.code != OX_OK)
                        break;
        }
        skim.code = skim_end(skim.skimmer, &skim.at, &skim.size);
        return skim;
}

/* Serialized anew, without the skimmer's marks, which it lets through from nobody. */
static uint8_t *repack(struct arena *arena, const struct skim *skim, bool *ret_has_mark, size_t *ret_size)
{
        static const uint8_t mark[] = {0xc0, 0xa9, 0x07, 0x01};
        ProtobufCAllocator allocator;

        arena_allocator(arena, &allocator);
        OnnxModel *model = shaped__onnx__v1__model_proto__unpack(&allocator, skim->size, skim->at);

        HOLD(model != NULL, "what is kept can be parsed");
        *ret_size = shaped__onnx__v1__model_proto__get_packed_size(model);
        *ret_has_mark = skim->size > 0 && memmem(skim->at, skim->size, mark, sizeof(mark)) != NULL;
        uint8_t *packed = arena_alloc(arena, *ret_size);

        shaped__onnx__v1__model_proto__pack(model, packed);
        return packed;
}

static void check(struct arena *arena, const struct ox_limits *limits, const uint8_t *data, size_t size)
{
        struct skim whole = skim(arena, limits, data, size, 0);
        struct skim parts = skim(arena, limits, data, size, bytes_hash(data, size) | 1);

        HOLD(whole.code == parts.code, "the chunks do not change the outcome");
        HOLD(strcmp(skim_error(whole.skimmer), skim_error(parts.skimmer)) == 0, "the chunks do not change the fault");
        if (whole.code != OX_OK) {
                HOLD(skim_error(whole.skimmer)[0] != '\0', "a fault has a text");
                return;
        }
        HOLD(whole.size == parts.size && memcmp(whole.at, parts.at, whole.size) == 0,
             "the chunks do not change what is kept");
        HOLD(whole.size <= size, "no more is kept than came");
        struct skim again = skim(arena, limits, whole.at, whole.size, 0);
        size_t first_size, second_size;
        bool has_mark;

        HOLD(again.code == OX_OK, "what is kept is a model for the skimmer");
        uint8_t *first = repack(arena, &whole, &has_mark, &first_size);

        if (has_mark)
                return;
        uint8_t *second = repack(arena, &again, &has_mark, &second_size);

        HOLD(first_size == second_size && memcmp(first, second, first_size) == 0, "what is kept stays as it is");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct arena *arena = arena_new((size_t)256 << 20);
        struct ox_limits limits;
        struct arena_guard guard;
        const char *error;
        struct model *model;

        ox_limits_default(&limits);
        arena_set_guard(arena, &guard);
        if (arena != NULL && setjmp(guard.jump) == 0) {
                check(arena, &limits, data, size);
                /* Bytes that no skimmer saw do no harm either. */
                model_load(arena, data, size, NULL, &model, &error);
        }
        arena_free(arena);
        return 0;
}
