#include "net/multipart.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BOUNDARY_MOST 70   /* characters (RFC 2046, 5.1.1) */
#define PREAMBLE_MOST 256  /* bytes before the first boundary, where a form has none (RFC 7578) */
#define PADDING_MOST  70   /* blanks behind a boundary */
#define HEAD_MOST     8192 /* bytes of a part's head */
#define NAME_MOST     256  /* bytes of a parameter's value */

enum state {
        STATE_DATA, /* of a part, or what stands before the first one */
        STATE_TAIL, /* a boundary has come: what stands behind it tells whether it is one */
        STATE_HEAD, /* of a part */
        STATE_END,  /* the last boundary has come; what follows is nothing */
};

struct multipart {
        const struct multipart_field *field; /* n_field of them */
        size_t n_field;
        const struct multipart_field *part; /* the field of the part that is read */
        void *user;
        enum state state;
        bool begun;                        /* the first boundary has come */
        uint32_t seen;                     /* bit f: field f has */
        char delimiter[BOUNDARY_MOST + 5]; /* CRLF, two dashes, boundary, NUL. CR stands at its begin alone. */
        size_t delimiter_size, matched;    /* matched: by the last bytes so far */
        char tail;                         /* STATE_TAIL: the last byte, '\0' for none */
        size_t preamble, padding, head_size;
        char head[HEAD_MOST + 1];
        char error[160];
};

static bool fail(struct multipart *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct multipart *m, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        vsnprintf(m->error, sizeof(m->error), format, args);
        va_end(args);
        return false;
}

/* -- parameters of a field's value: `text; name=value; name="value"` (RFC 9110, 5.6.6) -- */

/* Reads a value into `ret`, NAME_MOST bytes; what is longer is cut off. Returns where it ends. */
static const char *read_value(const char *at, char *ret)
{
        bool quoted = *at == '"';
        size_t length = 0;

        at += quoted;
        while (*at && (quoted ? *at != '"' : *at != ';')) {
                at += quoted && at[0] == '\\' && (at[1] == '"' || at[1] == '\\');
                if (length < NAME_MOST - 1)
                        ret[length++] = *at;
                at++;
        }
        while (!quoted && length && (ret[length - 1] == ' ' || ret[length - 1] == '\t'))
                length--;
        ret[length] = '\0';
        return at + strcspn(at, ";");
}

/* How often the parameter stands there; `ret`, NAME_MOST bytes, is its last value. */
static int read_parameter(const char *text, const char *name, char *ret)
{
        const char *at = text + strcspn(text, ";");
        char value[NAME_MOST];
        int count = 0;

        while (*at == ';') {
                at += 1 + strspn(at + 1, " \t");
                size_t length = strcspn(at, "=; \t");
                bool is_it = length == strlen(name) && strncasecmp(at, name, length) == 0;

                at += length + strspn(at + length, " \t");
                if (*at != '=') {
                        at += strcspn(at, ";");
                        continue;
                }
                at = read_value(at + 1 + strspn(at + 1, " \t"), value);
                if (is_it) {
                        memcpy(ret, value, sizeof(value));
                        count++;
                }
        }
        return count;
}

static bool read_boundary(struct multipart *m, const char *type)
{
        char boundary[NAME_MOST];
        int count = read_parameter(type, "boundary", boundary);

        if (count == 0 || (count == 1 && !boundary[0]))
                return fail(m, "the Content-Type has no boundary");
        if (count > 1)
                return fail(m, "the Content-Type has more than one boundary");
        if (strlen(boundary) > BOUNDARY_MOST)
                return fail(m, "the boundary has more than %d characters", BOUNDARY_MOST);
        for (const char *c = boundary; *c; c++)
                if (*c < ' ' || *c > '~')
                        return fail(m, "the boundary has a character that is not printable ASCII");
        m->delimiter_size = (size_t)snprintf(m->delimiter, sizeof(m->delimiter), "\r\n--%s", boundary);
        return true;
}

/* -- the head of a part -- */

/* Lines that go on with a blank become one (RFC 822, 3.1.1). */
static void unfold(char *head)
{
        for (char *end = strstr(head, "\r\n"); end; end = strstr(end + 1, "\r\n"))
                if (end[2] == ' ' || end[2] == '\t')
                        end[0] = end[1] = ' ';
}

/* Where the value of a field begins, NULL when the part has none. */
static const char *find_field(const char *head, const char *name)
{
        size_t length = strlen(name);

        while (head) {
                if (strncasecmp(head, name, length) == 0 && head[length] == ':')
                        return head + length + 1 + strspn(head + length + 1, " \t");
                const char *end = strstr(head, "\r\n");

                head = end ? end + 2 : NULL;
        }
        return NULL;
}

/* A copy of a field's value, "" when there is none. */
static void copy_field(const char *head, const char *name, char *ret, size_t size)
{
        const char *value = find_field(head, name);

        snprintf(ret, size, "%.*s", value ? (int)strcspn(value, "\r") : 0, value ? value : "");
}

static const struct multipart_field *find_part(const struct multipart *m, const char *name)
{
        for (size_t f = 0; f < m->n_field; f++)
                if (strcmp(name, m->field[f].name) == 0)
                        return &m->field[f];
        return NULL;
}

static bool fail_unknown(struct multipart *m, const char *name)
{
        char known[NAME_MOST] = "";
        size_t length = 0;

        for (size_t f = 0; f < m->n_field && length < sizeof(known); f++)
                length += (size_t)snprintf(known + length, sizeof(known) - length, "%s'%s'", f > 0 ? ", " : "",
                                           m->field[f].name);
        return fail(m, "the form has a field '%.60s', known are: %s", name, known);
}

static bool read_head(struct multipart *m)
{
        char value[HEAD_MOST + 1], name[NAME_MOST];

        if (strlen(m->head) < m->head_size)
                return fail(m, "the head of a part holds a NUL");
        unfold(m->head);
        copy_field(m->head, "Content-Disposition", value, sizeof(value));
        if (read_parameter(value, "name", name) != 1)
                return fail(m, "a part of the form has no name");
        m->part = find_part(m, name);
        if (!m->part)
                return fail_unknown(m, name);
        uint32_t bit = UINT32_C(1) << (m->part - m->field);

        if (m->seen & bit)
                return fail(m, "the form has the field '%s' twice", m->part->name);
        copy_field(m->head, "Content-Transfer-Encoding", value, sizeof(value));
        if (value[0] && strcasecmp(value, "binary") != 0 && strcasecmp(value, "8bit") != 0 &&
            strcasecmp(value, "7bit") != 0)
                return fail(m, "the Content-Transfer-Encoding of the part is '%.40s', expected binary", value);
        m->seen |= bit;
        m->state = STATE_DATA;
        m->matched = 0;
        return true;
}

static bool take_head(struct multipart *m, char c)
{
        static const char end[] = "\r\n\r\n";

        if (m->head_size == HEAD_MOST)
                return fail(m, "the head of a part has more than %d bytes", HEAD_MOST);
        m->head[m->head_size++] = c;
        m->head[m->head_size] = '\0';
        /* A head without a field is its end alone. */
        bool is_over = c == '\n' && ((m->head_size == 2 && memcmp(m->head, end, 2) == 0) ||
                                     (m->head_size >= 4 && memcmp(m->head + m->head_size - 4, end, 4) == 0));

        return !is_over || read_head(m);
}

/* -- the data, and boundaries in it -- */

static bool emit(struct multipart *m, const char *bytes, size_t size)
{
        if (!size)
                return true;
        if (m->begun)
                return m->part->sink(m->user, bytes, size);
        m->preamble += size;
        return m->preamble <= PREAMBLE_MOST || fail(m, "the body does not begin with the boundary of its Content-Type");
}

/* Takes bytes up to the next boundary; *ret_taken is how many. What may be the begin of one is held back. */
static bool take_data(struct multipart *m, const char *bytes, size_t size, size_t *ret_taken)
{
        const char *at = bytes, *end = bytes + size;

        if (m->matched) { /* by bytes before these */
                size_t before = m->matched, more = m->delimiter_size - before;

                more = more < size ? more : size;
                bool goes_on = memcmp(bytes, m->delimiter + before, more) == 0;

                m->matched = goes_on ? before + more : 0;
                *ret_taken = goes_on ? more : 0;
                if (m->matched == m->delimiter_size)
                        m->state = STATE_TAIL;
                return goes_on || emit(m, m->delimiter, before);
        }
        while ((at = memchr(at, '\r', (size_t)(end - at)))) {
                size_t here = (size_t)(end - at) < m->delimiter_size ? (size_t)(end - at) : m->delimiter_size;

                if (memcmp(at, m->delimiter, here) == 0) {
                        m->matched = here;
                        if (here == m->delimiter_size)
                                m->state = STATE_TAIL;
                        *ret_taken = (size_t)(at - bytes) + here;
                        return emit(m, bytes, (size_t)(at - bytes));
                }
                at++;
        }
        *ret_taken = size;
        return emit(m, bytes, size);
}

/* It was data after all, up to this byte. */
static bool retract(struct multipart *m, size_t *ret_taken)
{
        m->state = STATE_DATA;
        m->matched = m->tail == '\r'; /* which may be the begin of one */
        *ret_taken = 0;
        if (m->padding)
                return fail(m, "a boundary of the form is followed by something else than the end of its line");
        return emit(m, m->delimiter, m->delimiter_size) && emit(m, "-", m->tail == '-');
}

/* One byte behind what may be a boundary: CRLF, after blanks, makes it one, and two dashes the last one. */
static bool take_tail(struct multipart *m, char c, size_t *ret_taken)
{
        char last = m->tail;

        *ret_taken = 1;
        m->tail = c;
        if (last == '\r' && c == '\n') {
                m->begun = true;
                m->state = STATE_HEAD;
                m->head_size = 0;
        } else if (last == '-' && c == '-') {
                m->begun = true;
                m->state = STATE_END;
        } else if (last != '\r' && last != '-' && (c == '\r' || (c == '-' && last == '\0'))) {
                return true;
        } else if ((c == ' ' || c == '\t') && last != '\r' && last != '-' && m->padding < PADDING_MOST) {
                m->padding++;
                return true;
        } else {
                m->tail = last;
                bool is_well = retract(m, ret_taken);

                m->tail = '\0';
                return is_well;
        }
        m->tail = '\0';
        m->padding = 0;
        return true;
}

/* -- the whole -- */

struct multipart *multipart_new(const char *type, const struct multipart_field *fields, size_t n_field, void *user)
{
        struct multipart *m = malloc(sizeof(*m));

        if (!m)
                return NULL;
        *m = (struct multipart){.field = fields, .n_field = n_field, .user = user};
        m->matched = 2; /* the first boundary stands at the begin of a line without a CRLF before it */
        read_boundary(m, type);
        return m;
}

bool multipart_feed(struct multipart *m, const char *bytes, size_t size)
{
        bool is_well = !m->error[0];

        while (is_well && size && m->state != STATE_END) {
                size_t taken = 1;

                if (m->state == STATE_DATA)
                        is_well = take_data(m, bytes, size, &taken);
                else if (m->state == STATE_TAIL)
                        is_well = take_tail(m, *bytes, &taken);
                else
                        is_well = take_head(m, *bytes);
                bytes += taken;
                size -= taken;
        }
        return is_well;
}

const char *multipart_error(const struct multipart *m)
{
        return m->error;
}

bool multipart_end(struct multipart *m)
{
        if (m->error[0])
                return false;
        if (!m->begun)
                return fail(m, "the body does not begin with the boundary of its Content-Type");
        if (m->state != STATE_END)
                return fail(m, "the form ends before its last boundary");
        for (size_t f = 0; f < m->n_field; f++)
                if (m->field[f].required && !(m->seen >> f & 1))
                        return fail(m, "the form has no field '%s'", m->field[f].name);
        return true;
}

void multipart_free(struct multipart *m)
{
        free(m);
}
