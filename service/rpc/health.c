/* grpc.health.v1.Health */
#include <string.h>

#include "health.pb-c.h"
#include "rpc/rpc.h"
#include "service.h"

#define STATUS(word) GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__##word

struct health {
        struct rpc *rpc;
        bool is_served;
};

/* "" is the daemon itself. */
static bool is_served(const char *service)
{
        if (!service[0])
                return true;
        for (size_t i = 0; i < rpc_method_count; i++) {
                const char *path = rpc_methods[i].path + 1;
                size_t length = strcspn(path, "/");

                if (strlen(service) == length && strncmp(service, path, length) == 0)
                        return true;
        }
        return false;
}

static enum ox_code run_answer(void *user)
{
        const struct health *health = user;
        Grpc__Health__V1__HealthCheckResponse response = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
        bool drains = atomic_load(&health->rpc->call->service->draining);

        response.has_status = true;
        response.status = !health->is_served ? STATUS(SERVICE_UNKNOWN) : drains ? STATUS(NOT_SERVING) : STATUS(SERVING);
        return rpc_write_message(health->rpc, &response.base);
}

/* Check and Watch. Watching an unknown service gives a status that says so, not an error. */
enum ox_code rpc_health_check(struct rpc *rpc)
{
        ProtobufCMessage *message;

        TRY(rpc_read(rpc, &message));
        const char *service = text_or_empty(((Grpc__Health__V1__HealthCheckRequest *)message)->service);
        struct health health = {.rpc = rpc, .is_served = is_served(service)};

        if (!health.is_served && rpc->method->kind != RPC_WATCH)
                return rpc_fail(rpc, OX_NOT_FOUND, "service", "unknown service '%.100s'", service);
        enum ox_code code = ox_context_run(rpc->context, run_answer, &health);

        return code == OX_OK || code == OX_ABORTED ? code : rpc_fail_inference(rpc, code, NULL);
}
