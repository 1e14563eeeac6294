/* `hello THREADS BYTES`: what libmicrohttpd gives without any work of ours, for tests/soak/throughput.py. It reads a
   request's body and answers with BYTES bytes, on a free port of 127.0.0.1, which is its only line of output, until its
   standard input ends. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reply {
        char *bytes;
        size_t size;
};

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *body, size_t *body_size, void **state)
{
        static int seen;
        const struct reply *reply = user;
        struct MHD_Response *response;
        enum MHD_Result result;

        if (*state == NULL) {
                *state = &seen;
                return MHD_YES;
        }
        if (*body_size > 0) {
                *body_size = 0;
                return MHD_YES;
        }
        response = MHD_create_response_from_buffer(reply->size, reply->bytes, MHD_RESPMEM_PERSISTENT);
        if (response == NULL)
                return MHD_NO;
        MHD_add_response_header(response, "Content-Type", "application/json");
        result = MHD_queue_response(connection, MHD_HTTP_OK, response);
        MHD_destroy_response(response);
        return result;
}

int main(int argc, char **argv)
{
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        unsigned threads = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
        struct reply reply = {.size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0};
        struct MHD_Daemon *daemon;

        reply.bytes = malloc(reply.size + 1);
        if (reply.bytes == NULL)
                return EXIT_FAILURE;
        memset(reply.bytes, 'x', reply.size);
        daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, on_request, &reply,
                                  MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 * 1024,
                                  threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, threads, MHD_OPTION_END);
        if (daemon == NULL)
                return EXIT_FAILURE;
        printf("%u\n", (unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
        fflush(stdout);
        while (getchar() != EOF)
                ;
        MHD_stop_daemon(daemon);
        free(reply.bytes);
        return EXIT_SUCCESS;
}
