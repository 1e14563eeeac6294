/* From a subject to an answer. */
#include "answer.h"

#define CONTEXT_KEEP ((size_t)1 << 20)

#include <string.h>

/* Work that may end early. */
static bool run_guarded(struct arena *arena, void (*run)(void *user), void *user)
{
        struct arena_guard guard;
        struct arena_guard *before = arena_set_guard(arena, &guard);
        bool done = setjmp(guard.jump) == 0;

        if (done)
                run(user);
        arena_set_guard(arena, before);
        return done;
}

/* -- the subject's values, on the tables of a request -- */

struct copying {
        struct subject *s;
        struct arena *arena;
        const struct value *in;
        const struct assignment *bound;
        uint64_t seed;
        struct infer_node_request request;
        const char *name; /* of the input that is being copied */
};

/* Through its text, as dimensions come in. */
static struct dim copy_dim(struct copying *c, struct dim d, int axis)
{
        const struct dim_origin origin = {.value = c->name, .axis = axis};
        const char *text;
        uint32_t number;
        struct dim ret;

        if (dim_is_int(d))
                return d;
        text = dim_text(c->s->dims, d);
        if (dim_as_symbol(c->s->dims, d, &number))
                return dim_symbol_at(c->s->dims, number)->anonymous
                               ? dim_fresh(c->request.dims, text, &origin)
                               : dim_named(c->request.dims, str_intern_z(c->request.strings, text), &origin, true);
        HOLD(dim_parse(c->request.dims, text, strlen(text), NULL, NULL, &origin, true, &ret), "%s can be read", text);
        return ret;
}

static struct type copy_type(struct copying *c, const struct type *type)
{
        struct type ret = *type;

        if (type_within(type) != NULL) {
                struct type *of = arena_new_zero(c->arena, struct type);

                *of = copy_type(c, type->of);
                ret.of = of;
        }
        if (type_is_tensor(type) && type->rank > 0) {
                struct dim *dims = arena_new_array(c->arena, struct dim, (size_t)type->rank);

                for (int d = 0; d < type->rank; d++)
                        dims[d] = copy_dim(c, type->dim[d], d);
                ret.dim = dims;
        }
        return ret;
}

static struct value copy_value(struct copying *c, const struct value *value)
{
        const struct content *content = content_read(value->content);
        struct members members = *value_members(value);
        struct value ret = *value;

        ret.type = copy_type(c, &value->type);
        if (members.has_length)
                members.length = copy_dim(c, members.length, -1);
        if (members.elements != NULL) {
                const struct elements *from = members.elements;
                size_t count = (size_t)members.length.val;

                members.elements = elements_new(c->arena, count);
                for (size_t i = 0; i < count; i++)
                        elements_add(c->arena, members.elements, i, type_keep(c->arena, copy_type(c, from->at[i])));
        }
        value_hold(c->arena, &ret, &members);
        if (content != NULL) {
                struct content *copy = content_new(c->arena, content->count);

                for (size_t i = 0; i < content->count; i++) {
                        struct scalar s = content_at(content, i);

                        if (s.kind == SCALAR_INT || s.kind == SCALAR_RATIO)
                                s.d = copy_dim(c, s.d, -1);
                        content_set(copy, i, s);
                }
                ret.content = copy;
        }
        return ret;
}

static void bind_symbols(struct copying *c)
{
        for (uint32_t i = 0; c->bound != NULL && i < c->bound->count; i++) {
                if (dim_symbol_at(c->s->dims, i)->anonymous)
                        continue;
                const char *name = str_text(c->s->strings, dim_symbol_at(c->s->dims, i)->name);

                dim_define(c->request.dims, str_intern_z(c->request.strings, name), c->bound->value[i]);
        }
}

static void copy_request(void *user)
{
        struct copying *c = user;
        struct subject *s = c->s;
        struct infer_input *inputs = arena_zalloc(c->arena, s->n_in * sizeof(*inputs));
        struct result_opset *opset = arena_new_zero(c->arena, struct result_opset);

        c->request.strings = strings_new(c->arena, c->seed);
        c->request.dims = dim_table_new(c->arena, c->request.strings, ox_context_limits(s->context), c->seed);
        bind_symbols(c);
        for (size_t i = 0; i < s->n_in; i++) {
                const char *name = s->proto->input[i];

                if (name[0] == '\0')
                        continue;
                c->name = str_text(c->request.strings, str_intern_z(c->request.strings, name));
                inputs[c->request.n_input].name = name;
                inputs[c->request.n_input++].value = copy_value(c, &c->in[i]);
        }
        *opset = (struct result_opset){s->proto->domain, s->opset};
        c->request.node = s->proto;
        c->request.opset = opset;
        c->request.n_opset = s->opset > 0;
        c->request.input = inputs;
}

/* -- the answer -- */

struct rendering {
        struct answer *answer;
        struct arena *arena;
        struct buf buf;
};

static void put(void *user, const char *bytes, size_t size)
{
        struct rendering *r = user;

        buf_put(&r->buf, bytes, size);
}

static void render(void *user)
{
        struct rendering *r = user;

        buf_init(&r->buf, r->arena);
        if (r->answer->code == OX_OK)
                render_json(r->answer->result, r->arena, false, put, r);
        else
                render_error_json(r->answer->code, r->answer->error, r->answer->result, put, r);
        r->answer->json = buf_text(&r->buf);
}

bool answer_get(struct subject *s, struct ox_context *context, const struct value *in, const struct assignment *bound,
                bool check_types, uint64_t seed, struct answer *ret)
{
        ox_context_reset(context, CONTEXT_KEEP);
        struct arena *arena = ox_context_arena(context);
        struct copying c = {.s = s, .arena = arena, .in = in, .bound = bound, .seed = seed};
        struct ox_options options = {.check_types = check_types, .seed = seed};

        *ret = (struct answer){.context = context, .in = in};
        if (!run_guarded(arena, copy_request, &c))
                return false;
        ret->strings = c.request.strings;
        ret->code = ox_request_infer(context, &c.request, &options, &ret->result);
        ret->error = ox_context_error(context);
        struct rendering r = {.answer = ret, .arena = arena};

        return run_guarded(arena, render, &r);
}
