#include "ops/custom/lex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

/* Marks of more than one character, before those of one. */
static const char *const marks[] = {"->", "...", "..", "//", "==", "!=", "<=", ">="};
static const char single[] = "(){}[]:;,=?!+-*%.<>|";

/* So much of a token is shown in a message. */
#define SHOWN 40

/* A number's text is copied to be read: none is longer. */
#define NUMBER_BYTES 64

static bool is_name_start(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

bool lex_fail(struct lexer *lexer, const char *format, ...)
{
        va_list args;

        if (lexer->error)
                return false;
        va_start(args, format);
        lexer->error =
                arena_printf(lexer->arena, "line %u: %s", lexer->token.line, arena_vprintf(lexer->arena, format, args));
        va_end(args);
        lexer->at = lexer->end;
        lexer->token.kind = TOKEN_END;
        return false;
}

static void skip_blanks(struct lexer *lexer)
{
        for (; lexer->at < lexer->end; lexer->at++) {
                char c = *lexer->at;

                if (c == '\n') {
                        lexer->line++;
                        lexer->line_start = lexer->at + 1;
                } else if (c == '#') {
                        while (lexer->at + 1 < lexer->end && lexer->at[1] != '\n')
                                lexer->at++;
                } else if (c != ' ' && c != '\t' && c != '\r') {
                        return;
                }
        }
}

static void lex_text(struct lexer *lexer, struct token *token)
{
        char *copy;
        size_t length = 0;
        const char *at = lexer->at + 1;

        while (at < lexer->end && *at != '"' && *at != '\n')
                at += *at == '\\' && at + 1 < lexer->end && at[1] != '\n' ? 2 : 1;
        if (at >= lexer->end || *at != '"') {
                lex_fail(lexer, "the text has no closing quote");
                return;
        }
        token->kind = TOKEN_STRING;
        token->length = (size_t)(at + 1 - lexer->at);
        copy = arena_new_array(lexer->arena, char, token->length);
        for (const char *c = lexer->at + 1; c < at; c++) {
                c += *c == '\\';
                copy[length++] = *c;
        }
        copy[length] = '\0';
        token->s = copy;
}

static void lex_number(struct lexer *lexer, struct token *token)
{
        char text[NUMBER_BYTES];
        const char *at = lexer->at;
        bool is_float = false;

        while (at < lexer->end && is_digit(*at))
                at++;
        /* "1..": the range is not a fraction. */
        if (at + 1 < lexer->end && *at == '.' && is_digit(at[1])) {
                is_float = true;
                for (at++; at < lexer->end && is_digit(*at);)
                        at++;
        }
        if (at < lexer->end && (*at == 'e' || *at == 'E')) {
                const char *exponent = at + 1;

                if (exponent < lexer->end && (*exponent == '-' || *exponent == '+'))
                        exponent++;
                if (exponent < lexer->end && is_digit(*exponent)) {
                        is_float = true;
                        for (at = exponent; at < lexer->end && is_digit(*at);)
                                at++;
                }
        }
        token->length = (size_t)(at - lexer->at);
        token->kind = is_float ? TOKEN_FLOAT : TOKEN_INT;
        if (token->length >= sizeof(text)) {
                lex_fail(lexer, "the number has more than %d characters", NUMBER_BYTES - 1);
                return;
        }
        memcpy(text, lexer->at, token->length);
        text[token->length] = '\0';
        token->f = strtod(text, NULL);
        errno = 0;
        if (!is_float)
                token->i = strtoll(text, NULL, 10);
        if (!is_float && errno != 0)
                lex_fail(lexer, "%s does not fit into 64 bits", text);
}

static size_t mark_length(const struct lexer *lexer)
{
        for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
                size_t length = strlen(marks[i]);

                if ((size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, marks[i], length) == 0)
                        return length;
        }
        return *lexer->at != '\0' && strchr(single, *lexer->at) ? 1 : 0;
}

void lex_next(struct lexer *lexer)
{
        struct token token = {.kind = TOKEN_END};

        if (lexer->error)
                return;
        skip_blanks(lexer);
        token.line = lexer->line;
        token.text = lexer->at;
        token.begins = lexer->at == lexer->line_start;
        lexer->token = token;
        if (lexer->at >= lexer->end)
                return;
        if (is_name_start(*lexer->at)) {
                token.kind = TOKEN_NAME;
                while (lexer->at + token.length < lexer->end &&
                       (is_name_start(lexer->at[token.length]) || is_digit(lexer->at[token.length])))
                        token.length++;
                token.s = arena_strndup(lexer->arena, token.text, token.length);
        } else if (is_digit(*lexer->at)) {
                lex_number(lexer, &token);
        } else if (*lexer->at == '"') {
                lex_text(lexer, &token);
        } else {
                token.kind = TOKEN_MARK;
                token.length = mark_length(lexer);
                if (token.length == 0)
                        lex_fail(lexer, "unexpected character 0x%02x", (unsigned char)*lexer->at);
        }
        if (lexer->error)
                return;
        lexer->at += token.length;
        lexer->token = token;
}

void lex_begin(struct lexer *lexer, struct arena *arena, const char *text, size_t size)
{
        *lexer = (struct lexer){.arena = arena, .at = text, .end = text + size, .line_start = text, .line = 1};
        lex_next(lexer);
}

bool lex_follows(const struct lexer *lexer, const char *mark)
{
        struct lexer ahead = *lexer;

        skip_blanks(&ahead);
        return ahead.at < ahead.end && *ahead.at == *mark;
}

bool lex_is(const struct lexer *lexer, const char *text)
{
        const struct token *token = &lexer->token;

        return (token->kind == TOKEN_MARK || token->kind == TOKEN_NAME) && strlen(text) == token->length &&
               memcmp(token->text, text, token->length) == 0;
}

bool lex_take(struct lexer *lexer, const char *text)
{
        if (!lex_is(lexer, text))
                return false;
        lex_next(lexer);
        return true;
}

/* The next token, for a message. */
static const char *shown(const struct lexer *lexer)
{
        const struct token *token = &lexer->token;
        size_t length = token->length < SHOWN ? token->length : SHOWN;

        return token->kind == TOKEN_END ? "the end of the text"
                                        : arena_printf(lexer->arena, "'%.*s'", (int)length, token->text);
}

bool lex_expect(struct lexer *lexer, const char *text)
{
        return lex_take(lexer, text) || lex_fail(lexer, "expected '%s', got %s", text, shown(lexer));
}

const char *lex_name(struct lexer *lexer, const char *what)
{
        const char *name = lexer->token.s;

        if (lexer->token.kind != TOKEN_NAME) {
                lex_fail(lexer, "expected %s, got %s", what, shown(lexer));
                return NULL;
        }
        lex_next(lexer);
        return name;
}

const char *lex_rest_of_line(struct lexer *lexer)
{
        const char *from = lexer->at, *to = from;

        while (to < lexer->end && *to != '\n')
                to++;
        lexer->at = to;
        while (from < to && (*from == ' ' || *from == '\t'))
                from++;
        while (from < to && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
                to--;
        const char *rest = arena_strndup(lexer->arena, from, (size_t)(to - from));

        lex_next(lexer);
        return rest;
}

void *lex_keep(struct lexer *lexer, const void *gathered, size_t size)
{
        void *copy = arena_alloc(lexer->arena, size);

        if (size > 0)
                memcpy(copy, gathered, size);
        return copy;
}
