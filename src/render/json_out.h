/* Writes JSON piece by piece, commas included. What it writes is kept in one block, which `write` empties time and
   again, or goes straight to where it is wanted. */
#pragma once

#include <string.h>

#include "base/digits.h"
#include "base/str.h"
#include "render/render.h"

#define JSON_BLOCK_BYTES ((size_t)8 * 1024)

struct json_out {
        char *block, *end;
        char *at;       /* where the next byte goes */
        bool fresh;     /* nothing stands yet in the object or list that is open */
        size_t flushed; /* bytes that `write` has */
        ox_write write;
        ox_room room; /* gives the next block, if there is no `write` */
        void *user;
};

/* `block` has JSON_BLOCK_BYTES. */
void json_begin(struct json_out *out, char *block, ox_write write, void *user);
/* Writes to where `room` says, which must give some. */
void json_begin_in(struct json_out *out, ox_room room, void *user);

/* Hands on all that is left, with a newline at the end. */
void json_end(struct json_out *out);

/* Hands on what there is. */
void json_flush(struct json_out *out);

/* `{` or `[`, and what closes it. */
void json_open(struct json_out *out, char bracket);
void json_close(struct json_out *out, char bracket);

/* The name of the member that comes next. */
void json_key(struct json_out *out, const char *key);
/* Begins the next element of a list. */
void json_item(struct json_out *out);

/* A text; bytes that are no UTF-8 become U+FFFD. */
void json_text(struct json_out *out, const char *text);
void json_int(struct json_out *out, int64_t value);
void json_uint(struct json_out *out, uint64_t value);
void json_bool(struct json_out *out, bool value);
void json_null(struct json_out *out);
/* The shortest text that reads back as the same float32 (`narrow`) or double, with a point or an exponent in it;
   "NaN", "Infinity" and "-Infinity" as texts. */
void json_float(struct json_out *out, double value, bool narrow);

/* -- members: key and value in one; the _some forms leave out what is empty, or -1 -- */

void json_put_text(struct json_out *out, const char *key, const char *text);
void json_put_text_some(struct json_out *out, const char *key, const char *text);
void json_put_int(struct json_out *out, const char *key, int64_t value);
void json_put_int_some(struct json_out *out, const char *key, int64_t value);

/* -- records of known fields -- */

/* Where a record is being written, as long as nothing else writes: copied from the json_out and back again. Functions
   that take one are inlined whatever the compiler thinks of it. Only so it knows the lengths of keys, keeps the place
   in a register, and leaves out what it knows of commas. */
struct json_record {
        struct json_out *out;
        char *at;
        bool fresh;
};

#define JSON_INLINE static inline __attribute__((always_inline))

JSON_INLINE struct json_record json_record(struct json_out *out)
{
        return (struct json_record){out, out->at, out->fresh};
}

/* Before anything else is written, and at the end. */
JSON_INLINE struct json_out *json_settle(const struct json_record *record)
{
        record->out->at = record->at;
        record->out->fresh = record->fresh;
        return record->out;
}

/* After something else was written. */
JSON_INLINE void json_resume(struct json_record *record)
{
        *record = json_record(record->out);
}

/* Empties the block, of which what is before `at` is written, and returns its begin. */
char *json_empty(struct json_out *out, char *at);

/* Room for `size` more bytes, at most JSON_BLOCK_BYTES. */
JSON_INLINE void json_need(struct json_record *record, size_t size)
{
        if (__builtin_expect(size > (size_t)(record->out->end - record->at), 0))
                record->at = json_empty(record->out, record->at);
}

#define JSON_PIECE 64   /* a key of ours with what stands around it, and a number or brackets */
#define JSON_SHORT 1024 /* a text that one room is made for together with its key */

/* A float as json_float() writes it, which is a piece; returns where it ends. */
char *json_put_float(char *at, double value, bool narrow);

/* Begins the next element of a list, which is a piece. */
JSON_INLINE void json_record_item(struct json_record *record)
{
        json_need(record, JSON_PIECE);
        *record->at = ',';
        record->at += !record->fresh;
        record->fresh = false;
}

/* An object in the list that is open. */
JSON_INLINE void json_record_open(struct json_record *record)
{
        json_record_item(record);
        *record->at++ = '{';
        record->fresh = true;
}

JSON_INLINE void json_record_close(struct json_record *record)
{
        json_need(record, JSON_PIECE);
        *record->at++ = '}';
        record->fresh = false;
}

JSON_INLINE void json_record_list(struct json_record *record)
{
        json_need(record, JSON_PIECE);
        *record->at++ = '[';
        record->fresh = true;
}

JSON_INLINE void json_record_list_end(struct json_record *record)
{
        json_need(record, JSON_PIECE);
        *record->at++ = ']';
        record->fresh = false;
}

/* JSON_PIECE must have been made room for. */
JSON_INLINE void json_record_key(struct json_record *record, const char *key)
{
        size_t length = strlen(key);

        *record->at = ',';
        record->at += !record->fresh;
        *record->at++ = '"';
        memcpy(record->at, key, length);
        memcpy(record->at + length, "\":", 2);
        record->at += length + 2;
        record->fresh = false;
}

/* Writes a text of any bytes at `at`, and returns where it ends. */
char *json_put_string(struct json_out *out, char *at, const char *text, size_t length);

JSON_INLINE void json_record_text(struct json_record *record, const char *key, const char *text)
{
        json_need(record, JSON_PIECE);
        json_record_key(record, key);
        record->at = json_put_string(record->out, record->at, text, strlen(text));
}

/* The same where the text's form is known. */
JSON_INLINE void json_record_name(struct json_record *record, const char *key, const char *name, struct text_form form)
{
        if (__builtin_expect(!form.is_plain || form.length > JSON_SHORT, 0)) {
                json_record_text(record, key, name);
                return;
        }
        json_need(record, form.length + JSON_PIECE);
        json_record_key(record, key);
        *record->at++ = '"';
        record->at = text_copy(record->at, name, form.length);
        *record->at++ = '"';
}

JSON_INLINE void json_record_number(struct json_record *record, const char *key, uint64_t value)
{
        json_need(record, JSON_PIECE);
        json_record_key(record, key);
        record->at = digits_put(record->at, value);
}
