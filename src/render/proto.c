/* Answers in protobuf (proto/shaped.proto), written straight from the result. */
#include "render/json_out.h"
#include "render/message_out.h"
#include "render/values.h"

/* Fields of shaped.proto and google/rpc. */
enum { MODEL_ANSWER_MODEL = 1, MODEL_ANSWER_LISTS = 2, MODEL_ANSWER_SUMMARY = 6, NODE_ANSWER_LISTS = 1 };

/* Of the lists that both answers have, in their order. */
enum { LIST_VALUES, LIST_SYMBOLS, LIST_CONSTRAINTS, LIST_DIAGNOSTICS };

enum {
        MODEL_IR_VERSION = 1,
        MODEL_PRODUCER_NAME,
        MODEL_GRAPH_NAME,
        MODEL_OPSET_IMPORTS,
        MODEL_FUNCTIONS,
        MODEL_NODES,
        MODEL_INITIALIZERS,
        MODEL_BYTES,
        MODEL_BYTES_SKIPPED
};
enum { OPSET_DOMAIN = 1, OPSET_VERSION };
enum {
        VALUE_NAME = 1,
        VALUE_KIND,
        VALUE_SCOPE,
        VALUE_NODE,
        VALUE_NODE_INDEX,
        VALUE_OP,
        VALUE_TYPE,
        VALUE_CONTENT,
        VALUE_LENGTH
};
enum { SYMBOL_NAME = 1, SYMBOL_VALUE, SYMBOL_AXIS, SYMBOL_OP, SYMBOL_NODE, SYMBOL_SCOPE };
enum { CONSTRAINT_LEFT = 1, CONSTRAINT_RELATION, CONSTRAINT_RIGHT, CONSTRAINT_NODE, CONSTRAINT_SCOPE };
enum {
        DIAGNOSTIC_SEVERITY = 1,
        DIAGNOSTIC_CODE,
        DIAGNOSTIC_REASON,
        DIAGNOSTIC_SCOPE,
        DIAGNOSTIC_NODE,
        DIAGNOSTIC_NODE_INDEX,
        DIAGNOSTIC_OP,
        DIAGNOSTIC_INPUT,
        DIAGNOSTIC_MESSAGE,
        DIAGNOSTIC_VALUE,
        DIAGNOSTIC_AXIS,
        DIAGNOSTIC_EXPECTED,
        DIAGNOSTIC_ACTUAL,
        DIAGNOSTIC_SHAPES,
        DIAGNOSTIC_HINT
};
enum {
        SUMMARY_VALUES = 1,
        SUMMARY_EXACT,
        SUMMARY_SYMBOLIC,
        SUMMARY_DYNAMIC,
        SUMMARY_UNKNOWN,
        SUMMARY_ERRORS,
        SUMMARY_WARNINGS
};
enum { RESULT_ERROR = 2, RESULT_DIAGNOSTICS };
enum { STATUS_CODE = 1, STATUS_MESSAGE, STATUS_DETAILS };
enum { ANY_TYPE_URL = 1, ANY_VALUE };
enum { ERROR_INFO_REASON = 1, ERROR_INFO_DOMAIN };
enum { BAD_REQUEST_VIOLATIONS = 1, VIOLATION_FIELD = 1, VIOLATION_DESCRIPTION };

static void put_model(struct message_out *out, unsigned field, const struct result_model *model)
{
        size_t begin = message_open(out, field);

        message_number(out, MODEL_IR_VERSION, (uint64_t)model->ir_version);
        message_text(out, MODEL_PRODUCER_NAME, model->producer_name);
        message_text(out, MODEL_GRAPH_NAME, model->graph_name);
        for (size_t i = 0; i < model->n_opset; i++) {
                size_t opset = message_open(out, MODEL_OPSET_IMPORTS);

                message_text(out, OPSET_DOMAIN, model->opset[i].domain);
                message_number(out, OPSET_VERSION, (uint64_t)model->opset[i].version);
                message_close(out, opset);
        }
        message_number(out, MODEL_FUNCTIONS, model->functions);
        message_number(out, MODEL_NODES, model->nodes);
        message_number(out, MODEL_INITIALIZERS, model->initializers);
        message_number(out, MODEL_BYTES, model->bytes);
        message_number(out, MODEL_BYTES_SKIPPED, model->bytes_skipped);
        message_close(out, begin);
}

/* -- values -- */

static void put_digits(struct message_out *out, unsigned field, int64_t value)
{
        uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
        char digits[24];
        size_t at = sizeof(digits);

        do {
                digits[--at] = (char)('0' + rest % 10);
                rest /= 10;
        } while (rest);
        if (value < 0)
                digits[--at] = '-';
        message_bytes(out, field, digits + at, sizeof(digits) - at);
}

/* A number or an expression. */
static void put_size(struct message_out *out, unsigned field, struct dim d)
{
        if (dim_is_int(d))
                put_digits(out, field, d.val);
        else
                message_text(out, field, dim_text(out->dims, d));
}

static void put_content(struct message_out *out, const struct content *content, enum elem elem)
{
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar *s = &content->at[i];
                char text[FLOAT_TEXT];
                double number;

                if (scalar_float_value(s, &number)) {
                        float_text(text, number, elem != ELEM_DOUBLE);
                        message_text(out, VALUE_CONTENT, text);
                } else {
                        put_size(out, VALUE_CONTENT, s->d);
                }
        }
}

#define TYPE_BYTES 256

/* The type of a tensor as it was written last: values that follow each other often share it. */
struct last_type {
        const struct dim *dim;
        int rank;
        enum elem elem;
        size_t length; /* 0: there is none */
        char bytes[TYPE_BYTES];
};

static void put_type(struct message_out *out, const struct type *type, struct last_type *last)
{
        bool can_share = type->kind == TYPE_TENSOR && type->rank > 0;
        size_t begin = out->length, length;

        if (can_share && last->length && type->dim == last->dim && type->rank == last->rank &&
            type->elem == last->elem) {
                memcpy(message_room(out, last->length), last->bytes, last->length);
                out->length += last->length;
                return;
        }
        message_type(out, VALUE_TYPE, type);
        length = out->length - begin;
        if (!can_share || length > TYPE_BYTES)
                return;
        memcpy(last->bytes, out->block + begin, length);
        last->length = length;
        last->dim = type->dim;
        last->rank = type->rank;
        last->elem = type->elem;
}

static void put_value(struct message_out *out, unsigned field, const struct result_value *v, struct last_type *last)
{
        const struct content *content = value_content(&v->value);
        size_t begin = message_open(out, field);

        message_text(out, VALUE_NAME, v->name);
        message_number(out, VALUE_KIND, v->kind);
        message_text_some(out, VALUE_SCOPE, v->scope);
        message_text_some(out, VALUE_NODE, v->node);
        message_number_some(out, VALUE_NODE_INDEX, v->node_index);
        message_text_some(out, VALUE_OP, v->op);
        put_type(out, &v->value.type, last);
        if (content)
                put_content(out, content, v->value.type.elem);
        if (v->value.has_length)
                put_size(out, VALUE_LENGTH, v->value.length);
        message_close(out, begin);
}

static void put_values(struct message_out *out, unsigned field, const struct ox_result *result)
{
        struct last_type last = {.length = 0};

        for (size_t i = 0; i < result->n_value; i++) {
                put_value(out, field, result->value[i], &last);
                message_pause(out);
        }
}

/* -- the rest -- */

static void put_symbols(struct message_out *out, unsigned field, const struct ox_result *result)
{
        for (size_t i = 0; i < result->n_symbol; i++) {
                const struct ox_symbol *s = &result->symbol[i];
                size_t begin = message_open(out, field);

                message_text(out, SYMBOL_NAME, s->name);
                message_text_some(out, SYMBOL_VALUE, s->value);
                message_number_some(out, SYMBOL_AXIS, s->axis);
                message_text_some(out, SYMBOL_OP, s->op);
                message_text_some(out, SYMBOL_NODE, s->node);
                message_text_some(out, SYMBOL_SCOPE, s->scope);
                message_close(out, begin);
                message_pause(out);
        }
}

static void put_constraints(struct message_out *out, unsigned field, const struct ox_result *result)
{
        for (size_t i = 0; i < result->n_constraint; i++) {
                const struct ox_constraint *c = &result->constraint[i];
                size_t begin = message_open(out, field);

                message_text(out, CONSTRAINT_LEFT, c->left);
                message_text(out, CONSTRAINT_RELATION, c->relation);
                message_text(out, CONSTRAINT_RIGHT, c->right);
                message_text_some(out, CONSTRAINT_NODE, c->node);
                message_text_some(out, CONSTRAINT_SCOPE, c->scope);
                message_close(out, begin);
                message_pause(out);
        }
}

static void put_diagnostic(struct message_out *out, unsigned field, const struct ox_diag *d)
{
        size_t begin = message_open(out, field);

        message_number(out, DIAGNOSTIC_SEVERITY, d->severity);
        message_number(out, DIAGNOSTIC_CODE, d->code);
        message_text(out, DIAGNOSTIC_REASON, d->reason);
        message_text_some(out, DIAGNOSTIC_SCOPE, d->scope);
        message_text_some(out, DIAGNOSTIC_NODE, d->node);
        message_number_some(out, DIAGNOSTIC_NODE_INDEX, d->node_index);
        message_text_some(out, DIAGNOSTIC_OP, d->op);
        message_number_some(out, DIAGNOSTIC_INPUT, d->input);
        message_text(out, DIAGNOSTIC_MESSAGE, d->message);
        message_text_some(out, DIAGNOSTIC_VALUE, d->value);
        message_number_some(out, DIAGNOSTIC_AXIS, d->axis);
        message_text_some(out, DIAGNOSTIC_EXPECTED, d->expected);
        message_text_some(out, DIAGNOSTIC_ACTUAL, d->actual);
        for (size_t i = 0; i < d->n_shapes; i++)
                message_text(out, DIAGNOSTIC_SHAPES, d->shapes[i]);
        message_text_some(out, DIAGNOSTIC_HINT, d->hint);
        message_close(out, begin);
}

static void put_diagnostics(struct message_out *out, unsigned field, const struct diags *diags)
{
        for (size_t i = 0; i < diags->count; i++) {
                put_diagnostic(out, field, &diags->at[i]);
                message_pause(out);
        }
}

static void put_summary(struct message_out *out, unsigned field, const struct ox_summary *summary)
{
        size_t begin = message_open(out, field);

        message_number(out, SUMMARY_VALUES, summary->values);
        message_number(out, SUMMARY_EXACT, summary->exact);
        message_number(out, SUMMARY_SYMBOLIC, summary->symbolic);
        message_number(out, SUMMARY_DYNAMIC, summary->dynamic);
        message_number(out, SUMMARY_UNKNOWN, summary->unknown);
        message_number(out, SUMMARY_ERRORS, summary->errors);
        message_number(out, SUMMARY_WARNINGS, summary->warnings);
        message_close(out, begin);
}

static void open_path(struct message_out *out, const struct message_path *around, size_t begin[MESSAGE_PATH_MOST])
{
        out->is_inner = around && around->count > 0;
        for (size_t i = 0; around && i < around->count; i++)
                begin[i] = message_open(out, around->field[i]);
}

static void close_path(struct message_out *out, const struct message_path *around,
                       const size_t begin[MESSAGE_PATH_MOST])
{
        for (size_t i = around ? around->count : 0; i-- > 0;)
                message_close(out, begin[i]);
        message_flush(out);
}

void render_proto(const struct ox_result *result, struct arena *arena, const struct message_path *around,
                  ox_write write, void *user)
{
        unsigned lists = result->is_model ? MODEL_ANSWER_LISTS : NODE_ANSWER_LISTS;
        size_t begin[MESSAGE_PATH_MOST];
        struct message_out out;

        message_begin(&out, arena, result->dims, write, user);
        open_path(&out, around, begin);
        if (result->is_model)
                put_model(&out, MODEL_ANSWER_MODEL, &result->model);
        put_values(&out, lists + LIST_VALUES, result);
        put_symbols(&out, lists + LIST_SYMBOLS, result);
        put_constraints(&out, lists + LIST_CONSTRAINTS, result);
        put_diagnostics(&out, lists + LIST_DIAGNOSTICS, result->diags);
        if (result->is_model)
                put_summary(&out, MODEL_ANSWER_SUMMARY, &result->summary);
        close_path(&out, around, begin);
}

/* -- errors -- */

/* Begins an Any; its value is the next field. */
static size_t open_detail(struct message_out *out, const char *type)
{
        size_t begin = message_open(out, STATUS_DETAILS);

        message_text(out, ANY_TYPE_URL, type);
        return begin;
}

/* The first error's reason. */
static void put_error_info(struct message_out *out, const struct diags *diags)
{
        size_t i = 0, begin, value;

        while (i < diags->count && diags->at[i].severity != OX_ERROR)
                i++;
        if (i == diags->count)
                return;
        begin = open_detail(out, "type.googleapis.com/google.rpc.ErrorInfo");
        value = message_open(out, ANY_VALUE);
        message_text(out, ERROR_INFO_REASON, diags->at[i].reason);
        message_text(out, ERROR_INFO_DOMAIN, "shaped");
        message_close(out, value);
        message_close(out, begin);
}

static void put_bad_request(struct message_out *out, const char *field, const char *message)
{
        size_t begin = open_detail(out, "type.googleapis.com/google.rpc.BadRequest");
        size_t value = message_open(out, ANY_VALUE), violation = message_open(out, BAD_REQUEST_VIOLATIONS);

        message_text(out, VIOLATION_FIELD, field);
        message_text(out, VIOLATION_DESCRIPTION, message);
        message_close(out, violation);
        message_close(out, value);
        message_close(out, begin);
}

/* They travel in a trailer, for which clients have some KiB. */
#define DETAILS_MOST 8

static void put_diagnostic_details(struct message_out *out, const struct diags *diags)
{
        for (size_t i = 0; i < diags->count && i < DETAILS_MOST; i++) {
                size_t begin = open_detail(out, "type.googleapis.com/shaped.v1.Diagnostic");

                put_diagnostic(out, ANY_VALUE, &diags->at[i]);
                message_close(out, begin);
        }
}

static void put_status(struct message_out *out, const struct render_error *error)
{
        message_number(out, STATUS_CODE, error->code);
        message_text(out, STATUS_MESSAGE, error->message);
}

/* A BatchInferNodesResponse.Result: the error without details, and the diagnostics as they are. */
static void put_failed_result(struct message_out *out, const struct render_error *error, const struct diags *diags)
{
        size_t begin = message_open(out, RESULT_ERROR);

        put_status(out, error);
        message_close(out, begin);
        if (diags)
                put_diagnostics(out, RESULT_DIAGNOSTICS, diags);
}

static void put_status_with_details(struct message_out *out, const struct render_error *error,
                                    const struct diags *diags)
{
        put_status(out, error);
        if (diags)
                put_error_info(out, diags);
        if (error->field)
                put_bad_request(out, error->field, error->message);
        if (diags)
                put_diagnostic_details(out, diags);
}

void render_error_proto(const struct render_error *error, struct arena *arena, const struct message_path *result_path,
                        ox_write write, void *user)
{
        const struct diags *diags = error->result ? error->result->diags : NULL;
        size_t begin[MESSAGE_PATH_MOST];
        struct message_out out;

        message_begin(&out, arena, NULL, write, user);
        open_path(&out, result_path, begin);
        if (result_path)
                put_failed_result(&out, error, diags);
        else
                put_status_with_details(&out, error, diags);
        close_path(&out, result_path, begin);
}
