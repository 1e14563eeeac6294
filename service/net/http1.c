#include "net/http1.h"

#include <inttypes.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/framing.h"
#include "net/handover.h"
#include "net/peers.h"
#include "obs/log.h"
#include "work/client.h"

#define POOL_BYTES      ((size_t)64 * 1024) /* of a connection: the head of a request must fit */
#define PARAMETERS_MOST 400                 /* of a query */
#define PARAMETER_BYTES ((size_t)64)        /* that libmicrohttpd takes from the pool for one */
#define TARGET_MOST     ((size_t)56 * 1024) /* with its parameters; the rest is for fields and spare room */
#define TEXT(x)         TEXT_OF(x)
#define TEXT_OF(x)      #x
#define TOO_LONG        "the query has more than " TEXT(PARAMETERS_MOST) " parameters, or it is too long"
#define LINGER_MOST                                                                                                    \
        ((uint64_t)64 * 1024 * 1024) /* of a body that is read after an early reply, so that the                       \
                                        reply arrives */

struct http1 {
        struct service *service;
        const struct call_handler *handler;
        struct peers *peers;
        struct MHD_Daemon *daemon;
};

enum phase {
        PHASE_BODY,  /* the body goes to the handler */
        PHASE_SKIP,  /* the body is skipped: the reply is complete, and is sent after the body */
        PHASE_EARLY, /* the same, but the reply was already sent, bypassing libmicrohttpd */
        PHASE_READY, /* the reply waits to be sent */
        PHASE_SENT,
};

/* Stand in the place of a call: the request was refused at its first line, or will be once its head is complete. */
static struct call refused, with_a_nul, too_long;

static bool is_call(const struct call *call)
{
        return call && call != &refused && call != &with_a_nul && call != &too_long;
}

static struct peer *peer_of(struct MHD_Connection *connection)
{
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

        return info ? info->socket_context : NULL;
}

/* -- the transport of a call -- */

struct fields {
        const char *name;
        void (*each)(void *user, const char *value);
        void *user;
};

static enum MHD_Result each_field_of(void *user, enum MHD_ValueKind kind, const char *name, const char *value)
{
        const struct fields *fields = user;

        if (value && strcasecmp(name, fields->name) == 0)
                fields->each(fields->user, value);
        return MHD_YES;
}

static void find_headers(struct call *call, const char *name, void (*each)(void *user, const char *value), void *user)
{
        struct fields fields = {name, each, user};

        MHD_get_connection_values(call->connection, MHD_HEADER_KIND, each_field_of, &fields);
}

struct query {
        bool (*each)(void *user, const char *name, const char *value);
        void *user;
        bool ended;
};

static enum MHD_Result each_parameter(void *user, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                      const char *value, size_t value_size)
{
        struct query *query = user;

        if (memchr(name, '\0', name_size) || (value && memchr(value, '\0', value_size)) ||
            !query->each(query->user, name, value))
                query->ended = true;
        return query->ended ? MHD_NO : MHD_YES;
}

static bool each_query(struct call *call, bool (*each)(void *user, const char *name, const char *value), void *user)
{
        struct query query = {.each = each, .user = user};

        MHD_get_connection_values_n(call->connection, MHD_GET_ARGUMENT_KIND, each_parameter, &query);
        return !query.ended;
}

static int socket_of(struct MHD_Connection *connection)
{
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

        return info ? info->connect_fd : -1;
}

static void suspend(struct call *call)
{
        peer_enter(peer_of(call->connection), PEER_SERVED);
        MHD_suspend_connection(call->connection);
}

static void resume(struct call *call, enum call_resume how)
{
        if (how == CALL_BODY)
                peer_enter(peer_of(call->connection), PEER_BODY);
        call->phase = how == CALL_BODY ? PHASE_BODY : how == CALL_SKIP ? PHASE_SKIP : PHASE_READY;
        MHD_resume_connection(call->connection);
}

static bool is_gone(struct call *call)
{
        struct pollfd at = {.fd = socket_of(call->connection), .events = POLLRDHUP};

        return poll(&at, 1, 0) > 0 && at.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL);
}

static const struct call_transport transport = {
        .headers = find_headers,
        .query = each_query,
        .suspend = suspend,
        .resume = resume,
        .is_gone = is_gone,
};

/* -- the reply -- */

static void add_retry_after(struct MHD_Response *response, struct pool *pool)
{
        char seconds[24];

        snprintf(seconds, sizeof(seconds), "%" PRId64, pool_state(pool).wait_s);
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
}

static enum MHD_Result send_reply(struct call *call)
{
        if (call->reply.failed)
                call_reply_no_memory(call);
        call_enter(call, STAGE_SEND);
        struct MHD_Response *response =
                MHD_create_response_from_buffer(call->reply.length, call->reply.text, MHD_RESPMEM_PERSISTENT);

        if (!response)
                return MHD_NO;
        if (call->content_type)
                MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, call->content_type);
        for (size_t i = 0; i < call->n_header; i++)
                MHD_add_response_header(response, call->header[i].name, call->header[i].value);
        if (call->status == HTTP_UNAVAILABLE || call->status == HTTP_TOO_MANY)
                add_retry_after(response, call->service->pool);
        if (atomic_load(&call->service->draining) || call->close)
                MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
        peer_enter(peer_of(call->connection), PEER_REPLY);
        enum MHD_Result result = MHD_queue_response(call->connection, (unsigned)call->status, response);

        MHD_destroy_response(response);
        call->phase = PHASE_SENT;
        return result;
}

/* libmicrohttpd cannot reply in the middle of a body, and closes right after a reply that is queued before it: the
   kernel then discards that reply when more of the body arrives. So this reply bypasses the library, and the body is
   read on for a while (RFC 9112, 9.6). */
static void send_early(struct call *call)
{
        char head[256];

        snprintf(head, sizeof(head),
                 "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", call->status,
                 MHD_get_reason_phrase_for((unsigned)call->status), call->content_type, call->reply.length);
        peer_answer(peer_of(call->connection), head, call->reply.text, call->reply.length);
        call->phase = PHASE_EARLY;
        call->skipped_body = 0;
}

/* -- the request -- */

static const struct sockaddr *address_of(struct MHD_Connection *connection)
{
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

        return info ? info->client_addr : NULL;
}

/* The path of a target in absolute form (RFC 9112, 3.2.2). */
static const char *path_of(const char *url)
{
        const char *rest = strncasecmp(url, "http://", 7) == 0    ? url + 7
                           : strncasecmp(url, "https://", 8) == 0 ? url + 8
                                                                  : NULL;

        if (!rest)
                return url;
        rest = strchr(rest, '/');
        return rest ? rest : "/";
}

static struct call *begin_call(struct http1 *http1, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version)
{
        struct call *call = call_begin(http1->service, http1->handler, &transport, connection,
                                       client_of(address_of(connection), http1->service->seed));

        if (call) {
                call_set_method(call, method);
                call->path = path_of(url);
                call->protocol = version;
        }
        return call;
}

static bool is_past_limit(const struct call *call, uint64_t bytes)
{
        return bytes > (uint64_t)call->service->config->limits.upload_bytes;
}

/* Called after the handler's begin(), so that a scrape of the metrics does not count itself. */
static enum MHD_Result begin(struct http1 *http1, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, void **state)
{
        struct call *call = begin_call(http1, connection, url, method, version);
        struct framing framing;
        const struct call *target = *state;

        *state = call;
        if (!call)
                return MHD_NO;
        const char *fault = framing_read(connection, method, version, call->field, &framing);

        if (fault) {
                call_is_begun(call);
                call->close = true;
                call_reply_error(call, OX_INVALID_ARGUMENT, "%s", fault);
                return send_reply(call);
        }
        call->has_body = framing.has_body;
        call->has_length = framing.has_length;
        call->length = framing.length;
        peer_enter(peer_of(connection), framing.has_body ? PEER_BODY : PEER_SERVED);
        if (target == &with_a_nul)
                call_reply_error(call, OX_INVALID_ARGUMENT, "the path holds a NUL");
        else if (target == &too_long)
                call_reply_error_status(call, HTTP_URI_TOO_LONG, TOO_LONG);
        else
                http1->handler->begin(call);
        call_is_begun(call);
        if (!call->status)
                return MHD_YES;
        http1->handler->done(call);
        /* A reply that is queued now ends the connection. A client that waits for 100-continue needs it now, because it
           sends nothing before. Other clients may look for a reply only after they have sent everything, and a proxy
           takes a connection that closes during a request for a server that is down. So the body is read to its end,
           however long it is. */
        if (call->has_body && framing.expects)
                return send_reply(call);
        call->phase = PHASE_SKIP;
        if (call->has_length && is_past_limit(call, call->length))
                send_early(call);
        return MHD_YES;
}

static enum MHD_Result take_body(struct call *call, const char *bytes, size_t size)
{
        call->body_bytes += size;
        peer_progress(peer_of(call->connection), call->body_bytes);
        if (call->phase == PHASE_BODY && handover_body(call, bytes, size))
                return MHD_YES;
        if (call->phase == PHASE_BODY) {
                call->handler->done(call);
                call->phase = PHASE_SKIP;
        }
        if (call->phase == PHASE_SKIP && is_past_limit(call, call->body_bytes))
                send_early(call);
        call->skipped_body += size;
        return call->phase == PHASE_EARLY && call->skipped_body > LINGER_MOST ? MHD_NO : MHD_YES;
}

/* libmicrohttpd passes on all chunks that it has read, even after the connection was suspended. */
static bool is_suspended(struct MHD_Connection *connection)
{
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_SUSPENDED);

        return info && info->suspended == MHD_YES;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *bytes, size_t *size, void **state)
{
        struct call *call = *state;

        if (call == &refused)
                return MHD_NO;
        if (!is_call(call))
                return begin(user, connection, url, method, version, state);
        /* The second condition: after 100-continue for a request without a body, these bytes belong to the next
           request. */
        if (is_suspended(connection) || (bytes && !*size))
                return MHD_YES;
        if (*size) {
                size_t length = *size;

                *size = 0;
                return take_body(call, bytes, length);
        }
        if (call->phase == PHASE_EARLY)
                return MHD_NO;
        if (call->phase == PHASE_BODY) {
                peer_enter(peer_of(connection), PEER_SERVED);
                if (handover_end(call) != CALL_DONE)
                        return MHD_YES;
        }
        /* libmicrohttpd takes a trailer field without a name for the end of the trailer, so nothing after a trailer is
           read. */
        if (!call->has_length && MHD_get_connection_values(connection, MHD_FOOTER_KIND, NULL, NULL) > 0)
                call->close = true;
        return call->phase == PHASE_SENT ? MHD_YES : send_reply(call);
}

/* -- the end of a request -- */

/* Counts and logs an answer that belongs to no call. */
static void note_refusal(struct service *service, int status, const char *path)
{
        const struct log_field fields[] = {
                {LOG_NAME("path"), .text = path},
                {LOG_NAME("status"), .kind = LOG_INT, .number = status},
                {LOG_NAME("code"), .kind = LOG_WORD, .text = ox_code_name(http_status_code(status))},
        };

        metrics_request(&service->metrics, -1, status, 0);
        if (service->config->log_requests)
                log_line("info", "request refused", fields, (int)(sizeof(fields) / sizeof(fields[0])));
}

/* libmicrohttpd answers requests that it cannot read by itself (400, 413, 414, 431, 505). It reports that only in a log
   message, which does not name the connection. */
static void on_message(void *user, const char *format, va_list args)
{
        static const char refusal[] = "Error processing request (HTTP response code is %u";
        struct http1 *http1 = user;

        if (strncmp(format, refusal, sizeof(refusal) - 1) == 0)
                note_refusal(http1->service, (int)va_arg(args, unsigned), "");
}

/* Whether libmicrohttpd has answered by itself, as where a chunk is malformed. */
static bool is_refused(const struct call *call)
{
        return call->phase != PHASE_SENT &&
               MHD_get_connection_info(call->connection, MHD_CONNECTION_INFO_HTTP_STATUS) != NULL;
}

/* Names what ended a request before its reply was sent. */
static const char *who_cut_off(const struct call *call, enum MHD_RequestTerminationCode reason)
{
        const char *by = peer_cut_off_by(peer_of(call->connection));

        return by                                                 ? by
               : reason == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED ? "idle_s"
               : reason == MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN ? "drain"
                                                                  : "client";
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode reason)
{
        struct call *call = *state;

        peer_enter(peer_of(connection), PEER_IDLE);
        if (!is_call(call))
                return;
        const char *cut_off_by = NULL;
        bool is_noted = !is_refused(call);

        if (call->phase != PHASE_EARLY && (call->phase != PHASE_SENT || reason != MHD_REQUEST_TERMINATED_COMPLETED_OK))
                cut_off_by = who_cut_off(call, reason);
        if (cut_off_by && is_noted)
                call_cut_off(call, cut_off_by);
        call_over(call, address_of(connection), cut_off_by, is_noted);
        *state = NULL;
}

/* -- connections -- */

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
        struct http1 *http1 = user;

        if (what == MHD_CONNECTION_NOTIFY_STARTED) {
                const union MHD_ConnectionInfo *info =
                        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

                *context = info ? peers_find(http1->peers, info->connect_fd) : NULL;
        } else {
                peer_remove(http1->peers, *context);
                *context = NULL;
        }
}

/* libmicrohttpd keeps each parameter of a query in the connection's pool, and if that is full it neither answers nor
   closes the connection. So a query with too many parameters is cut off before the library reads them. */
static bool has_too_many(const char *target)
{
        size_t count = 0;

        for (const char *at = strchr(target, '?'); at && count <= PARAMETERS_MOST; at = strchr(at + 1, '&'))
                count++;
        return count > PARAMETERS_MOST || strlen(target) + count * PARAMETER_BYTES > TARGET_MOST;
}

/* Whether there is a NUL, encoded in the path or plain anywhere in the target; the version must follow the target.
   Paths are C strings, so a NUL would hide the rest from us, but not from a proxy in front of us. */
static bool holds_nul(const char *target)
{
        static const char version[] = "HTTP/";
        size_t length = strcspn(target, "?");
        const char *nul = strstr(target, "%00");

        return (nul && nul < target + length) ||
               strncmp(target + strlen(target) + 1, version, sizeof(version) - 1) != 0;
}

/* Answers before libmicrohttpd parses the target, which leaves no room in the pool. */
static void *refuse(struct http1 *http1, struct MHD_Connection *connection, const char *target)
{
        static const int status = HTTP_URI_TOO_LONG;
        char reply[512], path[256];

        snprintf(reply, sizeof(reply),
                 "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n"
                 "{\"code\":\"%s\",\"message\":\"" TOO_LONG "\",\"details\":[]}\n",
                 status, MHD_get_reason_phrase_for((unsigned)status), ox_code_name(http_status_code(status)));
        peer_refuse(peer_of(connection), reply);
        snprintf(path, sizeof(path), "%.*s", (int)strcspn(target, "?"), target);
        note_refusal(http1->service, status, path);
        return &refused;
}

static void *on_request_line(void *user, const char *target, struct MHD_Connection *connection)
{
        peer_enter(peer_of(connection), PEER_HEAD);
        if (strlen(target) > TARGET_MOST)
                return refuse(user, connection, target);
        if (holds_nul(target))
                return &with_a_nul;
        if (!has_too_many(target))
                return NULL;
        /* The target lies in the library's buffer, from which the query is read next. */
        ((char *)(uintptr_t)strchr(target, '?'))[1] = '\0';
        return &too_long;
}

void http1_take(struct http1 *http1, int socket, const struct sockaddr *address, socklen_t size)
{
        if (MHD_add_connection(http1->daemon, socket, address, size) != MHD_YES)
                peers_lost(http1->peers, socket);
}

/* -- the whole -- */

static struct MHD_Daemon *start_daemon(struct http1 *http1)
{
        const struct config *config = http1->service->config;
        struct MHD_OptionItem options[] = {
                {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)POOL_BYTES, NULL},
                /* Past its own limit version 0.9.75 locks a mutex forever. The limit is never reached, because
                   peers_admit() counts. */
                {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)INT_MAX, NULL},
                /* It would also run while a slow reader takes its time. The watcher of the peers has all time
                   limits. */
                {MHD_OPTION_CONNECTION_TIMEOUT, 0, NULL},
                {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
                /* The library does not accept a pool of one thread. */
                {config->io_threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)config->io_threads,
                 NULL},
                {MHD_OPTION_END, 0, NULL},
        };

        return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_SUSPEND_RESUME |
                                        MHD_USE_ITC | MHD_USE_ERROR_LOG,
                                0, NULL, NULL, on_request, http1, MHD_OPTION_EXTERNAL_LOGGER, on_message, http1,
                                MHD_OPTION_NOTIFY_COMPLETED, on_completed, http1, MHD_OPTION_NOTIFY_CONNECTION,
                                on_connection, http1, MHD_OPTION_URI_LOG_CALLBACK, on_request_line, http1,
                                MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

struct http1 *http1_new(struct service *service, struct peers *peers, const struct call_handler *handler)
{
        struct http1 *http1 = calloc(1, sizeof(*http1));

        if (!http1)
                return NULL;
        http1->service = service;
        http1->handler = handler;
        http1->peers = peers;
        http1->daemon = start_daemon(http1);
        if (http1->daemon)
                return http1;
        free(http1);
        return NULL;
}

int64_t http1_in_flight(const struct http1 *http1)
{
        return metric_get(&http1->service->metrics, METRIC_requests_in_flight);
}

void http1_free(struct http1 *http1)
{
        if (!http1)
                return;
        MHD_stop_daemon(http1->daemon);
        free(http1);
}
