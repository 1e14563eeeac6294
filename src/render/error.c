/* Diagnostics, and errors with diagnostics for details. */
#include "render/json_out.h"

static const char *const severity_names[] = {[OX_ERROR] = "error", [OX_WARNING] = "warning", [OX_INFO] = "info"};

static void put_shapes(struct json_out *out, const struct ox_diag *d)
{
        if (!d->n_shapes)
                return;
        json_key(out, "shapes");
        json_open(out, '[');
        for (size_t i = 0; i < d->n_shapes; i++) {
                json_item(out);
                json_text(out, d->shapes[i]);
        }
        json_close(out, ']');
}

void json_diags(struct json_out *out, const struct diags *diags)
{
        json_open(out, '[');
        for (size_t i = 0; i < diags->count; i++) {
                const struct ox_diag *d = &diags->at[i];

                json_item(out);
                json_open(out, '{');
                json_put_text(out, "severity", severity_names[d->severity]);
                json_put_text(out, "code", ox_code_name(d->code));
                json_put_text(out, "reason", d->reason);
                json_put_text(out, "scope", d->scope);
                json_put_text_some(out, "node", d->node);
                json_put_int_some(out, "nodeIndex", d->node_index);
                json_put_text_some(out, "op", d->op);
                json_put_int_some(out, "input", d->input);
                json_put_text_some(out, "value", d->value);
                json_put_text(out, "message", d->message);
                json_put_int_some(out, "axis", d->axis);
                json_put_text_some(out, "expected", d->expected);
                json_put_text_some(out, "actual", d->actual);
                put_shapes(out, d);
                json_put_text_some(out, "hint", d->hint);
                json_close(out, '}');
        }
        json_close(out, ']');
}

void render_error_json(enum ox_code code, const char *message, const struct ox_result *result, ox_write write,
                       void *user)
{
        static const struct diags none;
        char block[JSON_BLOCK_BYTES];
        struct json_out out;

        json_begin(&out, block, false, write, user);
        json_open(&out, '{');
        json_put_text(&out, "code", ox_code_name(code));
        json_put_text(&out, "message", message);
        json_key(&out, "details");
        json_diags(&out, result ? result->diags : &none);
        json_close(&out, '}');
        json_end(&out);
}
