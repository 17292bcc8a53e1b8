/* brackets.c - see brackets.h. */
#include "brackets.h"
#include "keys.h"

/* ------------------------------------------------------------------ variants */

const nest_variant nest_variants[NEST_ALL_VARIANTS] = {
    {"default", GP_SHAPE_AUTO, 0, 0, GP_STRATEGY_AUTO},
    {"serial, tiles of 64", GP_SHAPE_SERIAL, 64, 0, GP_STRATEGY_AUTO},
    {"serial, tiles of 5", GP_SHAPE_SERIAL, 5, 0, GP_STRATEGY_AUTO},
    {"local", GP_SHAPE_LOCAL, 4, 8, GP_STRATEGY_AUTO},
    {"local, full size", GP_SHAPE_LOCAL, 0, 0, GP_STRATEGY_AUTO},
    {"look-back", GP_SHAPE_AUTO, 0, 0, GP_STRATEGY_SINGLE_PASS},
    {"look-back, serial, tiles of 64", GP_SHAPE_SERIAL, 64, 0, GP_STRATEGY_SINGLE_PASS},
    {"look-back, serial, tiles of 5", GP_SHAPE_SERIAL, 5, 0, GP_STRATEGY_SINGLE_PASS},
    {"look-back, local", GP_SHAPE_LOCAL, 4, 8, GP_STRATEGY_SINGLE_PASS},
};

gp_context *nest_open_with(size_t variant, const char *options)
{
    const nest_variant *v = &nest_variants[variant];
    gp_context_desc desc = {0};
    if (test_forces_shapes()) {
        desc.tuning.shape = v->shape;
        desc.tuning.tile = v->tile;
        desc.tuning.work_group_size = v->group;
    }
    desc.strategy = v->strategy;
    desc.build_options = options;
    if (options) desc.tuning.polls = 100; /* injected faults: some waits are in vain */
    return test_open_if(&desc);
}

gp_context *nest_open(size_t variant) { return nest_open_with(variant, NULL); }

/* In the local shape, PoCL takes ten seconds to build a program. */
bool nest_is_dear(const gp_context *gp, size_t v)
{
    return nest_variants[v].shape == GP_SHAPE_LOCAL && !test_builds_are_cheap(gp);
}

gp_context *nest_open_small(void)
{
    gp_context *gp = nest_open(1);
    return gp ? gp : nest_open(3);
}

/* ------------------------------------------------------------------ input */

unsigned char nest_pick(const char *symbols, size_t n)
{
    return (unsigned char)symbols[test_random() / 7 % n];
}

/* Writes a correctly nested text, with the kinds of open brackets on a stack. `most`: the greatest depth;
   `other`: how many of 16 symbols are no brackets. */
static void fill_nested(unsigned char *text, size_t n, size_t most, uint32_t other)
{
    unsigned char *stack = malloc(n + 1);
    size_t i, height = 0;
    assert_non_null(stack);
    for (i = 0; i < n; i++) {
        const uint32_t r = test_random() >> 4;
        if (r % 16 < other) {
            text[i] = nest_pick("abc xyz\n\"", 9);
        } else if ((r >> 8 & 1 || height == 0) && height < most && n - i > height) {
            const size_t kind = (r >> 12) % 3;
            text[i] = (unsigned char)"([{"[kind];
            stack[height++] = (unsigned char)")]}"[kind];
        } else {
            text[i] = height > 0 ? stack[--height] : 'x';
        }
    }
    free(stack);
}

static void fill_sawtooth(unsigned char *text, size_t n)
{
    size_t i = 0, length = 1, k;
    while (i < n) {
        for (k = 0; k < 2 * length && i < n; k++) text[i++] = k < length ? '(' : ')';
        length = length * 2 > n / 4 ? 1 : length * 2;
    }
}

static void fill_mountains(unsigned char *text, size_t n)
{
    size_t i, height = 0, up = 1;
    for (i = 0; i < n; i++) {
        if (i % 1000 < 700) up = 1;
        else up = i % 2;
        if (i % 5000 > 4000) up = 0;
        text[i] = up || height == 0 ? '{' : '}';
        height += text[i] == '{' ? 1 : (size_t)-1;
    }
}

static void fill_runs(unsigned char *text, size_t n)
{
    static const char *const units[] = {"(", ")", "[", "]", "()", "(()", "())", "(]", "(x)", "x"};
    static const size_t lengths[] = {1, 2, 3, 15, 16, 17, 62, 63, 64, 65, 66, 127, 128, 129, 200};
    size_t i = 0, k;
    while (i < n) {
        const char *unit = units[test_random() % (sizeof units / sizeof *units)];
        const size_t length = lengths[test_random() % (sizeof lengths / sizeof *lengths)];
        for (k = 0; k < length && i < n; k++) text[i++] = (unsigned char)unit[k % strlen(unit)];
    }
}

void nest_fill(unsigned char *text, size_t n, nest_pattern p)
{
    size_t i;
    for (i = 0; i < n; i++) {
        text[i] = 'x';
        if (p == NEST_RANDOM) text[i] = nest_pick("()", 2);
        if (p == NEST_KINDS) text[i] = nest_pick("()[]{}xy", 8);
        if (p == NEST_DEEP) text[i] = i < n / 2 ? '(' : ')';
        if (p == NEST_CLOSERS) text[i] = ']';
        if (p == NEST_OPENERS) text[i] = '[';
        if (p == NEST_COMB) text[i] = i < n / 4 ? '(' : i >= n - n / 4 ? ')' : i % 2 ? '(' : ')';
        if (p == NEST_FLAT) text[i] = i % 2 ? ')' : '(';
    }
    if (p == NEST_TEXT || p == NEST_BROKEN) fill_nested(text, n, n, 14);
    if (p == NEST_SHALLOW) fill_nested(text, n, 32, 0);
    if (p == NEST_SAWTOOTH) fill_sawtooth(text, n);
    if (p == NEST_MOUNTAINS) fill_mountains(text, n);
    if (p == NEST_RUNS) fill_runs(text, n);
    for (i = 0; i < n && p == NEST_BROKEN; i += 1 + test_random() % 2000) text[i] = nest_pick("()[]{}", 6);
}

int *nest_codes(const unsigned char *text, size_t n, const char *pairs)
{
    int *code = malloc((n + 1) * sizeof *code);
    size_t i;
    assert_non_null(code);
    for (i = 0; i < n; i++) {
        const char *p = text[i] ? strchr(pairs, text[i]) : NULL;
        const int k = p ? (int)(p - pairs) : 0;
        code[i] = !p ? 0 : k % 2 ? -(k / 2 + 1) : k / 2 + 1;
    }
    return code;
}

/* ------------------------------------------------------------------ reference */

static void note_first(uint64_t *count, uint64_t *first, uint64_t i)
{
    if (*count == 0 || i < *first) *first = i;
    ++*count;
}

/* Matches closer i with the opener on top of the stack. */
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

/* ------------------------------------------------------------------ check */

/* Asserts that the buffer contains `expected` between intact guards. */
void nest_compare(gp_context *gp, const char *what, cl_mem buffer, size_t offset, size_t count, size_t size,
                  const uint64_t *expected)
{
    unsigned char *out = test_read(gp, buffer, (offset + count + GUARD) * size);
    size_t i;
    for (i = 0; i < count; i++) {
        uint64_t x = 0;
        memcpy(&x, out + (offset + i) * size, size);
        if (size == 4 && x == UINT32_MAX) x = UINT64_MAX;
        if (x != expected[i])
            fail_msg("%s[%zu] of %zu is %llu, not %llu", what, i, count, (unsigned long long)x,
                     (unsigned long long)expected[i]);
    }
    for (i = 0; i < (offset + count + GUARD) * size; i++) {
        if ((i < offset * size || i >= (offset + count) * size) && out[i] != TEST_POISON)
            fail_msg("%s: guard, byte %zu of %zu elements", what, i, count);
    }
    free(out);
}

/* Runs the call that `desc` describes, with the codes in `code`, and checks all requested outputs. */
void nest_check(gp_context *gp, const char *name, gp_brackets_desc desc, const void *in, size_t size,
                const int *code, unsigned outputs)
{
    const size_t n = desc.count, index = desc.index_type == GP_U64 ? 8 : 4;
    nest_reference *r = nest_reference_make(code, n);
    gp_brackets_errors errors;
    char text[160];
    desc.in = guarded(gp, desc.in_offset, n, size, in);
    if (outputs & 1) desc.match = guarded(gp, desc.match_offset, n, index, NULL);
    if (outputs & 2) desc.parent = guarded(gp, desc.parent_offset, n, index, NULL);
    if (outputs & 4) desc.depth = guarded(gp, desc.depth_offset, n, index, NULL);
    if (outputs & 8) assert_gp(gp, gp_brackets_read(gp, &desc, &errors));
    else assert_gp(gp, gp_brackets(gp, &desc));
    snprintf(text, sizeof text, "%s: outputs %u: match", name, outputs);
    if (desc.match) nest_compare(gp, text, desc.match, desc.match_offset, n, index, r->match);
    snprintf(text, sizeof text, "%s: outputs %u: parent", name, outputs);
    if (desc.parent) nest_compare(gp, text, desc.parent, desc.parent_offset, n, index, r->parent);
    snprintf(text, sizeof text, "%s: outputs %u: depth", name, outputs);
    if (desc.depth) nest_compare(gp, text, desc.depth, desc.depth_offset, n, index, r->depth);
    if (outputs & 8) assert_errors(name, &errors, &r->errors);
    clReleaseMemObject(desc.in);
    if (desc.match) clReleaseMemObject(desc.match);
    if (desc.parent) clReleaseMemObject(desc.parent);
    if (desc.depth) clReleaseMemObject(desc.depth);
    nest_reference_free(r);
}

gp_brackets_desc nest_desc(size_t n)
{
    gp_brackets_desc desc = {0};
    desc.type = GP_U8;
    desc.count = n;
    return desc;
}

void nest_check_text(gp_context *gp, const char *name, size_t n, nest_pattern p, unsigned outputs)
{
    unsigned char *text = malloc(n + 1);
    char title[80];
    int *code;
    assert_non_null(text);
    nest_fill(text, n, p);
    code = nest_codes(text, n, "()[]{}");
    snprintf(title, sizeof title, "%s: pattern %d", name, (int)p);
    nest_check(gp, title, nest_desc(n), text, 1, code, outputs);
    free(code);
    free(text);
}

void nest_check_sizes(gp_context *gp, const char *name, const size_t *sizes, size_t count)
{
    size_t k, p;
    for (k = 0; k < count; k++) {
        for (p = 0; p < NEST_PATTERNS; p++) {
            if (sizes[k] > 70 && (k + p) % 3 != 0) continue;
            nest_check_text(gp, name, sizes[k], (nest_pattern)p, 15);
        }
    }
}

void nest_check_count_on_device(gp_context *gp, size_t bound, uint32_t wanted)
{
    const size_t n = wanted < bound ? wanted : bound;
    unsigned char *text = malloc(bound);
    gp_brackets_desc desc = nest_desc(bound);
    gp_brackets_errors errors;
    nest_reference *r;
    int *code;
    assert_non_null(text);
    nest_fill(text, bound, NEST_KINDS);
    code = nest_codes(text, n, "()[]{}");
    r = nest_reference_make(code, n);
    desc.in = test_buffer(gp, bound, text);
    desc.match = guarded(gp, 0, bound, 4, NULL);
    desc.parent = guarded(gp, 0, bound, 4, NULL);
    desc.count_buffer = test_buffer(gp, 4, &wanted);
    desc.count_type = GP_U32;
    assert_gp(gp, gp_brackets_read(gp, &desc, &errors));
    nest_compare(gp, "match", desc.match, 0, n, 4, r->match);
    nest_compare(gp, "parent", desc.parent, 0, n, 4, r->parent);
    assert_errors("count on device", &errors, &r->errors);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.match);
    clReleaseMemObject(desc.parent);
    clReleaseMemObject(desc.count_buffer);
    nest_reference_free(r);
    free(code);
    free(text);
}

void nest_check_scratch(gp_context *gp, size_t n, nest_pattern p)
{
    gp_brackets_desc desc = nest_desc(n);
    unsigned char *text = malloc(n);
    nest_reference *r;
    size_t bytes;
    int *code;
    assert_non_null(text);
    nest_fill(text, n, p);
    code = nest_codes(text, n, "()[]{}");
    r = nest_reference_make(code, n);
    desc.in = test_buffer(gp, n, text);
    desc.match = guarded(gp, 0, n, 4, NULL);
    assert_gp(gp, gp_brackets_scratch_size(gp, &desc, &bytes));
    desc.scratch = test_buffer(gp, bytes - 1, NULL);
    assert_gp_fails(gp, gp_brackets(gp, &desc), GP_ERROR_INVALID_BUFFER, "scratch");
    clReleaseMemObject(desc.scratch);
    desc.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_brackets(gp, &desc));
    nest_compare(gp, "own scratch", desc.match, 0, n, 4, r->match);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.match);
    clReleaseMemObject(desc.scratch);
    nest_reference_free(r);
    free(code);
    free(text);
}

void assert_nest_scratch_size(gp_context *gp, size_t n, size_t tile)
{
    const size_t most = 4 * n + 96 * (n / tile + 1) + 256;
    gp_brackets_desc desc = nest_desc(n);
    size_t bytes;
    desc.match = test_buffer(gp, 4, NULL); /* only matters whether it is NULL */
    assert_gp(gp, gp_brackets_scratch_size(gp, &desc, &bytes));
    if (bytes > most) fail_msg("%zu elements: %zu bytes, more than %zu", n, bytes, most);
    clReleaseMemObject(desc.match);
}

void nest_check_many(gp_context *gp, size_t rounds)
{
    const size_t most = 5000;
    gp_brackets_desc desc = nest_desc(most);
    unsigned char *text = malloc(most);
    nest_reference *r;
    size_t i;
    int *code;
    assert_non_null(text);
    nest_fill(text, most, NEST_BROKEN);
    code = nest_codes(text, most, "()[]{}");
    r = nest_reference_make(code, most);
    desc.in = test_buffer(gp, most, text);
    desc.match = guarded(gp, 0, most, 4, NULL);
    for (i = 0; i < rounds; i++) {
        desc.count = test_random() % (most + 1);
        assert_gp(gp, gp_brackets(gp, &desc));
        if (i % 100 == 99) assert_gp(gp, gp_finish(gp));
    }
    desc.count = most;
    assert_gp(gp, gp_brackets(gp, &desc));
    nest_compare(gp, "many", desc.match, 0, most, 4, r->match);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.match);
    nest_reference_free(r);
    free(code);
    free(text);
}
