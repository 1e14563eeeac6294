/* Writes answers in protobuf (proto/shaped.proto) directly from the result. */
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

/* The types of operators as they were written lately, by the operators' numbers: copied as so many bytes, whatever
   their length, which no branch can foretell. */
#define KEPT_OPS      32
#define KEPT_OP_BYTES 32

struct kept_op {
        const struct model_op *op; /* NULL: nothing is kept */
        size_t length;
        char text[KEPT_OP_BYTES];
};

struct proto_sink {
        struct message_out out;
        const struct ox_result *result;
        struct message_target *target; /* of `out`, whose two words one load would fetch, which would have to wait until
                                          both have left the processor's store buffer */
        bool is_model;                 /* the answer, so that its lists have other numbers */
        struct kept_types *types;      /* NULL: no values are written */
        struct kept_op *ops;           /* KEPT_OPS; NULL as well */
};

/* The fields of one message of it. */
struct proto_fields {
        struct message_out out;
        struct proto_sink *sink;
        size_t room; /* that there is for all short fields to come, so that none has to look for it; 0: each has to. It
                        is a constant where the fields are written. */
};

/* What a value takes up to its type: four texts, two numbers, and what stands around them. */
#define TEXT_ROOM  (MESSAGE_HEAD_MOST + MESSAGE_SHORT)
#define VALUE_ROOM (MESSAGE_OPEN_MOST + 4 * TEXT_ROOM + 2 * MESSAGE_HEAD_MOST + KEPT_TYPE_BYTES)
_Static_assert(VALUE_ROOM <= MESSAGE_ROOM && KEPT_OP_BYTES <= TEXT_ROOM, "there is room for each value");

#define SINK           struct proto_fields
#define SINK_BY_NUMBER 1

/* -- the verbs of render/fields.h -- */

MESSAGE_INLINE void need(SINK *fields, size_t size)
{
        if (!fields->room)
                message_need(&fields->out, size);
}

MESSAGE_INLINE void put_bytes(SINK *fields, unsigned number, const char *bytes, size_t length)
{
        if (__builtin_expect(length > MESSAGE_SHORT, 0)) {
                fields->out = message_long(fields->out, number, bytes, length, fields->room);
                return;
        }
        need(fields, TEXT_ROOM);
        fields->out.at = message_put_short(fields->out.at, number, bytes, length);
}

MESSAGE_INLINE void sink_text(SINK *fields, const char *key, unsigned number, const char *text)
{
        (void)key;
        put_bytes(fields, number, text, strlen(text));
}

MESSAGE_INLINE void sink_name(SINK *fields, const char *key, unsigned number, const char *name, struct text_form form)
{
        (void)key;
        put_bytes(fields, number, name, form.length);
}

MESSAGE_INLINE void sink_name_some(SINK *fields, const char *key, unsigned number, const char *name,
                                   struct text_form form)
{
        if (form.length)
                sink_name(fields, key, number, name, form);
}

MESSAGE_INLINE void sink_id(SINK *fields, const char *key, unsigned number, str_id name)
{
        const struct strings *strings = fields->sink->result->strings;

        sink_name(fields, key, number, str_text(strings, name), str_form(strings, name));
}

/* Not inlined where the messages of values, of which few have what it writes, are the better for it. */
#define APART static __attribute__((noinline))

/* For a value. */
APART struct message_out put_new_op(struct message_out out, struct kept_op *kept, unsigned field,
                                    const struct model_op *op)
{
        size_t length = op->type_form.length;
        char *begin = out.at;

        if (length > MESSAGE_SHORT)
                return message_long(out, field, op->type, length, VALUE_ROOM);
        out.at = message_put_short(begin, field, op->type, length);
        length = (size_t)(out.at - begin);
        if (length <= KEPT_OP_BYTES) {
                *kept = (struct kept_op){.op = op, .length = length};
                memcpy(kept->text, begin, length);
        }
        return out;
}

MESSAGE_INLINE void sink_op(SINK *fields, const char *key, unsigned number, const struct model_op *op)
{
        struct kept_op *kept = &fields->sink->ops[op->number % KEPT_OPS];

        (void)key;
        if (kept->op != op) {
                fields->out = put_new_op(fields->out, kept, number, op);
                return;
        }
        need(fields, KEPT_OP_BYTES);
        memcpy(fields->out.at, kept->text, KEPT_OP_BYTES);
        fields->out.at += kept->length;
}

MESSAGE_INLINE void sink_text_some(SINK *fields, const char *key, unsigned number, const char *text)
{
        if (text[0])
                sink_text(fields, key, number, text);
}

MESSAGE_INLINE void sink_text_filled(SINK *fields, const char *key, unsigned number, const char *text)
{
        sink_text_some(fields, key, number, text);
}

MESSAGE_INLINE void sink_texts(SINK *fields, const char *key, unsigned number, const char *const *text, size_t count)
{
        for (size_t i = 0; i < count; i++)
                sink_text(fields, key, number, text[i]);
}

MESSAGE_INLINE void sink_number(SINK *fields, const char *key, unsigned number, uint64_t value)
{
        (void)key;
        need(fields, MESSAGE_HEAD_MOST);
        fields->out.at = message_put_number(fields->out.at, number, value);
}

MESSAGE_INLINE void sink_number_some(SINK *fields, const char *key, unsigned number, int64_t value)
{
        if (value != -1)
                sink_number(fields, key, number, (uint64_t)value);
}

MESSAGE_INLINE void sink_word(SINK *fields, const char *key, unsigned number, struct word word, unsigned value)
{
        (void)word;
        sink_number(fields, key, number, value);
}

/* A number or an expression, by its handle alone: a dimension that was just put together in memory could not be loaded
   as a whole before it has left the processor's store buffer. */
MESSAGE_INLINE void put_dim(struct message_out *out, unsigned field, struct dim d)
{
        if (dim_is_int(d))
                message_number_text(out, field, d.val);
        else
                message_text(out, field, dim_text(out->target->dims, (struct dim){.expr = d.expr}));
}

APART struct message_out put_dim_apart(struct message_out out, unsigned field, struct dim d)
{
        put_dim(&out, field, d);
        return out;
}

MESSAGE_INLINE void sink_size(SINK *fields, const char *key, unsigned number, struct dim d)
{
        (void)key;
        fields->out = put_dim_apart(fields->out, number, d);
}

MESSAGE_INLINE void sink_opsets(SINK *fields, const char *key, unsigned number, const struct result_model *model)
{
        (void)key;
        for (size_t i = 0; i < model->n_opset; i++) {
                size_t opset = message_open(&fields->out, number);

                message_text(&fields->out, OPSET_DOMAIN, model->opset[i].domain);
                message_number(&fields->out, OPSET_VERSION, (uint64_t)model->opset[i].version);
                message_close(&fields->out, opset);
        }
}

MESSAGE_INLINE void sink_range_end(SINK *fields, const char *key, unsigned number, const struct ox_bound *bound)
{
        sink_text_some(fields, key, number, bound->text);
}

APART struct message_out put_content(struct message_out out, unsigned field, const struct content *content, bool narrow)
{
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar s = content_at(content, i);
                double value;

                if (scalar_float_value(&s, &value))
                        message_float_text(&out, field, value, narrow);
                else
                        put_dim(&out, field, s.d);
        }
        return out;
}

MESSAGE_INLINE void sink_content(SINK *fields, const char *key, unsigned number, const struct content *content,
                                 enum elem elem)
{
        (void)key;
        fields->out = put_content(fields->out, number, content, elem != ELEM_DOUBLE);
}

MESSAGE_INLINE void sink_type(SINK *fields, unsigned number, const struct type *type)
{
        const struct kept_type *kept = kept_find(fields->sink->types, type);

        if (!kept) {
                fields->out = message_type_new(fields->out, fields->sink->types, number, type);
                return;
        }
        need(fields, KEPT_TYPE_BYTES);
        fields->out.at = kept_copy(fields->out.at, kept);
}

APART struct message_out put_declared(struct message_out out, unsigned field, const struct declared_shape *declared)
{
        message_declared(&out, field, declared);
        return out;
}

MESSAGE_INLINE void sink_declared(SINK *fields, const char *key, unsigned number, const struct declared_shape *declared)
{
        (void)key;
        fields->out = put_declared(fields->out, number, declared);
}

MESSAGE_INLINE void sink_flag(SINK *fields, const char *key, unsigned number)
{
        sink_number(fields, key, number, 1);
}

MESSAGE_INLINE void sink_list(SINK *fields, const char *key)
{
        (void)fields;
        (void)key;
}

MESSAGE_INLINE void sink_list_end(SINK *fields)
{
        (void)fields;
}

MESSAGE_INLINE size_t sink_open(SINK *fields, unsigned number)
{
        return message_open(&fields->out, number);
}

MESSAGE_INLINE void sink_close(SINK *fields, size_t begin)
{
        message_close(&fields->out, begin);
}

/* A type for each set of sizes, one that says nothing where the value is not there. */
APART struct message_out put_bound_types(struct message_out out, unsigned field, const struct ox_result *result,
                                         const struct type *const *types)
{
        for (size_t i = 0; i < result->n_bound; i++) {
                out.target->dims = result->bound[i]->dims;
                message_type(&out, field, types[i] ? types[i] : &type_unknown);
        }
        out.target->dims = result->dims;
        return out;
}

MESSAGE_INLINE void sink_bound(SINK *fields, const char *key, unsigned number, const struct type *const *types)
{
        (void)key;
        fields->out = put_bound_types(fields->out, number, fields->sink->result, types);
}

MESSAGE_INLINE void sink_bindings(SINK *fields, const char *key, unsigned number, const struct ox_bindings *sizes)
{
        (void)key;
        for (size_t i = 0; i < sizes->n_binding; i++) {
                size_t binding = message_open(&fields->out, number);

                message_text(&fields->out, BINDING_NAME, sizes->binding[i].name);
                message_number(&fields->out, BINDING_VALUE, (uint64_t)sizes->binding[i].value);
                message_close(&fields->out, binding);
        }
}

#include "render/fields.h"

/* -- the walk -- */

MESSAGE_INLINE struct proto_fields begin_fields(void *sink_)
{
        struct proto_sink *sink = sink_;

        return (struct proto_fields){{sink->out.at, sink->target}, sink, 0};
}

MESSAGE_INLINE unsigned list_number(const struct proto_sink *sink, enum result_list list)
{
        const struct list_field *field = &list_fields[list];

        return sink->is_model ? field->model_number : field->node_number;
}

/* After the message that began at `begin`. */
MESSAGE_INLINE void end_fields(struct proto_fields *fields, size_t begin)
{
        message_close(&fields->out, begin);
        fields->sink->out.at = fields->out.at;
        message_pause(&fields->sink->out);
}

static void put_model(void *sink, const struct result_model *model)
{
        struct proto_fields fields = begin_fields(sink);
        size_t begin = message_open(&fields.out, MODEL_ANSWER_MODEL);

        fields_model(&fields, model);
        end_fields(&fields, begin);
}

/* What writes an item of a list: `fields_` of render/fields.h, as a message of the answer. */
#define PUT_ITEM(part, of, list)                                                                                       \
        static void put_##part(void *sink, const of *item)                                                             \
        {                                                                                                              \
                struct proto_fields fields = begin_fields(sink);                                                       \
                size_t begin = message_open(&fields.out, list_number(sink, list));                                     \
                                                                                                                       \
                fields_##part(&fields, item);                                                                          \
                end_fields(&fields, begin);                                                                            \
        }

/* Their fields rely on the room that there is between two values, but those behind the type. */
static void put_values(void *sink_, const struct result_value *value, size_t count)
{
        struct proto_sink *sink = sink_;
        struct proto_fields fields = begin_fields(sink);
        const unsigned number = list_number(sink, LIST_VALUES);

        fields.room = VALUE_ROOM;
        for (size_t i = 0; i < count; i++) {
                visit_ahead(value, i, count);
                fields.out.at = message_put_open(fields.out.at, number);
                const size_t begin = (size_t)(fields.out.at - fields.out.target->block);

                fields_value(&fields, &value[i]);
                message_close(&fields.out, begin);
                message_pause(&fields.out);
        }
        sink->out.at = fields.out.at;
}

PUT_ITEM(symbol, struct ox_symbol, LIST_SYMBOLS)
PUT_ITEM(dynamic_size, struct ox_dynamic_size, LIST_DYNAMIC_SIZES)
PUT_ITEM(explanation, struct result_explanation, LIST_EXPLANATIONS)
PUT_ITEM(graph_node, struct ox_graph_node, LIST_NODES)
PUT_ITEM(size, struct ox_size, LIST_SIZES)
PUT_ITEM(tied_sizes, struct ox_tied_sizes, LIST_TIED_SIZES)

static void put_condition(void *sink, enum result_list list, const struct ox_constraint *condition)
{
        struct proto_fields fields = begin_fields(sink);
        size_t begin = message_open(&fields.out, list_number(sink, list));

        fields_condition(&fields, condition);
        end_fields(&fields, begin);
}

/* A diagnostic as the message of a field. */
static void put_diagnostic_as(struct proto_sink *sink, unsigned field, const struct ox_diag *diagnostic)
{
        struct proto_fields fields = begin_fields(sink);
        size_t begin = message_open(&fields.out, field);

        fields_diagnostic(&fields, diagnostic);
        message_close(&fields.out, begin);
        sink->out.at = fields.out.at;
}

static void put_diagnostic(void *sink_, const struct ox_diag *diagnostic)
{
        struct proto_sink *sink = sink_;

        put_diagnostic_as(sink, list_number(sink, LIST_DIAGNOSTICS), diagnostic);
        message_pause(&sink->out);
}

/* A diagnostic within a message that is open. */
static void put_inner_diagnostic(void *sink, const struct ox_diag *diagnostic)
{
        put_diagnostic_as(sink, list_fields[LIST_DIAGNOSTICS].node_number, diagnostic);
}

/* Its diagnostics have the number that they have in a node's answer. */
static void put_bound(void *sink_, const struct ox_bindings *sizes, const struct ox_result *bound)
{
        static const struct visitor faults = {.diagnostic = put_inner_diagnostic};
        struct proto_sink *sink = sink_;
        struct proto_fields fields = begin_fields(sink);
        size_t begin = message_open(&fields.out, list_number(sink, LIST_BINDINGS));

        fields_bound(&fields, sizes, bound);
        sink->out.at = fields.out.at;
        visit_diagnostics(bound->diags, &faults, sink);
        fields.out.at = sink->out.at;
        end_fields(&fields, begin);
}

static void put_summary(void *sink, const struct ox_summary *summary, const struct ox_result *result)
{
        struct proto_fields fields = begin_fields(sink);
        size_t begin = message_open(&fields.out, MODEL_ANSWER_SUMMARY);

        fields_summary(&fields, summary);
        fields_causes(&fields, result->cause, result->n_cause);
        fields_unknown_operators(&fields, result->unknown, result->n_unknown);
        end_fields(&fields, begin);
}

static const struct visitor visitor = {
        .model = put_model,
        .values = put_values,
        .symbol = put_symbol,
        .condition = put_condition,
        .diagnostic = put_diagnostic,
        .explanation = put_explanation,
        .node = put_graph_node,
        .size = put_size,
        .tied = put_tied_sizes,
        .bound = put_bound,
        .dynamic_size = put_dynamic_size,
        .summary = put_summary,
};

static void open_path(struct message_out *out, const struct message_path *around, size_t begin[MESSAGE_PATH_MOST])
{
        out->target->is_inner = around && around->count > 0;
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
        struct kept_op ops[KEPT_OPS];
        struct proto_sink sink = {
                .result = result, .is_model = result->is_model, .types = kept_types_new(arena), .ops = ops};
        size_t begin[MESSAGE_PATH_MOST];

        for (size_t i = 0; i < KEPT_OPS; i++)
                ops[i].op = NULL;
        message_begin(&sink.out, arena, result->dims, write, user);
        sink.target = sink.out.target;
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

/* Details are sent in a trailer, for which clients allow only some KiB. */
#define DETAILS_MOST 8

static void put_diagnostic_details(struct proto_sink *sink, const struct diags *diags)
{
        for (size_t i = 0; i < diags->count && i < DETAILS_MOST; i++) {
                size_t begin = open_detail(&sink->out, "type.googleapis.com/shaped.v1.Diagnostic");

                put_diagnostic_as(sink, ANY_VALUE, &diags->at[i]);
                message_close(&sink->out, begin);
        }
}

static void put_status(struct message_out *out, const struct render_error *error)
{
        message_number(out, STATUS_CODE, error->code);
        message_text(out, STATUS_MESSAGE, error->message);
}

static void put_failed_diagnostic(void *sink, const struct ox_diag *diagnostic)
{
        put_diagnostic_as(sink, RESULT_DIAGNOSTICS, diagnostic);
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
        sink.target = sink.out.target;
        open_path(&sink.out, result_path, begin);
        if (result_path)
                put_failed_result(&sink, error, diags);
        else
                put_status_with_details(&sink, error, diags);
        close_path(&sink.out, result_path, begin);
}
