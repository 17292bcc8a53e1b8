/* text.c - adapts the caller's expressions to chunks. */
#include "base/error.h"
#include "base/text.h"

#include <string.h>

static bool gpi_host_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns the end of the token at `at`: a word, a number, a literal, a comment, or else one character. */
static const char *gpi_host_token_end(const char *at)
{
    const char quote = *at;
    const char *end = at + 1;
    if (quote == '"' || quote == '\'') {
        while (*end && *end != quote) end += *end == '\\' && end[1] ? 2 : 1;
        return *end ? end + 1 : end;
    }
    if (at[0] == '/' && at[1] == '*') {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
    if (gpi_host_is_word(*at)) {
        while (gpi_host_is_word(*end)) end++;
    }
    return end;
}

/* Copies `map` to `out`, unless `out` is NULL, and replaces each i that is not a member's name by `index`. Returns
   the result's length. Sets *found if there is such an i. */
static size_t gpi_host_replace_index(const char *map, const char *index, char *out, bool *found)
{
    size_t length = 0;
    char before = 0, last = 0; /* the last two characters that are not blank */
    while (*map) {
        const char *end = gpi_host_token_end(map);
        const bool is_index = end == map + 1 && *map == 'i' && last != '.' && !(before == '-' && last == '>');
        const char *text = is_index ? index : map;
        const size_t n = is_index ? strlen(index) : (size_t)(end - map);
        if (is_index) *found = true;
        if (out) memcpy(out + length, text, n);
        length += n;
        if (!strchr(" \t\n", *map)) {
            before = last;
            last = end[-1];
        }
        map = end;
    }
    return length;
}

/* Returns true if `map` is not empty, and all its brackets are closed within it. (The device's call cannot check this,
   because it sees `map` only between other text.) */
static bool gpi_host_is_whole(const char *map)
{
    bool something = false;
    int depth = 0;
    while (*map && depth >= 0) {
        const bool comment = map[0] == '/' && (map[1] == '*' || map[1] == '/');
        if (strchr("([{", *map)) depth++;
        if (strchr(")]}", *map)) depth--;
        if (!comment && !strchr(" \t\n\v\f\r", *map)) something = true;
        map = gpi_host_token_end(map);
    }
    return something && depth == 0;
}

static gp_result gpi_host_text_make(gp_context *gp, const char *function, const char *before, const char *map,
                                    const char *after, gpi_host_text *text)
{
    return gpi_host_text_index(gp, function, before, map, after, "(i + chunk_first)", text);
}

static gp_result gpi_host_text_index(gp_context *gp, const char *function, const char *before,
                                     const char *map, const char *after, const char *index,
                                     gpi_host_text *text)
{
    size_t length, head = strlen(before);
    memset(text, 0, sizeof *text);
    if (!map) return GP_OK;
    if (head && !gpi_host_is_whole(map))
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: map is empty, or has brackets that do not close within it", function);
    length = gpi_host_replace_index(map, index, NULL, &text->has_index);
    text->text = (char *)GPI_HOST_MALLOC(head + length + strlen(after) + 1);
    if (!text->text)
        return gpi_host_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for the map", function);
    memcpy(text->text, before, head);
    (void)gpi_host_replace_index(map, index, text->text + head, &text->has_index);
    memcpy(text->text + head + length, after, strlen(after) + 1);
    return GP_OK;
}

static void gpi_host_text_free(gpi_host_text *text)
{
    GPI_HOST_FREE(text->text);
    text->text = NULL;
}

static gp_result gpi_host_args_make(gp_context *gp, const char *function, const gp_arg *args, size_t count,
                                    size_t more, gpi_host_args *all)
{
    memset(all, 0, sizeof *all);
    if (count > GP_ARGS_MAX - more)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: arg_count = %zu is more than %zu, beside %zu of the call's own", function,
                             count, (GP_ARGS_MAX - more), more);
    if (count && !args) return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: args is NULL", function);
    if (count) memcpy(all->args, args, count * sizeof *args);
    all->count = count;
    return GP_OK;
}

static gp_arg *gpi_host_args_add(gpi_host_args *all, const char *name, gp_type type, const void *value)
{
    gp_arg *arg = &all->args[all->count++];
    memset(arg, 0, sizeof *arg);
    arg->name = name;
    arg->type = type;
    arg->value = value;
    return arg;
}
