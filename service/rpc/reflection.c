/* grpc.reflection: describes methods and messages to clients without .proto files. The messages of v1 and v1alpha
   differ only in their names. */
#include <stdio.h>
#include <string.h>

#include "reflection_v1.pb-c.h"
#include "rpc/descriptors.h"
#include "rpc/rpc.h"

typedef Grpc__Reflection__V1__ServerReflectionRequest Request;
typedef Grpc__Reflection__V1__ServerReflectionResponse Response;

#define FILES_MOST 32

struct answer {
        struct rpc *rpc;
        struct arena *arena;
        const Request *request;
        Response response;
};

static void *make(struct answer *a, size_t size)
{
        return memset(arena_alloc(a->arena, size), 0, size);
}

/* -- answers -- */

static void put_error(struct answer *a, enum ox_code code, const char *what, const char *name)
{
        static const char format[] = "there is no %s '%.*s'";
        const int most = 200;
        Grpc__Reflection__V1__ErrorResponse *error = make(a, sizeof(*error));
        size_t size = sizeof(format) + strlen(what) + (size_t)most;
        char *text = make(a, size);

        snprintf(text, size, format, what, most, name);
        grpc__reflection__v1__error_response__init(error);
        error->has_error_code = true;
        error->error_code = (int32_t)code;
        error->error_message = text;
        a->response.message_response_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
        a->response.error_response = error;
}

/* The file and all that it imports, each once. */
static size_t collect(size_t file, uint32_t *seen, ProtobufCBinaryData *ret, size_t count)
{
        const struct descriptor_file *row = &descriptor_files[file];

        if (*seen & UINT32_C(1) << file)
                return count;
        *seen |= UINT32_C(1) << file;
        ret[count++] = (ProtobufCBinaryData){row->size, (uint8_t *)(uintptr_t)row->bytes};
        for (size_t i = 0; i < row->n_import; i++)
                count = collect(row->import[i], seen, ret, count);
        return count;
}

static void put_file(struct answer *a, size_t file)
{
        Grpc__Reflection__V1__FileDescriptorResponse *found = make(a, sizeof(*found));
        uint32_t seen = 0;

        grpc__reflection__v1__file_descriptor_response__init(found);
        found->file_descriptor_proto = make(a, FILES_MOST * sizeof(found->file_descriptor_proto[0]));
        found->n_file_descriptor_proto = collect(file, &seen, found->file_descriptor_proto, 0);
        a->response.message_response_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
        a->response.file_descriptor_response = found;
}

static void put_file_of_name(struct answer *a, const char *name)
{
        for (size_t i = 0; i < descriptor_file_count; i++) {
                if (strcmp(descriptor_files[i].name, name) == 0) {
                        put_file(a, i);
                        return;
                }
        }
        put_error(a, OX_NOT_FOUND, "file", name);
}

static const struct descriptor_symbol *find_symbol(const char *name)
{
        for (size_t i = 0; i < descriptor_symbol_count; i++)
                if (strcmp(descriptor_symbols[i].name, name) == 0)
                        return &descriptor_symbols[i];
        return NULL;
}

static void put_file_of_symbol(struct answer *a, const char *name)
{
        const struct descriptor_symbol *symbol = find_symbol(name);

        if (symbol)
                put_file(a, symbol->file);
        else
                put_error(a, OX_NOT_FOUND, "symbol", name);
}

/* None of our messages has extensions. */
static void put_extensions_of(struct answer *a, const char *name)
{
        Grpc__Reflection__V1__ExtensionNumberResponse *none = make(a, sizeof(*none));

        if (!find_symbol(name)) {
                put_error(a, OX_NOT_FOUND, "type", name);
                return;
        }
        grpc__reflection__v1__extension_number_response__init(none);
        none->base_type_name = (char *)(uintptr_t)name;
        a->response.message_response_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ALL_EXTENSION_NUMBERS_RESPONSE;
        a->response.all_extension_numbers_response = none;
}

/* The services of all methods, each of which has its own in a row. */
static void put_services(struct answer *a)
{
        Grpc__Reflection__V1__ListServiceResponse *list = make(a, sizeof(*list));
        const char *last = "";

        grpc__reflection__v1__list_service_response__init(list);
        list->service = make(a, rpc_method_count * sizeof(list->service[0]));
        for (size_t i = 0; i < rpc_method_count; i++) {
                const char *path = rpc_methods[i].path + 1;
                size_t length = strcspn(path, "/");
                Grpc__Reflection__V1__ServiceResponse *service;

                if (strncmp(last, path, length + 1) == 0)
                        continue;
                last = path;
                service = list->service[list->n_service++] = make(a, sizeof(*service));
                grpc__reflection__v1__service_response__init(service);
                service->name = make(a, length + 1);
                memcpy(service->name, path, length);
        }
        a->response.message_response_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
        a->response.list_services_response = list;
}

/* -- the method -- */

static enum ox_code run_answer(void *user)
{
        struct answer *a = user;
        const Request *request = a->request;

        a->arena = ox_context_arena(a->rpc->context);
        grpc__reflection__v1__server_reflection_response__init(&a->response);
        a->response.valid_host = request->host;
        a->response.original_request = (Request *)(uintptr_t)request;
        switch (request->message_request_case) {
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
                put_file_of_name(a, request->file_by_filename);
                break;
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
                put_file_of_symbol(a, request->file_containing_symbol);
                break;
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
                put_error(a, OX_NOT_FOUND, "extension of",
                          text_or_empty(request->file_containing_extension->containing_type));
                break;
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
                put_extensions_of(a, request->all_extension_numbers_of_type);
                break;
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
                put_services(a);
                break;
        default:
                put_error(a, OX_UNIMPLEMENTED, "request of this kind", "");
        }
        return rpc_write_message(a->rpc, &a->response.base);
}

enum ox_code rpc_reflect(struct rpc *rpc)
{
        struct answer a = {.rpc = rpc};
        ProtobufCMessage *message;

        TRY(rpc_read(rpc, &message));
        a.request = (const Request *)message;
        enum ox_code code = ox_context_run(rpc->context, run_answer, &a);

        return code == OX_OK ? code : rpc_fail_inference(rpc, code, NULL);
}
