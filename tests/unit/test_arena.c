/* Arenas take blocks of huge pages, or smaller ones when less memory is left, and give them back. */
#include <string.h>

#include "base/arena.h"
#include "unit.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

struct counted {
        struct arena_source source;
        size_t taken;
};

static bool take(struct arena_source *source, size_t bytes)
{
        struct counted *counted = (struct counted *)source;

        if (bytes > source->most - counted->taken)
                return false;
        counted->taken += bytes;
        return true;
}

static void give(struct arena_source *source, size_t bytes)
{
        ((struct counted *)source)->taken -= bytes;
}

/* Allocates until `bytes` bytes are handed out or none are left. All of them can be written to, and are aligned. */
static size_t fill(struct arena *arena, size_t size, size_t bytes)
{
        while (arena_used(arena) < bytes) {
                unsigned char *at = arena_try_alloc(arena, size);

                if (!at)
                        break;
                ck_assert_uint_eq((uintptr_t)at % sizeof(uint64_t), 0);
                memset(at, 0xa5, size);
        }
        return arena_used(arena);
}

START_TEST(takes_little_for_little_and_whole_pages_for_more)
{
        struct counted counted = {{take, give, 64 * MIB, "none left"}, 0};
        struct arena *arena = arena_new_shared(64 * MIB, &counted.source);

        fill(arena, 100, 32 * KIB);
        ck_assert_uint_le(counted.taken, 64 * KIB);
        fill(arena, 100, 500 * KIB);
        ck_assert_uint_eq(counted.taken, (64 + 512) * KIB);
        fill(arena, 100, 1 * MIB);
        ck_assert_uint_eq(counted.taken, 2 * MIB + (64 + 512) * KIB);
        ck_assert_uint_eq(fill(arena, 9 * MIB, 10 * MIB) / MIB, 10);
        fill(arena, 1 * MIB, 40 * MIB);
        ck_assert_uint_ge(arena_used(arena), 40 * MIB);
        ck_assert_uint_eq(arena_held(arena), counted.taken);
        arena_reset(arena, 20 * MIB);
        ck_assert_uint_le(counted.taken, 20 * MIB);
        ck_assert_uint_ge(counted.taken, 8 * MIB);
        fill(arena, 100, 8 * MIB);
        arena_reset(arena, 0);
        ck_assert_uint_le(counted.taken, 64 * KIB);
        arena_free(arena);
        ck_assert_uint_eq(counted.taken, 0);
}
END_TEST

START_TEST(takes_what_is_left)
{
        struct counted counted = {{take, give, 3 * MIB, "none left"}, 0};
        struct arena *arena = arena_new_shared(64 * MIB, &counted.source);
        const char *text;

        ck_assert_uint_ge(fill(arena, 1000, 64 * MIB), 2 * MIB + 800 * KIB);
        ck_assert_ptr_null(arena_try_alloc(arena, 1 * MIB));
        ck_assert_int_eq(arena_failure(arena, &text), OX_RESOURCE_EXHAUSTED);
        ck_assert_str_eq(text, "none left");
        arena_free(arena);
        ck_assert_uint_eq(counted.taken, 0);
}
END_TEST

START_TEST(ends_at_its_limit)
{
        struct arena *arena = arena_new(1 * MIB);
        const char *text;

        ck_assert_uint_le(fill(arena, 1000, 64 * MIB), 1 * MIB);
        ck_assert_uint_ge(arena_used(arena), 1 * MIB - 64 * KIB);
        ck_assert_uint_le(arena_held(arena), 2 * MIB);
        ck_assert_ptr_null(arena_try_alloc(arena, SIZE_MAX - 100));
        ck_assert_int_eq(arena_failure(arena, &text), OX_RESOURCE_EXHAUSTED);
        arena_free(arena);
}
END_TEST

START_TEST(grows_in_place_past_what_is_ready)
{
        struct arena *arena = arena_new(64 * MIB);

        for (int again = 0; again < 2; again++) {
                memset(arena_alloc(arena, 300 * KIB), 1, 300 * KIB);
                unsigned char *first = arena_alloc(arena, 8), *at = first;

                for (size_t size = 8; size < 180 * KIB; size += 1001) {
                        memset(at, 2, size);
                        at = arena_grow(arena, at, size, size + 1001);
                        ck_assert_ptr_eq(at, first);
                }
                memset(arena_alloc(arena, 1000 * KIB), 3, 1000 * KIB);
                ck_assert_uint_ge(arena_used(arena), 1480 * KIB);
                ck_assert_uint_le(arena_held(arena), 2 * MIB + (64 + 512) * KIB);
                arena_reset(arena, SIZE_MAX);
        }
        arena_free(arena);
}
END_TEST

UNIT_MAIN("arena", takes_little_for_little_and_whole_pages_for_more, takes_what_is_left, ends_at_its_limit,
          grows_in_place_past_what_is_ready);
