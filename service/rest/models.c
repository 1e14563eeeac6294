/* POST /v1/models:infer */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/options.h"
#include "engine.h"
#include "rest/answer.h"
#include "rest/routes.h"
#include "rest/upload.h"
#include "service.h"
#include "work/cost.h"

struct models {
        struct upload upload;
        struct options options;
        enum format format;
        bool has_format;
        struct ox_context *context; /* NULL while a small body is gathered: so uploads take turns with a few contexts,
                                       which are in the processor's cache, and not each with its own */
        struct buf operators;       /* the text of a form's field `operators`; on the context's arena */
};

/* -- the head -- */

static bool each_option(void *user, const char *name, const char *value)
{
        struct models *m = user;

        if (strcmp(name, "format") != 0)
                return options_set(&m->options, name, strlen(name), value ? value : "true");
        bool is_known = value && format_read(value, &m->format);

        if (is_known && !m->has_format)
                return m->has_format = true;
        snprintf(m->options.error, sizeof(m->options.error), "format %s",
                 is_known ? "may be given only once" : "must be json, text, proto or patch");
        return false;
}

static bool read_options(struct call *call, struct models *m)
{
        if (!call->transport->query(call, each_option, m)) {
                answer_bad_query(call, m->options.error);
                return false;
        }
        if (!m->has_format)
                m->format = answer_format(call, ~0U, FORMAT_JSON);
        return true;
}

static bool feed(void *user, const char *bytes, size_t size)
{
        struct call *call = user;
        struct models *m = call->state;
        enum ox_code code = ox_model_feed(m->context, bytes, size);

        if (code == OX_OK)
                return true;
        answer_failure(call, m->context, code, ox_context_error(m->context), NULL);
        return false;
}

struct piece {
        struct buf *buf;
        const char *bytes;
        size_t size;
};

static enum ox_code add_piece(void *user)
{
        struct piece *piece = user;

        buf_put(piece->buf, piece->bytes, piece->size);
        return OX_OK;
}

static bool feed_operators(void *user, const char *bytes, size_t size)
{
        struct call *call = user;
        struct models *m = call->state;
        int64_t most = call->service->config->limits.operators_bytes;

        if (m->operators.length + size > (uint64_t)most) {
                call_reply_error_status(call, HTTP_TOO_LARGE,
                                        "the field 'operators' has more bytes than the limit operators_bytes, %lld",
                                        (long long)most);
                return false;
        }
        enum ox_code code = ox_context_run(m->context, add_piece, &(struct piece){&m->operators, bytes, size});

        if (code != OX_OK)
                answer_failure(call, m->context, code, ox_context_error(m->context), NULL);
        return code == OX_OK;
}

/* The operators that the form declares take precedence over those of the daemon. */
static bool read_operators(struct call *call, struct models *m)
{
        enum ox_code code = OX_OK;

        if (m->operators.length > 0)
                code = ox_context_operators(m->context, buf_text(&m->operators), m->operators.length,
                                            &m->options.infer);
        if (code != OX_OK)
                answer_failure(call, m->context, code, ox_context_error(m->context), NULL);
        return code == OX_OK;
}

/* False: the call has its reply. */
static bool take_context(struct call *call, struct models *m)
{
        m->context = contexts_take(call->service->contexts);
        if (!m->context) {
                call_reply_no_memory(call);
                return false;
        }
        buf_init(&m->operators, ox_context_arena(m->context));
        ox_model_defer(m->context, INLINE_MODEL_BYTES);
        return true;
}

static bool is_gathered(const struct call *call, const struct models *m)
{
        return call->has_length && call->length <= GATHERED_BYTES && !m->upload.decoder && !m->upload.multipart;
}

void models_begin(struct call *call)
{
        static const char wanted[] = "application/octet-stream, application/x-protobuf, multipart/form-data or none";
        const unsigned medias = 1U << MEDIA_NONE | 1U << MEDIA_BYTES | 1U << MEDIA_PROTO | 1U << MEDIA_FORM;
        const struct ox_limits *limits = &call->service->config->limits;
        struct models *m = call_new_state(call, sizeof(*m));

        if (!m)
                return;
        options_begin(&m->options, call->service->seed);
        m->options.infer.operators = call->service->operators;
        m->options.infer.n_operators = call->service->n_operators;
        if (!read_options(call, m) ||
            !upload_begin(&m->upload, call, medias, wanted, limits->upload_bytes, "upload_bytes"))
                return;
        m->upload.sink = is_gathered(call, m) ? upload_gather : feed;
        if (m->upload.sink == upload_gather)
                text_reserve(&call->body, (size_t)call->length);
        else if (!take_context(call, m))
                return;
        m->upload.operators_sink = feed_operators;
        m->upload.user = call;
}

bool models_body(struct call *call, const char *bytes, size_t size)
{
        struct models *m = call->state;

        return upload_take(&m->upload, bytes, size);
}

/* -- the answer -- */

static enum ox_code reply_result(struct call *call, struct models *m, const struct ox_result *result, bool is_inline)
{
        struct answer_little little = {call, m->context};
        ox_write write = is_inline ? answer_write_little : call_write;
        void *user = is_inline ? (void *)&little : call;

        call_reply(call, HTTP_OK, format_type(m->format));
        if (m->format == FORMAT_TEXT)
                return ox_render_table(m->context, result, write, user);
        if (m->format == FORMAT_PROTO)
                return ox_render_proto(m->context, result, write, user);
        if (m->format == FORMAT_PATCH)
                return ox_render_patch(m->context, result, write, user);
        if (m->options.pretty)
                return ox_render_json(m->context, result, true, write, user);
        if (is_inline)
                return ox_render_json_in(m->context, result, answer_room_little, &little);
        return ox_render_json_in(m->context, result, text_room, &call->reply);
}

/* False if the model is too much for `is_inline`; a worker then starts anew. */
static bool infer(struct call *call, bool is_inline)
{
        struct models *m = call->state;
        const struct ox_result *result = NULL;

        m->options.infer.work_budget = is_inline ? INLINE_NODES : 0;
        m->options.infer.work_ns = is_inline ? INLINE_NS : 0;
        m->options.infer.look = call_look;
        m->options.infer.look_user = call;
        enum ox_code code = ox_model_infer(m->context, &m->options.infer, &result);
        bool is_inferred = code == OX_OK;

        if (is_inferred)
                code = reply_result(call, m, result, is_inline);
        if (code == OX_ABORTED && is_inline)
                return false;
        if (call->reply.failed)
                call_reply_no_memory(call);
        else if (code != OX_OK)
                answer_failure(call, m->context, code, ox_context_error(m->context), is_inferred ? NULL : result);
        answer_count_model(call, m->context, result);
        return true;
}

/* Reads a body that was gathered. False: the call has its reply. */
static bool feed_gathered(struct call *call, struct models *m)
{
        if (m->upload.sink != upload_gather)
                return true;
        if (!take_context(call, m))
                return false;
        enum ox_code code = ox_model_feed_staying(m->context, call->body.text, call->body.length);

        if (code != OX_OK)
                answer_failure(call, m->context, code, ox_context_error(m->context), NULL);
        return code == OX_OK;
}

enum call_next models_end(struct call *call)
{
        struct models *m = call->state;
        struct metrics *metrics = &call->service->metrics;

        if (!upload_end(&m->upload) || !feed_gathered(call, m) || !read_operators(call, m))
                return CALL_DONE;
        if (arena_used(ox_context_arena(m->context)) <= INLINE_MODEL_BYTES && infer(call, true)) {
                metric_add(metrics, METRIC_inferred_total_inline, 1);
                return CALL_DONE;
        }
        metric_add(metrics, METRIC_inferred_total_worker, 1);
        call->cost_ns = (int64_t)arena_used(ox_context_arena(m->context)) * COST_MODEL_BYTE;
        return CALL_WORK;
}

void models_work(struct call *call)
{
        infer(call, false);
}

void models_done(struct call *call)
{
        struct models *m = call->state;

        upload_done(&m->upload);
        options_done(&m->options);
        contexts_give(call->service->contexts, m->context);
        call_free_state(call);
}
