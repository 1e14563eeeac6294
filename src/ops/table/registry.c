#include "ops/table/registry.h"

#include "base/str.h"
#include "ops/table/registry_table.h"

/* FNV-1a, as gen_registry.py computes it. The table is fixed, so names chosen to collide cost a few comparisons. */
static uint32_t hash_text(uint32_t hash, const char *text)
{
        for (; *text != '\0'; text++)
                hash = (hash ^ (unsigned char)*text) * UINT32_C(0x01000193);
        return hash;
}

const char *attr_type_name(int type)
{
        switch (type) {
#define ATTR_TYPE(Name, number, text)                                                                                  \
        case (number):                                                                                                 \
                return text;
#include "ops/table/attr_types.def"
#undef ATTR_TYPE
        default:
                return "unknown";
        }
}

const char *op_canonical_domain(const char *domain)
{
        return text_same(domain, "ai.onnx") ? "" : domain;
}

/* Domains under which files have the operators of another one. */
static const struct {
        const char *name, *of;
} other_names[] = {{"ai.onnx", ""},
                   {"mmcv", "mmdeploy"},
                   {"trt.plugins", "TRT"},
                   {"finn.custom_op.general", "qonnx.custom_op.general"},
                   {"onnx.brevitas", "qonnx.custom_op.general"}};

const char *op_table_domain(const char *domain)
{
        for (size_t i = 0; i < sizeof(other_names) / sizeof(*other_names); i++)
                if (text_same(domain, other_names[i].name))
                        return other_names[i].of;
        return domain;
}

const struct op_row *op_versions(const char *domain, const char *name, size_t *ret_count)
{
        domain = op_table_domain(domain);
        uint32_t hash = hash_text(UINT32_C(0x811c9dc5), domain) * UINT32_C(0x01000193);
        hash = hash_text(hash, name);

        for (uint32_t at = hash & op_slot_mask; op_slots[at].count > 0; at = (at + 1) & op_slot_mask) {
                const struct op_row *row = &op_rows[op_slots[at].first];
                if (op_slots[at].hash == hash && text_same(row->name, name) && text_same(row->domain, domain)) {
                        *ret_count = op_slots[at].count;
                        return row;
                }
        }
        *ret_count = 0;
        return NULL;
}

const struct op_row *op_find(const char *domain, const char *name, int64_t opset, bool *ret_exists)
{
        size_t count;
        const struct op_row *row = op_versions(domain, name, &count);

        if (ret_exists)
                *ret_exists = count > 0;
        while (count > 0)
                if (row[--count].since <= opset)
                        return &row[count];
        return NULL;
}

static const struct op_domain *find_domain(const char *name)
{
        name = op_table_domain(name);
        for (size_t i = 0; i < op_domain_count; i++)
                if (text_same(op_domains[i].name, name))
                        return &op_domains[i];
        return NULL;
}

int op_newest_opset(const char *domain)
{
        const struct op_domain *found = find_domain(domain);

        return found ? found->newest : 0;
}

bool op_domain_open(const char *domain)
{
        const struct op_domain *found = find_domain(domain);

        return !found || found->open;
}

static const struct op_param *find_param(const struct op_param *param, size_t count, int index)
{
        if (index < 0 || count == 0)
                return NULL;
        if ((size_t)index < count)
                return &param[index];
        return param[count - 1].option == PARAM_VARIADIC ? &param[count - 1] : NULL;
}

const struct op_param *op_in_param(const struct op_row *row, int index)
{
        return find_param(row->in, row->n_in, index);
}

const struct op_param *op_out_param(const struct op_row *row, int index)
{
        return find_param(row->out, row->n_out, index);
}

/* Rules name attributes by literals, of which linkers keep one for the rows as well. */
const struct op_attr *op_find_attr(const struct op_row *row, const char *name)
{
        for (size_t i = 0; i < row->n_attr; i++)
                if (row->attr[i].name == name)
                        return &row->attr[i];
        for (size_t i = 0; i < row->n_attr; i++)
                if (text_same(row->attr[i].name, name))
                        return &row->attr[i];
        return NULL;
}
