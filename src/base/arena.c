#include "base/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_BLOCK ((size_t)64 * 1024) /* with its head, as all */
#define LAST_BLOCK  ((size_t)4 * 1024 * 1024)

/* Of the second block the system is asked for a few pages at a time, at half of what their faults would cost: most
   models need no more than a part of it, and a huge page takes as long to clear as three quarters of a megabyte. */
#define STEP_BLOCK ((size_t)512 * 1024)
#define STEP       ((size_t)64 * 1024)

/* Blocks after the second consist of whole huge pages of most systems, at their bounds: then memory that is new costs
   one page fault in 2 MiB, where the system grants such pages, and not 512. */
#define HUGE_PAGE ((size_t)2 * 1024 * 1024)

#define ALIGNMENT ARENA_ALIGNMENT

/* Blocks in order of use; those after `current` are kept for later. */
struct arena_block {
        struct arena_block *next;
        size_t size;    /* of data, a multiple of ALIGNMENT */
        size_t ready;   /* of it, to which the arena's room extends by now; the same but in a block of STEP_BLOCK */
        bool is_mapped; /* from the system itself, for it alone gives back whole pages at once */
        alignas(ALIGNMENT) unsigned char data[];
};

static bool fail_at_limit(struct arena *arena)
{
        arena->failure = OX_RESOURCE_EXHAUSTED;
        snprintf(arena->failure_text, sizeof(arena->failure_text),
                 "the request needs more memory than the limit arena_bytes, %zu", arena->limit);
        return false;
}

static void fail_at_source(struct arena *arena, size_t wanted)
{
        struct arena_source *source = arena->source;

        /* A request that needs more than the whole budget need not be tried again. */
        arena->failure = wanted > source->most - arena->held ? OX_RESOURCE_EXHAUSTED : OX_UNAVAILABLE;
        snprintf(arena->failure_text, sizeof(arena->failure_text), "%s", source->text);
}

static void *map_pages(size_t whole)
{
        void *at = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        return at == MAP_FAILED ? NULL : at;
}

/* Huge pages from the system, `whole` bytes of them: of more, what is before and behind is given back. */
static void *map_huge_pages(size_t whole)
{
        size_t more;
        unsigned char *at, *begin;

        if (!add_size(whole, HUGE_PAGE, &more) || !(at = map_pages(more)))
                return NULL;
        begin = at + (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
        if (begin > at)
                munmap(at, (size_t)(begin - at));
        munmap(begin + whole, (size_t)(at + more - (begin + whole)));
#ifdef MADV_HUGEPAGE
        madvise(begin, whole, MADV_HUGEPAGE);
#endif
        return begin;
}

/* Has the system make pages ready, if it can; else they are once they are touched. `from` and `to` count from the head
   of a block. */
static void make_ready(struct arena_block *block, size_t from, size_t to)
{
#ifdef MADV_POPULATE_WRITE
        madvise((unsigned char *)block + from, to - from, MADV_POPULATE_WRITE);
#endif
        block->ready = to - sizeof(struct arena_block);
}

/* `whole` bytes, with the head of a block: mapped where they are STEP_BLOCK or a multiple of HUGE_PAGE. */
static struct arena_block *block_new(struct arena *arena, size_t whole)
{
        struct arena_source *source = arena->source;
        bool is_huge = whole % HUGE_PAGE == 0, is_stepped = whole == STEP_BLOCK;

        if (source && !source->take(source, whole)) {
                fail_at_source(arena, whole);
                return NULL;
        }
        struct arena_block *block = is_huge ? map_huge_pages(whole) : is_stepped ? map_pages(whole) : malloc(whole);

        if (!block) {
                if (source)
                        source->give(source, whole);
                arena->failure = OX_UNAVAILABLE;
                snprintf(arena->failure_text, sizeof(arena->failure_text), "the system has no memory left");
                return NULL;
        }
        arena->held += whole;
        if (is_stepped)
                make_ready(block, 0, STEP);
        block->next = NULL;
        block->size = whole - sizeof(struct arena_block);
        if (!is_stepped)
                block->ready = block->size;
        block->is_mapped = is_huge || is_stepped;
        ASAN_POISON_MEMORY_REGION(block->data, block->size);
        return block;
}

static void block_free(struct arena *arena, struct arena_block *block)
{
        size_t whole = block->size + sizeof(struct arena_block);

        ASAN_UNPOISON_MEMORY_REGION(block->data, block->size);
        if (block->is_mapped)
                munmap(block, whole);
        else
                free(block);
        arena->held -= whole;
        if (arena->source)
                arena->source->give(arena->source, whole);
}

size_t arena_used(const struct arena *arena)
{
        return arena->before + (size_t)(arena->at - arena->current->data);
}

size_t arena_held(const struct arena *arena)
{
        return arena->held;
}

/* The room that the current block gives, as far as it is ready. */
static void set_room(struct arena *arena)
{
        const struct arena_block *block = arena->current;
        size_t left = (arena->limit - arena->before) & ~(ALIGNMENT - 1);

        arena->room = (block->ready < left ? block->ready : left) - (size_t)(arena->at - block->data);
}

static void arena_enter(struct arena *arena, struct arena_block *block)
{
        arena->current = block;
        arena->at = block->data;
        set_room(arena);
}

/* Makes more of the current block ready, if `size` bytes need it and the block has room for them. */
static void arena_step(struct arena *arena, size_t size)
{
        struct arena_block *block = arena->current;
        size_t used = (size_t)(arena->at - block->data), head = sizeof(struct arena_block);

        if (size <= arena->room || block->ready == block->size || size > block->size - used)
                return;
        make_ready(block, head + block->ready, (head + used + size + STEP - 1) / STEP * STEP);
        set_room(arena);
}

struct arena *arena_new(size_t limit)
{
        return arena_new_shared(limit, NULL);
}

struct arena *arena_new_shared(size_t limit, struct arena_source *source)
{
        struct arena *arena = calloc(1, sizeof(*arena));

        if (!arena)
                return NULL;
        arena->limit = limit;
        arena->source = source;
        arena->first = block_new(arena, FIRST_BLOCK);
        if (!arena->first) {
                free(arena);
                return NULL;
        }
        arena_enter(arena, arena->first);
        return arena;
}

void arena_free(struct arena *arena)
{
        if (!arena)
                return;
        for (struct arena_block *block = arena->first, *next; block; block = next) {
                next = block->next;
                block_free(arena, block);
        }
        free(arena);
}

void arena_reset(struct arena *arena, size_t keep)
{
        size_t kept = 0;
        struct arena_block **link = &arena->first->next;

        kept += arena->first->size;
        while (*link) {
                struct arena_block *block = *link;

                if (kept + block->size > keep) {
                        *link = block->next;
                        block_free(arena, block);
                        continue;
                }
                kept += block->size;
                link = &block->next;
        }
        for (struct arena_block *block = arena->first; block; block = block->next)
                ASAN_POISON_MEMORY_REGION(block->data, block->size);
        arena->before = 0;
        arena->last = NULL;
        arena_enter(arena, arena->first);
}

struct arena_guard *arena_set_guard(struct arena *arena, struct arena_guard *guard)
{
        struct arena_guard *before = arena->guard;

        arena->guard = guard;
        return before;
}

/* A block with room for `size` bytes: of huge pages, unless the arena may not have that much or there is not that much
   left for it. */
static struct arena_block *block_for(struct arena *arena, size_t size)
{
        size_t before = arena->current->size;
        size_t usual = before < STEP_BLOCK / 2 ? STEP_BLOCK : before < HUGE_PAGE / 2 ? HUGE_PAGE : LAST_BLOCK;
        size_t least, pages;
        struct arena_block *block = NULL;

        if (!add_size(size, sizeof(struct arena_block), &least) || !add_size(least, HUGE_PAGE - 1, &pages)) {
                fail_at_limit(arena);
                return NULL;
        }
        pages = least <= usual ? usual : pages - pages % HUGE_PAGE;
        if (pages <= arena->limit)
                block = block_new(arena, pages);
        return block ? block : block_new(arena, least > FIRST_BLOCK ? least : FIRST_BLOCK);
}

/* Makes `current` a block with room for `size` bytes. */
static bool arena_next_block(struct arena *arena, size_t size)
{
        struct arena_block **link = &arena->current->next;

        /* A kept block that is too small is left for another turn: a new one goes before it. */
        if (!*link || (*link)->size < size) {
                struct arena_block *block = block_for(arena, size);

                if (!block)
                        return false;
                block->next = *link;
                *link = block;
        }
        arena->before = arena_used(arena);
        arena_enter(arena, *link);
        arena_step(arena, size);
        return true;
}

/* Makes room in another block if the current one is full, or if there is none. */
static bool arena_make_room(struct arena *arena, size_t size)
{
        size_t rounded, used;

        if (!add_size(size ? size : 1, ALIGNMENT - 1, &rounded))
                return fail_at_limit(arena);
        rounded &= ~(ALIGNMENT - 1);
        if (!add_size(arena_used(arena), rounded, &used) || used > arena->limit)
                return fail_at_limit(arena);
        arena_step(arena, rounded);
        return rounded <= arena->room || arena_next_block(arena, rounded);
}

void *arena_try_alloc(struct arena *arena, size_t size)
{
        if (size - 1 >= arena->room && !arena_make_room(arena, size))
                return NULL;
        return arena_carve(arena, size ? size : 1);
}

void *arena_alloc_more(struct arena *arena, size_t size)
{
        void *at = arena_try_alloc(arena, size);

        if (!at)
                arena_bail(arena, arena->failure, "%s", arena->failure_text);
        return at;
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
        if (!old)
                return arena_alloc(arena, new_size);
        if (old == arena->last) {
                if (new_size > old_size)
                        arena_step(arena, new_size - old_size);
                size_t room = arena->room + (size_t)(arena->at - arena->last);

                if (new_size - 1 < room) {
                        size_t rounded = (new_size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);

                        arena->at = arena->last + rounded;
                        arena->room = room - rounded;
                        ASAN_UNPOISON_MEMORY_REGION(old, new_size);
                        return old;
                }
        }
        void *grown = arena_alloc(arena, new_size);

        if (old_size)
                memcpy(grown, old, old_size < new_size ? old_size : new_size);
        return grown;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
        size_t whole;

        if (!add_size(length, 1, &whole))
                whole = SIZE_MAX;
        char *copy = arena_alloc(arena, whole);

        if (length)
                memcpy(copy, text, length);
        copy[length] = '\0';
        return copy;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
        va_list again;

        va_copy(again, args);
        int length = vsnprintf(NULL, 0, format, args);
        size_t size = length < 0 ? 0 : (size_t)length;
        char *text = arena_alloc(arena, size + 1);

        if (size)
                vsnprintf(text, size + 1, format, again);
        text[size] = '\0';
        va_end(again);
        return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        char *text = arena_vprintf(arena, format, args);

        va_end(args);
        return text;
}

void arena_bail(struct arena *arena, enum ox_code code, const char *format, ...)
{
        struct arena_guard *guard = arena->guard;
        va_list args;

        if (!guard)
                abort(); /* a caller without a guard, which is an error of the program, not of its input */
        guard->code = code;
        va_start(args, format);
        vsnprintf(guard->message, sizeof(guard->message), format, args);
        va_end(args);
        longjmp(guard->jump, 1);
}

enum ox_code arena_failure(const struct arena *arena, const char **ret_text)
{
        *ret_text = arena->failure_text;
        return arena->failure;
}
