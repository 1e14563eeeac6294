#include "rest/batch.h"

#include <stdlib.h>

#include "engine.h"
#include "obs/log.h"
#include "service.h"

/* The most parts into which a batch is shared: a few for each worker, so that all end at about the same time. */
#define PARTS_MOST 64

/* The least saving for which waking other workers is worth while. */
#define SHARE_NS INT64_C(1000000)

/* Between two looks at the call. */
#define LOOK_EVERY_NS INT64_C(5000000)

/* -- the end of the call -- */

enum ox_code batch_look(void *batch_, const char **ret_why)
{
        struct batch *batch = batch_;
        enum ox_code code;

        /* The first part that notices the end marks it for the others, so that it counts once. */
        pthread_mutex_lock(&batch->lock);
        if (batch->ended == OX_OK)
                batch->ended = call_look(batch->call, &batch->why);
        code = batch->ended;
        *ret_why = batch->why;
        pthread_mutex_unlock(&batch->lock);
        return code;
}

static enum ox_code ended(struct batch *batch)
{
        enum ox_code code;

        pthread_mutex_lock(&batch->lock);
        code = batch->ended;
        pthread_mutex_unlock(&batch->lock);
        return code;
}

/* Looks where no request has done so lately: each is over before it would. */
static enum ox_code look_between(struct batch *batch, int64_t now)
{
        const char *why;

        if (now < atomic_load_explicit(&batch->look_ns, memory_order_relaxed))
                return ended(batch);
        atomic_store_explicit(&batch->look_ns, now + LOOK_EVERY_NS, memory_order_relaxed);
        return batch_look(batch, &why);
}

/* -- one request -- */

static bool is_full(const struct batch *batch, const struct call_text *to)
{
        return to->length > (size_t)batch->call->service->config->limits.answer_bytes;
}

static void refuse_full(const struct batch_place *place, size_t item)
{
        place->batch->refuse(place, item, OX_RESOURCE_EXHAUSTED,
                             "the batch has a larger answer than the limit answer_bytes");
}

static enum ox_code run_item(const struct batch_place *place, size_t item)
{
        struct batch *batch = place->batch;
        int64_t now = clock_ns();
        enum ox_code code = look_between(batch, now);

        if (code != OX_OK)
                return code;
        ox_context_reset(place->context, SIZE_MAX);
        if (now > batch->end_ns)
                batch->refuse(place, item, OX_DEADLINE_EXCEEDED, "the batch took longer than the limit engine_ms");
        else if (is_full(batch, place->to))
                refuse_full(place, item);
        else
                code = batch->infer(place, item);
        return code == OX_OK ? ended(batch) : code;
}

static enum ox_code run_items(const struct batch_place *place, size_t from, size_t to)
{
        for (size_t item = from; item < to; item++)
                TRY(run_item(place, item));
        return OX_OK;
}

/* -- parts -- */

struct part {
        struct call_text text;
        size_t done; /* of its requests, from the first on */
};

struct sharing {
        struct batch *batch;
        size_t parts, part_items;
        struct part part[PARTS_MOST];
        size_t *end; /* of each request, in the text of its part */
};

static size_t part_end(const struct sharing *s, size_t part)
{
        size_t end = (part + 1) * s->part_items;

        return end < s->batch->count ? end : s->batch->count;
}

/* A part that runs out of memory is inferred again when the parts are put together. */
static void run_part(void *sharing, size_t index)
{
        struct sharing *s = sharing;
        struct part *part = &s->part[index];
        size_t from = index * s->part_items;
        struct contexts *contexts = s->batch->call->service->contexts;
        struct batch_place place = {.batch = s->batch, .context = contexts_take(contexts), .to = &part->text};

        for (size_t item = from; place.context && item < part_end(s, index); item++) {
                if (run_item(&place, item) != OX_OK)
                        break;
                s->end[item] = part->text.length;
                part->done++;
        }
        if (part->text.failed)
                part->done = 0; /* nothing is left of it */
        contexts_give(contexts, place.context);
}

/* An answer that is too large ends at the same request as when they are inferred one after another. */
static enum ox_code join_part(const struct sharing *s, size_t index, const struct batch_place *place)
{
        const struct part *part = &s->part[index];
        size_t from = index * s->part_items, begin = 0;

        for (size_t item = from; item < from + part->done; begin = s->end[item++]) {
                if (is_full(s->batch, place->to)) {
                        ox_context_reset(place->context, SIZE_MAX);
                        refuse_full(place, item);
                } else {
                        text_append(place->to, part->text.text + begin, s->end[item] - begin);
                }
        }
        TRY(ended(s->batch));
        return run_items(place, from + part->done, part_end(s, index));
}

static enum ox_code run_shared(const struct batch_place *place)
{
        struct batch *batch = place->batch;
        struct service *service = batch->call->service;
        struct sharing s = {.batch = batch, .end = calloc(batch->count, sizeof(*s.end))};
        enum ox_code code = OX_OK;

        if (!s.end)
                return run_items(place, 0, batch->count);
        s.part_items = (batch->count + PARTS_MOST - 1) / PARTS_MOST;
        s.parts = (batch->count + s.part_items - 1) / s.part_items;
        for (size_t i = 0; i < s.parts; i++)
                s.part[i].text.budget = &service->budget;
        metric_add(&service->metrics, METRIC_batches_shared_total, 1);
        pool_share(service->pool, &batch->call->job, s.parts, batch->cost_ns * (int64_t)s.part_items, run_part, &s);
        for (size_t i = 0; i < s.parts; i++) {
                if (code == OX_OK)
                        code = join_part(&s, i, place);
                text_free(&s.part[i].text);
        }
        free(s.end);
        return code;
}

enum ox_code batch_run(struct batch *batch, struct ox_context *context, bool is_inline, const char **ret_why)
{
        const struct ox_limits *limits = &batch->call->service->config->limits;
        const struct batch_place place = {.batch = batch, .context = context, .to = batch->to};
        int64_t now = clock_ns();
        enum ox_code code;

        batch->end_ns = now + limits->engine_ms * INT64_C(1000000);
        batch->ended = OX_OK;
        batch->why = "";
        atomic_init(&batch->look_ns, now);
        pthread_mutex_init(&batch->lock, NULL);
        if (!is_inline && batch->count > 1 && batch->cost_ns > SHARE_NS / (int64_t)batch->count)
                code = run_shared(&place);
        else
                code = run_items(&place, 0, batch->count);
        *ret_why = batch->why;
        pthread_mutex_destroy(&batch->lock);
        return code;
}
