/* user_text.c - checks that a text of the caller's cannot change the text around it. The library puts an expression
   between parentheses, and a monoid's source before its own text. The compiler reports faults within such a text. This
   file looks for faults that the compiler would report in the library's text, or not at all: brackets that close the
   library's, comments and literals without an end, directives, names of the library. It also refuses spellings that
   compilers treat differently: digraphs, trigraphs, and lines joined by backslashes outside of directives. */
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "program/program.h"
#include "program/user_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GPI_TEXT_MAX 16384 /* characters of an expression or of a monoid's source */
#define GPI_NAME_MAX 256   /* characters of a name: clang's time grows with the square of its length */

/* Compilers allow 256 nested brackets, some of which are the library's. A long chain of signs uses up their stack. */
enum { GPI_NESTED_MAX = 240, GPI_SIGNS_MAX = 256, GPI_WRONG_MAX = 128 };

/* A source is put before the library's text. A name (one word or more) and an expression (a value) are put within that
   text. */
typedef enum gpi_text_kind { GPI_TEXT_SOURCE, GPI_TEXT_NAME, GPI_TEXT_EXPRESSION } gpi_text_kind;

/* The state of reading a text once, from left to right. */
typedef struct gpi_reader {
    const char *at;
    unsigned line;
    bool is_expression;           /* the text is an expression, or a name */
    const char *library;          /* text whose words must not become macros; NULL: not checked */
    bool in_directive;            /* `at` is in a preprocessor directive */
    bool has_conditions;          /* the text has #if, so that brackets cannot be counted */
    bool has_words;               /* the text has more than blanks and comments */
    unsigned depth, braces;       /* number of open brackets; number of open braces */
    unsigned signs;               /* number of consecutive signs just read, not counting brackets */
    const char *sign;             /* the last sign that was read */
    unsigned sign_line;           /* the line of `sign` */
    char open[GPI_NESTED_MAX];    /* the closers that match the open brackets */
    char wrong[GPI_WRONG_MAX];    /* text of the first fault; empty: none */
    char brackets[GPI_WRONG_MAX]; /* text of the first fault with brackets */
} gpi_reader;

static void gpi_wrong(gpi_reader *r, const char *format, ...) GPI_PRINTF(2, 3);

static void gpi_wrong(gpi_reader *r, const char *format, ...)
{
    va_list args;
    if (r->wrong[0]) return;
    va_start(args, format);
    (void)vsnprintf(r->wrong, sizeof r->wrong, format, args);
    va_end(args);
}

/* ------------------------------------------------------------------ characters */

static bool gpi_is_line_end(char c) { return c == '\n' || c == '\r'; }

static bool gpi_is_gap(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

/* Returns true for characters of names and numbers, also of names that are not ASCII. */
static bool gpi_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || gpi_is_digit(c) || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool gpi_is_trigraph(const char *at)
{
    return at[0] == '?' && at[1] == '?' && at[2] && strchr("=/'()!<>-", at[2]);
}

static bool gpi_is_digraph(const char *at)
{
    static const char *const all[] = {"<:", ":>", "<%", "%>", "%:"};
    size_t i = 0;
    while (i < GPI_COUNT_OF(all) && strncmp(at, all[i], 2) != 0) i++;
    return i < GPI_COUNT_OF(all);
}

/* Returns true at a backslash, or at the trigraph that some compilers take for one. */
static bool gpi_is_backslash(const char *at) { return *at == '\\' || strncmp(at, "?\?/", 3) == 0; }

static void gpi_read_line_end(gpi_reader *r)
{
    if (r->at[0] == '\r' && r->at[1] == '\n') r->at++;
    r->at++;
    r->line++;
}

/* ------------------------------------------------------------------ comments, literals */

/* Reads past a // comment. Reports a comment that ends in a backslash, except at the end of a source, after which the
   library adds an empty line. */
static void gpi_read_line_comment(gpi_reader *r)
{
    const char *last = r->at; /* the last character that is not blank */
    while (*r->at && !gpi_is_line_end(*r->at)) {
        if (!gpi_is_gap(*r->at)) last = r->at;
        r->at++;
    }
    if (r->library || (!*r->at && !r->is_expression)) return;
    if (*last == '\\' || (*last == '/' && last[-1] == '?' && last[-2] == '?'))
        gpi_wrong(r, "a // comment ends in a backslash, which makes the next line a part of it");
}

static void gpi_read_block_comment(gpi_reader *r)
{
    r->at += 2;
    while (*r->at && strncmp(r->at, "*/", 2) != 0) {
        if (*r->at == '*' && gpi_is_backslash(r->at + 1)) gpi_wrong(r, "'*' and a backslash in a comment");
        if (gpi_is_line_end(*r->at)) gpi_read_line_end(r);
        else r->at++;
    }
    if (*r->at) r->at += 2;
    else gpi_wrong(r, "a comment is never closed");
}

static bool gpi_read_comment(gpi_reader *r)
{
    if (strncmp(r->at, "//", 2) == 0) gpi_read_line_comment(r);
    else if (strncmp(r->at, "/*", 2) == 0) gpi_read_block_comment(r);
    else return false;
    return true;
}

/* Reads past a literal. Reports a literal that is not closed on its line, except in a directive, where a lone quotation
   mark is legal: #error don't */
static void gpi_read_literal(gpi_reader *r)
{
    const char quote = *r->at++;
    while (*r->at && *r->at != quote && !gpi_is_line_end(*r->at)) {
        if (gpi_is_trigraph(r->at)) gpi_wrong(r, "a trigraph in a literal");
        if (*r->at == '\\' && r->at[1] && !gpi_is_line_end(r->at[1])) r->at++;
        r->at++;
    }
    if (*r->at == quote) r->at++;
    else if (!r->in_directive) gpi_wrong(r, "a literal that %c begins is not closed on its line", quote);
    r->has_words = true;
    r->signs = 0;
}

/* ------------------------------------------------------------------ words, directives */

static size_t gpi_word_length(const char *at)
{
    size_t length = 0;
    while (gpi_is_letter(at[length])) length++;
    return length;
}

static bool gpi_is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

static bool gpi_is_ours(const char *word)
{
    return strncmp(word, "gp_", 3) == 0 || strncmp(word, "gpi_", 4) == 0 || strncmp(word, "GP_", 3) == 0 ||
           strncmp(word, "GPI_", 4) == 0;
}

static bool gpi_asks_for_files(const char *word, size_t length)
{
    return gpi_is_word(word, length, "__has_include") || gpi_is_word(word, length, "__has_include_next") ||
           gpi_is_word(word, length, "__has_embed");
}

static void gpi_read_word(gpi_reader *r)
{
    const size_t length = gpi_word_length(r->at);
    if (!r->library && gpi_is_ours(r->at)) {
        gpi_wrong(r, "%.*s: names that begin with gp_, gpi_, GP_ or GPI_ are the library's",
                  length < 40 ? (int)length : 40, r->at);
    }
    if (!r->library && gpi_asks_for_files(r->at, length))
        gpi_wrong(r, "%.*s: the cache would not see a change in the file", (int)length, r->at);
    r->at += length;
    r->has_words = true;
    r->signs = 0;
}

/* Reads past a number and all letters and digits directly after it. */
static void gpi_read_number(gpi_reader *r)
{
    while (gpi_is_letter(*r->at) || *r->at == '.') r->at++;
    r->has_words = true;
    r->signs = 0;
}

/* Returns true if the text has this word outside of comments and literals. */
static bool gpi_has_word(const char *text, const char *word, size_t length)
{
    while (text && *text) {
        const size_t other = gpi_word_length(text);
        if (other == length && memcmp(text, word, length) == 0) return true;
        if (other) text += other;
        else if (strncmp(text, "/*", 2) == 0) text = strstr(text + 2, "*/");
        else if (*text++ == '"' && (text = strchr(text, '"')) != NULL) text++;
    }
    return false;
}

/* Returns true if the text has this word anywhere, also in comments and literals. */
static bool gpi_has_word_anywhere(const char *text, const char *word)
{
    while (text && *text) {
        const size_t length = gpi_word_length(text);
        if (gpi_is_word(text, length, word)) return true;
        text += length ? length : 1;
    }
    return false;
}

/* Returns true if the source may define a macro of this name. */
static bool gpi_may_define(const char *source, const char *word)
{
    return source && strchr(source, '#') && gpi_has_word_anywhere(source, word);
}

/* Returns true for words that the library writes between the caller's texts. */
static bool gpi_is_between(const char *word, size_t length)
{
    static const char *const more[] = {"typedef", "static", "return", "int",    "void", "bool",
                                       "char",    "short",  "float",  "double", "half"};
    size_t i;
    for (i = 0; i < GPI_COUNT_OF(more); i++) {
        if (gpi_is_word(word, length, more[i])) return true;
    }
    for (i = 1; gpi_type_size((gp_type)i); i++) {
        if (gpi_is_word(word, length, gpi_type_cl((gp_type)i))) return true;
    }
    return false;
}

/* Reads past blanks and comments on this line. Reports a backslash after them. */
static void gpi_read_gaps(gpi_reader *r)
{
    for (;;) {
        if (gpi_is_gap(*r->at)) r->at++;
        else if (strncmp(r->at, "/*", 2) == 0) gpi_read_block_comment(r);
        else break;
    }
    if (gpi_is_backslash(r->at)) gpi_wrong(r, "a directive is cut by a backslash before its second word");
}

static bool gpi_brings_files(const char *name, size_t length)
{
    return gpi_is_word(name, length, "include") || gpi_is_word(name, length, "include_next") ||
           gpi_is_word(name, length, "import") || gpi_is_word(name, length, "embed");
}

static void gpi_read_directive(gpi_reader *r)
{
    const char *name;
    size_t length;
    int shown;
    bool defines;
    r->at++;
    r->in_directive = true;
    gpi_read_gaps(r);
    name = r->at;
    length = gpi_word_length(name);
    defines = gpi_is_word(name, length, "define") || gpi_is_word(name, length, "undef");
    if (length >= 2 && strncmp(name, "if", 2) == 0) r->has_conditions = true;
    shown = length < 40 ? (int)length : 40;
    if (!r->library && gpi_brings_files(name, length))
        gpi_wrong(r, "#%.*s: the cache would not see a change in the file", shown, name);
    r->at += length;
    gpi_read_gaps(r);
    if (!defines || !r->library || gpi_is_ours(r->at)) return;
    length = gpi_word_length(r->at);
    if (gpi_has_word(r->library, r->at, length) || gpi_is_between(r->at, length))
        gpi_wrong(r, "#%.*s %.*s: that is a word of the library's own text", shown, name,
                  length < 40 ? (int)length : 40, r->at);
}

/* ------------------------------------------------------------------ the rest */

/* Keeps the first fault with brackets. It is reported in the end if the text has no #if. */
static void gpi_wrong_brackets(gpi_reader *r, const char *format, char bracket)
{
    if (!r->brackets[0]) (void)snprintf(r->brackets, sizeof r->brackets, format, bracket, r->line);
}

static void gpi_read_bracket(gpi_reader *r)
{
    static const char openers[] = "([{", closers[] = ")]}";
    const char c = *r->at;
    const char *opener = strchr(openers, c);
    if (opener) {
        if (r->depth == GPI_NESTED_MAX) gpi_wrong(r, "brackets are nested more than %d deep", GPI_NESTED_MAX);
        else r->open[r->depth++] = closers[opener - openers];
        r->braces += c == '{';
    } else if (r->depth == 0 || r->open[r->depth - 1] != c) {
        gpi_wrong_brackets(r, "'%c' in line %u closes nothing", c);
    } else {
        r->depth--;
        r->braces -= c == '}';
    }
}

/* Reads past a backslash. Reports one that joins lines outside of directives, within a word or before a comment. */
static void gpi_read_backslash(gpi_reader *r)
{
    const char *next = r->at + 1;
    while (gpi_is_gap(*next)) next++;
    if (!r->in_directive && !r->library && (*next || r->is_expression))
        gpi_wrong(r, "a backslash outside of literals");
    if (!gpi_is_line_end(*next)) {
        r->at++;
        return;
    }
    if (r->at[-1] == '/') gpi_wrong(r, "'/' and a backslash");
    next += next[0] == '\r' && next[1] == '\n' ? 2 : 1;
    if (gpi_is_letter(r->at[-1]) && gpi_is_letter(*next)) gpi_wrong(r, "a word is cut by a backslash");
    r->at = next;
    r->line++;
}

static void gpi_read_sign(gpi_reader *r)
{
    const char c = *r->at;
    if (gpi_is_trigraph(r->at)) gpi_wrong(r, "a trigraph");
    else if (!r->in_directive && gpi_is_digraph(r->at)) gpi_wrong(r, "a digraph");
    else if (c == ';' && r->is_expression && r->braces == 0) gpi_wrong(r, "';' in an expression");
    else if (c == '#' && r->is_expression) gpi_wrong(r, "'#' in an expression");
    if (r->wrong[0]) return;
    r->has_words = true;
    if (c == '\\') {
        gpi_read_backslash(r);
    } else if (c == '#' && !r->in_directive) {
        gpi_read_directive(r);
    } else {
        const bool is_bracket = strchr("()[]{}", c) != NULL;
        if (is_bracket && !r->in_directive && !r->library && !r->brackets[0]) gpi_read_bracket(r);
        r->signs = is_bracket ? 0 : r->signs + 1;
        if (r->signs > GPI_SIGNS_MAX) gpi_wrong(r, "more than %d signs in a row", GPI_SIGNS_MAX);
        r->sign = r->at++;
        r->sign_line = r->line;
    }
}

static void gpi_read_text(gpi_reader *r)
{
    while (*r->at && !r->wrong[0]) {
        const char c = *r->at;
        if (gpi_is_line_end(c)) {
            r->in_directive = false;
            gpi_read_line_end(r);
        } else if (gpi_is_gap(c)) {
            r->at++;
        } else if (c == '\'' || c == '"') {
            gpi_read_literal(r);
        } else if (gpi_is_digit(c)) {
            gpi_read_number(r);
        } else if (gpi_is_letter(c)) {
            gpi_read_word(r);
        } else if (!gpi_read_comment(r)) {
            gpi_read_sign(r);
        }
    }
}

/* ------------------------------------------------------------------ checks */

/* Reports an expression that ends after a sign, such as "x > ": a compiler would report the library's parenthesis after
   it. ++ and -- may be last. */
static void gpi_check_end(gpi_reader *r)
{
    if (r->wrong[0] || r->brackets[0] || r->signs == 0 || !strchr("+-*/%<>=!&|^~?:,.", *r->sign)) return;
    if (r->signs >= 2 && strchr("+-", *r->sign) && r->sign[-1] == *r->sign) return;
    r->line = r->sign_line;
    gpi_wrong(r, "it ends after '%c', where a value is expected", *r->sign);
}

static gp_result gpi_check_user_text(gp_context *gp, const char *field, const char *text, gpi_text_kind kind)
{
    gpi_reader r;
    memset(&r, 0, sizeof r);
    r.at = text;
    r.line = 1;
    r.is_expression = kind != GPI_TEXT_SOURCE;
    gpi_read_text(&r);
    if (kind == GPI_TEXT_EXPRESSION) gpi_check_end(&r);
    if (r.depth > 0) gpi_wrong_brackets(&r, "there is no '%c' at its end, line %u", r.open[r.depth - 1]);
    if (r.wrong[0]) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s, line %u: %s", field, r.line, r.wrong);
    if (r.brackets[0] && !r.has_conditions)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: %s", field, r.brackets);
    if (r.is_expression && !r.has_words)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s contains only comments", field);
    return GP_OK;
}

/* Returns true for NULL, and for a text of blanks only. */
static bool gpi_is_blank(const char *text) { return !text || text[strspn(text, " \t\n")] == '\0'; }

static gp_result gpi_check_length(gp_context *gp, const char *field, const char *text, size_t most)
{
    const size_t length = strlen(text);
    if (length <= most) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s has %zu characters, at most %zu", field, length, most);
}

/* Checks a caller's expression (NULL: none). It must not be blank or too long, and must not change the text before
   and after it. */
static gp_result gpi_check_text(gp_context *gp, const char *field, const char *text)
{
    gp_result result;
    if (!text) return GP_OK;
    if (gpi_is_blank(text)) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s is empty", field);
    result = gpi_check_length(gp, field, text, GPI_TEXT_MAX);
    return result == GP_OK ? gpi_check_user_text(gp, field, text, GPI_TEXT_EXPRESSION) : result;
}

/* Returns true if the text is one word, with or without blanks around it, or, if `several`, several words. */
static bool gpi_is_name(const char *text, bool several)
{
    size_t words = 0;
    for (;;) {
        size_t length;
        text += strspn(text, " \t\n");
        length = gpi_word_length(text);
        if (length == 0 || gpi_is_digit(*text)) break;
        text += length;
        words++;
    }
    return *text == '\0' && (several || words == 1);
}

/* Checks a source, which is put before the library's text. */
static gp_result gpi_check_source(gp_context *gp, const char *field, const char *text)
{
    const gp_result result = gpi_check_length(gp, field, text, GPI_TEXT_MAX);
    return result == GP_OK ? gpi_check_user_text(gp, field, text, GPI_TEXT_SOURCE) : result;
}

/* Checks a name: one word, or, if `several`, one or more. `kind` describes the name in messages. */
static gp_result gpi_check_name(gp_context *gp, const char *field, const char *text, const char *kind,
                                bool several)
{
    char quoted[GPI_QUOTE_MAX];
    gp_result result;
    if (gpi_is_blank(text)) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s is empty", field);
    result = gpi_check_length(gp, field, text, GPI_NAME_MAX);
    if (result == GP_OK) result = gpi_check_user_text(gp, field, text, GPI_TEXT_NAME);
    if (result == GP_OK && !gpi_is_name(text, several))
        result = gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s = %s is not a %s name", field,
                          gpi_quote(text, strlen(text), quoted), kind);
    return result;
}

static gp_result gpi_check_monoid_text(gp_context *gp, const gp_monoid *m)
{
    gp_result result = gpi_check_source(gp, "monoid->source", m->source);
    if (result == GP_OK) result = gpi_check_name(gp, "monoid->type", m->type, "type", true);
    return result == GP_OK ? gpi_check_name(gp, "monoid->combine", m->combine, "function", false) : result;
}

/* Fails if the source of a monoid or record in the prelude defines a macro whose name is a word in the text after the
   prelude, `library`. */
static gp_result gpi_check_macros(gp_context *gp, const char *prelude, const char *library)
{
    gpi_reader r;
    memset(&r, 0, sizeof r);
    r.at = prelude;
    r.library = library;
    gpi_read_text(&r);
    if (!r.wrong[0]) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "source of a monoid or record: %s", r.wrong);
}
