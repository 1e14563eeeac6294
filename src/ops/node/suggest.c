#include "ops/node/suggest.h"

#include "base/bounds.h"
#include "base/nearest.h"
#include "base/str.h"

static bool is_sought(const struct node *n)
{
        return n->diags->count < HINTS_SOUGHT;
}

static const char *did_you_mean(struct node *n, const struct nearest *near, const char *what)
{
        return near->best ? arena_printf(n->arena, "did you mean %s%s?", what, near->best) : NULL;
}

const char *suggest_operator(struct node *n)
{
        const char *op = node_op(n), *domain = op_table_domain(node_domain(n));
        struct nearest operators, domains;
        bool is_known = op_newest_opset(domain) > 0;

        if (!is_sought(n))
                return NULL;
        nearest_begin(&operators, op, strlen(op));
        nearest_begin(&domains, domain, strlen(domain));
        for (size_t r = 0; r < op_row_count; r++) {
                const struct op_row *row = &op_rows[r];

                if (r > 0 && text_same(row->name, row[-1].name) && text_same(row->domain, row[-1].domain))
                        continue;
                if (text_same(row->name, op))
                        return arena_printf(n->arena, "domain %s has %s", op_domain_text(row->domain), op);
                if (text_same(row->domain, domain))
                        nearest_try(&operators, row->name);
                else if (!is_known)
                        nearest_try(&domains, row->domain);
        }
        return is_known ? did_you_mean(n, &operators, "") : did_you_mean(n, &domains, "domain ");
}

const char *suggest_version(struct node *n)
{
        size_t count;
        const struct op_row *row = op_versions(node_domain(n), node_op(n), &count);

        return count > 0 && row->since > n->opset ? arena_printf(n->arena, "it exists from version %d on", row->since)
                                                  : NULL;
}

static bool has_input(const struct op_row *row, const char *name)
{
        for (size_t i = 0; i < row->n_in; i++)
                if (text_same(row->in[i].name, name))
                        return true;
        return false;
}

/* An attribute in other versions of the operator. */
static const char *attribute_in_versions(struct node *n, const char *name)
{
        size_t count, at = 0;
        const struct op_row *rows = op_versions(n->row->domain, n->row->name, &count);
        const struct op_row *turned = NULL; /* the version after the last one that has it */

        if (!rows)
                return NULL;
        while (at < count && &rows[at] != n->row)
                at++;
        for (size_t r = 0; r < at; r++)
                if (op_find_attr(&rows[r], name))
                        turned = &rows[r + 1];
        if (has_input(n->row, name) && turned)
                return arena_printf(n->arena, "%s is an input from version %d on", name, turned->since);
        if (has_input(n->row, name))
                return arena_printf(n->arena, "%s is an input", name);
        if (turned)
                return arena_printf(n->arena, "%s is an attribute before version %d", name, turned->since);
        for (size_t r = at + 1; r < count; r++)
                if (op_find_attr(&rows[r], name))
                        return arena_printf(n->arena, "%s is an attribute from version %d on", name, rows[r].since);
        return NULL;
}

const char *suggest_attribute(struct node *n, const char *name)
{
        struct nearest near;
        const char *known = is_sought(n) && strlen(name) <= NEAREST_BYTES ? attribute_in_versions(n, name) : NULL;

        if (known || !is_sought(n))
                return known;
        nearest_begin(&near, name, strlen(name));
        for (size_t a = 0; a < n->row->n_attr; a++)
                nearest_try(&near, n->row->attr[a].name);
        return did_you_mean(n, &near, "");
}

const char *suggest_input(struct node *n)
{
        size_t count, input = n->row->n_in;
        const struct op_row *rows = op_versions(n->row->domain, n->row->name, &count);

        for (size_t r = 0; r < count; r++)
                if (rows[r].since > n->row->since && rows[r].n_in > input) {
                        const char *name = rows[r].in[input].name;

                        return arena_printf(n->arena, "input %s exists from version %d on%s", name, rows[r].since,
                                            op_find_attr(n->row, name) ? "; here it is an attribute" : "");
                }
        return NULL;
}
