#include "render/json_pretty.h"

#include <string.h>

#define BROKEN 2 /* down to this depth every member has its line */

void json_pretty_begin(struct json_pretty *pretty, ox_write write, void *user)
{
        memset(pretty, 0, offsetof(struct json_pretty, block));
        pretty->write = write;
        pretty->user = user;
}

void json_pretty_end(struct json_pretty *pretty)
{
        pretty->write(pretty->user, pretty->block, pretty->length);
        pretty->length = 0;
}

static void put(struct json_pretty *pretty, char c)
{
        if (pretty->length == sizeof(pretty->block))
                json_pretty_end(pretty);
        pretty->block[pretty->length++] = c;
}

static void new_line(struct json_pretty *pretty)
{
        put(pretty, '\n');
        for (int i = 0; i < 2 * pretty->depth; i++)
                put(pretty, ' ');
}

static void put_in_text(struct json_pretty *pretty, char c)
{
        put(pretty, c);
        pretty->is_text = c != '"' || pretty->is_escaped;
        pretty->is_escaped = c == '\\' && !pretty->is_escaped;
}

static void put_closing(struct json_pretty *pretty, char c)
{
        bool is_broken = !pretty->is_opened && pretty->depth <= BROKEN;

        pretty->is_opened = false;
        pretty->depth--;
        if (is_broken)
                new_line(pretty);
        put(pretty, c);
}

static void put_other(struct json_pretty *pretty, char c)
{
        if (pretty->is_opened && pretty->depth <= BROKEN)
                new_line(pretty);
        put(pretty, c);
        pretty->is_text = c == '"';
        pretty->is_opened = c == '{' || c == '[';
        pretty->depth += pretty->is_opened;
        if (c == ',' && pretty->depth <= BROKEN)
                new_line(pretty);
        else if (c == ',' || c == ':')
                put(pretty, ' ');
}

void json_pretty_write(void *pretty_, const char *bytes, size_t size)
{
        struct json_pretty *pretty = pretty_;

        for (size_t i = 0; i < size; i++)
                if (pretty->is_text)
                        put_in_text(pretty, bytes[i]);
                else if (bytes[i] == '}' || bytes[i] == ']')
                        put_closing(pretty, bytes[i]);
                else
                        put_other(pretty, bytes[i]);
}
