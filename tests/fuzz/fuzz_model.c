/* The whole way of a model: skimmed, loaded, inferred with options that its bytes choose, and rendered. */
#include "shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *user, const char *bytes, size_t size)
{
        size_t *total = user;

        *total += size;
        if (size > 0)
                *total += (unsigned char)bytes[size - 1] == 0; /* the last byte can be read */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const struct ox_result *result = NULL;
        struct ox_options options = {0};
        struct ox_limits limits;
        size_t total = 0;
        unsigned choice = 0;

        for (size_t i = 0; i < size; i++)
                choice = choice * 31 + data[i];
        options.strict = choice & 1;
        options.check_types = choice & 2;
        options.ignore_declared = choice & 4;
        options.values = (enum ox_values)(choice >> 3 & 3);
        options.seed = choice;
        /* Small enough that what a limit is for comes about. */
        ox_limits_default(&limits);
        limits.arena_bytes = (int64_t)256 << 20;
        limits.nodes = 20000;
        limits.engine_ms = 5000;
        struct ox_context *context = ox_context_new(&limits);

        if (context == NULL)
                return 0;
        ox_infer_model(context, data, size, &options, &result);
        if (result != NULL) {
                ox_render_json(context, result, choice & 32, count, &total);
                ox_render_table(context, result, count, &total);
        }
        ox_context_free(context);
        return 0;
}
