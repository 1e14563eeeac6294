/* shaped health: asks a daemon whether it is ready. */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "main/main.h"
#include "obs/status.h"

#define PATIENCE_S 5

static const char by_path[] = "unix:";

struct target {
        struct sockaddr_un local; /* family AF_UNSPEC: host and port */
        char host[256], port[16];
        char authority[280]; /* its name in messages, and host and port for the request */
};

/* http://HOST[:PORT][/...]: only host and port count. */
static bool read_url(const char *url, struct target *ret)
{
        static const char scheme[] = "http://";

        if (strncmp(url, scheme, sizeof(scheme) - 1) != 0)
                return false;
        const char *host = url + sizeof(scheme) - 1;
        size_t length = strcspn(host, "/?#");

        if (length == 0 || length >= sizeof(ret->host))
                return false;
        snprintf(ret->authority, sizeof(ret->authority), "%.*s", (int)length, host);
        const char *end = host + length, *close = host[0] == '[' ? memchr(host, ']', length) : NULL;
        const char *colon = memchr(close ? close : host, ':', (size_t)(end - (close ? close : host)));
        size_t name = close ? (size_t)(close - host) - 1 : (size_t)((colon ? colon : end) - host);

        snprintf(ret->host, sizeof(ret->host), "%.*s", (int)name, close ? host + 1 : host);
        snprintf(ret->port, sizeof(ret->port), "%.*s", colon ? (int)(end - colon - 1) : 2, colon ? colon + 1 : "80");
        return ret->host[0] && ret->port[0] && strspn(ret->port, "0123456789") == strlen(ret->port);
}

/* unix:PATH, else as read_url(). */
static bool read_target(const char *url, struct target *ret)
{
        const char *path = url + sizeof(by_path) - 1;

        *ret = (struct target){.local = {.sun_family = AF_UNSPEC}};
        if (strncmp(url, by_path, sizeof(by_path) - 1) != 0)
                return read_url(url, ret);
        if (!path[0] || strlen(path) >= sizeof(ret->local.sun_path))
                return false;
        ret->local.sun_family = AF_UNIX;
        strcpy(ret->local.sun_path, path);
        snprintf(ret->authority, sizeof(ret->authority), "%s", url);
        return true;
}

/* -1, with the reason, if it cannot connect. */
static int connect_to_address(const struct sockaddr *address, socklen_t size, const char **ret_reason)
{
        struct timeval patience = {.tv_sec = PATIENCE_S};
        int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd < 0) {
                *ret_reason = strerror(errno);
                return -1;
        }
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        if (connect(fd, address, size) == 0)
                return fd;
        *ret_reason = strerror(errno);
        close(fd);
        return -1;
}

/* The same. */
static int connect_to(const struct target *target, const char **ret_reason)
{
        struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
        int fd = -1;

        if (target->local.sun_family == AF_UNIX)
                return connect_to_address((const struct sockaddr *)&target->local, sizeof(target->local), ret_reason);
        int fault = getaddrinfo(target->host, target->port, &hints, &found);

        if (fault != 0) {
                *ret_reason = gai_strerror(fault);
                return -1;
        }
        for (struct addrinfo *info = found; info && fd < 0; info = info->ai_next)
                fd = connect_to_address(info->ai_addr, info->ai_addrlen, ret_reason);
        freeaddrinfo(found);
        return fd;
}

#define ANSWER_BYTES 4096

/* The reason in the answer of a daemon that is not ready; "" if there is none. */
static void read_reason(const char *answer, char *ret, size_t size)
{
        const char *body = strstr(answer, "\r\n\r\n");
        json_t *error = body ? json_loads(body, 0, NULL) : NULL;
        const char *message = json_string_value(json_object_get(error, "message"));

        snprintf(ret, size, "%s", message ? message : "");
        for (char *c = ret; *c; c++)
                if (iscntrl((unsigned char)*c))
                        *c = ' '; /* control characters of an unknown server must not reach the terminal */
        json_decref(error);
}

/* The status of the answer, with the reason of an error; 0 if there is no answer. */
static int ask(int fd, const struct target *target, char *ret_reason, size_t size)
{
        char text[ANSWER_BYTES];
        int length = snprintf(text, sizeof(text), "GET /readyz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                              target->local.sun_family == AF_UNIX ? "localhost" : target->authority);
        size_t have = 0;

        if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length)
                return 0;
        while (have < sizeof(text) - 1) {
                ssize_t got = recv(fd, text + have, sizeof(text) - 1 - have, 0);

                if (got < 0 && errno == EINTR)
                        continue;
                if (got <= 0)
                        break;
                have += (size_t)got;
        }
        text[have] = '\0';
        read_reason(text, ret_reason, size);
        return strncmp(text, "HTTP/1.", 7) == 0 && have > 9 ? (int)strtol(text + 9, NULL, 10) : 0;
}

/* The address of a daemon from its --listen: one that listens at every address is on this machine. */
static void url_of(const char *listen, char *ret, size_t size)
{
        static const struct {
                const char *everywhere, *here;
        } hosts[] = {{"0.0.0.0:", "127.0.0.1:"}, {"[::]:", "[::1]:"}, {":", "127.0.0.1:"}};

        for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
                size_t length = strlen(hosts[i].everywhere);

                if (strncmp(listen, hosts[i].everywhere, length) == 0) {
                        snprintf(ret, size, "http://%s%s", hosts[i].here, listen + length);
                        return;
                }
        }
        snprintf(ret, size, "%s%s", strncmp(listen, by_path, sizeof(by_path) - 1) == 0 ? "" : "http://", listen);
}

int health_main(const struct config *config)
{
        struct target target;
        char listening[300];
        const char *url = config->url;

        if (!url[0]) {
                url_of(config->listen, listening, sizeof(listening));
                url = listening;
        }
        if (!read_target(url, &target)) {
                fprintf(stderr, "shaped: '%s' is neither http://HOST:PORT nor unix:PATH\n", url);
                return EXIT_USAGE;
        }
        const char *reason = "no socket";
        int fd = connect_to(&target, &reason);

        if (fd < 0) {
                fprintf(stderr, "shaped: %s cannot be reached: %s\n", target.authority, reason);
                return EXIT_FAULTY;
        }
        char why[512] = "";
        int status = ask(fd, &target, why, sizeof(why));

        close(fd);
        if (status == HTTP_OK) {
                printf("ready\n");
                return EXIT_GOOD;
        }
        fprintf(stderr, "shaped: %s is not ready (%d)%s%s\n", target.authority, status, why[0] ? ": " : "", why);
        return EXIT_FAULTY;
}
