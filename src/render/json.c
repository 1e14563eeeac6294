/* Writes the JSON of answers and errors directly from the result. */
#include "render/json_out.h"
#include "render/json_pretty.h"
#include "render/values.h"
#include "render/visit.h"

/* The name of a type: mostly that of the value before. */
struct type_name {
        struct buf buf;
        const char *text;
        enum elem elem; /* of the tensor that `text` names */
};

struct json_sink {
        struct json_out out;
        const struct ox_result *result;
        struct dim_table *dims;
        struct type_name name;
        struct kept_types *types; /* NULL: no values are written */
};

/* A record of it. */
struct json_fields {
        struct json_record record;
        struct json_sink *sink;
};

#define SINK           struct json_fields
#define SINK_BY_NUMBER 0

/* -- the verbs of render/fields.h -- */

JSON_INLINE void sink_text(SINK *fields, const char *key, unsigned number, const char *text)
{
        (void)number;
        json_record_text(&fields->record, key, text);
}

JSON_INLINE void sink_name(SINK *fields, const char *key, unsigned number, const char *name, struct text_form form)
{
        (void)number;
        json_record_name(&fields->record, key, name, form);
}

JSON_INLINE void sink_name_some(SINK *fields, const char *key, unsigned number, const char *name, struct text_form form)
{
        if (form.length)
                sink_name(fields, key, number, name, form);
}

JSON_INLINE void sink_id(SINK *fields, const char *key, unsigned number, str_id name)
{
        const struct strings *strings = fields->sink->result->strings;

        sink_name(fields, key, number, str_text(strings, name), str_form(strings, name));
}

JSON_INLINE void sink_op(SINK *fields, const char *key, unsigned number, const struct model_op *op)
{
        sink_name(fields, key, number, op->type, op->type_form);
}

JSON_INLINE void sink_text_some(SINK *fields, const char *key, unsigned number, const char *text)
{
        if (text[0])
                sink_text(fields, key, number, text);
}

JSON_INLINE void sink_text_filled(SINK *fields, const char *key, unsigned number, const char *text)
{
        sink_text(fields, key, number, text);
}

JSON_INLINE void sink_word(SINK *fields, const char *key, unsigned number, struct word word, unsigned value)
{
        (void)number;
        (void)value;
        json_record_name(&fields->record, key, word.text, (struct text_form){word.length & INT32_MAX, true});
}

JSON_INLINE void sink_number(SINK *fields, const char *key, unsigned number, uint64_t value)
{
        (void)number;
        json_record_number(&fields->record, key, value);
}

JSON_INLINE void sink_number_some(SINK *fields, const char *key, unsigned number, int64_t value)
{
        if (value != -1)
                sink_number(fields, key, number, (uint64_t)value);
}

/* What follows writes by the functions of json_out.h. */
JSON_INLINE struct json_out *begin_member(SINK *fields, const char *key)
{
        json_need(&fields->record, JSON_PIECE);
        json_record_key(&fields->record, key);
        return json_settle(&fields->record);
}

static void put_texts(struct json_out *out, const char *const *text, size_t count)
{
        json_open(out, '[');
        for (size_t i = 0; i < count; i++) {
                json_item(out);
                json_text(out, text[i]);
        }
        json_close(out, ']');
}

JSON_INLINE void sink_texts(SINK *fields, const char *key, unsigned number, const char *const *text, size_t count)
{
        (void)number;
        if (!count)
                return;
        put_texts(begin_member(fields, key), text, count);
        json_resume(&fields->record);
}

JSON_INLINE void record_dim(struct json_record *record, struct dim_table *dims, struct dim d)
{
        const char *text;

        if (dim_is_int(d)) {
                record->at = number_put(record->at, d.val);
                return;
        }
        text = dim_text(dims, d);
        record->at = json_put_string(record->out, record->at, text, strlen(text));
}

static void put_dim(struct json_out *out, struct dim_table *dims, struct dim d)
{
        struct json_record record = json_record(out);

        json_need(&record, JSON_PIECE);
        record_dim(&record, dims, d);
        json_settle(&record);
}

static void put_dims(struct json_out *out, struct dim_table *dims, const struct type *type)
{
        struct json_record record = json_record(out);

        json_record_list(&record);
        for (int d = 0; d < type->rank; d++) {
                json_record_item(&record);
                record_dim(&record, dims, type->dim[d]);
        }
        json_record_list_end(&record);
        json_settle(&record);
}

JSON_INLINE void sink_size(SINK *fields, const char *key, unsigned number, struct dim d)
{
        (void)number;
        put_dim(begin_member(fields, key), fields->sink->dims, d);
        json_resume(&fields->record);
}

static void put_opsets(struct json_out *out, const struct result_model *model)
{
        json_open(out, '{');
        for (size_t i = 0; i < model->n_opset; i++) {
                json_key(out, model->opset[i].domain);
                json_int(out, model->opset[i].version);
        }
        json_close(out, '}');
}

JSON_INLINE void sink_opsets(SINK *fields, const char *key, unsigned number, const struct result_model *model)
{
        (void)number;
        put_opsets(begin_member(fields, key), model);
        json_resume(&fields->record);
}

JSON_INLINE void sink_range_end(SINK *fields, const char *key, unsigned number, const struct ox_bound *bound)
{
        if (!bound->is_number) {
                sink_text_some(fields, key, number, bound->text);
                return;
        }
        json_int(begin_member(fields, key), bound->number);
        json_resume(&fields->record);
}

static void put_content(struct json_sink *sink, const struct content *content, bool narrow)
{
        struct json_record record = json_record(&sink->out);

        json_record_list(&record);
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar s = content_at(content, i);
                double value;

                json_record_item(&record);
                if (scalar_float_value(&s, &value))
                        record.at = json_put_float(record.at, value, narrow);
                else
                        record_dim(&record, sink->dims, s.d);
        }
        json_record_list_end(&record);
        json_settle(&record);
}

JSON_INLINE void sink_content(SINK *fields, const char *key, unsigned number, const struct content *content,
                              enum elem elem)
{
        (void)number;
        begin_member(fields, key);
        put_content(fields->sink, content, elem != ELEM_DOUBLE);
        json_resume(&fields->record);
}

static const char *type_name(struct json_sink *sink, const struct type *type)
{
        bool is_tensor = type->kind == TYPE_TENSOR && type->elem != ELEM_UNDEFINED;
        struct type_name *name = &sink->name;

        if (!is_tensor || type->elem != name->elem) {
                name->buf.length = 0;
                name->text = type_print(type, &name->buf) ? buf_text(&name->buf) : "";
                name->elem = is_tensor ? type->elem : ELEM_UNDEFINED;
        }
        return name->text;
}

/* The members that tell a type: its name, its shape, and what its elements are, level by level. */
static void put_type(struct json_sink *sink, const struct type *type)
{
        struct json_fields fields = {json_record(&sink->out), sink};
        int levels = 0;

        for (;; type = type->of, levels++) {
                sink_text_some(&fields, "type", 0, type_name(sink, type));
                if ((type->kind != TYPE_SEQUENCE && type->kind != TYPE_OPTIONAL) || type->of->kind == TYPE_UNKNOWN)
                        break;
                json_open(begin_member(&fields, "element"), '{');
                json_resume(&fields.record);
        }
        if (type_has_shape(type)) {
                put_dims(begin_member(&fields, "shape"), sink->dims, type);
                json_resume(&fields.record);
        }
        json_settle(&fields.record);
        while (levels-- > 0)
                json_close(&sink->out, '}');
}

/* The type follows other members. */
static void put_new_type(struct json_sink *sink, const struct type *type)
{
        size_t begin = (size_t)(sink->out.at - sink->out.block), flushed = sink->out.flushed;

        put_type(sink, type);
        if (sink->out.flushed == flushed)
                kept_add(sink->types, type, sink->out.block + begin, (size_t)(sink->out.at - sink->out.block) - begin);
}

JSON_INLINE void sink_type(SINK *fields, unsigned number, const struct type *type)
{
        const struct kept_type *kept = kept_find(fields->sink->types, type);

        (void)number;
        if (kept) {
                json_need(&fields->record, KEPT_TYPE_BYTES);
                fields->record.at = kept_copy(fields->record.at, kept);
                return;
        }
        json_settle(&fields->record);
        put_new_type(fields->sink, type);
        json_resume(&fields->record);
}

/* The declared shape as written; an open size is null. */
static void put_declared(struct json_out *out, const struct declared_shape *declared)
{
        json_open(out, '[');
        for (int d = 0; d < declared->rank; d++) {
                const struct declared_dim *dim = &declared->dim[d];

                json_item(out);
                if (dim->name)
                        json_text(out, dim->name);
                else if (dim_is(dim->size, -1))
                        json_null(out);
                else
                        json_int(out, dim->size.val);
        }
        json_close(out, ']');
}

JSON_INLINE void sink_declared(SINK *fields, const char *key, unsigned number, const struct declared_shape *declared)
{
        (void)number;
        put_declared(begin_member(fields, key), declared);
        json_resume(&fields->record);
}

JSON_INLINE void sink_flag(SINK *fields, const char *key, unsigned number)
{
        (void)number;
        json_bool(begin_member(fields, key), true);
        json_resume(&fields->record);
}

JSON_INLINE void sink_list(SINK *fields, const char *key)
{
        json_open(begin_member(fields, key), '[');
        json_resume(&fields->record);
}

JSON_INLINE void sink_list_end(SINK *fields)
{
        json_close(json_settle(&fields->record), ']');
        json_resume(&fields->record);
}

JSON_INLINE size_t sink_open(SINK *fields, unsigned number)
{
        (void)number;
        json_record_open(&fields->record);
        return 0;
}

JSON_INLINE void sink_close(SINK *fields, size_t begin)
{
        (void)begin;
        json_record_close(&fields->record);
}

/* The shapes for each set of sizes, as lists; null if the rank is unknown or the value is missing. */
static void put_shapes(struct json_sink *sink, const struct type *const *types)
{
        struct json_out *out = &sink->out;

        json_open(out, '[');
        for (size_t i = 0; i < sink->result->n_bound; i++) {
                const struct type *type = types[i] ? type_innermost(types[i]) : NULL;

                json_item(out);
                if (type && type_has_shape(type))
                        put_dims(out, sink->result->bound[i]->dims, type);
                else
                        json_null(out);
        }
        json_close(out, ']');
}

JSON_INLINE void sink_bound(SINK *fields, const char *key, unsigned number, const struct type *const *types)
{
        (void)number;
        begin_member(fields, key);
        put_shapes(fields->sink, types);
        json_resume(&fields->record);
}

static void put_bindings(struct json_out *out, const struct ox_bindings *sizes)
{
        json_open(out, '{');
        for (size_t i = 0; i < sizes->n_binding; i++)
                json_put_int(out, sizes->binding[i].name, sizes->binding[i].value);
        json_close(out, '}');
}

JSON_INLINE void sink_bindings(SINK *fields, const char *key, unsigned number, const struct ox_bindings *sizes)
{
        (void)number;
        put_bindings(begin_member(fields, key), sizes);
        json_resume(&fields->record);
}

#include "render/fields.h"

/* -- the walk -- */

JSON_INLINE struct json_fields begin_record(void *sink_)
{
        struct json_sink *sink = sink_;

        return (struct json_fields){json_record(&sink->out), sink};
}

/* An item of the list that is open. */
JSON_INLINE struct json_fields open_record(void *sink)
{
        struct json_fields fields = begin_record(sink);

        json_record_open(&fields.record);
        return fields;
}

JSON_INLINE void close_record(struct json_fields *fields)
{
        json_record_close(&fields->record);
        json_settle(&fields->record);
}

static void open_list(void *sink_, enum result_list list, size_t count)
{
        struct json_sink *sink = sink_;
        struct json_record record = json_record(&sink->out);

        (void)count;
        json_need(&record, JSON_PIECE);
        json_record_key(&record, list_fields[list].key);
        json_record_list(&record);
        json_settle(&record);
}

static void close_list(void *sink_, enum result_list list)
{
        struct json_sink *sink = sink_;

        (void)list;
        json_close(&sink->out, ']');
}

static void open_object(struct json_sink *sink, const char *key)
{
        json_key(&sink->out, key);
        json_open(&sink->out, '{');
}

static void put_model(void *sink, const struct result_model *model)
{
        open_object(sink, "model");
        struct json_fields fields = begin_record(sink);

        fields_model(&fields, model);
        close_record(&fields);
}

/* What writes an item of a list: `fields_` of render/fields.h, as an object. */
#define PUT_ITEM(part, of)                                                                                             \
        static void put_##part(void *sink, const of *item)                                                             \
        {                                                                                                              \
                struct json_fields fields = open_record(sink);                                                         \
                                                                                                                       \
                fields_##part(&fields, item);                                                                          \
                close_record(&fields);                                                                                 \
        }

static void put_values(void *sink, const struct result_value *value, size_t count)
{
        struct json_fields fields = begin_record(sink);

        for (size_t i = 0; i < count; i++) {
                visit_ahead(value, i, count);
                json_record_open(&fields.record);
                fields_value(&fields, &value[i]);
                json_record_close(&fields.record);
        }
        json_settle(&fields.record);
}

PUT_ITEM(symbol, struct ox_symbol)
PUT_ITEM(dynamic_size, struct ox_dynamic_size)
PUT_ITEM(diagnostic, struct ox_diag)
PUT_ITEM(explanation, struct result_explanation)
PUT_ITEM(graph_node, struct ox_graph_node)
PUT_ITEM(size, struct ox_size)
PUT_ITEM(tied_sizes, struct ox_tied_sizes)

static void put_condition(void *sink, enum result_list list, const struct ox_constraint *condition)
{
        struct json_fields fields = open_record(sink);

        (void)list;
        fields_condition(&fields, condition);
        close_record(&fields);
}

/* The sets of sizes, with the faults that they cause. */
static void put_bound(void *sink, const struct ox_bindings *sizes, const struct ox_result *bound)
{
        static const struct visitor faults = {.list = open_list, .diagnostic = put_diagnostic, .list_end = close_list};
        struct json_fields fields = open_record(sink);

        fields_bound(&fields, sizes, bound);
        json_settle(&fields.record);
        visit_diagnostics(bound->diags, &faults, sink);
        json_resume(&fields.record);
        close_record(&fields);
}

static void put_summary(void *sink, const struct ox_summary *summary, const struct ox_result *result)
{
        open_object(sink, "summary");
        struct json_fields fields = begin_record(sink);

        fields_summary(&fields, summary);
        fields_causes(&fields, result->cause, result->n_cause);
        fields_unknown_operators(&fields, result->unknown, result->n_unknown);
        close_record(&fields);
}

static const struct visitor visitor = {
        .model = put_model,
        .list = open_list,
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
        .list_end = close_list,
        .summary = put_summary,
};

static void put_result(const struct ox_result *result, struct arena *arena, const struct json_out *out)
{
        struct json_sink sink = {
                .out = *out,
                .result = result,
                .dims = result->dims,
                .name = {.elem = ELEM_UNDEFINED},
                .types = kept_types_new(arena),
        };

        buf_init(&sink.name.buf, arena);
        json_open(&sink.out, '{');
        visit_result(result, &visitor, &sink);
        json_close(&sink.out, '}');
        json_end(&sink.out);
}

void render_json(const struct ox_result *result, struct arena *arena, bool is_pretty, ox_write write, void *user)
{
        char *block = arena_alloc(arena, JSON_BLOCK_BYTES);
        struct json_pretty *pretty;
        struct json_out out;

        if (!is_pretty) {
                json_begin(&out, block, write, user);
                put_result(result, arena, &out);
                return;
        }
        pretty = arena_new_array(arena, struct json_pretty, 1);
        json_pretty_begin(pretty, write, user);
        json_begin(&out, block, json_pretty_write, pretty);
        put_result(result, arena, &out);
        json_pretty_end(pretty);
}

void render_json_in(const struct ox_result *result, struct arena *arena, ox_room room, void *user)
{
        struct json_out out;

        json_begin_in(&out, room, user);
        put_result(result, arena, &out);
}

void render_error_json(enum ox_code code, const char *message, const struct ox_result *result, ox_write write,
                       void *user)
{
        static const struct visitor details = {.diagnostic = put_diagnostic};
        char block[JSON_BLOCK_BYTES];
        struct json_sink sink = {.dims = NULL};

        json_begin(&sink.out, block, write, user);
        json_open(&sink.out, '{');
        json_put_text(&sink.out, "code", ox_code_name(code));
        json_put_text(&sink.out, "message", message);
        json_key(&sink.out, "details");
        json_open(&sink.out, '[');
        if (result)
                visit_diagnostics(result->diags, &details, &sink);
        json_close(&sink.out, ']');
        json_close(&sink.out, '}');
        json_end(&sink.out);
}
