/* The JSON of answers and errors, written straight from the result. */
#include "render/json_out.h"
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
        struct last_type last;
};

#define SINK           struct json_sink
#define SINK_BY_NUMBER 0

/* -- the verbs of render/fields.h -- */

JSON_INLINE void sink_text(SINK *sink, const char *key, unsigned number, const char *text)
{
        (void)number;
        json_put_text(&sink->out, key, text);
}

JSON_INLINE void sink_text_some(SINK *sink, const char *key, unsigned number, const char *text)
{
        (void)number;
        json_put_text_some(&sink->out, key, text);
}

JSON_INLINE void sink_text_filled(SINK *sink, const char *key, unsigned number, const char *text)
{
        sink_text(sink, key, number, text);
}

static inline void sink_texts(SINK *sink, const char *key, unsigned number, const char *const *text, size_t count)
{
        (void)number;
        if (!count)
                return;
        json_key(&sink->out, key);
        json_open(&sink->out, '[');
        for (size_t i = 0; i < count; i++) {
                json_item(&sink->out);
                json_text(&sink->out, text[i]);
        }
        json_close(&sink->out, ']');
}

JSON_INLINE void sink_word(SINK *sink, const char *key, unsigned number, const char *word, unsigned value)
{
        (void)value;
        sink_text(sink, key, number, word);
}

JSON_INLINE void sink_number(SINK *sink, const char *key, unsigned number, uint64_t value)
{
        (void)number;
        json_key(&sink->out, key);
        json_uint(&sink->out, value);
}

JSON_INLINE void sink_number_some(SINK *sink, const char *key, unsigned number, int64_t value)
{
        (void)number;
        json_put_int_some(&sink->out, key, value);
}

static void put_dim_of(SINK *sink, struct dim_table *dims, struct dim d)
{
        if (dim_is_int(d))
                json_int(&sink->out, d.val);
        else
                json_text(&sink->out, dim_text(dims, d));
}

static void put_dim(SINK *sink, struct dim d)
{
        put_dim_of(sink, sink->dims, d);
}

static inline void sink_size(SINK *sink, const char *key, unsigned number, struct dim d)
{
        (void)number;
        json_key(&sink->out, key);
        put_dim(sink, d);
}

static void sink_opsets(SINK *sink, const char *key, unsigned number, const struct result_model *model)
{
        (void)number;
        json_key(&sink->out, key);
        json_open(&sink->out, '{');
        for (size_t i = 0; i < model->n_opset; i++) {
                json_key_any(&sink->out, model->opset[i].domain);
                json_int(&sink->out, model->opset[i].version);
        }
        json_close(&sink->out, '}');
}

static void sink_range_end(SINK *sink, const char *key, unsigned number, const struct ox_bound *bound)
{
        (void)number;
        if (bound->is_number)
                json_put_int(&sink->out, key, bound->number);
        else
                json_put_text_some(&sink->out, key, bound->text);
}

static void sink_content(SINK *sink, const char *key, unsigned number, const struct content *content, enum elem elem)
{
        bool narrow = elem != ELEM_DOUBLE;

        (void)number;
        json_key(&sink->out, key);
        json_open(&sink->out, '[');
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar *s = &content->at[i];
                double value;

                json_item(&sink->out);
                if (scalar_float_value(s, &value))
                        json_float(&sink->out, value, narrow);
                else
                        put_dim(sink, s->d);
        }
        json_close(&sink->out, ']');
}

static void put_type_name(SINK *sink, const struct type *type)
{
        bool is_tensor = type->kind == TYPE_TENSOR && type->elem != ELEM_UNDEFINED;
        struct type_name *name = &sink->name;

        if (!is_tensor || type->elem != name->elem) {
                name->buf.length = 0;
                name->text = type_print(type, &name->buf) ? buf_text(&name->buf) : "";
                name->elem = is_tensor ? type->elem : ELEM_UNDEFINED;
        }
        json_put_text_some(&sink->out, "type", name->text);
}

/* The members that tell a type: its name, its shape, and what its elements are, level by level. */
static void put_type(SINK *sink, const struct type *type)
{
        struct json_out *out = &sink->out;
        int levels = 0;

        for (;; type = type->of, levels++) {
                put_type_name(sink, type);
                if ((type->kind != TYPE_SEQUENCE && type->kind != TYPE_OPTIONAL) || type->of->kind == TYPE_UNKNOWN)
                        break;
                json_key(out, "element");
                json_open(out, '{');
        }
        if (type_has_shape(type)) {
                json_key(out, "shape");
                json_open(out, '[');
                for (int d = 0; d < type->rank; d++) {
                        json_item(out);
                        put_dim(sink, type->dim[d]);
                }
                json_close(out, ']');
        }
        while (levels-- > 0)
                json_close(out, '}');
}

static void sink_type(SINK *sink, unsigned number, const struct type *type)
{
        size_t mark = json_mark(&sink->out), length;
        const char *text;

        (void)number;
        if (last_type_is(&sink->last, type)) {
                json_again(&sink->out, sink->last.text, sink->last.length);
                return;
        }
        put_type(sink, type);
        text = json_since(&sink->out, mark, &length);
        if (text)
                last_type_keep(&sink->last, type, text, length);
}

/* As it is written; what it leaves open is null. */
static void sink_declared(SINK *sink, const char *key, unsigned number, const struct declared_shape *declared)
{
        struct json_out *out = &sink->out;

        (void)number;
        json_key(out, key);
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

static inline void sink_flag(SINK *sink, const char *key, unsigned number)
{
        (void)number;
        json_key(&sink->out, key);
        json_bool(&sink->out, true);
}

static inline void sink_list(SINK *sink, const char *key)
{
        json_key(&sink->out, key);
        json_open(&sink->out, '[');
}

static inline void sink_list_end(SINK *sink)
{
        json_close(&sink->out, ']');
}

static inline size_t sink_open(SINK *sink, unsigned number)
{
        (void)number;
        json_item(&sink->out);
        json_open(&sink->out, '{');
        return 0;
}

static inline void sink_close(SINK *sink, size_t begin)
{
        (void)begin;
        json_close(&sink->out, '}');
}

/* The shapes for each set of sizes, as lists; null where the rank is unknown or the value is not there. */
static void sink_bound(SINK *sink, const char *key, unsigned number, const struct type *const *types)
{
        struct json_out *out = &sink->out;

        (void)number;
        json_key(out, key);
        json_open(out, '[');
        for (size_t i = 0; i < sink->result->n_bound; i++) {
                const struct type *type = types[i] ? type_innermost(types[i]) : NULL;

                json_item(out);
                if (!type || !type_has_shape(type)) {
                        json_null(out);
                        continue;
                }
                json_open(out, '[');
                for (int d = 0; d < type->rank; d++) {
                        json_item(out);
                        put_dim_of(sink, sink->result->bound[i]->dims, type->dim[d]);
                }
                json_close(out, ']');
        }
        json_close(out, ']');
}

static void sink_bindings(SINK *sink, const char *key, unsigned number, const struct ox_bindings *sizes)
{
        struct json_out *out = &sink->out;

        (void)number;
        json_key(out, key);
        json_open(out, '{');
        for (size_t i = 0; i < sizes->n_binding; i++) {
                json_key_any(out, sizes->binding[i].name);
                json_int(out, sizes->binding[i].value);
        }
        json_close(out, '}');
}

#include "render/fields.h"

/* -- the walk -- */

static void put_model(void *sink_, const struct result_model *model)
{
        struct json_sink *sink = sink_;

        json_key(&sink->out, "model");
        json_open(&sink->out, '{');
        fields_model(sink, model);
        json_close(&sink->out, '}');
}

static void open_list(void *sink_, enum result_list list, size_t count)
{
        struct json_sink *sink = sink_;

        (void)count;
        json_key(&sink->out, list_fields[list].key);
        json_open(&sink->out, '[');
}

static void close_list(void *sink_, enum result_list list)
{
        struct json_sink *sink = sink_;

        (void)list;
        json_close(&sink->out, ']');
}

static void put_value(void *sink_, const struct result_value *value)
{
        struct json_sink *sink = sink_;

        json_item(&sink->out);
        json_open(&sink->out, '{');
        fields_value(sink, value);
        json_close(&sink->out, '}');
}

static void put_symbol(void *sink_, const struct ox_symbol *symbol)
{
        struct json_sink *sink = sink_;

        json_item(&sink->out);
        json_open(&sink->out, '{');
        fields_symbol(sink, symbol);
        json_close(&sink->out, '}');
}

static void put_condition(void *sink_, enum result_list list, const struct ox_constraint *condition)
{
        struct json_sink *sink = sink_;

        (void)list;
        json_item(&sink->out);
        json_open(&sink->out, '{');
        fields_condition(sink, condition);
        json_close(&sink->out, '}');
}

static void put_diagnostic(void *sink_, const struct ox_diag *diagnostic)
{
        struct json_sink *sink = sink_;

        json_item(&sink->out);
        json_open(&sink->out, '{');
        fields_diagnostic(sink, diagnostic);
        json_close(&sink->out, '}');
}

/* With the faults that these sizes lead to. */
static void put_bound(void *sink_, const struct ox_bindings *sizes, const struct ox_result *bound)
{
        static const struct visitor faults = {.list = open_list, .diagnostic = put_diagnostic, .list_end = close_list};
        struct json_sink *sink = sink_;

        json_item(&sink->out);
        json_open(&sink->out, '{');
        fields_bound(sink, sizes, bound);
        visit_diagnostics(bound->diags, &faults, sink);
        json_close(&sink->out, '}');
}

static void put_explanation(void *sink_, const struct result_explanation *explanation)
{
        struct json_sink *sink = sink_;

        json_item(&sink->out);
        json_open(&sink->out, '{');
        fields_explanation(sink, explanation);
        json_close(&sink->out, '}');
}

static void put_size(void *sink_, const struct ox_size *size)
{
        struct json_sink *sink = sink_;

        json_item(&sink->out);
        json_open(&sink->out, '{');
        fields_size(sink, size);
        json_close(&sink->out, '}');
}

static void put_summary(void *sink_, const struct ox_summary *summary, const struct ox_result *result)
{
        struct json_sink *sink = sink_;

        json_key(&sink->out, "summary");
        json_open(&sink->out, '{');
        fields_summary(sink, summary);
        fields_causes(sink, result->cause, result->n_cause);
        json_close(&sink->out, '}');
}

static const struct visitor visitor = {
        .model = put_model,
        .list = open_list,
        .value = put_value,
        .symbol = put_symbol,
        .condition = put_condition,
        .diagnostic = put_diagnostic,
        .explanation = put_explanation,
        .size = put_size,
        .bound = put_bound,
        .list_end = close_list,
        .summary = put_summary,
};

void render_json(const struct ox_result *result, struct arena *arena, bool pretty, ox_write write, void *user)
{
        struct json_sink sink = {.result = result, .dims = result->dims, .name = {.elem = ELEM_UNDEFINED}};

        buf_init(&sink.name.buf, arena);
        json_begin(&sink.out, arena_alloc(arena, JSON_BLOCK_BYTES), pretty, write, user);
        json_open(&sink.out, '{');
        visit_result(result, &visitor, &sink);
        json_close(&sink.out, '}');
        json_end(&sink.out);
}

void render_error_json(enum ox_code code, const char *message, const struct ox_result *result, ox_write write,
                       void *user)
{
        static const struct visitor details = {.diagnostic = put_diagnostic};
        char block[JSON_BLOCK_BYTES];
        struct json_sink sink = {.dims = NULL};

        json_begin(&sink.out, block, false, write, user);
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
