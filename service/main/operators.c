/* shaped operators: the registry as a table. */
#include <string.h>

#include "main/main.h"
#include "ops/table/registry.h"

static const char *domain_name(const char *domain)
{
        return domain[0] ? domain : "ai.onnx";
}

static void print_row(const struct op_row *rows, size_t count, const struct op_row *row)
{
        int width = printf("%-28s %-36s %5d  ", domain_name(row->domain), row->name, row->since);
        const char *note = row->deprecated                             ? "deprecated"
                           : row->rule || row->control != CONTROL_NONE ? ""
                                                                       : "types alone";

        for (size_t i = 0; i < count; i++)
                width += printf("%s%d", i ? ", " : "", rows[i].since);
        if (note[0])
                printf("%*s  %s", width < 110 ? 110 - width : 0, "", note);
        printf("\n");
}

int operators_main(const struct config *config)
{
        const char *domain = op_canonical_domain(config->domain);
        bool any = !config->domain[0], found = false;

        printf("%-28s %-36s %5s  %s\n", "DOMAIN", "OPERATOR", "SINCE", "VERSIONS");
        for (size_t at = 0; at < op_row_count;) {
                size_t count;
                const struct op_row *rows = op_versions(op_rows[at].domain, op_rows[at].name, &count);
                size_t in_force = count;

                at += count;
                while (in_force && config->opset && rows[in_force - 1].since > config->opset)
                        in_force--;
                if (!in_force || (!any && strcmp(rows->domain, domain) != 0))
                        continue;
                print_row(rows, count, &rows[in_force - 1]);
                found = true;
        }
        if (!found)
                fprintf(stderr, "shaped: there is none\n");
        return found && output_end() ? EXIT_GOOD : EXIT_FAULTY;
}
