#include "rest/node_json.h"

#include <string.h>

#include "rest/node_read.h"

/* -- members and texts -- */

const char *json_describe(struct builder *b, const struct json *json)
{
        switch (json->kind) {
        case JSON_IS_NULL:
                return "null";
        case JSON_IS_BOOL:
                return json->i ? "true" : "false";
        case JSON_IS_INTEGER:
                return arena_printf(b->arena, "%lld", (long long)json->i);
        case JSON_IS_REAL:
                return arena_printf(b->arena, json->f == (double)(int64_t)json->f ? "%.1f" : "%.15g", json->f);
        case JSON_IS_TEXT:
                return arena_printf(b->arena, "'%.60s'", json->text);
        case JSON_IS_LIST:
                return "a list";
        case JSON_IS_OBJECT:
                return "an object";
        }
        return "";
}

enum ox_code read_kind(struct builder *b, struct build_subject subject, const struct json *json, enum json_kind kind,
                       const char *expected)
{
        if (json->kind == kind)
                return OX_OK;
        return build_fail(b, OX_INVALID_ARGUMENT, subject, "expected %s, got %s", expected, json_describe(b, json));
}

/* Whether a member's name is `name`, which is in camelCase, or its form in snake_case. */
static bool is_name(const char *given, const char *name)
{
        for (; *given && *name; given++, name++) {
                if (*given == *name)
                        continue;
                if (*given != '_' || *name < 'A' || *name > 'Z' || given[1] != *name - 'A' + 'a')
                        return false;
                given++;
        }
        return *given == *name;
}

/* The place of a member's name among `names`; that of the NULL at their end if it is none. It is sought from `i` on
   first, because members mostly come in the order of the names. */
static size_t find_name(const char *given, const char *const *names, size_t i)
{
        while (names[i] && !text_same(given, names[i]))
                i++;
        if (names[i])
                return i;
        for (i = 0; names[i] && !is_name(given, names[i]); i++) {
        }
        return i;
}

/* "; did you mean 'shape'?", or a list of all names if none is near. */
static const char *hint_of(struct builder *b, const char *given, const char *const *names)
{
        struct nearest near;
        struct buf buf;

        nearest_begin(&near, given, strlen(given));
        for (size_t i = 0; names[i]; i++)
                nearest_try(&near, names[i]);
        if (near.best)
                return arena_printf(b->arena, "did you mean '%s'?", near.best);
        buf_init(&buf, b->arena);
        buf_puts(&buf, "the members are ");
        for (size_t i = 0; names[i]; i++) {
                buf_puts(&buf, i ? ", " : "");
                buf_puts(&buf, names[i]);
        }
        return buf_text(&buf);
}

enum ox_code read_members(struct builder *b, struct build_subject subject, const struct json *object,
                          const char *const *names, const struct json **ret_member)
{
        size_t next = 0;

        for (size_t i = 0; names[i]; i++)
                ret_member[i] = NULL;
        TRY(read_kind(b, subject, object, JSON_IS_OBJECT, "an object"));
        for (const struct json *member = object->first; member; member = member->next) {
                const size_t i = find_name(member->name, names, next);

                if (!names[i])
                        return build_fail(b, OX_INVALID_ARGUMENT, subject, "unknown member '%.60s'; %s", member->name,
                                          hint_of(b, member->name, names));
                if (ret_member[i])
                        return build_fail(b, OX_INVALID_ARGUMENT, subject, "'%s' and '%s' are one member, given twice",
                                          ret_member[i]->name, member->name);
                ret_member[i] = member;
                next = i + 1;
        }
        return OX_OK;
}

enum ox_code read_text(struct builder *b, struct build_subject subject, const struct json *json, const char **ret)
{
        *ret = "";
        if (!json)
                return OX_OK;
        TRY(read_kind(b, subject, json, JSON_IS_TEXT, "a string"));
        *ret = json->text;
        return OX_OK;
}

/* -- versions -- */

static enum ox_code read_version(struct builder *b, const char *domain, const struct json *json,
                                 struct infer_node_request *request, struct result_opset *list)
{
        const struct build_subject subject = {"opset of domain", domain[0] ? domain : "ai.onnx"};
        struct result_opset *opset = &list[request->n_opset++];

        TRY(read_kind(b, subject, json, JSON_IS_INTEGER, "an integer"));
        TRY(build_opset(b, domain, json->i, opset));
        return OX_OK;
}

static enum ox_code read_opsets(struct builder *b, const struct json *opset, const struct json *imports,
                                struct infer_node_request *request)
{
        struct result_opset *list = arena_new_array(b->arena, struct result_opset, imports ? imports->count : 1);
        bool has_onnx = false;

        request->opset = list;
        if (opset && imports)
                return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"the request", ""},
                                  "either opset or opsetImports is expected, got both");
        if (opset)
                return read_version(b, request->node->domain, opset, request, list);
        if (!imports)
                return OX_OK;
        TRY(read_kind(b, (struct build_subject){"opsetImports", ""}, imports, JSON_IS_OBJECT, "an object"));
        for (const struct json *version = imports->first; version; version = version->next) {
                TRY(read_version(b, version->name, version, request, list));
                bool is_onnx = !list[request->n_opset - 1].domain[0];

                if (is_onnx && has_onnx)
                        return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"opsetImports", ""},
                                          "'' and 'ai.onnx' are one domain, given twice");
                has_onnx = has_onnx || is_onnx;
        }
        return OX_OK;
}

/* -- the node -- */

static enum ox_code read_names(struct builder *b, const char *what, const struct json *json, OnnxNode *node,
                               enum ox_code (*build)(struct builder *b, OnnxNode *node, const char *name))
{
        const struct build_subject subject = {what, ""};

        if (!json)
                return OX_OK;
        TRY(read_kind(b, subject, json, JSON_IS_LIST, "a list of names"));
        for (const struct json *name = json->first; name; name = name->next) {
                TRY(read_kind(b, subject, name, JSON_IS_TEXT, "a list of names"));
                TRY(build(b, node, name->text));
        }
        return OX_OK;
}

static enum ox_code read_attributes(struct builder *b, const struct json *json, const struct op_row *row,
                                    OnnxNode *node)
{
        if (!json)
                return OX_OK;
        TRY(read_kind(b, (struct build_subject){"node.attributes", ""}, json, JSON_IS_OBJECT, "an object"));
        for (const struct json *member = json->first; member; member = member->next) {
                OnnxAttribute *attribute = arena_new_array(b->arena, OnnxAttribute, 1);

                TRY(read_attribute(b, member, row ? op_find_attr(row, member->name) : NULL, attribute));
                TRY(build_attribute(b, node, attribute));
        }
        return OX_OK;
}

enum { NODE_OP_TYPE, NODE_DOMAIN, NODE_NAME, NODE_INPUTS, NODE_OUTPUTS, NODE_ATTRIBUTES, NODE_MEMBERS };

static enum ox_code read_node(struct builder *b, const struct json *const *member, OnnxNode *node)
{
        const char *op_type, *domain, *name;

        TRY(read_text(b, (struct build_subject){"node.opType", ""}, member[NODE_OP_TYPE], &op_type));
        TRY(read_text(b, (struct build_subject){"node.domain", ""}, member[NODE_DOMAIN], &domain));
        TRY(read_text(b, (struct build_subject){"node.name", ""}, member[NODE_NAME], &name));
        TRY(build_node(b, domain, op_type, name, node));
        TRY(read_names(b, "node.inputs", member[NODE_INPUTS], node, build_node_input));
        return read_names(b, "node.outputs", member[NODE_OUTPUTS], node, build_node_output);
}

/* -- inputs -- */

/* A name that is a dimension by itself in one input is a symbol in all, so all inputs are read before the first is
   built. */
static enum ox_code read_inputs(struct builder *b, const struct json *json, struct infer_node_request *request)
{
        const size_t most = (size_t)b->limits->content_elements;
        struct infer_input *inputs;
        struct ox_value *given;

        if (!json)
                return OX_OK;
        TRY(read_kind(b, (struct build_subject){"inputs", ""}, json, JSON_IS_OBJECT, "an object"));
        inputs = arena_new_array(b->arena, struct infer_input, json->count);
        given = arena_new_array(b->arena, struct ox_value, json->count);
        for (const struct json *input = json->first; input; input = input->next, request->n_input++) {
                struct ox_value *value = &given[request->n_input];

                inputs[request->n_input].name = input->name;
                if (!input->name[0])
                        return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"inputs", ""},
                                          "an input has an empty name");
                TRY(build_check_text(b, "the name of an input", input->name));
                TRY(read_value(b, (struct build_subject){"input", input->name}, input, most, value));
                build_names(b, value);
        }
        for (size_t i = 0; i < request->n_input; i++)
                TRY(build_value(b, (struct build_subject){"input", inputs[i].name}, &given[i], &inputs[i].value,
                                &inputs[i].dropped));
        request->input = inputs;
        return OX_OK;
}

/* -- the request -- */

enum { REQUEST_NODE, REQUEST_OPSET, REQUEST_OPSET_IMPORTS, REQUEST_INPUTS, REQUEST_OPERATORS, REQUEST_MEMBERS };

static enum ox_code read_request(struct builder *b, struct node_json *n)
{
        const struct ox_options *options = &n->options->infer;
        struct infer_node_request *request = &n->request;
        static const char *const request_names[] = {"node", "opset", "opsetImports", "inputs", "operators", NULL};
        static const char *const node_names[] = {"opType", "domain", "name", "inputs", "outputs", "attributes", NULL};
        const struct json *member[REQUEST_MEMBERS], *node_member[NODE_MEMBERS];
        OnnxNode *node = arena_new_array(b->arena, OnnxNode, 1);

        TRY(read_members(b, (struct build_subject){"the request", ""}, n->json, request_names, member));
        TRY(read_text(b, (struct build_subject){"operators", ""}, member[REQUEST_OPERATORS], &n->operators));
        if (!member[REQUEST_NODE])
                return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"the request", ""}, "node is missing");
        TRY(read_members(b, (struct build_subject){"node", ""}, member[REQUEST_NODE], node_names, node_member));
        TRY(read_node(b, node_member, node));
        request->node = node;
        TRY(read_opsets(b, member[REQUEST_OPSET], member[REQUEST_OPSET_IMPORTS], request));
        int64_t opset = build_opset_of(request->opset, request->n_opset, node->domain);

        TRY(read_attributes(b, node_member[NODE_ATTRIBUTES], op_find(node->domain, node->op_type, opset, NULL), node));
        if (options->n_shape)
                return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"option", "shape"},
                                  "a node's inputs have their shapes in the request");
        if (options->n_content)
                return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"option", "value"},
                                  "a node's inputs have their contents in the request");
        TRY(read_inputs(b, member[REQUEST_INPUTS], request));
        return build_check_request(b, request);
}

enum ox_code node_json_read(void *user)
{
        struct node_json *n = user;
        struct builder b;

        builder_init(&b, ox_context_arena(n->context), n->request.strings, n->request.dims,
                     ox_context_limits(n->context));
        b.has_clean = true; /* json_read() has seen to it */
        b.has_short = n->bytes <= (size_t)b.limits->name_bytes;
        enum ox_code code = read_request(&b, n);

        n->error = b.error;
        return code;
}
