/* Lists of element types that sequences share. */
#include "unit.h"
#include "value/value.h"

static struct arena *arena;
static struct dim_table *table;
static int mapped; /* sizes */

static void setup(void)
{
        struct ox_limits limits;

        ox_limits_default(&limits);
        arena = arena_new((size_t)1 << 28);
        table = dim_table_new(arena, strings_new(arena, 7), &limits, 7);
        mapped = 0;
}

static const struct type *vector_of(struct dim size)
{
        struct dim *dim = arena_new_array(arena, struct dim, 1);

        *dim = size;
        return type_keep(arena, type_tensor(ELEM_FLOAT, 1, dim));
}

static struct dim size_of(const struct elements *elements, size_t i)
{
        return elements->at[i]->dim[0];
}

/* A chain of sequences shares one list; a chain that branches off in the middle has a list of its own. */
START_TEST(growing)
{
        struct elements *chain = NULL, *first = NULL;

        setup();
        for (size_t i = 0; i < 1000; i++) {
                chain = elements_add(arena, chain, i, vector_of(dim_int((int64_t)i)));
                first = first ? first : chain;
                ck_assert_ptr_eq(chain, first);
        }
        ck_assert_uint_lt(arena_used(arena), (size_t)200 * 1000 + 65536);
        struct elements *other = elements_add(arena, chain, 500, vector_of(dim_int(-7)));

        ck_assert_ptr_ne(other, chain);
        ck_assert_uint_eq(other->count, 501);
        ck_assert_uint_eq(chain->count, 1000);
        for (size_t i = 0; i < 500; i++)
                ck_assert(dim_is(size_of(other, i), (int64_t)i));
        ck_assert(dim_is(size_of(other, 500), -7) && dim_is(size_of(chain, 500), 500));
        arena_free(arena);
}
END_TEST

static struct dim resolved(void *user, struct dim d, int axis)
{
        (void)axis;
        mapped++;
        return dim_resolve(user, d);
}

static bool unchanged(void *user, struct dim *d)
{
        (void)user;
        (void)d;
        return true;
}

/* Each element is mapped once for all the sequences that have it, and the list stays as it is where none changes. */
START_TEST(mapping)
{
        enum { MANY = 300 };

        setup();
        struct value_map map = {arena, resolved, unchanged, table, 1};
        struct dim u = dim_fresh(table, "u", NULL);
        struct elements *chain = NULL;

        for (size_t i = 0; i < MANY; i++) {
                chain = elements_add(arena, chain, i, vector_of(i == 200 ? u : dim_fresh(table, "s", NULL)));
                ck_assert_ptr_eq(elements_map(&map, chain, i + 1), chain);
        }
        ck_assert_int_eq(mapped, MANY);
        ck_assert_int_eq(dim_unify(table, u, dim_int(5), NULL), DIM_UNIFY_BOUND);
        map.since = 2;
        ck_assert_ptr_eq(elements_map(&map, chain, 200), chain);
        struct elements *changed = elements_map(&map, chain, 201);

        ck_assert_ptr_ne(changed, chain);
        ck_assert(dim_is(size_of(changed, 200), 5) && dim_same(size_of(changed, 3), size_of(chain, 3)));
        ck_assert_ptr_eq(elements_map(&map, chain, 250), changed);

        /* An element by which the mapped list grows elsewhere is not in this list. */
        elements_add(arena, changed, 250, vector_of(dim_int(77)));
        changed = elements_map(&map, chain, MANY);
        for (size_t i = 0; i < MANY; i++)
                ck_assert(i == 200 || dim_same(size_of(changed, i), size_of(chain, i)));
        arena_free(arena);
}
END_TEST

UNIT_MAIN("elements", growing, mapping);
