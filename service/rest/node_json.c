#include "rest/node_json.h"

#include <stdarg.h>
#include <string.h>

#include "ops/table/registry.h"
#include "rest/node_read.h"

enum ox_code read_fail(struct reader *r, enum ox_code code, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        r->error = arena_vprintf(r->arena, format, args);
        va_end(args);
        return code;
}

enum ox_code read_members(struct reader *r, const char *where, json_t *object, const char *const *names)
{
        const char *key;
        json_t *value;

        if (!json_is_object(object))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s is no object", where);
        json_object_foreach(object, key, value)
        {
                size_t i = 0;

                while (names[i] && strcmp(names[i], key) != 0)
                        i++;
                if (!names[i])
                        return read_fail(r, OX_INVALID_ARGUMENT, "%s has an unknown member '%.60s'", where, key);
        }
        return OX_OK;
}

enum ox_code read_text(struct reader *r, const char *what, json_t *json, const char **ret)
{
        *ret = "";
        if (!json)
                return OX_OK;
        if (!json_is_string(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s is no text", what);
        if (json_string_length(json) > (size_t)r->limits->name_bytes)
                return read_fail(r, OX_RESOURCE_EXHAUSTED, "%s has %zu bytes, the limit name_bytes is %lld", what,
                                 json_string_length(json), (long long)r->limits->name_bytes);
        *ret = json_string_value(json);
        return OX_OK;
}

static char *unconst(const char *text)
{
        return (char *)(uintptr_t)text;
}

static enum ox_code read_names(struct reader *r, const char *what, json_t *json, char ***ret, size_t *ret_count)
{
        if (json && !json_is_array(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s is no list", what);
        *ret_count = json_array_size(json);
        *ret = arena_new_array(r->arena, char *, *ret_count);
        for (size_t i = 0; i < *ret_count; i++) {
                const char *name;

                TRY(read_text(r, what, json_array_get(json, i), &name));
                (*ret)[i] = unconst(name);
        }
        return OX_OK;
}

/* -- versions -- */

static enum ox_code read_version(struct reader *r, const char *domain, json_t *json, struct result_opset *ret)
{
        if (!json_is_integer(json) || json_integer_value(json) < 1)
                return read_fail(r, OX_INVALID_ARGUMENT, "the version of domain '%s' is no integer of 1 or more",
                                 domain);
        *ret = (struct result_opset){op_canonical_domain(domain), json_integer_value(json)};
        return OX_OK;
}

static enum ox_code read_opsets(struct reader *r, json_t *root, struct infer_node_request *request)
{
        json_t *opset = json_object_get(root, "opset"), *imports = json_object_get(root, "opsetImports");
        struct result_opset *list = arena_new_array(r->arena, struct result_opset, json_object_size(imports) + 1);
        const char *domain;
        json_t *version;

        if (imports && !json_is_object(imports))
                return read_fail(r, OX_INVALID_ARGUMENT, "opsetImports is no object");
        if (opset && imports)
                return read_fail(r, OX_INVALID_ARGUMENT, "there are both opset and opsetImports");
        if (opset)
                TRY(read_version(r, request->node->domain, opset, &list[request->n_opset++]));
        json_object_foreach(imports, domain, version) TRY(read_version(r, domain, version, &list[request->n_opset++]));
        request->opset = list;
        return OX_OK;
}

static int64_t opset_of(const struct infer_node_request *request, const char *domain)
{
        domain = op_canonical_domain(domain);
        for (size_t i = 0; i < request->n_opset; i++)
                if (strcmp(request->opset[i].domain, domain) == 0)
                        return request->opset[i].version;
        return op_newest_opset(domain);
}

/* -- the node -- */

static enum ox_code read_node(struct reader *r, json_t *json, OnnxNode *node)
{
        static const char *const members[] = {"opType", "domain", "name", "inputs", "outputs", "attributes", NULL};
        const char *op, *domain, *name;

        TRY(read_members(r, "node", json, members));
        TRY(read_text(r, "node.opType", json_object_get(json, "opType"), &op));
        TRY(read_text(r, "node.domain", json_object_get(json, "domain"), &domain));
        TRY(read_text(r, "node.name", json_object_get(json, "name"), &name));
        if (!op[0])
                return read_fail(r, OX_INVALID_ARGUMENT, "node.opType is missing");
        shaped__onnx__v1__node_proto__init(node);
        node->op_type = unconst(op);
        node->domain = unconst(domain);
        node->name = unconst(name);
        TRY(read_names(r, "node.inputs", json_object_get(json, "inputs"), &node->input, &node->n_input));
        return read_names(r, "node.outputs", json_object_get(json, "outputs"), &node->output, &node->n_output);
}

static enum ox_code read_attributes(struct reader *r, json_t *json, const struct op_row *row, OnnxNode *node)
{
        const char *name;
        json_t *value;

        if (json && !json_is_object(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "node.attributes is no object");
        node->attribute = arena_new_array(r->arena, OnnxAttribute *, json_object_size(json));
        json_object_foreach(json, name, value)
        {
                OnnxAttribute *attribute = arena_new_array(r->arena, OnnxAttribute, 1);

                shaped__onnx__v1__attribute_proto__init(attribute);
                attribute->name = unconst(name);
                attribute->has_type = 1;
                TRY(read_attribute(r, name, value, row ? op_find_attr(row, name) : NULL, attribute));
                node->attribute[node->n_attribute++] = attribute;
        }
        return OX_OK;
}

/* -- the request -- */

static enum ox_code read_inputs(struct reader *r, json_t *json, struct infer_node_request *request)
{
        struct infer_input *inputs;
        const char *name;
        json_t *value;

        if (json && !json_is_object(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "inputs is no object");
        inputs = arena_new_array(r->arena, struct infer_input, json_object_size(json));
        json_object_foreach(json, name, value)
        {
                if (!name[0])
                        return read_fail(r, OX_INVALID_ARGUMENT, "an input has no name");
                inputs[request->n_input].name = name;
                TRY(read_value(r, name, value, &inputs[request->n_input].value));
                request->n_input++;
        }
        request->input = inputs;
        return OX_OK;
}

static enum ox_code read_request(struct reader *r, json_t *root, const struct ox_options *options,
                                 struct infer_node_request *request)
{
        static const char *const members[] = {"node", "opset", "opsetImports", "inputs", NULL};
        OnnxNode *node = arena_new_array(r->arena, OnnxNode, 1);

        TRY(read_members(r, "the request", root, members));
        if (!json_object_get(root, "node"))
                return read_fail(r, OX_INVALID_ARGUMENT, "node is missing");
        TRY(read_node(r, json_object_get(root, "node"), node));
        request->node = node;
        TRY(read_opsets(r, root, request));
        const struct op_row *row = op_find(node->domain, node->op_type, opset_of(request, node->domain), NULL);

        TRY(read_attributes(r, json_object_get(json_object_get(root, "node"), "attributes"), row, node));
        if (options->n_shape)
                return read_fail(r, OX_INVALID_ARGUMENT, "shape: a node's inputs have their shapes in the request");
        collect_symbols(r, json_object_get(root, "inputs"));
        return read_inputs(r, json_object_get(root, "inputs"), request);
}

enum ox_code node_json_read(void *user)
{
        struct node_json *n = user;
        struct reader r = {
                .arena = ox_context_arena(n->context),
                .strings = n->request.strings,
                .dims = n->request.dims,
                .limits = ox_context_limits(n->context),
                .error = "",
        };

        n->code = read_request(&r, n->json, &n->options->infer, &n->request);
        n->error = r.error;
        return n->code;
}
