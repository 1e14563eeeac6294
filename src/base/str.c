#include "base/str.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/plain.h"

/* The hash stands beside the handle, so that a slot of another text costs no look at that text. */
struct str_slot {
        uint32_t hash;
        uint32_t handle; /* + 1; 0 is free */
};

#define FIRST_SLOTS 64
#define FEW_SLOTS   1024 /* of which a table soon has four times as many, so that its names seldom move */
#define LINE        64   /* bytes of a processor's cache line, on nearly all */
#define COUNT_MOST  (UINT32_MAX / 4)
#define FIRST_TEXTS 512 /* bytes of texts that are allocated together: the arena would pad each */
#define LAST_TEXTS  16384

/* Slots that are free, in whole cache lines. */
static struct str_slot *slots_new(struct arena *arena, size_t count)
{
        unsigned char *room = arena_zalloc(arena, count * sizeof(struct str_slot) + LINE - ARENA_ALIGNMENT);

        return (struct str_slot *)(room + (LINE - (uintptr_t)room % LINE) % LINE);
}

struct strings *strings_new(struct arena *arena, uint64_t seed)
{
        struct strings *strings = arena_new_zero(arena, struct strings);

        strings->arena = arena;
        strings->seed = seed;
        strings->text_block = FIRST_TEXTS;
        strings->slot_mask = FIRST_SLOTS - 1;
        strings->slot = slots_new(arena, FIRST_SLOTS);
        str_intern(strings, "", 0);
        return strings;
}

static struct text_form form_of(const char *text, size_t length)
{
        return (struct text_form){length & INT32_MAX, plain_is(text, length)};
}

struct text_form text_form(const char *text)
{
        return form_of(text, strlen(text));
}

static inline __attribute__((always_inline)) uint32_t hash_of(const struct strings *strings, const char *text,
                                                              size_t length)
{
        return (uint32_t)XXH3_64bits_withSeed(text, length, strings->seed);
}

/* The slot to look at after `step` others: all those of the hash's cache line come first, since each line costs a look
   into memory where there are many names. */
static inline struct str_slot *slot_at(const struct strings *strings, uint32_t hash, uint32_t step)
{
        return &strings->slot[(hash ^ step) & strings->slot_mask];
}

/* The slot that holds the text, or the free one where it belongs. */
static inline struct str_slot *slot_of(const struct strings *strings, const struct str_expected *text)
{
        for (uint32_t step = 0;; step++) {
                struct str_slot *slot = slot_at(strings, text->hash, step);

                if (!slot->handle)
                        return slot;
                if (slot->hash != text->hash)
                        continue;
                const char *other = str_text(strings, slot->handle - 1);

                if (str_text_form(other).length == text->form.length &&
                    text_same_of(other, text->text, text->form.length))
                        return slot;
        }
}

/* What the slots take that are too few for more names becomes room for texts. */
static void rehash(struct strings *strings, size_t slots)
{
        struct str_slot *old = strings->slot;
        const uint32_t count = strings->slot_mask + 1;

        strings->slot = slots_new(strings->arena, slots);
        strings->slot_mask = (uint32_t)(slots - 1);
        for (uint32_t i = 0; i < count; i++) {
                if (!old[i].handle)
                        continue;
                uint32_t step = 0;

                while (slot_at(strings, old[i].hash, step)->handle)
                        step++;
                *slot_at(strings, old[i].hash, step) = old[i];
        }
        if (strings->text_left < count * sizeof(*old)) {
                strings->text = (char *)old;
                strings->text_left = count * sizeof(*old);
        }
}

static void grow(struct strings *strings, size_t slots)
{
        rehash(strings, slots < FEW_SLOTS ? 4 * slots : 2 * slots);
}

/* Four of five slots are in use at most. */
static bool is_crowded(size_t names, size_t slots)
{
        return names > slots / 5 * 4;
}

void str_reserve(struct strings *strings, size_t count)
{
        size_t slots = (size_t)strings->slot_mask + 1;

        if (count >= COUNT_MOST)
                return; /* there will not be as many */
        while (is_crowded(count, slots))
                slots *= 2;
        if (slots > (size_t)strings->slot_mask + 1)
                rehash(strings, slots);
}

static void add_chunk(struct strings *strings)
{
        uint32_t n = strings->n_chunk;

        if ((n & (n - 1)) == 0) /* the array has room for a power of two */
                strings->chunk = arena_grow(strings->arena, strings->chunk, n * sizeof(*strings->chunk),
                                            (n ? 2 * (size_t)n : 1) * sizeof(*strings->chunk));
        strings->chunk[strings->n_chunk++] = arena_new_array(strings->arena, const char *, STR_CHUNK);
}

/* Room for a text where little is left of what was allocated for several. */
static char *text_room_more(struct strings *strings, size_t size)
{
        if (size > strings->text_block / 4)
                return arena_alloc(strings->arena, size);
        char *room = arena_alloc(strings->arena, strings->text_block);

        strings->text = room + size;
        strings->text_left = strings->text_block - size;
        if (strings->text_block < LAST_TEXTS)
                strings->text_block *= 2;
        return room;
}

static inline char *text_room(struct strings *strings, size_t size)
{
        char *room = strings->text;

        if (size > strings->text_left)
                return text_room_more(strings, size);
        strings->text += size;
        strings->text_left -= size;
        return room;
}

static inline __attribute__((always_inline)) const char *keep(struct strings *strings, const char *text,
                                                              struct text_form form)
{
        char *copy = text_room(strings, sizeof(form) + form.length + 1);

        memcpy(copy, &form, sizeof(form));
        copy += sizeof(form);
        *text_copy(copy, text, form.length) = '\0';
        return copy;
}

const char *str_keep(struct strings *strings, const char *text, struct text_form form)
{
        return keep(strings, text, form);
}

/* Adds a text, for which slot_of() found a free slot. */
static str_id add(struct strings *strings, struct str_slot *slot, const struct str_expected *text)
{
        const str_id id = strings->count;

        if (id == COUNT_MOST)
                arena_bail(strings->arena, OX_RESOURCE_EXHAUSTED, "too many names");
        if (id / STR_CHUNK == strings->n_chunk)
                add_chunk(strings);
        strings->chunk[id / STR_CHUNK][id % STR_CHUNK] = keep(strings, text->text, text->form);
        *slot = (struct str_slot){text->hash, id + 1};
        strings->count++;
        if (is_crowded(strings->count, (size_t)strings->slot_mask + 1))
                grow(strings, (size_t)strings->slot_mask + 1);
        return id;
}

/* A text with its hash; whether it is plain is not looked at yet. */
static inline __attribute__((always_inline)) struct str_expected hashed(const struct strings *strings, const char *text,
                                                                        size_t length)
{
        if (length > INT32_MAX)
                arena_bail(strings->arena, OX_RESOURCE_EXHAUSTED, "too long a name");
        return (struct str_expected){
                .text = text,
                .form = {.length = (uint32_t)length & INT32_MAX},
                .hash = hash_of(strings, text, length),
        };
}

str_id str_intern(struct strings *strings, const char *text, size_t length)
{
        struct str_expected expected = hashed(strings, text, length);
        struct str_slot *slot = slot_of(strings, &expected);

        if (slot->handle)
                return slot->handle - 1;
        expected.form = form_of(text, length);
        return add(strings, slot, &expected);
}

str_id str_intern_z(struct strings *strings, const char *text)
{
        return str_intern(strings, text, strlen(text));
}

/* What is plain is clean. */
static inline bool is_clean(struct str_expected *text)
{
        text->form = form_of(text->text, text->form.length);
        return text->form.is_plain || utf8_is_clean(text->text, text->form.length);
}

bool str_intern_clean(struct strings *strings, const char *text, size_t length, str_id *ret)
{
        struct str_expected expected = hashed(strings, text, length);
        struct str_slot *slot = slot_of(strings, &expected);

        if (!slot->handle && !is_clean(&expected))
                return false;
        *ret = slot->handle ? slot->handle - 1 : add(strings, slot, &expected);
        return true;
}

bool str_expect(const struct strings *strings, const char *text, size_t length, struct str_expected *ret)
{
        struct str_expected expected = hashed(strings, text, length);

        __builtin_prefetch(&strings->slot[expected.hash & strings->slot_mask], 1);
        if (!is_clean(&expected))
                return false;
        *ret = expected;
        return true;
}

str_id str_intern_expected(struct strings *strings, const struct str_expected *expected)
{
        struct str_slot *slot = slot_of(strings, expected);

        return slot->handle ? slot->handle - 1 : add(strings, slot, expected);
}

bool str_find(const struct strings *strings, const char *text, size_t length, str_id *ret)
{
        const struct str_expected expected = hashed(strings, text, length);
        const struct str_slot *slot = slot_of(strings, &expected);

        if (!slot->handle)
                return false;
        *ret = slot->handle - 1;
        return true;
}

uint32_t str_count(const struct strings *strings)
{
        return strings->count;
}

size_t utf8_sequence(const unsigned char *at, size_t left)
{
        unsigned char a = at[0];
        size_t length = a < 0x80 ? 1 : a < 0xc2 ? 0 : a < 0xe0 ? 2 : a < 0xf0 ? 3 : a < 0xf5 ? 4 : 0;

        if (length == 0 || length > left)
                return 0;
        for (size_t i = 1; i < length; i++)
                if ((at[i] & 0xc0) != 0x80)
                        return 0;
        if ((a == 0xe0 && at[1] < 0xa0) || (a == 0xed && at[1] > 0x9f) || (a == 0xf0 && at[1] < 0x90) ||
            (a == 0xf4 && at[1] > 0x8f))
                return 0;
        return length;
}

/* 4 bytes to 16 as 16 bytes, in pieces that overlap, joined as in plain_is_middle(). */
static inline plain_sixteen short_sixteen(const char *text, size_t length)
{
        if (length >= 8)
                return (plain_sixteen)(plain_halves){text_eight(text), text_eight(text + length - 8)};
        const uint64_t four = text_four(text) | text_four(text + length - 4) << 32;

        return (plain_sixteen)(plain_halves){four, four};
}

/* Whether 4 bytes or more are from 0x01 to 0x7f, as those of nearly all texts are: as signed numbers, these are those
   above 0. */
static bool is_ascii(const char *text, size_t length)
{
        if (length < 16)
                return plain_none_is_odd(short_sixteen(text, length) < 1);
        plain_sixteen odd = text_sixteen(text + length - 16) < 1;

        for (size_t i = 0; i + 16 < length; i += 16)
                odd |= text_sixteen(text + i) < 1;
        return plain_none_is_odd(odd);
}

bool utf8_is_clean(const char *text, size_t length)
{
        const unsigned char *at = (const unsigned char *)text;

        if (length >= 4 && is_ascii(text, length))
                return true;
        for (size_t i = 0; i < length;) {
                size_t step = at[i] == 0 ? 0 : at[i] < 0x80 ? 1 : utf8_sequence(at + i, length - i);

                if (!step)
                        return false;
                i += step;
        }
        return true;
}
