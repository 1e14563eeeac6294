/* The words of a text that declares operators. */
#pragma once

#include "base/arena.h"

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_INT, TOKEN_FLOAT, TOKEN_STRING, TOKEN_MARK };

struct token {
        enum token_kind kind;
        const char *text; /* as it is written; not terminated */
        size_t length;
        unsigned line;
        bool begins;   /* stands at the beginning of its line: a row, a description or a domain begins */
        int64_t i;     /* of TOKEN_INT */
        double f;      /* of TOKEN_INT and TOKEN_FLOAT */
        const char *s; /* of TOKEN_NAME and TOKEN_STRING: the text, terminated, without quotes */
};

struct lexer {
        struct arena *arena;
        const char *at, *end;
        const char *line_start;
        unsigned line;
        struct token token; /* the next one */
        const char *error;  /* the first fault: a sentence on the arena; NULL: none */
};

/* Makes the first token the next one. */
void lex_begin(struct lexer *lexer, struct arena *arena, const char *text, size_t size);
/* Goes on by one token. After a fault, TOKEN_END is the next one for ever. */
void lex_next(struct lexer *lexer);
/* Whether the token after the next one is this mark. */
bool lex_follows(const struct lexer *lexer, const char *mark);

/* Whether the next token is this mark or name. */
bool lex_is(const struct lexer *lexer, const char *text);
/* Takes the next token if it is this mark or name. */
bool lex_take(struct lexer *lexer, const char *text);
/* The same, and a fault if it is not. */
bool lex_expect(struct lexer *lexer, const char *text);
/* A name, which the fault calls `what` when it is not there; NULL then. */
const char *lex_name(struct lexer *lexer, const char *what);
/* What is left of the line behind the next token, without blanks around it; the token after it is the next one. */
const char *lex_rest_of_line(struct lexer *lexer);

/* Notes a fault at the next token, unless there is one. Returns false. */
bool lex_fail(struct lexer *lexer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A copy on the arena of what was gathered elsewhere. */
void *lex_keep(struct lexer *lexer, const void *gathered, size_t size) __attribute__((returns_nonnull));
