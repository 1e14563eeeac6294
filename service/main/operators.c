/* shaped operators: lists the registry, and operators of one's own, as a table, or shows one operator in detail. */
#include <string.h>

#include "engine.h"
#include "main/main.h"
#include "rest/catalog.h"

#define DETAIL_BYTES ((size_t)1 << 20) /* of the text about one operator */

static const char *domain_name(const char *domain)
{
        return domain[0] ? domain : "ai.onnx";
}

/* -- all of them -- */

static void print_row(const struct catalog_entry *entry)
{
        const struct op_row *row = entry->row;
        int width = printf("%-28s %-36s %5d  ", domain_name(row->domain), row->name, row->since);
        const char *note = row->custom                 ? "declared"
                           : row->deprecated           ? "deprecated"
                           : catalog_infers_shape(row) ? ""
                                                       : "types alone";

        for (size_t i = 0; i < entry->n_versions; i++)
                width += printf("%s%d", i ? ", " : "", catalog_since(entry, i));
        if (note[0])
                printf("%*s  %s", width < 110 ? 110 - width : 0, "", note);
        printf("\n");
}

static bool print_all(const struct config *config, const struct catalog *catalog)
{
        struct catalog_entry entry;
        bool found = false;

        printf("%-28s %-36s %5s  %s\n", "DOMAIN", "OPERATOR", "SINCE", "VERSIONS");
        for (size_t at = 0; catalog_next(catalog, &at, &entry);) {
                print_row(&entry);
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

static bool print_one(const struct catalog_entry *entry)
{
        const struct op_row *row = entry->row;
        struct arena *arena = arena_new(DETAIL_BYTES);
        struct buf buf;

        if (!arena)
                return false;
        buf_init(&buf, arena);
        buf_printf(&buf, "%s of %s, version %d", row->name, domain_name(row->domain), row->since);
        buf_puts(&buf, row->deprecated ? " (deprecated)\n" : "\n");
        buf_printf(&buf, "%s\n\nVERSIONS\n ", row->description);
        for (size_t i = 0; i < entry->n_versions; i++)
                buf_printf(&buf, " %d", catalog_since(entry, i));
        buf_puts(&buf, catalog_infers_shape(row) ? "\n" : "\n  Types alone are inferred.\n");
        put_params(&buf, "INPUTS", row->in, row->n_in);
        put_params(&buf, "OUTPUTS", row->out, row->n_out);
        put_attributes(&buf, row);
        put_types(&buf, row);
        printf("%s", buf_text(&buf));
        arena_free(arena);
        return true;
}

static void complain(const struct config *config, const struct catalog *catalog, const char *name)
{
        struct catalog_entry entry;
        struct nearest near;

        nearest_begin(&near, name, strlen(name));
        for (size_t at = 0; catalog_next(catalog, &at, &entry);)
                nearest_try(&near, entry.row->name);
        fprintf(stderr, "shaped: no operator '%s'", name);
        if (config->domain[0])
                fprintf(stderr, " in domain '%s'", config->domain);
        if (config->opset)
                fprintf(stderr, " in version %lld", (long long)config->opset);
        if (near.best && strcmp(near.best, name) != 0)
                fprintf(stderr, "; did you mean %s?", near.best);
        fprintf(stderr, "\n");
}

/* All operators of the name, in any domain. */
static bool print_named(const struct config *config, const struct catalog *catalog, const char *name)
{
        struct catalog_entry entry;
        bool found = false;

        for (size_t at = 0; catalog_next(catalog, &at, &entry);) {
                if (strcmp(entry.row->name, name) != 0)
                        continue;
                if (found)
                        printf("\n");
                found = print_one(&entry);
        }
        if (!found)
                complain(config, catalog, name);
        return found;
}

int operators_main(const struct config *config, const char *name)
{
        struct operator_tables own;
        struct catalog catalog = {.domain = config->domain[0] ? op_canonical_domain(config->domain) : NULL,
                                  .opset = config->opset};
        int status = EXIT_USAGE;

        if (operator_tables_load(&own, config->operators, config->limits.operators_bytes)) {
                catalog.declared = (const struct ox_operators *const *)own.table;
                catalog.n_declared = own.count;
                bool found = name ? print_named(config, &catalog, name) : print_all(config, &catalog);

                status = found && output_end() ? EXIT_GOOD : EXIT_FAULTY;
        }
        operator_tables_free(&own);
        return status;
}
