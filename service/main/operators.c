/* shaped operators: the registry as a table, and one operator in detail. */
#include <string.h>

#include "base/nearest.h"
#include "engine.h"
#include "main/main.h"
#include "ops/table/allowed.h"

#define DETAIL_BYTES ((size_t)1 << 20) /* of the text about one operator */

static const char *domain_name(const char *domain)
{
        return domain[0] ? domain : "ai.onnx";
}

/* The row in force; NULL: the operator is newer than the opset asked for. */
static const struct op_row *row_in_force(const struct op_row *rows, size_t count, const struct config *config)
{
        while (count > 0 && config->opset && rows[count - 1].since > config->opset)
                count--;
        return count > 0 ? &rows[count - 1] : NULL;
}

static bool domain_wanted(const struct config *config, const char *domain)
{
        return !config->domain[0] || strcmp(op_canonical_domain(config->domain), domain) == 0;
}

static bool infers_shape(const struct op_row *row)
{
        return row->rule || row->control != CONTROL_NONE;
}

/* -- all of them -- */

static void print_row(const struct op_row *rows, size_t count, const struct op_row *row)
{
        int width = printf("%-28s %-36s %5d  ", domain_name(row->domain), row->name, row->since);
        const char *note = row->deprecated ? "deprecated" : infers_shape(row) ? "" : "types alone";

        for (size_t i = 0; i < count; i++)
                width += printf("%s%d", i ? ", " : "", rows[i].since);
        if (note[0])
                printf("%*s  %s", width < 110 ? 110 - width : 0, "", note);
        printf("\n");
}

static bool print_all(const struct config *config)
{
        bool found = false;

        printf("%-28s %-36s %5s  %s\n", "DOMAIN", "OPERATOR", "SINCE", "VERSIONS");
        for (size_t at = 0; at < op_row_count;) {
                size_t count;
                const struct op_row *rows = op_versions(op_rows[at].domain, op_rows[at].name, &count);
                const struct op_row *row = row_in_force(rows, count, config);

                at += count;
                if (!row || !domain_wanted(config, rows->domain))
                        continue;
                print_row(rows, count, row);
                found = true;
        }
        if (!found)
                fprintf(stderr, "shaped: no operators in domain '%s'\n", config->domain);
        return found;
}

/* -- one of them -- */

static void put_params(struct buf *buf, const char *title, const struct op_param *param, size_t count)
{
        if (count > 0)
                buf_printf(buf, "\n%s\n", title);
        for (size_t i = 0; i < count; i++) {
                buf_printf(buf, "  %-28s %s", param[i].name, param[i].type);
                if (param[i].option == PARAM_OPTIONAL)
                        buf_puts(buf, ", optional");
                if (param[i].option == PARAM_VARIADIC)
                        buf_printf(buf, ", %d or more%s", param[i].min_arity,
                                   param[i].homogeneous ? "" : ", each of its own type");
                buf_putc(buf, '\n');
        }
}

/* Element `i` of a default that is a list. */
static void put_default_element(struct buf *buf, const struct op_attr *attr, size_t i)
{
        if (attr->type == ATTR_INTS)
                buf_put_i64(buf, attr->ints[i]);
        else if (attr->type == ATTR_FLOATS)
                buf_printf(buf, "%g", (double)attr->floats[i]);
        else
                buf_printf(buf, "\"%s\"", attr->strings[i]);
}

static void put_default(struct buf *buf, const struct op_attr *attr)
{
        buf_puts(buf, ", default ");
        switch (attr->type) {
        case ATTR_INT:
                buf_put_i64(buf, attr->i);
                break;
        case ATTR_FLOAT:
                buf_printf(buf, "%g", attr->f);
                break;
        case ATTR_STRING:
                buf_printf(buf, "\"%s\"", attr->s);
                break;
        default:
                buf_putc(buf, '[');
                for (size_t i = 0; i < attr->count; i++) {
                        buf_puts(buf, i > 0 ? ", " : "");
                        put_default_element(buf, attr, i);
                }
                buf_putc(buf, ']');
        }
}

static void put_length(struct buf *buf, const struct op_allowed *allowed)
{
        if (allowed->min_count == allowed->max_count)
                buf_printf(buf, ", of length %zu", allowed->min_count);
        else if (allowed->min_count > 0 && allowed->max_count == SIZE_MAX)
                buf_printf(buf, ", of length %zu or more", allowed->min_count);
        else if (allowed->max_count != SIZE_MAX)
                buf_printf(buf, ", of length %zu to %zu", allowed->min_count, allowed->max_count);
}

static void put_attributes(struct buf *buf, const struct op_row *row)
{
        if (row->n_attr > 0)
                buf_puts(buf, "\nATTRIBUTES\n");
        for (size_t i = 0; i < row->n_attr; i++) {
                const struct op_attr *attr = &row->attr[i];

                buf_printf(buf, "  %-28s %s", attr->name, attr_type_name((int)attr->type));
                if (attr->allowed)
                        put_length(buf, attr->allowed);
                if (op_allowed_bounds_values(attr)) {
                        buf_puts(buf, ", ");
                        op_allowed_print(buf, attr);
                }
                if (attr->required)
                        buf_puts(buf, ", required");
                if (attr->has_default)
                        put_default(buf, attr);
                buf_putc(buf, '\n');
        }
}

static void put_types(struct buf *buf, const struct op_row *row)
{
        if (row->n_constraint > 0)
                buf_puts(buf, "\nTYPES\n");
        for (size_t c = 0; c < row->n_constraint; c++) {
                buf_printf(buf, "  %-28s ", row->constraint[c].name);
                for (size_t t = 0; t < row->constraint[c].count; t++)
                        buf_printf(buf, "%s%s", t > 0 ? ", " : "", row->constraint[c].types[t]);
                buf_putc(buf, '\n');
        }
}

static bool print_one(const struct op_row *rows, size_t count, const struct op_row *row)
{
        struct arena *arena = arena_new(DETAIL_BYTES);
        struct buf buf;

        if (!arena)
                return false;
        buf_init(&buf, arena);
        buf_printf(&buf, "%s of %s, version %d", row->name, domain_name(row->domain), row->since);
        buf_puts(&buf, row->deprecated ? " (deprecated)\n" : "\n");
        buf_printf(&buf, "%s\n\nVERSIONS\n ", row->description);
        for (size_t i = 0; i < count; i++)
                buf_printf(&buf, " %d", rows[i].since);
        buf_puts(&buf, infers_shape(row) ? "\n" : "\n  Types alone are inferred.\n");
        put_params(&buf, "INPUTS", row->in, row->n_in);
        put_params(&buf, "OUTPUTS", row->out, row->n_out);
        put_attributes(&buf, row);
        put_types(&buf, row);
        printf("%s", buf_text(&buf));
        arena_free(arena);
        return true;
}

static void complain(const struct config *config, const char *name)
{
        struct nearest near;

        nearest_begin(&near, name, strlen(name));
        for (size_t i = 0; i < op_row_count; i++)
                if (domain_wanted(config, op_rows[i].domain))
                        nearest_try(&near, op_rows[i].name);
        fprintf(stderr, "shaped: no operator '%s'", name);
        if (config->domain[0])
                fprintf(stderr, " in domain '%s'", config->domain);
        if (config->opset)
                fprintf(stderr, " in version %lld", (long long)config->opset);
        if (near.best && strcmp(near.best, name) != 0)
                fprintf(stderr, "; did you mean %s?", near.best);
        fprintf(stderr, "\n");
}

/* Every operator of the name, in whichever domain. */
static bool print_named(const struct config *config, const char *name)
{
        bool found = false;

        for (size_t at = 0; at < op_row_count;) {
                size_t count;
                const struct op_row *rows = op_versions(op_rows[at].domain, op_rows[at].name, &count);
                const struct op_row *row = row_in_force(rows, count, config);

                at += count;
                if (!row || strcmp(row->name, name) != 0 || !domain_wanted(config, row->domain))
                        continue;
                if (found)
                        printf("\n");
                found = print_one(rows, count, row);
        }
        if (!found)
                complain(config, name);
        return found;
}

int operators_main(const struct config *config, const char *name)
{
        bool found = name ? print_named(config, name) : print_all(config);

        return found && output_end() ? EXIT_GOOD : EXIT_FAULTY;
}
