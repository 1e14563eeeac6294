#include "base/str.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

struct entry {
        const char *text;
        uint32_t length;
};

/* The hash stands beside the handle, so that a slot of another text costs no look at that text. */
struct slot {
        uint32_t hash;
        uint32_t handle; /* + 1; 0 is free */
};

struct strings {
        struct arena *arena;
        uint64_t seed;
        struct entry *entry; /* by handle */
        uint32_t count, capacity;
        struct slot *slot; /* slot_mask + 1 of them */
        uint32_t slot_mask;
        char *text; /* where the next one is copied to */
        size_t text_left, text_block;
};

#define FIRST_SLOTS 256
#define COUNT_MOST  (UINT32_MAX / 4)
#define FIRST_TEXTS 512 /* bytes of texts that are allocated together: the arena would pad each */
#define LAST_TEXTS  16384

struct strings *strings_new(struct arena *arena, uint64_t seed)
{
        struct strings *strings = arena_new_zero(arena, struct strings);

        strings->arena = arena;
        strings->seed = seed;
        strings->slot_mask = FIRST_SLOTS - 1;
        strings->text_block = FIRST_TEXTS;
        strings->slot = arena_zalloc(arena, FIRST_SLOTS * sizeof(*strings->slot));
        str_intern_static(strings, "");
        return strings;
}

static uint32_t hash_of(const struct strings *strings, const char *text, size_t length)
{
        return (uint32_t)XXH3_64bits_withSeed(text, length, strings->seed);
}

/* The slot that holds the text, or the free one where it belongs. */
static struct slot *slot_of(const struct strings *strings, const char *text, size_t length, uint32_t hash)
{
        for (uint32_t at = hash & strings->slot_mask;; at = (at + 1) & strings->slot_mask) {
                struct slot *slot = &strings->slot[at];

                if (!slot->handle)
                        return slot;
                if (slot->hash != hash)
                        continue;
                const struct entry *entry = &strings->entry[slot->handle - 1];

                if (entry->length == length && memcmp(entry->text, text, length) == 0)
                        return slot;
        }
}

static void rehash(struct strings *strings, size_t slots)
{
        const struct slot *old = strings->slot;
        uint32_t count = strings->slot_mask + 1;

        strings->slot = arena_zalloc(strings->arena, slots * sizeof(*strings->slot));
        strings->slot_mask = (uint32_t)(slots - 1);
        for (uint32_t i = 0; i < count; i++) {
                uint32_t at = old[i].hash & strings->slot_mask;

                if (!old[i].handle)
                        continue;
                while (strings->slot[at].handle)
                        at = (at + 1) & strings->slot_mask;
                strings->slot[at] = old[i];
        }
}

static void grow_entries(struct strings *strings, uint32_t capacity)
{
        strings->entry = arena_grow(strings->arena, strings->entry, strings->capacity * sizeof(*strings->entry),
                                    capacity * sizeof(*strings->entry));
        strings->capacity = capacity;
}

void str_reserve(struct strings *strings, size_t count)
{
        size_t slots = (size_t)strings->slot_mask + 1;

        if (count >= COUNT_MOST)
                return; /* there will not be as many */
        if (count > strings->capacity)
                grow_entries(strings, (uint32_t)count);
        while (count > slots / 2)
                slots *= 2;
        if (slots > (size_t)strings->slot_mask + 1)
                rehash(strings, slots);
}

const char *str_keep(struct strings *strings, const char *text, size_t length)
{
        if (length >= strings->text_left) {
                if (length >= strings->text_block / 4)
                        return arena_strndup(strings->arena, text, length);
                strings->text = arena_alloc(strings->arena, strings->text_block);
                strings->text_left = strings->text_block;
                if (strings->text_block < LAST_TEXTS)
                        strings->text_block *= 2;
        }
        char *copy = strings->text;

        memcpy(copy, text, length);
        copy[length] = '\0';
        strings->text += length + 1;
        strings->text_left -= length + 1;
        return copy;
}

static str_id intern(struct strings *strings, const struct str_expected *expected, bool copy)
{
        const char *text = expected->text;
        size_t length = expected->length;
        struct slot *slot = slot_of(strings, text, length, expected->hash);

        if (slot->handle)
                return slot->handle - 1;
        if (length > UINT32_MAX || strings->count == COUNT_MOST)
                arena_bail(strings->arena, OX_RESOURCE_EXHAUSTED, "too many or too long names");
        if (strings->count == strings->capacity)
                grow_entries(strings, strings->capacity ? 2 * strings->capacity : FIRST_SLOTS / 2);
        str_id id = strings->count++;

        strings->entry[id] = (struct entry){
                .text = copy ? str_keep(strings, text, length) : text,
                .length = (uint32_t)length,
        };
        *slot = (struct slot){expected->hash, id + 1};
        if (strings->count > (strings->slot_mask + 1) / 2)
                rehash(strings, 2 * ((size_t)strings->slot_mask + 1));
        return id;
}

static struct str_expected read_text(const struct strings *strings, const char *text, size_t length)
{
        return (struct str_expected){text, length, hash_of(strings, text, length)};
}

str_id str_intern(struct strings *strings, const char *text, size_t length)
{
        const struct str_expected read = read_text(strings, text, length);

        return intern(strings, &read, true);
}

str_id str_intern_z(struct strings *strings, const char *text)
{
        return str_intern(strings, text, strlen(text));
}

str_id str_intern_static(struct strings *strings, const char *text)
{
        const struct str_expected read = read_text(strings, text, strlen(text));

        return intern(strings, &read, false);
}

struct str_expected str_expect(const struct strings *strings, const char *text, size_t length)
{
        const struct str_expected read = read_text(strings, text, length);

        __builtin_prefetch(&strings->slot[read.hash & strings->slot_mask], 1);
        return read;
}

bool str_intern_clean(struct strings *strings, const struct str_expected *expected, str_id *ret)
{
        const struct slot *slot = slot_of(strings, expected->text, expected->length, expected->hash);

        if (slot->handle)
                *ret = slot->handle - 1;
        else if (!utf8_is_clean(expected->text, expected->length))
                return false;
        else
                *ret = intern(strings, expected, true);
        return true;
}

bool str_find(const struct strings *strings, const char *text, size_t length, str_id *ret)
{
        const struct slot *slot = slot_of(strings, text, length, hash_of(strings, text, length));

        if (!slot->handle)
                return false;
        *ret = slot->handle - 1;
        return true;
}

const char *str_text(const struct strings *strings, str_id id)
{
        return strings->entry[id].text;
}

size_t str_length(const struct strings *strings, str_id id)
{
        return strings->entry[id].length;
}

uint32_t str_count(const struct strings *strings)
{
        return strings->count;
}

uint32_t str_room(const struct strings *strings)
{
        return strings->capacity;
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

/* Of eight bytes: some high bit is set unless all are from 0x01 to 0x7f. Then none has its own, and none borrows it
   when 1 is taken off. */
static uint64_t high_bits(const unsigned char *at)
{
        uint64_t word;

        memcpy(&word, at, sizeof(word));
        return word | (word - UINT64_C(0x0101010101010101));
}

static bool are_plain(uint64_t bits)
{
        return (bits & UINT64_C(0x8080808080808080)) == 0;
}

/* Whether four bytes or more are from 0x01 to 0x7f, as those of nearly all names are. The last word overlaps the one
   before. */
static bool is_plain(const unsigned char *at, size_t length)
{
        uint64_t bits = 0;

        if (length < 8) {
                unsigned char both[8];

                memcpy(both, at, 4);
                memcpy(both + 4, at + length - 4, 4);
                return are_plain(high_bits(both));
        }
        for (size_t i = 0; i + 8 < length; i += 8)
                bits |= high_bits(at + i);
        return are_plain(bits | high_bits(at + length - 8));
}

bool utf8_is_clean(const char *text, size_t length)
{
        const unsigned char *at = (const unsigned char *)text;

        if (length >= 4 && is_plain(at, length))
                return true;
        for (size_t i = 0; i < length;) {
                size_t step = at[i] == 0 ? 0 : at[i] < 0x80 ? 1 : utf8_sequence(at + i, length - i);

                if (!step)
                        return false;
                i += step;
        }
        return true;
}
