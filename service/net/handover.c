#include "net/handover.h"

#include <inttypes.h>

#include "obs/log.h"
#include "service.h"
#include "work/cost.h"

#define PIECE_BYTES ((size_t)256 * 1024) /* of a body that make one job */
#define SLICE_BYTES ((size_t)2048)       /* between two looks at the clock: as zstd they may decode to 64 MiB */
#define PIECE_NS    INT64_C(10000000)    /* after which others have their turn */
#define SECOND_NS   INT64_C(1000000000)

static struct call *call_of(struct job *job)
{
        return (struct call *)((char *)job - offsetof(struct call, job));
}

/* -- after a worker -- */

static void count(struct call *call, enum metric metric)
{
        metric_add(&call->service->metrics, metric, 1);
}

/* The reply stands. */
static void give_back(struct call *call)
{
        call->handler->done(call);
        call_enter(call, call->is_piece ? STAGE_UPLOAD : STAGE_SEND);
        call->transport->resume(call, call->is_piece ? CALL_SKIP : CALL_REPLY);
}

/* Ends the call if its client has gone, because nobody wants the result. */
static bool is_dropped(struct call *call)
{
        if (!call->transport->is_gone(call))
                return false;
        call_reply_error(call, OX_CANCELED, "the client went away before the request was done");
        count(call, METRIC_canceled_total);
        give_back(call);
        return true;
}

static void expire(struct job *job)
{
        struct call *call = call_of(job);
        const struct config *config = call->service->config;

        if (call_is_late(call)) {
                call_reply_late(call);
                call_reply_header(call, "Retry-After", "%" PRId64, pool_state(call->service->pool).wait_s);
        } else {
                call_reply_error(call, OX_UNAVAILABLE, "the request waited longer than the limit queue_s, %lld s",
                                 (long long)config->queue_s);
        }
        count(call, METRIC_requests_refused_total_expired);
        give_back(call);
}

/* -- jobs -- */

static void refuse(struct call *call, enum pool_verdict verdict)
{
        long long queue = (long long)call->service->config->queue;

        if (verdict == POOL_ENDED) {
                count(call, METRIC_requests_refused_total_drain);
                call_reply_error(call, OX_UNAVAILABLE, "the daemon is shutting down");
        } else if (verdict == POOL_FULL) {
                count(call, METRIC_requests_refused_total_queue);
                call_reply_error(call, OX_UNAVAILABLE, "the queue of %lld requests is full", queue);
        } else {
                count(call, METRIC_requests_refused_total_client);
                call_reply_error(call, OX_UNAVAILABLE,
                                 "this client has as many requests in the queue of %lld as one may", queue);
        }
        give_back(call);
}

static void submit(struct call *call)
{
        call_enter(call, STAGE_QUEUE);

        enum pool_verdict verdict = pool_submit(call->service->pool, &call->job);

        if (verdict != POOL_TAKEN)
                refuse(call, verdict);
}

static void begin_job(struct call *call, void (*run)(struct job *job), bool is_piece, int64_t cost_ns)
{
        const struct config *config = call->service->config;
        int64_t deadline = is_piece ? INT64_MAX : clock_ns() + config->queue_s * SECOND_NS;

        if (call->deadline_ns < deadline)
                deadline = call->deadline_ns;
        call->is_piece = is_piece;
        call->job = (struct job){
                .run = run,
                .expire = deadline == INT64_MAX ? NULL : expire,
                .deadline_ns = deadline,
                .cost_ns = cost_ns,
                .client = call->client,
                .turn = is_piece ? &call->turn : NULL,
                .is_begun = is_piece,
        };
}

static void run_work(struct job *job)
{
        struct call *call = call_of(job);

        call_enter(call, STAGE_ENGINE);
        if (is_dropped(call))
                return;
        call->handler->work(call);
        give_back(call);
}

static void hand_over_work(struct call *call)
{
        int64_t cost = call->cost_ns ? call->cost_ns : (int64_t)call->body_bytes * COST_BODY_BYTE;

        begin_job(call, run_work, false, cost);
        call->transport->suspend(call);
        submit(call);
}

/* -- pieces -- */

/* Takes gathered bytes for at most PIECE_NS. False: the call has its reply. */
static bool take_slices(struct call *call)
{
        struct call_text *gathered = &call->gathered;
        int64_t begun = clock_ns(), now;
        bool is_well;

        do {
                size_t left = gathered->length - call->taken, size = left < SLICE_BYTES ? left : SLICE_BYTES;

                is_well = call->handler->body(call, gathered->text + call->taken, size);
                call->taken += size;
                now = clock_ns();
        } while (is_well && call->taken < gathered->length && now - begun < PIECE_NS);
        call->turn.served += now - begun - call->job.cost_ns;
        return is_well;
}

static void run_piece(struct job *job)
{
        struct call *call = call_of(job);

        call_enter(call, STAGE_ENGINE);
        if (is_dropped(call))
                return;
        if (!take_slices(call)) {
                give_back(call);
        } else if (call->taken < call->gathered.length) {
                submit(call);
        } else {
                call->gathered.length = call->taken = 0;
                call_enter(call, STAGE_UPLOAD);
                call->transport->resume(call, CALL_BODY);
        }
}

static void hand_over_piece(struct call *call)
{
        begin_job(call, run_piece, true, PIECE_NS);
        count(call, METRIC_pieces_total);
        call->transport->suspend(call);
        submit(call);
}

bool handover_body(struct call *call, const char *bytes, size_t size)
{
        if (clock_coarse_ns() >= call->deadline_ns) {
                call_reply_late(call);
                return false;
        }
        if (!call->body_is_work)
                return call->handler->body(call, bytes, size);
        text_append(&call->gathered, bytes, size);
        if (call->gathered.failed) {
                call_reply_no_memory(call);
                return false;
        }
        if (call->gathered.length >= PIECE_BYTES)
                hand_over_piece(call);
        return true;
}

/* -- the end of the body -- */

/* Takes the gathered bytes on this thread. False: the call has its reply. */
static bool take_inline(struct call *call)
{
        struct call_text *gathered = &call->gathered;
        bool is_well = !gathered->length || call->handler->body(call, gathered->text, gathered->length);

        gathered->length = 0;
        return is_well;
}

enum call_next handover_end(struct call *call)
{
        enum call_next next = CALL_DONE;

        if (call->gathered.length && call->body_bytes > call->inline_bytes) {
                hand_over_piece(call);
                return CALL_WORK;
        }
        call_enter(call, STAGE_ENGINE);
        if (take_inline(call))
                next = call->handler->end(call);
        if (next == CALL_WORK)
                hand_over_work(call);
        else if (next == CALL_DONE)
                call->handler->done(call);
        return next;
}
