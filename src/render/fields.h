/* What the parts of an answer consist of, field by field: the names that JSON gives them and the numbers of
   proto/shaped.proto. A new field is a line here, and its line in shaped.proto.

   To be included once by each writer that tells all fields, after it has defined SINK, its own type, SINK_BY_NUMBER (1:
   fields must come in the order of their numbers) and, as static inline functions so that names and numbers are
   constants in them, the verbs

     sink_text            a text
     sink_name            the same where its form is known
     sink_name_some       the same, left out where it is empty
     sink_id              the same of a name of the result
     sink_op              the same of an operator's type
     sink_text_some       a text that is left out where it is empty
     sink_text_filled     a text that JSON always has, and a message has where it is not empty
     sink_texts           a list of texts, left out where it has none
     sink_word            one of a list of words, which is a number in a message
     sink_number          a number >= 0
     sink_number_some     a number that is left out where it is -1
     sink_flag            true
     sink_size            a dimension
     sink_open, sink_close
                          around the fields of one item of a list within a part, whose key and number they take;
                          sink_list, sink_list_end around all of them
     sink_opsets, sink_type, sink_declared, sink_content, sink_bound, sink_bindings
                          what each form spells in its own way
 */
#pragma once

#include "render/values.h"
#include "render/visit.h"

/* Where the lists of an answer stand. */
static const struct list_field {
        const char *key;
        unsigned node_number, model_number; /* in InferNodeResponse and in InferModelResponse */
} list_fields[LIST_COUNT] = {
        [LIST_VALUES] = {"values", 1, 2},
        [LIST_SYMBOLS] = {"symbols", 2, 3},
        [LIST_CONSTRAINTS] = {"constraints", 3, 4},
        [LIST_ASSUMPTIONS] = {"assumptions", 0, 7},
        [LIST_DIAGNOSTICS] = {"diagnostics", 4, 5},
        [LIST_EXPLANATIONS] = {"explanations", 0, 8},
        [LIST_NODES] = {"nodes", 0, 9},
        [LIST_SIZES] = {"sizes", 0, 10},
        [LIST_BINDINGS] = {"bindings", 0, 12},
        [LIST_TIED_SIZES] = {"tiedSizes", 0, 13},
        [LIST_DYNAMIC_SIZES] = {"dynamicSizes", 5, 14},
};

/* A list within a part; each of its `count` items has the fields that `fields` writes. */
#define FIELDS_LIST(sink, key, number, fields, items, count)                                                           \
        do {                                                                                                           \
                sink_list(sink, key);                                                                                  \
                for (size_t item = 0; item < (count); item++) {                                                        \
                        const size_t open = sink_open(sink, number);                                                   \
                        fields(sink, &(items)[item]);                                                                  \
                        sink_close(sink, open);                                                                        \
                }                                                                                                      \
                sink_list_end(sink);                                                                                   \
        } while (0)

static inline void fields_model(SINK *sink, const struct result_model *model)
{
        sink_number(sink, "irVersion", 1, (uint64_t)model->ir_version);
        sink_text(sink, "producerName", 2, model->producer_name);
        sink_text(sink, "graphName", 3, model->graph_name);
        sink_opsets(sink, "opsetImports", 4, model);
        sink_number(sink, "functions", 5, model->functions);
        sink_number(sink, "nodes", 6, model->nodes);
        sink_number(sink, "initializers", 7, model->initializers);
        sink_number(sink, "bytes", 8, model->bytes);
        sink_number(sink, "bytesSkipped", 9, model->bytes_skipped);
}

static inline void fields_value(SINK *sink, const struct result_value *value)
{
        static const struct word kinds[] = {
                [OX_KIND_INPUT] = WORD("input"),
                [OX_KIND_INTERMEDIATE] = WORD("intermediate"),
                [OX_KIND_OUTPUT] = WORD("output"),
                [OX_KIND_INITIALIZER] = WORD("initializer"),
        };
        const struct content *content = value_content(&value->value);

        sink_id(sink, "name", 1, value->name);
        if (!SINK_BY_NUMBER)
                sink_text_some(sink, "scope", 3, value->more->scope);
        sink_word(sink, "kind", 2, kinds[value->kind], value->kind);
        if (SINK_BY_NUMBER)
                sink_text_some(sink, "scope", 3, value->more->scope);
        if (value->made_by) {
                const struct model_op *op = value->made_by->op;

                sink_name_some(sink, "node", 4, value->made_by->name, str_text_form(value->made_by->name));
                sink_number(sink, "nodeIndex", 5, value->place);
                if (op->type_form.length)
                        sink_op(sink, "op", 6, op);
        }
        sink_type(sink, 7, &value->value.type);
        if (!content && !value->value.members && value->more == &result_main)
                return; /* as most do */
        if (value->more->declared && !SINK_BY_NUMBER)
                sink_declared(sink, "declared", 10, value->more->declared);
        if (content)
                sink_content(sink, "content", 8, content, value->value.type.elem);
        if (value_members(&value->value)->has_length)
                sink_size(sink, "length", 9, value_members(&value->value)->length);
        if (value->more->declared && SINK_BY_NUMBER)
                sink_declared(sink, "declared", 10, value->more->declared);
        if (value->more->bound)
                sink_bound(sink, "bound", 11, value->more->bound);
}

/* A set of sizes that shapes are shown for beside the symbolic ones, and what the model says of them. */
static inline void fields_bound(SINK *sink, const struct ox_bindings *sizes, const struct ox_result *bound)
{
        sink_bindings(sink, "dims", 1, sizes);
        sink_number(sink, "errors", 2, bound->summary.errors);
        sink_number(sink, "warnings", 3, bound->summary.warnings);
}

static inline void fields_symbol(SINK *sink, const struct ox_symbol *symbol)
{
        sink_text(sink, "name", 1, symbol->name);
        sink_text_some(sink, "value", 2, symbol->value);
        sink_number_some(sink, "axis", 3, symbol->axis);
        sink_text_some(sink, "op", 4, symbol->op);
        sink_text_some(sink, "node", 5, symbol->node);
        sink_text_some(sink, "scope", 6, symbol->scope);
        sink_range_end(sink, "min", 7, &symbol->min);
        sink_range_end(sink, "max", 8, &symbol->max);
}

static inline void fields_dynamic_size(SINK *sink, const struct ox_dynamic_size *size)
{
        sink_text(sink, "size", 1, size->size);
        sink_range_end(sink, "min", 2, &size->min);
        sink_range_end(sink, "max", 3, &size->max);
}

static inline void fields_condition(SINK *sink, const struct ox_constraint *condition)
{
        sink_text(sink, "left", 1, condition->left);
        sink_text(sink, "relation", 2, condition->relation);
        sink_text(sink, "right", 3, condition->right);
        sink_text_some(sink, "node", 4, condition->node);
        sink_text_some(sink, "scope", 5, condition->scope);
        sink_number_some(sink, "nodeIndex", 6, condition->node_index);
        sink_text_some(sink, "op", 7, condition->op);
        sink_text_some(sink, "value", 8, condition->value);
}

static inline void fields_diagnostic(SINK *sink, const struct ox_diag *d)
{
        static const struct word severities[] = {
                [OX_ERROR] = WORD("error"),
                [OX_WARNING] = WORD("warning"),
                [OX_INFO] = WORD("info"),
        };
        const char *code = ox_code_name(d->code);

        sink_word(sink, "severity", 1, severities[d->severity], d->severity);
        sink_word(sink, "code", 2, (struct word){code, strlen(code)}, d->code);
        sink_text(sink, "reason", 3, d->reason);
        sink_text_filled(sink, "scope", 4, d->scope);
        sink_text_some(sink, "node", 5, d->node);
        sink_number_some(sink, "nodeIndex", 6, d->node_index);
        sink_text_some(sink, "op", 7, d->op);
        sink_number_some(sink, "input", 8, d->input);
        if (!SINK_BY_NUMBER)
                sink_text_some(sink, "value", 10, d->value);
        sink_text(sink, "message", 9, d->message);
        if (SINK_BY_NUMBER)
                sink_text_some(sink, "value", 10, d->value);
        sink_number_some(sink, "axis", 11, d->axis);
        sink_text_some(sink, "expected", 12, d->expected);
        sink_text_some(sink, "actual", 13, d->actual);
        sink_texts(sink, "shapes", 14, d->shapes, d->n_shapes);
        sink_text_some(sink, "hint", 15, d->hint);
}

/* Where a value comes from. */
static inline void fields_place(SINK *sink, const struct result_value *value)
{
        sink_id(sink, "value", 1, value->name);
        sink_text_some(sink, "scope", 2, value->more->scope);
        sink_text_some(sink, "node", 3, result_node(value));
        sink_number_some(sink, "nodeIndex", 4, result_node_index(value));
        sink_text_some(sink, "op", 5, result_op(value));
}

static inline void fields_step(SINK *sink, const struct result_step *step)
{
        fields_place(sink, step->value);
        sink_text(sink, "text", 6, step->text);
}

static inline void fields_cause(SINK *sink, const struct result_cause *cause)
{
        fields_place(sink, cause->value);
        sink_number(sink, "values", 6, cause->values);
}

static inline void fields_explanation(SINK *sink, const struct result_explanation *explanation)
{
        sink_id(sink, "value", 1, explanation->value->name);
        sink_text_some(sink, "scope", 2, explanation->value->more->scope);
        FIELDS_LIST(sink, "chain", 3, fields_step, explanation->step, explanation->n_step);
        sink_text_some(sink, "decide", 4, explanation->decide);
}

static inline void fields_causes(SINK *sink, const struct result_cause *cause, size_t count)
{
        if (!count)
                return;
        FIELDS_LIST(sink, "causes", 8, fields_cause, cause, count);
}

static inline void fields_unknown_operator(SINK *sink, const struct result_operator *unknown)
{
        sink_text(sink, "domain", 1, unknown->op->domain);
        sink_text(sink, "op", 2, unknown->op->type);
        sink_number(sink, "nodes", 3, unknown->nodes);
        sink_number(sink, "values", 4, unknown->values);
}

static inline void fields_unknown_operators(SINK *sink, const struct result_operator *unknown, size_t count)
{
        if (!count)
                return;
        FIELDS_LIST(sink, "unknownOperators", 9, fields_unknown_operator, unknown, count);
}

static inline void fields_range(SINK *sink, const struct ox_range *range)
{
        sink_number(sink, "from", 1, (uint64_t)range->from);
        sink_number_some(sink, "to", 2, range->to == INT64_MAX ? -1 : range->to);
        sink_number(sink, "step", 3, (uint64_t)range->step);
}

static inline void fields_graph_node(SINK *sink, const struct ox_graph_node *node)
{
        sink_text_some(sink, "name", 1, node->name);
        sink_text_some(sink, "scope", 2, node->scope);
        sink_number(sink, "nodeIndex", 3, (uint64_t)node->node_index);
        sink_text(sink, "op", 4, node->op);
        sink_text_some(sink, "domain", 5, node->domain);
        sink_texts(sink, "inputs", 6, node->input, node->n_input);
        sink_texts(sink, "outputs", 7, node->output, node->n_output);
}

/* Proven sizes are complete; of others is told how far was tried. */
static inline void fields_size(SINK *sink, const struct ox_size *size)
{
        sink_text(sink, "symbol", 1, size->symbol);
        FIELDS_LIST(sink, "ranges", 2, fields_range, size->range, size->n_range);
        if (size->is_complete)
                sink_flag(sink, "complete", 3);
        sink_number_some(sink, "tried", 4, size->is_complete ? -1 : size->tried);
        if (size->is_tied)
                sink_flag(sink, "tied", 5);
}

static inline void fields_bindings(SINK *sink, const struct ox_bindings *sizes)
{
        sink_bindings(sink, "dims", 1, sizes);
}

static inline void fields_tied_sizes(SINK *sink, const struct ox_tied_sizes *tied)
{
        sink_texts(sink, "symbols", 1, tied->symbol, tied->n_symbol);
        FIELDS_LIST(sink, "conditions", 2, fields_condition, tied->condition, tied->n_condition);
        FIELDS_LIST(sink, "combinations", 3, fields_bindings, tied->combination, tied->n_combination);
        sink_number_some(sink, "tried", 4, tied->tried);
        if (tied->is_complete)
                sink_flag(sink, "complete", 5);
}

static inline void fields_summary(SINK *sink, const struct ox_summary *summary)
{
        sink_number(sink, "values", 1, summary->values);
        sink_number(sink, "exact", 2, summary->exact);
        sink_number(sink, "symbolic", 3, summary->symbolic);
        sink_number(sink, "dynamic", 4, summary->dynamic);
        sink_number(sink, "unknown", 5, summary->unknown);
        sink_number(sink, "errors", 6, summary->errors);
        sink_number(sink, "warnings", 7, summary->warnings);
}
