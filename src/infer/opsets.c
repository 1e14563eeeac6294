/* The versions of operator sets that a model or a function imports. */
#include <string.h>

#include "base/bounds.h"
#include "infer/internal.h"
#include "ops/custom/custom.h"

void opset_note_newer(struct infer *f, const char *scope, const struct opset *opset)
{
        int newest = op_newest_opset(opset->domain);

        if (newest > 0 && opset->version > newest)
                infer_note(f, &(struct note){.severity = OX_WARNING, .reason = REASON_NEWER_OPSET, .scope = scope},
                           "version %lld of domain %s is not known; using %d, the newest known one",
                           (long long)opset->version, op_domain_text(opset->domain), newest);
}

/* The first import counts, unless it names no version and the other one does. */
static void note_twice(struct infer *f, const char *scope, struct opset *first, int64_t version)
{
        if (first->version <= 0 && version > 0) {
                int64_t other = version;

                version = first->version;
                first->version = other;
                opset_note_newer(f, scope, first);
        }
        if (version != first->version)
                infer_note(
                        f,
                        &(struct note){.severity = OX_WARNING, .reason = REASON_DUPLICATE_OPSET_IMPORT, .scope = scope},
                        "domain %s is imported twice: version %lld counts, version %lld does not",
                        op_domain_text(first->domain), (long long)first->version, (long long)version);
}

void opsets_read(struct infer *f, OnnxOpsetId *const *ids, size_t count, const char *scope, struct opsets *ret)
{
        struct opset *at = arena_new_array(f->arena, struct opset, count);

        *ret = (struct opsets){.at = at};
        for (size_t i = 0; i < count; i++) {
                const char *written = text_or_empty(ids[i]->domain), *domain = op_canonical_domain(written);
                str_id name = str_intern_z(f->strings, domain);
                int64_t first = map_get(&ret->by_domain, name);

                if (first >= 0) {
                        note_twice(f, scope, &at[first], ids[i]->version);
                        continue;
                }
                map_put(f, &ret->by_domain, name, (uint32_t)ret->count);
                at[ret->count] = (struct opset){domain, written, ids[i]->version};
                opset_note_newer(f, scope, &at[ret->count++]);
        }
}

static int64_t own_version(const struct infer *f, const struct opsets *opsets, const char *domain)
{
        str_id name;

        if (opsets->count <= FEW_IMPORTS) {
                for (size_t i = 0; i < opsets->count; i++)
                        if (text_same(opsets->at[i].domain, domain))
                                return opsets->at[i].version;
                return 0;
        }
        int64_t at = str_find(f->strings, domain, strlen(domain), &name) ? map_get(&opsets->by_domain, name) : -1;

        return at < 0 ? 0 : opsets->at[at].version;
}

int64_t opsets_version(const struct infer *f, const struct opsets *opsets, const char *domain)
{
        domain = op_canonical_domain(domain);
        int64_t version = own_version(f, opsets, domain);

        if (version == 0 && opsets != f->opsets)
                version = own_version(f, f->opsets, domain);
        return version;
}

/* What the row tells of every node of the operator. */
static void describe_use(const struct infer *f, struct op_use *use)
{
        const struct op_row *row = use->row;

        use->is_simple = row->rule && row->control == CONTROL_NONE;
        use->is_prepared = op_prepared_of(row, &use->prepared);
        use->is_plain = use->is_simple && use->is_prepared && !f->options->check_types && !row->deprecated &&
                        row->min_out <= 1 && row->max_out != 0;
        use->least = (uint32_t)row->min_in;
        use->most = row->max_in < 0 || row->max_in > FEW_VALUES ? FEW_VALUES : (uint32_t)row->max_in;
}

static struct op_use *find_use(struct infer *f, const struct opsets *opsets, const struct model_op *op)
{
        struct op_use *use = arena_new_array(f->arena, struct op_use, 1);

        *use = (struct op_use){.opset = opsets_version(f, opsets, op->domain), .function = function_find(f, op)};
        use->row = op_find(op->domain, op->type, use->opset, &use->exists);
        if (!use->exists)
                use->row = custom_find(f->options->operators, f->options->n_operators, op->domain, op->type, use->opset,
                                       &use->exists);
        if (use->row && !use->function)
                describe_use(f, use);
        return use;
}

const struct op_use *opsets_find_use(struct infer *f, struct opsets *opsets, const struct model_op *op)
{
        if (!f->model) /* a node alone, whose bodies are small */
                return find_use(f, opsets, op);
        int64_t at = map_get(&opsets->use_of, op->number);

        if (at >= 0)
                return opsets->use[at];
        if (opsets->n_use == opsets->use_room) {
                uint32_t room = opsets->use_room ? 2 * opsets->use_room : 16;

                opsets->use = (const struct op_use **)arena_grow(
                        f->arena, opsets->use, opsets->use_room * sizeof(*opsets->use), room * sizeof(*opsets->use));
                opsets->use_room = room;
        }
        map_put(f, &opsets->use_of, op->number, opsets->n_use);
        opsets->use[opsets->n_use] = find_use(f, opsets, op);
        return opsets->use[opsets->n_use++];
}
