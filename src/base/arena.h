/* Memory that a request allocates bit by bit and gives back as a whole. Not thread-safe: one arena, one thread. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code.h"
#include "base/try.h"

struct arena;

/* Where a request ends early when it runs out of memory or time, from any depth: whoever starts work on an arena
   sets it with setjmp(guard.jump), and arena_bail() comes back there. Everything allocated lives on the arena, so
   nothing is lost by leaving so; code that holds anything else (a lock, a file) must not call the engine. */
struct arena_guard {
        jmp_buf jump;
        enum ox_code code;
        char message[256];
};

/* What arenas share with each other: each asks before it takes memory, in blocks, and tells when it gives it back, from
   whatever thread it is used in. */
struct arena_source {
        bool (*take)(struct arena_source *source, size_t bytes); /* false: there is not so much left */
        void (*give)(struct arena_source *source, size_t bytes);
        size_t most;      /* that there is in all */
        const char *text; /* what is said when there is not enough */
};

/* NULL when there is no memory. `limit` bounds the bytes that are handed out between two resets. */
struct arena *arena_new(size_t limit);
/* `source` NULL: none; else it must outlive the arena. */
struct arena *arena_new_shared(size_t limit, struct arena_source *source);

/* Takes NULL. */
void arena_free(struct arena *arena);

/* Everything allocated so far becomes invalid. Keeps memory up to `keep` bytes for the next request. */
void arena_reset(struct arena *arena, size_t keep);

/* The guard that arena_bail() jumps to, NULL for none. Returns the one that was set before. */
struct arena_guard *arena_set_guard(struct arena *arena, struct arena_guard *guard);

/* Never returns NULL: without memory it bails as arena_failure() tells. Aligned for numbers of 64 bits and
   pointers, the widest that there are; not zeroed. Without a
   guard (tests alone) running out of memory ends the process. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((malloc, returns_nonnull));
void *arena_zalloc(struct arena *arena, size_t size) __attribute__((malloc, returns_nonnull));
void *arena_array(struct arena *arena, size_t count, size_t size) __attribute__((malloc, returns_nonnull));

/* Like arena_alloc(), but NULL without memory: for libraries that handle it themselves. */
void *arena_try_alloc(struct arena *arena, size_t size);

/* Why the last allocation that failed did so: OX_RESOURCE_EXHAUSTED past a limit, OX_UNAVAILABLE when others hold what
   the arena wanted; *ret_text, on the arena, says it in a sentence. */
#define ARENA_FAILURE_TEXT 160
enum ox_code arena_failure(const struct arena *arena, const char **ret_text);

/* A grown copy of an array; in place when it was the last thing allocated. */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size) __attribute__((returns_nonnull));

char *arena_strndup(struct arena *arena, const char *text, size_t length) __attribute__((returns_nonnull));
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3), returns_nonnull));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
        __attribute__((format(printf, 2, 0), returns_nonnull));

_Noreturn void arena_bail(struct arena *arena, enum ox_code code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Bytes handed out since the last reset, and bytes of memory that it has taken for them and for later. */
size_t arena_used(const struct arena *arena);
size_t arena_held(const struct arena *arena);

#define arena_new_array(arena, type, count) ((type *)arena_array((arena), (count), sizeof(type)))
#define arena_new_zero(arena, type)         ((type *)arena_zalloc((arena), sizeof(type)))
