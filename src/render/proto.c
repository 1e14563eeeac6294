/* Answers in protobuf (proto/shaped.proto), written straight from the result. */
#include "base/digits.h"
#include "render/float_text.h"
#include "render/message_out.h"
#include "render/values.h"
#include "render/visit.h"

/* Fields of shaped.proto and google/rpc that no part of a result is. */
enum { MODEL_ANSWER_MODEL = 1, MODEL_ANSWER_SUMMARY = 6 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION };
enum { BINDING_NAME = 1, BINDING_VALUE };
enum { RESULT_ERROR = 2, RESULT_DIAGNOSTICS };
enum { STATUS_CODE = 1, STATUS_MESSAGE, STATUS_DETAILS };
enum { ANY_TYPE_URL = 1, ANY_VALUE };
enum { ERROR_INFO_REASON = 1, ERROR_INFO_DOMAIN };
enum { BAD_REQUEST_VIOLATIONS = 1, VIOLATION_FIELD = 1, VIOLATION_DESCRIPTION };

struct proto_sink {
        struct message_out out;
        const struct ox_result *result;
        bool is_model;            /* the answer, so that its lists have other numbers */
        struct kept_types *types; /* NULL: no values are written */
};

#define SINK           struct proto_sink
#define SINK_BY_NUMBER 1

/* -- the verbs of render/fields.h -- */

static inline void sink_text(SINK *sink, const char *key, unsigned number, const char *text)
{
        (void)key;
        message_text(&sink->out, number, text);
}

static inline void sink_text_some(SINK *sink, const char *key, unsigned number, const char *text)
{
        (void)key;
        message_text_some(&sink->out, number, text);
}

static inline void sink_text_filled(SINK *sink, const char *key, unsigned number, const char *text)
{
        sink_text_some(sink, key, number, text);
}

static inline void sink_texts(SINK *sink, const char *key, unsigned number, const char *const *text, size_t count)
{
        for (size_t i = 0; i < count; i++)
                sink_text(sink, key, number, text[i]);
}

static inline void sink_number(SINK *sink, const char *key, unsigned number, uint64_t value)
{
        (void)key;
        message_number(&sink->out, number, value);
}

static inline void sink_number_some(SINK *sink, const char *key, unsigned number, int64_t value)
{
        (void)key;
        message_number_some(&sink->out, number, value);
}

static inline void sink_word(SINK *sink, const char *key, unsigned number, struct word word, unsigned value)
{
        (void)word;
        sink_number(sink, key, number, value);
}

static void put_digits(struct message_out *out, unsigned field, int64_t value)
{
        char digits[NUMBER_MOST];

        message_bytes(out, field, digits, (size_t)(number_put(digits, value) - digits));
}

/* A number or an expression. */
static void sink_size(SINK *sink, const char *key, unsigned number, struct dim d)
{
        (void)key;
        if (dim_is_int(d))
                put_digits(&sink->out, number, d.val);
        else
                message_text(&sink->out, number, dim_text(sink->out.dims, d));
}

static void sink_opsets(SINK *sink, const char *key, unsigned number, const struct result_model *model)
{
        (void)key;
        for (size_t i = 0; i < model->n_opset; i++) {
                size_t opset = message_open(&sink->out, number);

                message_text(&sink->out, OPSET_DOMAIN, model->opset[i].domain);
                message_number(&sink->out, OPSET_VERSION, (uint64_t)model->opset[i].version);
                message_close(&sink->out, opset);
        }
}

static void sink_range_end(SINK *sink, const char *key, unsigned number, const struct ox_bound *bound)
{
        (void)key;
        message_text_some(&sink->out, number, bound->text);
}

static void sink_content(SINK *sink, const char *key, unsigned number, const struct content *content, enum elem elem)
{
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar *s = &content->at[i];
                char text[FLOAT_TEXT];
                double value;

                if (scalar_float_value(s, &value)) {
                        char *end = float_put(text, value, elem != ELEM_DOUBLE);

                        message_bytes(&sink->out, number, text, (size_t)(end - text));
                } else {
                        sink_size(sink, key, number, s->d);
                }
        }
}

static void sink_type(SINK *sink, unsigned number, const struct type *type)
{
        const struct kept_type *kept = kept_find(sink->types, type);
        struct message_out *out = &sink->out;
        size_t begin = out->length;

        if (kept) {
                out->length = (size_t)(kept_copy(message_room(out, KEPT_TYPE_BYTES), sink->types, kept) - out->block);
                return;
        }
        message_type(out, number, type);
        kept_add(sink->types, type, out->block + begin, out->length - begin);
}

static void sink_declared(SINK *sink, const char *key, unsigned number, const struct declared_shape *declared)
{
        (void)key;
        message_declared(&sink->out, number, declared);
}

static inline void sink_flag(SINK *sink, const char *key, unsigned number)
{
        sink_number(sink, key, number, 1);
}

static inline void sink_list(SINK *sink, const char *key)
{
        (void)sink;
        (void)key;
}

static inline void sink_list_end(SINK *sink)
{
        (void)sink;
}

static inline size_t sink_open(SINK *sink, unsigned number)
{
        return message_open(&sink->out, number);
}

static inline void sink_close(SINK *sink, size_t begin)
{
        message_close(&sink->out, begin);
}

/* A type for each set of sizes, one that says nothing where the value is not there. */
static void sink_bound(SINK *sink, const char *key, unsigned number, const struct type *const *types)
{
        struct dim_table *dims = sink->out.dims;

        (void)key;
        for (size_t i = 0; i < sink->result->n_bound; i++) {
                sink->out.dims = sink->result->bound[i]->dims;
                message_type(&sink->out, number, types[i] ? types[i] : &type_unknown);
        }
        sink->out.dims = dims;
}

static void sink_bindings(SINK *sink, const char *key, unsigned number, const struct ox_bindings *sizes)
{
        (void)key;
        for (size_t i = 0; i < sizes->n_binding; i++) {
                size_t binding = message_open(&sink->out, number);

                message_text(&sink->out, BINDING_NAME, sizes->binding[i].name);
                message_number(&sink->out, BINDING_VALUE, (uint64_t)sizes->binding[i].value);
                message_close(&sink->out, binding);
        }
}

#include "render/fields.h"

/* -- the walk -- */

static void put_model(void *sink_, const struct result_model *model)
{
        struct proto_sink *sink = sink_;
        size_t begin = message_open(&sink->out, MODEL_ANSWER_MODEL);

        fields_model(sink, model);
        message_close(&sink->out, begin);
}

static size_t open_item(struct proto_sink *sink, enum result_list list)
{
        const struct list_field *field = &list_fields[list];

        return message_open(&sink->out, sink->is_model ? field->model_number : field->node_number);
}

static void close_item(struct proto_sink *sink, size_t begin)
{
        message_close(&sink->out, begin);
        message_pause(&sink->out);
}

static void put_value(void *sink, const struct result_value *value)
{
        size_t begin = open_item(sink, LIST_VALUES);

        fields_value(sink, value);
        close_item(sink, begin);
}

static void put_symbol(void *sink, const struct ox_symbol *symbol)
{
        size_t begin = open_item(sink, LIST_SYMBOLS);

        fields_symbol(sink, symbol);
        close_item(sink, begin);
}

static void put_condition(void *sink, enum result_list list, const struct ox_constraint *condition)
{
        size_t begin = open_item(sink, list);

        fields_condition(sink, condition);
        close_item(sink, begin);
}

static void put_diagnostic(void *sink, const struct ox_diag *diagnostic)
{
        size_t begin = open_item(sink, LIST_DIAGNOSTICS);

        fields_diagnostic(sink, diagnostic);
        close_item(sink, begin);
}

/* Its diagnostics have the number that they have in a node's answer. */
static void put_bound(void *sink_, const struct ox_bindings *sizes, const struct ox_result *bound)
{
        static const struct visitor faults = {.diagnostic = put_diagnostic};
        struct proto_sink *sink = sink_;
        size_t begin = open_item(sink, LIST_BINDINGS);

        fields_bound(sink, sizes, bound);
        sink->is_model = false;
        visit_diagnostics(bound->diags, &faults, sink);
        sink->is_model = true;
        close_item(sink, begin);
}

static void put_explanation(void *sink, const struct result_explanation *explanation)
{
        size_t begin = open_item(sink, LIST_EXPLANATIONS);

        fields_explanation(sink, explanation);
        close_item(sink, begin);
}

static void put_size(void *sink, const struct ox_size *size)
{
        size_t begin = open_item(sink, LIST_SIZES);

        fields_size(sink, size);
        close_item(sink, begin);
}

static void put_summary(void *sink_, const struct ox_summary *summary, const struct ox_result *result)
{
        struct proto_sink *sink = sink_;
        size_t begin = message_open(&sink->out, MODEL_ANSWER_SUMMARY);

        fields_summary(sink, summary);
        fields_causes(sink, result->cause, result->n_cause);
        message_close(&sink->out, begin);
}

static const struct visitor visitor = {
        .model = put_model,
        .value = put_value,
        .symbol = put_symbol,
        .condition = put_condition,
        .diagnostic = put_diagnostic,
        .explanation = put_explanation,
        .size = put_size,
        .bound = put_bound,
        .summary = put_summary,
};

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
        struct proto_sink sink = {.result = result, .is_model = result->is_model, .types = kept_types_new(arena)};
        size_t begin[MESSAGE_PATH_MOST];

        message_begin(&sink.out, arena, result->dims, write, user);
        open_path(&sink.out, around, begin);
        visit_result(result, &visitor, &sink);
        close_path(&sink.out, around, begin);
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

static void put_diagnostic_details(struct proto_sink *sink, const struct diags *diags)
{
        for (size_t i = 0; i < diags->count && i < DETAILS_MOST; i++) {
                size_t begin = open_detail(&sink->out, "type.googleapis.com/shaped.v1.Diagnostic");
                size_t value = message_open(&sink->out, ANY_VALUE);

                fields_diagnostic(sink, &diags->at[i]);
                message_close(&sink->out, value);
                message_close(&sink->out, begin);
        }
}

static void put_status(struct message_out *out, const struct render_error *error)
{
        message_number(out, STATUS_CODE, error->code);
        message_text(out, STATUS_MESSAGE, error->message);
}

static void put_failed_diagnostic(void *sink_, const struct ox_diag *diagnostic)
{
        struct proto_sink *sink = sink_;
        size_t begin = message_open(&sink->out, RESULT_DIAGNOSTICS);

        fields_diagnostic(sink, diagnostic);
        close_item(sink, begin);
}

/* A BatchInferNodesResponse.Result: the error without details, and the diagnostics as they are. */
static void put_failed_result(struct proto_sink *sink, const struct render_error *error, const struct diags *diags)
{
        static const struct visitor failed = {.diagnostic = put_failed_diagnostic};
        size_t begin = message_open(&sink->out, RESULT_ERROR);

        put_status(&sink->out, error);
        message_close(&sink->out, begin);
        if (diags)
                visit_diagnostics(diags, &failed, sink);
}

static void put_status_with_details(struct proto_sink *sink, const struct render_error *error,
                                    const struct diags *diags)
{
        put_status(&sink->out, error);
        if (diags)
                put_error_info(&sink->out, diags);
        if (error->field)
                put_bad_request(&sink->out, error->field, error->message);
        if (diags)
                put_diagnostic_details(sink, diags);
}

void render_error_proto(const struct render_error *error, struct arena *arena, const struct message_path *result_path,
                        ox_write write, void *user)
{
        const struct diags *diags = error->result ? error->result->diags : NULL;
        size_t begin[MESSAGE_PATH_MOST];
        struct proto_sink sink = {.is_model = false};

        message_begin(&sink.out, arena, NULL, write, user);
        open_path(&sink.out, result_path, begin);
        if (result_path)
                put_failed_result(&sink, error, diags);
        else
                put_status_with_details(&sink, error, diags);
        close_path(&sink.out, result_path, begin);
}
