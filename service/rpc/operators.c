/* ShapeInference.ListOperators and GetOperator */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "render/message_out.h"
#include "rest/catalog.h"
#include "rpc/rpc.h"
#include "service.h"
#include "shaped.pb-c.h"

/* Fields of shaped.proto, and of onnx.proto's AttributeProto. */
enum { LIST_OPERATORS = 1, LIST_NEXT_PAGE_TOKEN };
enum {
        OPERATOR_DOMAIN = 1,
        OPERATOR_NAME,
        OPERATOR_VERSIONS,
        OPERATOR_SINCE,
        OPERATOR_DEPRECATED,
        OPERATOR_INFERS_SHAPE,
        OPERATOR_MIN_INPUTS,
        OPERATOR_MAX_INPUTS,
        OPERATOR_MIN_OUTPUTS,
        OPERATOR_MAX_OUTPUTS,
        OPERATOR_INPUTS,
        OPERATOR_OUTPUTS,
        OPERATOR_ATTRIBUTES,
        OPERATOR_TYPE_CONSTRAINTS,
        OPERATOR_DESCRIPTION,
        OPERATOR_DECLARED
};
enum { PARAMETER_NAME = 1, PARAMETER_TYPE, PARAMETER_OPTION };
enum {
        ATTRIBUTE_NAME = 1,
        ATTRIBUTE_TYPE,
        ATTRIBUTE_REQUIRED,
        ATTRIBUTE_DEFAULT,
        ATTRIBUTE_VALUES,
        ATTRIBUTE_MINIMUM,
        ATTRIBUTE_MAXIMUM,
        ATTRIBUTE_ELEMENT_TYPE_OF,
        ATTRIBUTE_ADVISORY,
        ATTRIBUTE_MIN_LENGTH,
        ATTRIBUTE_MAX_LENGTH
};
enum { CONSTRAINT_NAME = 1, CONSTRAINT_TYPES };
enum { PROTO_F = 2, PROTO_I = 3, PROTO_S = 4, PROTO_FLOATS = 7, PROTO_INTS = 8, PROTO_STRINGS = 9, PROTO_TYPE = 20 };

/* -- one operator -- */

static void put_params(struct message_out *out, unsigned field, const struct op_param *param, size_t count)
{
        for (size_t i = 0; i < count; i++) {
                size_t begin = message_open(out, field);

                message_text(out, PARAMETER_NAME, param[i].name);
                message_text(out, PARAMETER_TYPE, param[i].type);
                message_text(out, PARAMETER_OPTION, catalog_option(param[i].option));
                message_close(out, begin);
        }
}

/* Values of one type, as members of an AttributeProto; of the arrays, the one that is not NULL. */
static void put_list(struct message_out *out, const int64_t *ints, const float *floats, const char *const *texts,
                     size_t count)
{
        for (size_t i = 0; i < count; i++) {
                if (floats)
                        message_float(out, PROTO_FLOATS, floats[i]);
                else if (texts)
                        message_text(out, PROTO_STRINGS, texts[i]);
                else
                        message_number(out, PROTO_INTS, (uint64_t)ints[i]);
        }
}

/* An AttributeProto without a name, which the attribute has already. */
static void put_default(struct message_out *out, const struct op_attr *attr)
{
        size_t begin = message_open(out, ATTRIBUTE_DEFAULT);

        if (attr->type == ATTR_FLOAT)
                message_float(out, PROTO_F, (float)attr->f);
        else if (attr->type == ATTR_INT)
                message_number(out, PROTO_I, (uint64_t)attr->i);
        else if (attr->type == ATTR_STRING)
                message_text(out, PROTO_S, attr->s);
        else
                put_list(out, attr->ints, attr->floats, attr->strings, attr->count);
        message_number(out, PROTO_TYPE, attr->type);
        message_close(out, begin);
}

static void put_values(struct message_out *out, const struct op_allowed *allowed)
{
        size_t begin = message_open(out, ATTRIBUTE_VALUES);

        put_list(out, allowed->ints, allowed->floats, allowed->words, allowed->count);
        message_number(out, PROTO_TYPE, allowed->floats ? ATTR_FLOATS : allowed->words ? ATTR_STRINGS : ATTR_INTS);
        message_close(out, begin);
}

static void put_range(struct message_out *out, enum attr_type type, const struct op_allowed *allowed)
{
        bool is_int = type == ATTR_INT || type == ATTR_INTS, is_float = type == ATTR_FLOAT || type == ATTR_FLOATS;

        if (is_int && allowed->least != INT64_MIN)
                message_double(out, ATTRIBUTE_MINIMUM, (double)allowed->least);
        if (is_float && !isinf(allowed->f_least))
                message_double(out, ATTRIBUTE_MINIMUM, allowed->f_least);
        if (is_int && allowed->most != INT64_MAX)
                message_double(out, ATTRIBUTE_MAXIMUM, (double)allowed->most);
        if (is_float && !isinf(allowed->f_most))
                message_double(out, ATTRIBUTE_MAXIMUM, allowed->f_most);
}

static void put_allowed(struct message_out *out, const struct op_attr *attr)
{
        const struct op_allowed *allowed = attr->allowed;

        if (!allowed)
                return;
        if (allowed->count > 0)
                put_values(out, allowed);
        put_range(out, attr->type, allowed);
        if (allowed->variable)
                message_text(out, ATTRIBUTE_ELEMENT_TYPE_OF, allowed->variable);
        if (allowed->warns)
                message_number(out, ATTRIBUTE_ADVISORY, true);
        if (allowed->min_count > 0)
                message_number(out, ATTRIBUTE_MIN_LENGTH, allowed->min_count);
        if (allowed->max_count != SIZE_MAX)
                message_number(out, ATTRIBUTE_MAX_LENGTH, allowed->max_count);
}

static void put_attributes(struct message_out *out, const struct op_row *row)
{
        for (size_t i = 0; i < row->n_attr; i++) {
                size_t begin = message_open(out, OPERATOR_ATTRIBUTES);

                message_text(out, ATTRIBUTE_NAME, row->attr[i].name);
                message_text(out, ATTRIBUTE_TYPE, attr_type_name((int)row->attr[i].type));
                message_number(out, ATTRIBUTE_REQUIRED, row->attr[i].required);
                if (row->attr[i].has_default)
                        put_default(out, &row->attr[i]);
                put_allowed(out, &row->attr[i]);
                message_close(out, begin);
        }
}

static void put_constraints(struct message_out *out, const struct op_row *row)
{
        for (size_t i = 0; i < row->n_constraint; i++) {
                size_t begin = message_open(out, OPERATOR_TYPE_CONSTRAINTS);

                message_text(out, CONSTRAINT_NAME, row->constraint[i].name);
                for (size_t t = 0; t < row->constraint[i].count; t++)
                        message_text(out, CONSTRAINT_TYPES, row->constraint[i].types[t]);
                message_close(out, begin);
        }
}

static void put_operator(struct message_out *out, const struct catalog_entry *entry)
{
        const struct op_row *row = entry->row;

        message_text(out, OPERATOR_DOMAIN, row->domain);
        message_text(out, OPERATOR_NAME, row->name);
        for (size_t i = 0; i < entry->n_versions; i++)
                message_number(out, OPERATOR_VERSIONS, (uint64_t)catalog_since(entry, i));
        message_number(out, OPERATOR_SINCE, (uint64_t)row->since);
        message_number(out, OPERATOR_DEPRECATED, row->deprecated);
        message_number(out, OPERATOR_INFERS_SHAPE, catalog_infers_shape(row));
        message_number(out, OPERATOR_MIN_INPUTS, (uint64_t)row->min_in);
        message_number_some(out, OPERATOR_MAX_INPUTS, row->max_in);
        message_number(out, OPERATOR_MIN_OUTPUTS, (uint64_t)row->min_out);
        message_number_some(out, OPERATOR_MAX_OUTPUTS, row->max_out);
        put_params(out, OPERATOR_INPUTS, row->in, row->n_in);
        put_params(out, OPERATOR_OUTPUTS, row->out, row->n_out);
        put_attributes(out, row);
        put_constraints(out, row);
        message_text(out, OPERATOR_DESCRIPTION, row->description);
        if (row->custom)
                message_number(out, OPERATOR_DECLARED, true);
}

/* -- a page -- */

struct page {
        struct rpc *rpc;
        struct catalog catalog;
        size_t at;
        int32_t size;
        struct catalog_entry entry; /* of GetOperator */
};

static enum ox_code run_page(void *user)
{
        struct page *page = user;
        struct message_out out;
        char token[24];

        message_begin(&out, ox_context_arena(page->rpc->context), NULL, rpc_write, page->rpc);
        for (int32_t shown = 0; shown < page->size && catalog_next(&page->catalog, &page->at, &page->entry); shown++) {
                size_t begin = message_open(&out, LIST_OPERATORS);

                put_operator(&out, &page->entry);
                message_close(&out, begin);
                message_pause(&out);
        }
        if (page->at < catalog_rows(&page->catalog)) {
                snprintf(token, sizeof(token), "%zu", page->at);
                message_text(&out, LIST_NEXT_PAGE_TOKEN, token);
        }
        message_flush(&out);
        return OX_OK;
}

static enum ox_code run_one(void *user)
{
        struct page *page = user;
        struct message_out out;

        message_begin(&out, ox_context_arena(page->rpc->context), NULL, rpc_write, page->rpc);
        put_operator(&out, &page->entry);
        message_flush(&out);
        return OX_OK;
}

static enum ox_code answer(struct page *page, enum ox_code (*run)(void *user))
{
        enum ox_code code = ox_context_run(page->rpc->context, run, page);

        return code == OX_OK || code == OX_ABORTED ? code : rpc_fail_inference(page->rpc, code, NULL);
}

/* -- requests -- */

static struct catalog catalog_of(const struct rpc *rpc)
{
        const struct service *service = rpc->call->service;

        return (struct catalog){.declared = service->operators, .n_declared = service->n_operators};
}

static enum ox_code take_opset(struct page *page, bool is_given, int64_t opset)
{
        if (is_given && (opset < 1 || opset > INT32_MAX))
                return rpc_fail(page->rpc, OX_INVALID_ARGUMENT, "opset",
                                "opset: must be an integer of 1 or more, got %lld", (long long)opset);
        page->catalog.opset = is_given ? opset : 0;
        return OX_OK;
}

/* The token that an answer had is the number of a row. */
static enum ox_code take_token(struct page *page, const char *token)
{
        char *end = NULL;

        if (!token || !token[0])
                return OX_OK;
        unsigned long long at = strtoull(token, &end, 10);

        if (token[strspn(token, "0123456789")] || at > catalog_rows(&page->catalog))
                return rpc_fail(page->rpc, OX_INVALID_ARGUMENT, "page_token",
                                "page_token: must be the next_page_token of the page before");
        page->at = (size_t)at;
        return OX_OK;
}

enum ox_code rpc_list_operators(struct rpc *rpc)
{
        struct page page = {.rpc = rpc, .catalog = catalog_of(rpc), .size = CATALOG_PAGE_DEFAULT};
        ProtobufCMessage *message;

        TRY(rpc_read(rpc, &message));
        const Shaped__V1__ListOperatorsRequest *request = (const Shaped__V1__ListOperatorsRequest *)message;

        page.catalog.domain = request->domain ? op_canonical_domain(request->domain) : NULL;
        TRY(take_opset(&page, request->has_opset, request->opset));
        if (request->has_page_size)
                page.size = request->page_size;
        if (page.size < 1 || page.size > CATALOG_PAGE_MOST)
                return rpc_fail(rpc, OX_INVALID_ARGUMENT, "page_size", "page_size: must be within 1 and %d, got %d",
                                CATALOG_PAGE_MOST, (int)page.size);
        TRY(take_token(&page, request->page_token));
        return answer(&page, run_page);
}

enum ox_code rpc_get_operator(struct rpc *rpc)
{
        struct page page = {.rpc = rpc, .catalog = catalog_of(rpc)};
        ProtobufCMessage *message;

        TRY(rpc_read(rpc, &message));
        const Shaped__V1__GetOperatorRequest *request = (const Shaped__V1__GetOperatorRequest *)message;
        const char *name = text_or_empty(request->name);

        page.catalog.domain = op_canonical_domain(text_or_empty(request->domain));
        TRY(take_opset(&page, request->has_opset, request->opset));
        if (!catalog_find(&page.catalog, name, &page.entry))
                return rpc_fail(rpc, OX_NOT_FOUND, "name", "domain '%.60s' has no operator '%.60s'%s",
                                page.catalog.domain, name, page.catalog.opset ? " in that version" : "");
        return answer(&page, run_one);
}
