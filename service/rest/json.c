#include "rest/json.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK     64 /* values that are allocated at a time */
#define FEW_NAMES 8  /* of an object, compared with each other one by one */
#define WORD      8  /* bytes of a text that are looked at together */
#define ALL(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The text is copied, so that texts in it can be decoded where they stand. What reads takes its place in that copy and
   returns the one behind, or NULL after a fault: a place in memory would be loaded anew after each byte written. */
struct parser {
        struct arena *arena;
        const char *original;
        char *text, *end; /* a word of NULs stands at the end */
        size_t depth, most_depth;
        uint64_t seed;
        struct json *block; /* what is left of it */
        size_t left;
        const char *error;
};

/* -- errors -- */

/* The first fault is kept. Its place is found in the original text. */
static void *fail(struct parser *p, const char *at, const char *message)
{
        size_t offset = (size_t)(at - p->text), line = 1, column = 1;

        for (size_t i = 0; i < offset; i++) {
                if (p->original[i] == '\n') {
                        line++;
                        column = 1;
                } else if (((unsigned char)p->original[i] & 0xC0) != 0x80) {
                        column++;
                }
        }
        p->error = arena_printf(p->arena, "line %zu, column %zu: %s", line, column, message);
        return NULL;
}

static void *fail_expected(struct parser *p, const char *at, const char *expected)
{
        unsigned char c = (unsigned char)*at;
        const char *got = at == p->end          ? "the end of the text"
                          : c > ' ' && c < 0x7F ? arena_printf(p->arena, "'%c'", c)
                                                : arena_printf(p->arena, "the byte 0x%02X", c);

        return fail(p, at, arena_printf(p->arena, "expected %s, got %s", expected, got));
}

static inline char *skip_spaces(char *at)
{
        if (*at == ' ') /* there is mostly one, or none */
                at++;
        while (*at <= ' ' && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
                at++;
        return at;
}

/* -- texts -- */

static int hex_digit(char c)
{
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
}

/* The four digits after "\u"; -1 where there are none. */
static int32_t hex_unit(const char *digits)
{
        int32_t unit = 0;

        for (int i = 0; i < 4; i++) {
                int digit = hex_digit(digits[i]);

                if (digit < 0)
                        return -1;
                unit = unit * 16 + digit;
        }
        return unit;
}

static char *put_utf8(char *to, uint32_t c)
{
        if (c < 0x80) {
                *to++ = (char)c;
        } else if (c < 0x800) {
                *to++ = (char)(0xC0 | c >> 6);
                *to++ = (char)(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
                *to++ = (char)(0xE0 | c >> 12);
                *to++ = (char)(0x80 | (c >> 6 & 0x3F));
                *to++ = (char)(0x80 | (c & 0x3F));
        } else {
                *to++ = (char)(0xF0 | c >> 18);
                *to++ = (char)(0x80 | (c >> 12 & 0x3F));
                *to++ = (char)(0x80 | (c >> 6 & 0x3F));
                *to++ = (char)(0x80 | (c & 0x3F));
        }
        return to;
}

/* "\uD83D\uDE00" is one character of two UTF-16 units; half of a pair is an error. */
static char *read_unicode(struct parser *p, char *at, char **to)
{
        int32_t unit = hex_unit(at + 2), low;
        uint32_t c;

        if (unit < 0)
                return fail(p, at, "expected four hexadecimal digits after \\u");
        if (unit == 0)
                return fail(p, at, "\\u0000 must not stand in a string");
        c = (uint32_t)unit;
        if (unit >= 0xD800 && unit <= 0xDFFF) {
                low = at[6] == '\\' && at[7] == 'u' ? hex_unit(at + 8) : -1;
                if (unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF)
                        return fail(p, at, "half of a surrogate pair stands alone");
                c = 0x10000 + ((c - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
                at += 6;
        }
        *to = put_utf8(*to, c);
        return at + 6;
}

static char *read_escape(struct parser *p, char *at, char **to)
{
        static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
        const char *found;

        if (at[1] == 'u')
                return read_unicode(p, at, to);
        found = at[1] ? strchr(from, at[1]) : NULL;
        if (!found)
                return fail(p, at, "unknown escape after \\");
        *(*to)++ = into[found - from];
        return at + 2;
}

/* The highest bit of each byte that is 0; behind the first one others may have it as well. */
static inline uint64_t zeros(uint64_t word)
{
        return (word - ALL(1)) & ~word;
}

/* Moves to the first special character: a quote, a backslash, a control character or one beyond ASCII. The NULs at the
   end of the text always stop it. */
static inline char *skip_plain(char *at)
{
        for (;; at += WORD) {
                uint64_t word, special;

                memcpy(&word, at, WORD);
                word = le64toh(word);
                special = (zeros(word ^ ALL('"')) | zeros(word ^ ALL('\\')) | (word - ALL(' ')) | word) & ALL(0x80);
                if (special)
                        return at + __builtin_ctzll(special) / 8;
        }
}

/* Reads a text from its first escape or byte beyond ASCII on, to its closing quote. */
static __attribute__((noinline)) char *read_text_rest(struct parser *p, char *at, const char *from, char **ret_end)
{
        char *to = at;

        while (*at != '"') {
                if (*at == '\\') {
                        at = read_escape(p, at, &to);
                        if (!at)
                                return NULL;
                } else if ((unsigned char)*at < ' ') {
                        return at == p->end ? fail(p, from - 1, "the text that begins here has no closing quote")
                                            : fail(p, at, "a control character must be escaped");
                } else {
                        *to++ = *at++;
                }
        }
        if (!utf8_is_clean(from, (size_t)(to - from)))
                return fail(p, from, "the text is not UTF-8");
        *ret_end = to;
        return at;
}

/* At a quote. */
static inline __attribute__((always_inline)) char *read_text(struct parser *p, char *at, const char **ret,
                                                             uint32_t *ret_length)
{
        const char *from = ++at;
        char *end;

        at = end = skip_plain(at);
        if (*at != '"') {
                at = read_text_rest(p, at, from, &end);
                if (!at)
                        return NULL;
        }
        *end = '\0';
        if ((size_t)(end - from) > UINT32_MAX)
                return fail(p, from, "the text is too long");
        *ret = from;
        *ret_length = (uint32_t)(end - from);
        return at + 1;
}

/* -- numbers -- */

static inline bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

static char *skip_digits(char *at)
{
        while (is_digit(*at))
                at++;
        return at;
}

/* A point with digits, an exponent with digits, or both, at `at`. */
static char *read_real(struct parser *p, const char *from, char *at, struct json *value)
{
        const char *digits;

        if (*at == '.') {
                digits = ++at;
                at = skip_digits(at);
                if (at == digits)
                        return fail(p, at, "expected a digit after the point");
        }
        if (*at == 'e' || *at == 'E') {
                at += 1 + (at[1] == '+' || at[1] == '-');
                digits = at;
                at = skip_digits(at);
                if (at == digits)
                        return fail(p, at, "expected a digit in the exponent");
        }
        value->kind = JSON_IS_REAL;
        value->f = strtod(from, NULL);
        return isfinite(value->f) ? at : fail(p, from, "the number is too large");
}

#define SAFE_DIGITS 18 /* of a number that always fits into 64 bits */

/* The integer with the digits from `at` to `end`. */
static bool read_digits(const char *at, const char *end, bool is_negative, int64_t *ret)
{
        bool fits = true;
        int64_t number = 0;

        if (end - at <= SAFE_DIGITS) {
                for (; at < end; at++)
                        number = number * 10 + (*at - '0');
                *ret = is_negative ? -number : number;
                return true;
        }
        for (; at < end; at++)
                fits = fits && !__builtin_mul_overflow(number, 10, &number) &&
                       !(is_negative ? __builtin_sub_overflow(number, *at - '0', &number)
                                     : __builtin_add_overflow(number, *at - '0', &number));
        *ret = number;
        return fits;
}

static char *read_number(struct parser *p, char *from, struct json *value)
{
        char *digits = from + (*from == '-'), *at = skip_digits(digits);

        if (at == digits)
                return fail(p, at, "expected a digit after -");
        if (*digits == '0' && at > digits + 1)
                return fail(p, from, "a number must not begin with 0");
        if (*at == '.' || *at == 'e' || *at == 'E')
                return read_real(p, from, at, value);
        if (!read_digits(digits, at, *from == '-', &value->i))
                return fail(p, from, "the integer does not fit into 64 bits");
        value->kind = JSON_IS_INTEGER;
        return at;
}

/* -- values -- */

static struct json *new_value(struct parser *p)
{
        if (p->left == 0) {
                p->block = arena_new_array(p->arena, struct json, BLOCK);
                p->left = BLOCK;
        }
        p->left--;
        *p->block = (struct json){.kind = JSON_IS_NULL};
        return p->block++;
}

static char *read_word(struct parser *p, char *at, const char *word, struct json *value, enum json_kind kind, int64_t i)
{
        size_t length = strlen(word);

        if ((size_t)(p->end - at) < length || memcmp(at, word, length) != 0)
                return fail_expected(p, at, "a value");
        value->kind = kind;
        value->i = i;
        return at + length;
}

/* A value without others in it, or the beginning of one with them. */
static inline __attribute__((always_inline)) char *read_value(struct parser *p, char *at, struct json *value)
{
        switch (*at) {
        case '"':
                value->kind = JSON_IS_TEXT;
                return read_text(p, at, &value->text, &value->count);
        case '{':
                value->kind = JSON_IS_OBJECT;
                return at + 1;
        case '[':
                value->kind = JSON_IS_LIST;
                return at + 1;
        case 't':
                return read_word(p, at, "true", value, JSON_IS_BOOL, 1);
        case 'f':
                return read_word(p, at, "false", value, JSON_IS_BOOL, 0);
        case 'n':
                return read_word(p, at, "null", value, JSON_IS_NULL, 0);
        default:
                return *at == '-' || is_digit(*at) ? read_number(p, at, value) : fail_expected(p, at, "a value");
        }
}

/* The name and the colon of a member. */
static inline __attribute__((always_inline)) char *read_name(struct parser *p, char *at, struct json *member)
{
        uint32_t length;

        at = skip_spaces(at);
        if (*at != '"')
                return fail_expected(p, at, "a name in quotes");
        at = read_text(p, at, &member->name, &length);
        if (!at)
                return NULL;
        at = skip_spaces(at);
        return *at == ':' ? at + 1 : fail_expected(p, at, "':'");
}

static bool fail_twice(struct parser *p, const struct json *member)
{
        fail(p, member->name, arena_printf(p->arena, "the object has '%.100s' twice", member->name));
        return false;
}

static bool few_names_differ(struct parser *p, const struct json *object)
{
        for (const struct json *one = object->first; one; one = one->next)
                for (const struct json *other = one->next; other; other = other->next)
                        if (text_same(one->name, other->name))
                                return fail_twice(p, other);
        return true;
}

/* A table of strings has the empty one from the start. */
static bool many_names_differ(struct parser *p, const struct json *object)
{
        struct strings *names = strings_new(p->arena, p->seed);
        bool had_empty = false;

        str_reserve(names, object->count);
        for (const struct json *member = object->first; member; member = member->next) {
                uint32_t before = str_count(names);
                bool is_known = str_intern_z(names, member->name) < before;

                if (member->name[0] ? is_known : had_empty)
                        return fail_twice(p, member);
                had_empty = had_empty || !member->name[0];
        }
        return true;
}

/* -- lists and objects: without recursion, a list or object that is open has its holder in `next` -- */

struct place {
        struct json *holder; /* the innermost that is open; NULL: none */
        struct json *value;  /* the one that is read next or was read last */
};

static inline __attribute__((always_inline)) char *begin_element(struct parser *p, char *at, struct place *place)
{
        place->value = new_value(p);
        place->holder->count++;
        return place->holder->kind == JSON_IS_LIST ? at : read_name(p, at, place->value);
}

static inline char closing(const struct json *holder)
{
        return holder->kind == JSON_IS_OBJECT ? '}' : ']';
}

/* At the first element of a list or object. */
static char *open_holder(struct parser *p, char *at, struct place *place)
{
        struct json *holder = place->value;

        if (p->depth++ == p->most_depth)
                return fail(p, at,
                            arena_printf(p->arena, "lists and objects nest deeper than the limit message_depth, %zu",
                                         p->most_depth));
        holder->next = place->holder;
        place->holder = holder;
        at = begin_element(p, at, place);
        holder->first = place->value;
        return at;
}

/* At the closing bracket of the innermost list or object, which becomes the value that was read last. */
static char *close_holder(struct parser *p, char *at, struct place *place)
{
        struct json *holder = place->holder;

        p->depth--;
        if (holder->kind == JSON_IS_OBJECT && holder->count > 1 &&
            !(holder->count <= FEW_NAMES ? few_names_differ(p, holder) : many_names_differ(p, holder)))
                return NULL;
        place->holder = (struct json *)(uintptr_t)holder->next;
        holder->next = NULL;
        place->value = holder;
        return at + 1;
}

/* After a complete value: closes what ends with it, and begins the element that follows. */
static inline __attribute__((always_inline)) char *end_value(struct parser *p, char *at, struct place *place)
{
        while (place->holder) {
                struct json *last = place->value, *holder = place->holder;

                at = skip_spaces(at);
                if (*at == ',') {
                        at = begin_element(p, at + 1, place);
                        last->next = place->value;
                        return at;
                }
                if (*at != closing(holder))
                        return fail_expected(p, at, holder->kind == JSON_IS_OBJECT ? "',' or '}'" : "',' or ']'");
                at = close_holder(p, at, place);
                if (!at)
                        return NULL;
        }
        return at;
}

static bool read_document(struct parser *p, struct json *root)
{
        struct place place = {.value = root};
        char *at = p->text;

        do {
                at = read_value(p, skip_spaces(at), place.value);
                if (!at)
                        return false;
                if (place.value->kind >= JSON_IS_LIST) {
                        at = skip_spaces(at);
                        if (*at != closing(place.value)) {
                                at = open_holder(p, at, &place);
                                continue;
                        }
                        at++;
                }
                at = end_value(p, at, &place);
        } while (at && place.holder);
        if (!at)
                return false;
        at = skip_spaces(at);
        return at == p->end || fail_expected(p, at, "the end of the text");
}

enum ox_code json_read(struct arena *arena, const struct ox_limits *limits, uint64_t seed, const char *text,
                       size_t length, const struct json **ret, const char **ret_error)
{
        struct parser p = {.arena = arena, .original = text, .most_depth = (size_t)limits->message_depth, .seed = seed};
        struct json *root = new_value(&p);

        p.text = arena_alloc(arena, length + WORD);
        p.end = p.text + length;
        memcpy(p.text, text, length);
        memset(p.end, 0, WORD);
        *ret = root;
        *ret_error = "";
        if (read_document(&p, root))
                return OX_OK;
        *ret_error = p.error;
        return OX_INVALID_ARGUMENT;
}
