#include "model/attribute.h"

#include <string.h>

#include "model/graph.h"

const struct model_attribute *attribute_among(const struct model_attribute *attribute, enum attribute_held held)
{
        for (size_t i = 0; i < attribute->count; i++)
                if (attribute->several[i].held == held)
                        return &attribute->several[i];
        return NULL;
}

/* -- from protobuf-c -- */

/* The values that an attribute has, in the order of their types. */
struct values {
        struct model_attribute at[HELD_SEVERAL];
        size_t count;
};

static struct model_attribute *add(struct values *values, bool is_there, enum attribute_held held, size_t count)
{
        struct model_attribute *value = &values->at[values->count];

        /* No message of a model reaches 2 GiB, so the number fits. */
        *value = (struct model_attribute){.name = "", .count = (uint32_t)count, .held = (uint8_t)held};
        values->count += is_there;
        return value;
}

static void add_list(struct values *values, enum attribute_held held, const void *list, size_t count)
{
        add(values, count > 0, held, count)->list = list;
}

static const OnnxGraph *graph_of(struct model_names *names, const OnnxGraph *proto)
{
        if (!proto)
                return NULL;
        names->has_bodies = true;
        return &model_graph_of(names, proto)->proto;
}

void model_attribute_of(struct model_names *names, const OnnxAttribute *proto, struct model_attribute *ret)
{
        struct values values = {.count = 0};
        const char *reference = text_or_empty(proto->ref_attr_name);

        add(&values, proto->has_f, HELD_FLOAT, 0)->f = proto->f;
        add(&values, proto->has_i, HELD_INT, 0)->i = proto->i;
        add(&values, proto->has_s, HELD_STRING, proto->s.len)->bytes = proto->s.data;
        add(&values, proto->t, HELD_TENSOR, 0)->tensor = proto->t ? model_tensor_of(names->arena, proto->t) : NULL;
        add(&values, proto->g, HELD_GRAPH, 0)->graph = graph_of(names, proto->g);
        add_list(&values, HELD_FLOATS, proto->floats, proto->n_floats);
        add_list(&values, HELD_INTS, proto->ints, proto->n_ints);
        add_list(&values, HELD_STRINGS, proto->strings, proto->n_strings);
        add_list(&values, HELD_TENSORS, proto->tensors, proto->n_tensors);
        add_list(&values, HELD_GRAPHS, proto->graphs, proto->n_graphs);
        add(&values, proto->sparse_tensor, HELD_SPARSE_TENSOR, 0)->sparse = proto->sparse_tensor;
        add_list(&values, HELD_SPARSE_TENSORS, proto->sparse_tensors, proto->n_sparse_tensors);
        add(&values, proto->tp, HELD_TYPE_PROTO, 0)->type_proto = proto->tp;
        add_list(&values, HELD_TYPE_PROTOS, proto->type_protos, proto->n_type_protos);
        add(&values, reference[0], HELD_REFERENCE, 0)->reference = reference;
        *ret = (struct model_attribute){.held = HELD_UNDEFINED};
        if (values.count == 1) {
                *ret = values.at[0];
        } else if (values.count > 1) {
                struct model_attribute *several = arena_new_array(names->arena, struct model_attribute, values.count);

                memcpy(several, values.at, values.count * sizeof(*several));
                ret->several = several;
                ret->count = (uint32_t)values.count;
                ret->held = HELD_SEVERAL;
        }
        ret->name = text_or_empty(proto->name);
        ret->type = attribute_type(proto->has_type ? (uint32_t)proto->type : HELD_UNDEFINED);
}
