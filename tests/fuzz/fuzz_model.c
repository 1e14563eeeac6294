/* The whole way of a model: skimmed, loaded, inferred with options that its bytes choose, and rendered. What is
   answered depends neither on the seed of the hash tables nor on the pieces that the bytes come in. */
#include "draw.h"
#include "shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
        enum ox_code code;
        uint64_t hash; /* of all that was rendered */
        uint64_t length;
};

static void take(void *user, const char *bytes, size_t size)
{
        struct outcome *outcome = user;

        for (size_t i = 0; i < size; i++)
                outcome->hash = (outcome->hash ^ (uint8_t)bytes[i]) * UINT64_C(1099511628211);
        outcome->length += size;
}

/* In pieces that are given up once they are fed, or as a WHOLE that stays, so that weights are read where they stand.
 */
#define WHOLE ((size_t)0)

static struct outcome infer(const uint8_t *data, size_t size, size_t piece, const struct ox_options *options,
                            bool pretty)
{
        const struct ox_result *result = NULL;
        struct outcome outcome = {.code = OX_OK};
        struct ox_limits limits;

        /* Small enough that what a limit is for comes about. */
        ox_limits_default(&limits);
        limits.arena_bytes = (int64_t)256 << 20;
        limits.nodes = 20000;
        limits.engine_ms = 5000;
        struct ox_context *context = ox_context_new(&limits);

        HOLD(context != NULL, "there is memory to begin with");
        for (size_t at = 0; piece != WHOLE && at < size && outcome.code == OX_OK; at += piece)
                outcome.code = ox_model_feed(context, data + at, size - at < piece ? size - at : piece);
        if (piece == WHOLE)
                outcome.code = ox_infer_model(context, data, size, options, &result);
        else if (outcome.code == OX_OK)
                outcome.code = ox_model_infer(context, options, &result);
        HOLD((outcome.code == OX_OK) == (ox_context_error(context)[0] == '\0'), "a fault has a text");
        if (result != NULL) {
                ox_render_json(context, result, pretty, take, &outcome);
                ox_render_table(context, result, take, &outcome);
                ox_render_patch(context, result, take, &outcome);
        }
        ox_context_free(context);
        return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        uint64_t choice = bytes_hash(data, size);
        struct ox_options options = {
                .strict = choice & 1,
                .check_types = choice & 2,
                .ignore_declared = choice & 4,
                .values = (enum ox_values)(choice >> 3 & 3),
                .seed = choice,
        };
        struct outcome whole = infer(data, size, WHOLE, &options, choice & 32);

        options.seed = ~choice;
        struct outcome pieces = infer(data, size, 1 + (choice >> 8) % 64, &options, choice & 32);

        /* Time and memory are not the same twice. */
        if (whole.code == OX_DEADLINE_EXCEEDED || pieces.code == OX_DEADLINE_EXCEEDED ||
            whole.code == OX_RESOURCE_EXHAUSTED || pieces.code == OX_RESOURCE_EXHAUSTED)
                return 0;
        HOLD(whole.code == pieces.code, "the outcome is the same: %d and %d", (int)whole.code, (int)pieces.code);
        HOLD(whole.hash == pieces.hash && whole.length == pieces.length, "the answer is the same: %llu and %llu bytes",
             (unsigned long long)whole.length, (unsigned long long)pieces.length);
        return 0;
}
