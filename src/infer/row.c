/* Operators that the imported operator sets do not have: rows that stand in for theirs, and what is said where none
   does. */
#include <string.h>

#include "infer/internal.h"
#include "infer/unknown.h"
#include "ops/node/suggest.h"

/* Operators that models use in operator sets before their first version in ai.onnx, because runtimes had them already:
   they are inferred as their first version. */
static const char *const early_operators[] = {"LayerNormalization", "MeanVarianceNormalization"};

static const struct op_row *find_early(struct node *n)
{
        const char *domain = op_canonical_domain(node_domain(n)), *op = node_op(n);
        size_t count;

        for (size_t i = 0; i < sizeof(early_operators) / sizeof(*early_operators); i++) {
                if (domain[0] || strcmp(op, early_operators[i]) != 0)
                        continue;
                const struct op_row *rows = op_versions(domain, op, &count);

                if (count > 0)
                        node_note(n, REASON_EARLY_OPERATOR, -1,
                                  "is in \"ai.onnx\" since version %d, not in %lld; runtimes take it", rows[0].since,
                                  (long long)n->opset);
                return count > 0 ? &rows[0] : NULL;
        }
        return NULL;
}

/* A model that does not import a domain says no version, but there is no choice where the domain has but one: runtimes
   take its operators. */
static const struct op_row *find_not_imported(struct node *n)
{
        const char *domain = op_canonical_domain(node_domain(n));
        size_t count;
        const struct op_row *rows = op_versions(domain, node_op(n), &count);

        if (count == 0 || op_newest_opset(domain) != 1)
                return NULL;
        n->opset = 1;
        node_warn(n, REASON_MISSING_OPSET_IMPORT, -1, "the model imports no version of %s; its only one is used",
                  op_domain_text(domain));
        return &rows[0];
}

const struct op_row *row_find_other(struct node *n)
{
        return n->opset > 0 ? find_early(n) : find_not_imported(n);
}

/* Whether an unknown operator is a fault: its domain is fully known and has no newer operator set; or the request has a
   single node, about which nothing else can be said. */
static bool is_fault_unknown(const struct infer *f, const struct node *n)
{
        const char *domain = node_domain(n);

        return !f->model || (!op_domain_open(domain) && n->opset <= op_newest_opset(domain));
}

void row_note_none(struct infer *f, struct node *n, bool exists)
{
        const char *domain = node_domain(n);

        struct fault version = {.reason = REASON_OPERATOR_VERSION, .input = -1, .axis = -1};
        struct fault unknown = {.reason = REASON_UNKNOWN_OPERATOR, .input = -1, .axis = -1};

        f->without_rule++;
        if (n->opset <= 0 && f->model && exists) {
                node_error(n, REASON_MISSING_OPSET_IMPORT, -1, "the model imports no version of %s",
                           op_domain_text(domain));
        } else if (exists) {
                version.hint = suggest_version(n);
                node_error_with(n, &version, "version %lld of %s has no such operator", (long long)n->opset,
                                op_domain_text(domain));
        } else {
                unknown_note(f, n->source->op);
                unknown.hint = suggest_operator(n);
                node_report(n, is_fault_unknown(f, n) ? OX_ERROR : OX_WARNING, &unknown,
                            "domain %s has no such operator", op_domain_text(domain));
        }
}
