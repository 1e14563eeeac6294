/* Faults of a node. */
#include "ops/node/node.h"

void node_diagnose(struct node *n, enum ox_severity severity, enum reason reason, int input, const char *format, ...)
{
        const OnnxNode *p = n->proto;
        va_list args;

        va_start(args, format);
        struct ox_diag diag = {
                .severity = severity,
                .code = reason_code(reason),
                .reason = reason_word(reason),
                .scope = n->scope,
                .node = text_or_empty(p->name),
                .node_index = n->index,
                .op = text_or_empty(p->op_type),
                .input = input,
                .value = input >= 0 && (size_t)input < p->n_input ? p->input[input]
                         : p->n_output > 0                        ? p->output[0]
                                                                  : "",
                .message = diags_full(n->diags) ? ""
                                                : arena_printf(n->arena, "%s: %s", text_or_empty(p->op_type),
                                                               arena_vprintf(n->arena, format, args)),
        };

        va_end(args);
        diags_add(n->diags, n->arena, &diag);
}
