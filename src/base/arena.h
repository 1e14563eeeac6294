/* Memory that a request allocates piece by piece and frees as a whole. Not thread-safe: one arena, one thread. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code.h"
#include "base/try.h"

struct arena;

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

/* Never returns NULL: without memory it bails with the reason of arena_failure(). Aligned for 64-bit numbers and
   pointers, the widest types in use; not zeroed. Without a guard, which only tests may do, running out of memory ends
   the process. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((malloc, returns_nonnull));
void *arena_zalloc(struct arena *arena, size_t size) __attribute__((malloc, returns_nonnull));
void *arena_array(struct arena *arena, size_t count, size_t size) __attribute__((malloc, returns_nonnull));

/* Like arena_alloc(), but NULL without memory: for libraries that handle it themselves. */
void *arena_try_alloc(struct arena *arena, size_t size);

/* The reason of the last failed allocation: OX_RESOURCE_EXHAUSTED past a limit, OX_UNAVAILABLE if other arenas hold the
   memory; *ret_text, on the arena, is a sentence. */
#define ARENA_FAILURE_TEXT 160
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
