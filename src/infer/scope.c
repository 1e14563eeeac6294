/* Scopes: the main graph, a subgraph or a function's body, with its initial values. */
#include <stdio.h>
#include <string.h>

#include "infer/internal.h"
#include "ops/node/tensor.h"

const struct result_more *scope_more(struct infer *f, const char *path)
{
        struct result_more *more = arena_new_array(f->arena, struct result_more, 1);

        *more = (struct result_more){.scope = path};
        return more;
}

/* The path of the scope around it stands before each path but "". */
const char *scope_path(const struct scope *parent, const struct node *n, const char *part)
{
        const char *name = node_name(n), *around = parent->path;

        if (!name[0])
                name = arena_printf(n->arena, "%s_%lld", node_op(n), (long long)n->index);
        size_t room = sizeof(around) + strlen(around) + strlen(name) + strlen(part) + sizeof("//");
        char *path = arena_alloc(n->arena, room);

        memcpy(path, &around, sizeof(around));
        path += sizeof(around);
        snprintf(path, room - sizeof(around), "%s%s%s/%s", around, around[0] ? "/" : "", name, part);
        return path;
}

const char *scope_around(const char *path)
{
        const char *around = NULL;

        if (path[0])
                memcpy(&around, path - sizeof(around), sizeof(around));
        return around;
}

void scope_declare(struct infer *f, struct scope *scope, OnnxValueInfo *const *infos, size_t count)
{
        scope->declaration =
                arena_grow(f->arena, scope->declaration, scope->n_declaration * sizeof(*scope->declaration),
                           (scope->n_declaration + count) * sizeof(*scope->declaration));
        for (size_t i = 0; i < count; i++) {
                if (!infos[i]->name || !infos[i]->type)
                        continue;
                const str_id name = str_intern_z(f->strings, infos[i]->name);

                if (!map_put(f, &scope->declared, name, (uint32_t)scope->n_declaration))
                        continue;
                scope->declared_some |= UINT64_C(1) << name % 64;
                scope->declaration[scope->n_declaration++] = infos[i];
        }
}

/* If an input has the same name, it is the default of that input instead. */
static void add_initializer(struct infer *f, struct scope *scope, str_id id, const struct model_tensor *tensor,
                            const OnnxSparseTensor *sparse)
{
        const char *name = str_text(f->strings, id);
        int64_t number = map_get(&scope->entries, id);

        if (number >= 0 && entry_at(f, (size_t)number)->kind == OX_KIND_INPUT)
                return;
        const char *fault = NULL;
        struct result_value entry = entry_given(OX_KIND_INITIALIZER, scope, id);

        if (!tensor_type(f->arena, f->limits, tensor, &entry.value.type, &fault)) {
                entry.value.type = type_unknown;
        } else if (sparse) {
                struct dim *dims = arena_new_array(f->arena, struct dim, sparse->n_dims);
                bool good = (int64_t)sparse->n_dims <= f->limits->rank;

                for (size_t d = 0; d < sparse->n_dims; d++) {
                        dims[d] = dim_int(sparse->dims[d]);
                        good = good && sparse->dims[d] >= 0;
                }
                /* A sparse initializer is used as the tensor that it stands for (IR.md). */
                entry.value.type.rank = good ? (int)sparse->n_dims : RANK_UNKNOWN;
                entry.value.type.dim = dims;
        } else {
                entry.value.content = tensor_content_later(f->arena, f->limits, tensor, &fault);
        }
        if (fault)
                infer_note(f,
                           &(struct note){.severity = OX_ERROR,
                                          .reason = REASON_TENSOR_INVALID,
                                          .scope = scope->path,
                                          .value = name},
                           "%s: %s", name, fault);
        if (!entry_add(f, scope, &entry))
                infer_note(f,
                           &(struct note){.severity = OX_ERROR,
                                          .reason = REASON_DUPLICATE_NAME,
                                          .scope = scope->path,
                                          .value = name},
                           "%s is defined twice: as %s and again as %s", name, entry_party(f, scope_find(f, scope, id)),
                           entry_party(f, &entry));
}

void scope_initializers(struct infer *f, struct scope *scope, const OnnxGraph *graph)
{
        for (const struct model_tensor *tensor = graph_initializers(graph)->first; tensor; tensor = tensor->next)
                add_initializer(f, scope, tensor->name, tensor, NULL);
        for (size_t i = 0; i < graph->n_sparse_initializer; i++) {
                const OnnxSparseTensor *sparse = graph->sparse_initializer[i];

                if (sparse->values)
                        add_initializer(f, scope, str_intern_z(f->strings, text_or_empty(sparse->values->name)),
                                        model_tensor_of(f->arena, sparse->values), sparse);
        }
}
