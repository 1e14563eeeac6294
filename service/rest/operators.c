/* GET /v1/operators and /v1/operators/{name} */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "engine.h"
#include "render/json_out.h"
#include "rest/answer.h"
#include "rest/catalog.h"
#include "rest/routes.h"
#include "service.h"

#define PATH_BYTES 14 /* of "/v1/operators/" */

struct listing {
        struct call *call;
        struct catalog catalog;
        int64_t page_size;
        int64_t page; /* number of the first row to look at */
        const char *fault;
        bool is_one; /* operator alone: */
        struct catalog_entry entry;
};

/* -- one operator -- */

static void put_params(struct json_out *out, const char *key, const struct op_param *param, size_t count)
{
        json_key(out, key);
        json_open(out, '[');
        for (size_t i = 0; i < count; i++) {
                json_item(out);
                json_open(out, '{');
                json_put_text(out, "name", param[i].name);
                json_put_text(out, "type", param[i].type);
                json_put_text(out, "option", catalog_option(param[i].option));
                json_close(out, '}');
        }
        json_close(out, ']');
}

/* Values of one type: of the arrays, the one that is not NULL. */
static void put_list(struct json_out *out, const char *key, const int64_t *ints, const float *floats,
                     const char *const *texts, size_t count)
{
        json_key(out, key);
        json_open(out, '[');
        for (size_t i = 0; i < count; i++) {
                json_item(out);
                if (texts)
                        json_text(out, texts[i]);
                else if (floats)
                        json_float(out, (double)floats[i], true);
                else
                        json_int(out, ints[i]);
        }
        json_close(out, ']');
}

static void put_default(struct json_out *out, const struct op_attr *attr)
{
        switch (attr->type) {
        case ATTR_INT:
                json_put_int(out, "default", attr->i);
                break;
        case ATTR_FLOAT:
                json_key(out, "default");
                json_float(out, attr->f, true);
                break;
        case ATTR_STRING:
                json_put_text(out, "default", attr->s);
                break;
        default:
                put_list(out, "default", attr->ints, attr->floats, attr->strings, attr->count);
        }
}

static void put_range(struct json_out *out, enum attr_type type, const struct op_allowed *allowed)
{
        if (type == ATTR_INT || type == ATTR_INTS) {
                if (allowed->least != INT64_MIN)
                        json_put_int(out, "minimum", allowed->least);
                if (allowed->most != INT64_MAX)
                        json_put_int(out, "maximum", allowed->most);
        } else if (type == ATTR_FLOAT || type == ATTR_FLOATS) {
                if (!isinf(allowed->f_least)) {
                        json_key(out, "minimum");
                        json_float(out, allowed->f_least, true);
                }
                if (!isinf(allowed->f_most)) {
                        json_key(out, "maximum");
                        json_float(out, allowed->f_most, true);
                }
        }
}

static void put_allowed(struct json_out *out, const struct op_attr *attr)
{
        const struct op_allowed *allowed = attr->allowed;

        if (!allowed)
                return;
        if (allowed->count > 0)
                put_list(out, "values", allowed->ints, allowed->floats, allowed->words, allowed->count);
        put_range(out, attr->type, allowed);
        if (allowed->variable)
                json_put_text(out, "elementTypeOf", allowed->variable);
        if (allowed->warns) {
                json_key(out, "advisory");
                json_bool(out, true);
        }
        if (allowed->min_count > 0)
                json_put_int(out, "minLength", (int64_t)allowed->min_count);
        if (allowed->max_count != SIZE_MAX)
                json_put_int(out, "maxLength", (int64_t)allowed->max_count);
}

static void put_attributes(struct json_out *out, const struct op_row *row)
{
        json_key(out, "attributes");
        json_open(out, '[');
        for (size_t i = 0; i < row->n_attr; i++) {
                json_item(out);
                json_open(out, '{');
                json_put_text(out, "name", row->attr[i].name);
                json_put_text(out, "type", attr_type_name((int)row->attr[i].type));
                json_key(out, "required");
                json_bool(out, row->attr[i].required);
                if (row->attr[i].has_default)
                        put_default(out, &row->attr[i]);
                put_allowed(out, &row->attr[i]);
                json_close(out, '}');
        }
        json_close(out, ']');
}

static void put_constraints(struct json_out *out, const struct op_row *row)
{
        json_key(out, "typeConstraints");
        json_open(out, '[');
        for (size_t i = 0; i < row->n_constraint; i++) {
                json_item(out);
                json_open(out, '{');
                json_put_text(out, "name", row->constraint[i].name);
                json_key(out, "types");
                json_open(out, '[');
                for (size_t t = 0; t < row->constraint[i].count; t++) {
                        json_item(out);
                        json_text(out, row->constraint[i].types[t]);
                }
                json_close(out, ']');
                json_close(out, '}');
        }
        json_close(out, ']');
}

static void put_operator(struct json_out *out, const struct catalog_entry *entry)
{
        const struct op_row *row = entry->row;

        json_open(out, '{');
        json_put_text(out, "domain", row->domain);
        json_put_text(out, "name", row->name);
        json_key(out, "versions");
        json_open(out, '[');
        for (size_t i = 0; i < entry->n_versions; i++) {
                json_item(out);
                json_int(out, catalog_since(entry, i));
        }
        json_close(out, ']');
        json_put_int(out, "since", row->since);
        json_key(out, "deprecated");
        json_bool(out, row->deprecated);
        json_key(out, "infersShape");
        json_bool(out, catalog_infers_shape(row));
        json_put_int(out, "minInputs", row->min_in);
        json_put_int_some(out, "maxInputs", row->max_in);
        json_put_int(out, "minOutputs", row->min_out);
        json_put_int_some(out, "maxOutputs", row->max_out);
        if (row->custom) {
                json_key(out, "declared");
                json_bool(out, true);
        }
        put_params(out, "inputs", row->in, row->n_in);
        put_params(out, "outputs", row->out, row->n_out);
        put_attributes(out, row);
        put_constraints(out, row);
        json_put_text(out, "description", row->description);
        json_close(out, '}');
}

/* -- the query -- */

static struct catalog catalog_of(const struct call *call, const char *domain)
{
        return (struct catalog){
                .domain = domain, .declared = call->service->operators, .n_declared = call->service->n_operators};
}

static bool read_number(const char *text, int64_t least, int64_t most, int64_t *ret)
{
        char *end;

        if (!text || text[0] < '0' || text[0] > '9')
                return false;
        *ret = strtoll(text, &end, 10);
        return *end == '\0' && *ret >= least && *ret <= most;
}

/* Sets l->fault when it refuses the parameter. */
static bool read_parameter(struct listing *l, const char *name, const char *value)
{
        if (strcmp(name, "domain") == 0) {
                l->catalog.domain = value ? op_canonical_domain(value) : "";
                return true;
        }
        if (strcmp(name, "opset") == 0) {
                l->fault = "opset must be an integer of 1 or more";
                return read_number(value, 1, INT32_MAX, &l->catalog.opset);
        }
        if (strcmp(name, "pageSize") == 0 && !l->is_one) {
                l->fault = "pageSize must be in [1, 1000]";
                return read_number(value, 1, CATALOG_PAGE_MOST, &l->page_size);
        }
        if (strcmp(name, "pageToken") == 0 && !l->is_one) {
                l->fault = "pageToken must be the nextPageToken of the previous page";
                return !value || !*value || read_number(value, 0, (int64_t)catalog_rows(&l->catalog), &l->page);
        }
        l->fault = l->is_one ? "the only options are domain and opset"
                             : "the only options are domain, opset, pageSize and pageToken";
        return false;
}

static bool each_parameter(void *user, const char *name, const char *value)
{
        struct listing *l = user;

        if (!read_parameter(l, name, value))
                return false;
        l->fault = ""; /* should the next one hold a NUL */
        return true;
}

/* -- the answer -- */

/* The registry never changes while the daemon runs, so clients may cache it. */
static void put_tag(struct call *call)
{
        char tag[24];
        const char *wanted = call->field[FIELD_IF_NONE_MATCH];

        snprintf(tag, sizeof(tag), "\"%016llx\"",
                 (unsigned long long)XXH3_64bits(call->reply.text, call->reply.length));
        if (wanted && (strstr(wanted, tag) || strcmp(wanted, "*") == 0))
                call->status = HTTP_NOT_MODIFIED; /* with the length of the 200 (RFC 9110, 8.6), without its body */
        call_reply_header(call, "ETag", "%s", tag);
        call_reply_header(call, "Cache-Control", "no-cache"); /* revalidate, which gives 304 */
}

static void write_page(struct listing *l)
{
        size_t at = (size_t)l->page;
        char block[JSON_BLOCK_BYTES];
        struct json_out out;

        json_begin(&out, block, call_write, l->call);
        json_open(&out, '{');
        json_key(&out, "operators");
        json_open(&out, '[');
        for (int64_t shown = 0; shown < l->page_size && catalog_next(&l->catalog, &at, &l->entry); shown++) {
                json_item(&out);
                put_operator(&out, &l->entry);
        }
        json_close(&out, ']');
        if (at < catalog_rows(&l->catalog)) {
                char token[24];

                snprintf(token, sizeof(token), "%zu", at);
                json_put_text(&out, "nextPageToken", token);
        }
        json_close(&out, '}');
        json_end(&out);
}

static void write_one(struct listing *l)
{
        char block[JSON_BLOCK_BYTES];
        struct json_out out;

        json_begin(&out, block, call_write, l->call);
        put_operator(&out, &l->entry);
        json_end(&out);
}

static void answer(struct listing *l, void (*write)(struct listing *l))
{
        call_reply(l->call, HTTP_OK, "application/json");
        write(l);
        put_tag(l->call);
}

void operators_list(struct call *call)
{
        struct listing l = {
                .call = call, .catalog = catalog_of(call, NULL), .page_size = CATALOG_PAGE_DEFAULT, .fault = ""};

        if (call->transport->query(call, each_parameter, &l))
                answer(&l, write_page);
        else
                answer_bad_query(call, l.fault);
}

static void reply_absent(struct listing *l, const char *name)
{
        const char *domain = l->catalog.domain && l->catalog.domain[0] ? l->catalog.domain : "ai.onnx";
        struct catalog_entry entry;
        struct nearest near;
        char version[40] = "", meant[100] = "";

        nearest_begin(&near, name, strlen(name));
        for (size_t at = 0; catalog_next(&l->catalog, &at, &entry);)
                nearest_try(&near, entry.row->name);
        if (l->catalog.opset)
                snprintf(version, sizeof(version), " in version %lld", (long long)l->catalog.opset);
        if (near.best && strcmp(near.best, name) != 0)
                snprintf(meant, sizeof(meant), "; did you mean '%.60s'?", near.best);
        call_reply_error(l->call, OX_NOT_FOUND, "domain %.60s has no operator '%.60s'%s%s", domain, name, version,
                         meant);
}

void operators_get(struct call *call)
{
        struct listing l = {.call = call, .catalog = catalog_of(call, ""), .is_one = true, .fault = ""};
        const char *name = call->path + PATH_BYTES;

        if (!call->transport->query(call, each_parameter, &l)) {
                answer_bad_query(call, l.fault);
                return;
        }
        if (catalog_find(&l.catalog, name, &l.entry))
                answer(&l, write_one);
        else
                reply_absent(&l, name);
}
