/* Memory that a request allocates piece by piece and frees as a whole. Not thread-safe: one arena, one thread. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/asan.h"
#include "base/checked.h"
#include "base/code.h"
#include "base/try.h"

/* Of max_align_t, most of a model's names would be padded to 16 bytes. */
#define ARENA_ALIGNMENT sizeof(uint64_t)

/* The place to which a request returns early, from any depth, when it runs out of memory or time: the caller that
   starts work on an arena sets it with setjmp(guard.jump), and arena_bail() jumps there. Everything allocated lives on
   the arena, so nothing leaks; code that holds anything else (a lock, a file) must not call the engine. */
struct arena_guard {
        jmp_buf jump;
        enum ox_code code;
        char message[256];
};

/* A memory budget shared by arenas: each block is reserved before and released after use, on the thread that uses the
   arena. */
struct arena_source {
        bool (*take)(struct arena_source *source, size_t bytes); /* false: not enough is left */
        void (*give)(struct arena_source *source, size_t bytes);
        size_t most;      /* the total */
        const char *text; /* the message when not enough is left */
};

#define ARENA_FAILURE_TEXT 160

/* Defined here for arena_alloc(); only arena.c touches it otherwise. */
struct arena {
        unsigned char *at;   /* of the current block, the first byte that is free */
        size_t room;         /* from there on, within the block and the limit: a multiple of ARENA_ALIGNMENT */
        unsigned char *last; /* the last thing allocated, for growing in place */
        size_t limit;
        size_t before; /* bytes handed out of blocks before the current one */
        size_t held;   /* in blocks */
        struct arena_source *source;
        struct arena_block *first, *current;
        struct arena_guard *guard;
        enum ox_code failure; /* the reason of the last failed allocation */
        char failure_text[ARENA_FAILURE_TEXT];
};

/* NULL if memory runs out. `limit` bounds the bytes allocated between two resets. */
struct arena *arena_new(size_t limit);
/* `source` NULL: none; else it must outlive the arena. */
struct arena *arena_new_shared(size_t limit, struct arena_source *source);

/* Takes NULL. */
void arena_free(struct arena *arena);

/* Invalidates everything allocated so far. Keeps up to `keep` bytes of memory for the next request. */
void arena_reset(struct arena *arena, size_t keep);

/* Sets the guard to which arena_bail() jumps; NULL: none. Returns the previous one. */
struct arena_guard *arena_set_guard(struct arena *arena, struct arena_guard *guard);

/* Takes from the current block, which has room for as much: 1 byte or more. */
static inline __attribute__((malloc, returns_nonnull)) void *arena_carve(struct arena *arena, size_t size)
{
        size_t rounded = (size + ARENA_ALIGNMENT - 1) & ~(ARENA_ALIGNMENT - 1);

        arena->last = arena->at;
        arena->at += rounded;
        arena->room -= rounded;
        ASAN_UNPOISON_MEMORY_REGION(arena->last, size);
        return arena->last;
}

/* arena_alloc() where the current block has too little room, or for 0 bytes. */
void *arena_alloc_more(struct arena *arena, size_t size) __attribute__((malloc, returns_nonnull));

/* Never returns NULL: without memory it bails with the reason of arena_failure(). Aligned for 64-bit numbers and
   pointers, the widest types in use; not zeroed. Without a guard, which only tests may do, running out of memory ends
   the process. */
static inline __attribute__((malloc, returns_nonnull)) void *arena_alloc(struct arena *arena, size_t size)
{
        return size - 1 < arena->room ? arena_carve(arena, size) : arena_alloc_more(arena, size);
}

static inline __attribute__((malloc, returns_nonnull)) void *arena_zalloc(struct arena *arena, size_t size)
{
        return memset(arena_alloc(arena, size), 0, size);
}

static inline __attribute__((malloc, returns_nonnull)) void *arena_array(struct arena *arena, size_t count, size_t size)
{
        size_t whole;

        return arena_alloc(arena, mul_size(count, size, &whole) ? whole : SIZE_MAX);
}

#define ARENA_AHEAD 1024 /* bytes: some ten things further on */

/* Has the processor fetch memory that will be allocated before long. Of what no cache holds, it would fetch little
   ahead by itself, since each page ends what it foresees; and writes that wait for memory hold up those behind them. */
static inline void arena_expect(const struct arena *arena)
{
        __builtin_prefetch((const void *)((uintptr_t)arena->at + ARENA_AHEAD), 1);
}

/* Like arena_alloc(), but NULL without memory: for libraries that handle it themselves. */
void *arena_try_alloc(struct arena *arena, size_t size);

/* The reason of the last failed allocation: OX_RESOURCE_EXHAUSTED past a limit, OX_UNAVAILABLE if other arenas hold the
   memory; *ret_text, on the arena, is a sentence. */
enum ox_code arena_failure(const struct arena *arena, const char **ret_text);

/* A larger copy of an array; grown in place if it was the last allocation. */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size) __attribute__((returns_nonnull));

char *arena_strndup(struct arena *arena, const char *text, size_t length) __attribute__((returns_nonnull));
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3), returns_nonnull));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
        __attribute__((format(printf, 2, 0), returns_nonnull));

_Noreturn void arena_bail(struct arena *arena, enum ox_code code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Bytes allocated since the last reset, and bytes of memory held. */
size_t arena_used(const struct arena *arena);
size_t arena_held(const struct arena *arena);

#define arena_new_array(arena, type, count) ((type *)arena_array((arena), (count), sizeof(type)))
#define arena_new_zero(arena, type)         ((type *)arena_zalloc((arena), sizeof(type)))
