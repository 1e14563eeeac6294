#include "net/http2.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "net/http2_session.h"
#include "obs/log.h"

#define READ_BYTES  ((size_t)64 * 1024) /* of one connection, before others have their turn */
#define SEND_BYTES  ((size_t)64 * 1024)
#define SLICE_BYTES ((size_t)1024) /* between two looks at the clock */
#define SEND_NS     64000          /* after which the replies that stand are sent before more is read */
#define EVENTS_MOST 64
#define BRISK_NS    50000 /* within which a client that calls one after the other is likely to call again */
#define EVENTS_IN   (EPOLLIN | EPOLLRDHUP)
#define LOOK_MS     500
#define LEAVE_MS    50   /* between word of the end and the end, about a round trip */
#define FAREWELLS   2    /* word of the end, and the end */
#define QUEUED_MOST 2000 /* frames to be sent from which on nothing more is read */
#define SECOND_NS   INT64_C(1000000000)

struct connection {
        struct session session; /* the first member */
        struct connection *next, **link;
        int socket; /* -1: closed */
        struct peer *peer;
        uint32_t events;       /* that are waited for, */
        bool may_have_more;    /* and the last read may have left some that will not be told of again */
        bool is_done;          /* what still comes is thrown away, until the client closes */
        struct call_text out;  /* what the socket did not take */
        size_t taken;          /* of it */
        uint64_t sent;         /* what it took in all, */
        struct progress moved; /* and of that; once is_done, since when */
};
static_assert(offsetof(struct connection, session) == 0, "a session is its connection");

/* A thread with its connections. */
struct loop {
        struct session_owner owner; /* the first member */
        struct peers *peers;
        int epoll, wake, timer;
        unsigned farewells; /* that its clients are still to hear */
        pthread_t thread;
        bool is_running;
        struct connection *first;
        char *bytes;      /* READ_BYTES, then SEND_BYTES */
        const void *last; /* whose event came last, if it came alone, */
        bool is_brisk;    /* and once more within BRISK_NS */

        pthread_mutex_t lock;
        struct connection *arrived;
        struct stream *resumed;
        bool is_leaving, is_ending;
};
static_assert(offsetof(struct loop, owner) == 0, "the owner of a session is its loop");

struct http2 {
        atomic_size_t next;
        size_t count;
        struct loop loop[];
};

static void wake(struct loop *loop)
{
        uint64_t one = 1;

        while (write(loop->wake, &one, sizeof(one)) < 0 && errno == EINTR) {
        }
}

/* So that an event is told of again only when it comes again. */
static void hear(int fd)
{
        uint64_t count;

        while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR) {
        }
}

/* -- connections -- */

static void connection_free(struct connection *connection)
{
        *connection->link = connection->next;
        if (connection->next)
                connection->next->link = connection->link;
        text_free(&connection->out);
        free(connection);
}

/* Its calls that workers have come back to it. */
static void connection_close(struct loop *loop, struct connection *connection)
{
        peer_remove(loop->peers, connection->peer);
        close(connection->socket);
        connection->socket = -1;
        session_end(&connection->session);
        if (!connection->session.n_stream)
                connection_free(connection);
}

/* False: the socket takes nothing more for now, or it has failed. */
static bool send_bytes(struct connection *connection, const char *bytes, size_t size, bool *ret_failed)
{
        ssize_t sent = send(connection->socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
                *ret_failed = true;
                return false;
        }
        if (sent > 0)
                connection->sent += (uint64_t)sent;
        if (sent == (ssize_t)size)
                return true;
        if (sent < 0)
                sent = 0;
        text_append(&connection->out, bytes + sent, size - (size_t)sent);
        *ret_failed = connection->out.failed;
        return false;
}

static bool send_left(struct connection *connection, bool *ret_failed)
{
        struct call_text left = connection->out;
        size_t taken = connection->taken;

        if (!left.length)
                return true;
        connection->out = (struct call_text){.budget = left.budget};
        connection->taken = 0;
        bool is_sent = send_bytes(connection, left.text + taken, left.length - taken, ret_failed);

        text_free(&left);
        return is_sent;
}

/* Sends what the session has for the client, as far as the socket takes it. False: the connection has failed. */
static bool send_all(struct loop *loop, struct connection *connection)
{
        char *buffer = loop->bytes + READ_BYTES;
        bool failed = false, is_open = send_left(connection, &failed);
        size_t filled = 0;

        while (is_open) {
                const uint8_t *bytes;
                ssize_t size = session_next(&connection->session, &bytes);

                if (size < 0)
                        return false;
                if (filled && (size == 0 || filled + (size_t)size > SEND_BYTES)) {
                        is_open = send_bytes(connection, buffer, filled, &failed);
                        filled = 0;
                }
                if (size == 0)
                        break;
                if (!is_open) {
                        text_append(&connection->out, (const char *)bytes, (size_t)size);
                        failed |= connection->out.failed;
                } else if ((size_t)size > SEND_BYTES) {
                        is_open = send_bytes(connection, (const char *)bytes, (size_t)size, &failed);
                } else {
                        memcpy(buffer + filled, bytes, (size_t)size);
                        filled += (size_t)size;
                }
        }
        session_sent(&connection->session);
        return !failed;
}

/* An event is told of once, which spares the kernel a second look at each socket. To ask anew is to be told of what is
   there already. */
static void watch(struct loop *loop, struct connection *connection)
{
        bool is_full = nghttp2_session_get_outbound_queue_size(connection->session.http2) > QUEUED_MOST;
        uint32_t events = EPOLLET | (is_full ? 0 : EVENTS_IN) | (connection->out.length ? EPOLLOUT : 0);
        struct epoll_event event = {.events = events, .data.ptr = connection};

        if (events != connection->events || connection->may_have_more)
                epoll_ctl(loop->epoll, EPOLL_CTL_MOD, connection->socket, &event);
        connection->events = events;
        connection->may_have_more = false;
}

/* After whatever has happened to it. One that is over is read from for a little longer: the kernel would take back what
   was sent if more came. */
static void settle(struct loop *loop, struct connection *connection)
{
        if (!connection->is_done && !send_all(loop, connection)) {
                connection_close(loop, connection);
                return;
        }
        watch(loop, connection);
        if (!connection->is_done && session_is_over(&connection->session) && !connection->out.length) {
                shutdown(connection->socket, SHUT_WR);
                connection->is_done = true;
                connection->moved.ns = clock_coarse_ns();
        }
}

/* Takes what was read. Many requests may have come at once: the first replies do not wait for the last one, so that
   their client works while we do. False: the connection has failed. */
static bool take(struct loop *loop, struct connection *connection, size_t size)
{
        int64_t begun = size > SLICE_BYTES ? clock_ns() : 0;

        for (size_t at = 0, step; at < size; at += step) {
                step = size - at < SLICE_BYTES ? size - at : SLICE_BYTES;
                if (!session_take(&connection->session, loop->bytes + at, step))
                        return false;
                if (at + step == size || clock_ns() - begun < SEND_NS)
                        continue;
                if (!send_all(loop, connection))
                        return false;
                begun = clock_ns();
        }
        return true;
}

static void serve(struct loop *loop, struct connection *connection, uint32_t events)
{
        const uint32_t ends = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
        ssize_t size = events & (EPOLLIN | ends) ? recv(connection->socket, loop->bytes, READ_BYTES, MSG_DONTWAIT) : -1;
        bool is_lost = size == 0 || (size < 0 && events & (EPOLLHUP | EPOLLERR));

        /* A shorter read has taken all that came before the end (epoll(7)). */
        connection->may_have_more = size == (ssize_t)READ_BYTES || (size > 0 && events & ends);
        if (is_lost || (size > 0 && !connection->is_done && !take(loop, connection, (size_t)size)))
                connection_close(loop, connection);
        else
                settle(loop, connection);
}

/* -- what other threads bring -- */

static void begin(struct loop *loop, struct connection *connection)
{
        struct epoll_event event = {.events = EPOLLET | EVENTS_IN, .data.ptr = connection};
        const struct sockaddr_storage address = connection->session.address;

        connection->next = loop->first;
        connection->link = &loop->first;
        if (connection->next)
                connection->next->link = &connection->next;
        loop->first = connection;
        connection->events = event.events;
        /* From here on the loop itself looks at what takes too long. */
        peer_enter(connection->peer, PEER_SERVED);
        connection->moved.ns = clock_coarse_ns();
        if (session_begin(&connection->session, &loop->owner, (const struct sockaddr *)&address, sizeof(address)) &&
            epoll_ctl(loop->epoll, EPOLL_CTL_ADD, connection->socket, &event) == 0)
                settle(loop, connection);
        else
                connection_close(loop, connection);
}

static void go_on(struct loop *loop, struct stream *stream)
{
        struct connection *connection = (struct connection *)stream->session;

        stream_go_on(stream);
        if (connection->socket >= 0)
                settle(loop, connection);
        else if (!connection->session.n_stream)
                connection_free(connection);
}

/* False: the end. */
static bool take_news(struct loop *loop, bool *ret_leaving)
{
        hear(loop->wake);
        pthread_mutex_lock(&loop->lock);
        struct connection *arrived = loop->arrived;
        struct stream *resumed = loop->resumed;
        bool is_ending = loop->is_ending;

        *ret_leaving = loop->is_leaving;
        loop->is_leaving = false;
        loop->arrived = NULL;
        loop->resumed = NULL;
        pthread_mutex_unlock(&loop->lock);
        for (struct connection *next; arrived; arrived = next) {
                next = arrived->next;
                begin(loop, arrived);
        }
        for (struct stream *next; resumed; resumed = next) {
                next = resumed->resumed;
                go_on(loop, resumed);
        }
        return !is_ending;
}

static void resume(struct session_owner *owner, struct stream *stream)
{
        struct loop *loop = (struct loop *)owner;

        pthread_mutex_lock(&loop->lock);
        bool is_first = !loop->resumed;

        stream->resumed = loop->resumed;
        loop->resumed = stream;
        if (is_first)
                wake(loop);
        pthread_mutex_unlock(&loop->lock);
}

/* -- the thread -- */

/* Calls `step` for every open connection. */
static void each_connection(struct loop *loop, void (*step)(struct loop *loop, struct connection *connection))
{
        for (struct connection *connection = loop->first, *next; connection; connection = next) {
                next = connection->next;
                if (connection->socket >= 0)
                        step(loop, connection);
        }
}

static void look(struct loop *loop, struct connection *connection)
{
        int64_t now = clock_ns();

        if (connection->is_done) {
                if (now - connection->moved.ns > SECOND_NS)
                        connection_close(loop, connection);
                return;
        }
        if (!connection->out.length)
                connection->moved = (struct progress){now, connection->sent};
        if (!has_moved(&connection->moved, connection->sent, REPLY_BYTES, now, loop->owner.service->config->answer_s)) {
                metric_add(&loop->owner.service->metrics, METRIC_connections_cut_off_total_answer_s, 1);
                connection_close(loop, connection);
                return;
        }
        session_look(&connection->session, now);
        settle(loop, connection);
}

static void leave(struct loop *loop, struct connection *connection)
{
        if (connection->is_done)
                return;
        session_drain(&connection->session);
        settle(loop, connection);
}

/* A timer of its own costs less than a time limit of each epoll_wait(). */
static bool set_timer(struct loop *loop, bool begins_now, long ms)
{
        struct itimerspec times = {.it_interval.tv_nsec = ms * 1000000, .it_value.tv_nsec = ms * 1000000};

        if (begins_now)
                times.it_value.tv_nsec = 1;
        return timerfd_settime(loop->timer, 0, &times, NULL) == 0;
}

static void tick(struct loop *loop)
{
        hear(loop->timer);
        each_connection(loop, loop->farewells ? leave : look);
        if (loop->farewells && --loop->farewells == 0)
                set_timer(loop, false, LOOK_MS);
}

static void say_farewell(struct loop *loop)
{
        if (!loop->farewells)
                set_timer(loop, true, LEAVE_MS);
        loop->farewells = FAREWELLS;
}

/* The events that there are until a time; a thread that has work may have the processor meanwhile. */
static int look_for_events(struct loop *loop, struct epoll_event *events, int64_t until)
{
        int count;

        while ((count = epoll_wait(loop->epoll, events, EVENTS_MOST, 0)) == 0 && clock_ns() < until)
                sched_yield();
        return count;
}

/* A lone client that calls one after the other calls again within microseconds of its reply: to look for that costs
   less than to sleep and be woken, which takes as long as the call. When it does not call, we sleep until something
   comes. */
static int wait_for_events(struct loop *loop, struct epoll_event *events)
{
        int64_t since = clock_ns();
        int count = loop->is_brisk ? look_for_events(loop, events, since + BRISK_NS) : 0;

        if (count == 0)
                count = epoll_wait(loop->epoll, events, EVENTS_MOST, -1);
        const void *whose = count == 1 ? events[0].data.ptr : NULL;

        loop->is_brisk = whose && whose == loop->last && clock_ns() - since < BRISK_NS;
        loop->last = whose;
        return count;
}

static void *run(void *user)
{
        struct loop *loop = user;
        struct epoll_event events[EVENTS_MOST];
        bool goes_on = true;

        while (goes_on) {
                int count = wait_for_events(loop, events);
                bool has_news = false, is_time = false, is_leaving = false;

                for (int i = 0; i < count; i++) {
                        if (events[i].data.ptr == &loop->wake)
                                has_news = true;
                        else if (events[i].data.ptr == &loop->timer)
                                is_time = true;
                        else
                                serve(loop, events[i].data.ptr, events[i].events);
                }
                /* After the events: these may free a connection that has one of them. */
                if (has_news)
                        goes_on = take_news(loop, &is_leaving);
                if (is_leaving)
                        say_farewell(loop);
                if (is_time)
                        tick(loop);
        }
        each_connection(loop, connection_close);
        return NULL;
}

/* -- the whole -- */

void http2_take(struct http2 *http2, int socket, const struct sockaddr *address, socklen_t size)
{
        struct loop *loop = &http2->loop[atomic_fetch_add(&http2->next, 1) % http2->count];
        struct connection *connection = calloc(1, sizeof(*connection));
        int yes = 1;

        if (!connection) {
                close(socket);
                peers_lost(loop->peers, socket);
                return;
        }
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        connection->socket = socket;
        connection->peer = peers_find(loop->peers, socket);
        connection->out.budget = &loop->owner.service->budget;
        if (size <= sizeof(connection->session.address))
                memcpy(&connection->session.address, address, size);
        pthread_mutex_lock(&loop->lock);
        connection->next = loop->arrived;
        loop->arrived = connection;
        pthread_mutex_unlock(&loop->lock);
        wake(loop);
}

static bool listen_to(struct loop *loop, int *fd)
{
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = fd};

        return *fd >= 0 && epoll_ctl(loop->epoll, EPOLL_CTL_ADD, *fd, &event) == 0;
}

static bool start(struct loop *loop, struct service *service, struct peers *peers, const struct call_handler *handler)
{
        loop->owner = (struct session_owner){.service = service, .handler = handler, .resume = resume};
        loop->peers = peers;
        pthread_mutex_init(&loop->lock, NULL);
        loop->bytes = malloc(READ_BYTES + SEND_BYTES);
        loop->epoll = epoll_create1(EPOLL_CLOEXEC);
        loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        loop->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        loop->is_running = loop->bytes && loop->epoll >= 0 && listen_to(loop, &loop->wake) &&
                           listen_to(loop, &loop->timer) && set_timer(loop, false, LOOK_MS) &&
                           pthread_create(&loop->thread, NULL, run, loop) == 0;
        return loop->is_running;
}

struct http2 *http2_new(struct service *service, struct peers *peers, const struct call_handler *handler)
{
        size_t most = (size_t)service->config->io_threads;
        struct http2 *http2 = calloc(1, sizeof(*http2) + most * sizeof(http2->loop[0]));

        if (!http2)
                return NULL;
        while (http2->count < most)
                if (!start(&http2->loop[http2->count++], service, peers, handler)) {
                        http2_free(http2);
                        return NULL;
                }
        return http2;
}

/* Sets a flag of every thread. */
static void raise_flag(struct http2 *http2, size_t offset)
{
        for (size_t i = 0; i < http2->count; i++) {
                struct loop *loop = &http2->loop[i];

                pthread_mutex_lock(&loop->lock);
                *(bool *)((char *)loop + offset) = true;
                pthread_mutex_unlock(&loop->lock);
                wake(loop);
        }
}

void http2_drain(struct http2 *http2)
{
        raise_flag(http2, offsetof(struct loop, is_leaving));
}

void http2_free(struct http2 *http2)
{
        if (!http2)
                return;
        raise_flag(http2, offsetof(struct loop, is_ending));
        for (size_t i = 0; i < http2->count; i++) {
                struct loop *loop = &http2->loop[i];

                if (loop->is_running)
                        pthread_join(loop->thread, NULL);
                if (loop->wake >= 0)
                        close(loop->wake);
                if (loop->timer >= 0)
                        close(loop->timer);
                if (loop->epoll >= 0)
                        close(loop->epoll);
                pthread_mutex_destroy(&loop->lock);
                sessions_done(&loop->owner);
                free(loop->bytes);
        }
        free(http2);
}
