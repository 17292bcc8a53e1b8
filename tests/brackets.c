/* brackets.c - see brackets.h. */
#include "brackets.h"

static void note_first(uint64_t *count, uint64_t *first, uint64_t i)
{
    if (*count == 0 || i < *first) *first = i;
    ++*count;
}

/* Element i closes what is on top of the stack. */
static void close_bracket(nest_reference *r, const int *code, const uint64_t *stack, uint64_t *height,
                          uint64_t i)
{
    if (*height == 0) {
        note_first(&r->errors.unmatched_closers, &r->errors.first_unmatched_closer, i);
        return;
    }
    --*height;
    r->match[i] = stack[*height];
    r->match[stack[*height]] = i;
    if (code[i] + code[stack[*height]] != 0) note_first(&r->errors.mismatches, &r->errors.first_mismatch, i);
}

nest_reference *nest_reference_make(const int *code, size_t n)
{
    nest_reference *r = calloc(1, sizeof *r);
    uint64_t *stack = malloc((n + 1) * sizeof *stack), height = 0, i;
    assert_non_null(r);
    assert_non_null(stack);
    r->match = malloc((n + 1) * sizeof *r->match);
    r->parent = malloc((n + 1) * sizeof *r->parent);
    r->depth = malloc((n + 1) * sizeof *r->depth);
    assert_true(r->match && r->parent && r->depth);
    r->errors.first_unmatched_closer = r->errors.first_unmatched_opener = r->errors.first_mismatch =
        UINT64_MAX;
    for (i = 0; i < n; i++) {
        r->match[i] = UINT64_MAX;
        r->parent[i] = height ? stack[height - 1] : UINT64_MAX;
        r->depth[i] = height;
        if (code[i] > 0) stack[height++] = i;
        if (code[i] < 0) close_bracket(r, code, stack, &height, i);
        if (height > r->errors.max_depth) r->errors.max_depth = height;
    }
    for (i = 0; i < height; i++)
        note_first(&r->errors.unmatched_openers, &r->errors.first_unmatched_opener, stack[i]);
    free(stack);
    return r;
}

void nest_reference_free(nest_reference *r)
{
    free(r->match);
    free(r->parent);
    free(r->depth);
    free(r);
}

void assert_errors(const char *name, const gp_brackets_errors *got, const gp_brackets_errors *expected)
{
#define SAME(field)                                                                    \
    if (got->field != expected->field)                                                 \
    fail_msg("%s: " #field " is %llu, not %llu", name, (unsigned long long)got->field, \
             (unsigned long long)expected->field)
    SAME(unmatched_closers);
    SAME(first_unmatched_closer);
    SAME(unmatched_openers);
    SAME(first_unmatched_opener);
    SAME(mismatches);
    SAME(first_mismatch);
    SAME(max_depth);
#undef SAME
}
