/* bench_json.c - gpbench json: which brackets of a JSON file are real, that is, not in strings, and which
   one closes which; the file is bench/gpu_cost.json over and over, in one array with a string of brackets
   after each. What is in strings is known by the two scans of examples/18_json_mask.c, or by the scan of an
   automaton of examples/07_json_tree.c; then gp_brackets pairs.

   simdjson does something else: it also validates the text and parses strings and numbers, on one core, and
   leaves partners in its tape; where a bracket is in the text it does not keep. So partners are compared by
   the number of a bracket among brackets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench.h"

enum { PADDING = 64 }; /* bytes of 0 after the text: peers may read them */

/* A function of the states outside, inside and after a backslash, two bits each, and above them the last
   byte. */
static const cl_uint unmoved = 36;
static const gp_monoid automaton = {
    "uint",
    "static uint then(uint f, uint g)\n"
    "{\n"
    "    const uint a = g >> 2 * (f & 3) & 3, b = g >> 2 * (f >> 2 & 3) & 3;\n"
    "    const uint c = g >> 2 * (f >> 4 & 3) & 3;\n"
    "    return a | b << 2 | c << 4 | (g >> 8 ? g >> 8 : f >> 8) << 8;\n"
    "}\n",
    "then",
    &unmoved,
    4,
    false,
    true,
    false};

/* Of the case. */
static struct {
    cl_mem states;                 /* u32 */
    cl_mem heads, escaped, inside; /* u8 */
    uint32_t *partners;            /* of brackets, by number */
    size_t brackets;
} own;

static bool done(bench_case *c, bench_variant *v, gp_result r)
{
    if (r == GP_OK) r = gp_finish(c->b->gp);
    return r == GP_OK || bench_fail_gp(c, v, r);
}

static bool run_automaton(bench_case *c, bench_variant *v)
{
    gp_context *gp = c->b->gp;
    const gp_scan_desc scan = {.in = c->work.in,
                               .out = own.states,
                               .count = c->work.n,
                               .type = GP_U8,
                               .map = "(x == '\"' ? 17u : x == '\\\\' ? 24u : 20u) | (uint)x << 8",
                               .monoid = &automaton};
    const gp_brackets_desc brackets = {
        .in = own.states,
        .count = c->work.n,
        .type = GP_U32,
        .map =
            "x & 3 ? 0 : x >> 8 == '{' ? 1 : x >> 8 == '}' ? -1 : x >> 8 == '[' ? 2 : x >> 8 == ']' ? -2 : 0",
        .match = c->work.out};
    const gp_result r = gp_scan(gp, &scan);
    return done(c, v, r == GP_OK ? gp_brackets(gp, &brackets) : r);
}

static bool run_two_scans(bench_case *c, bench_variant *v)
{
    gp_context *gp = c->b->gp;
    const size_t n = c->work.n;
    const gp_arg escaped = {.name = "escaped", .type = GP_U8, .buffer = own.escaped};
    const gp_arg inside = {.name = "inside", .type = GP_U8, .buffer = own.inside};
    const gp_adjacent_difference_desc runs = {
        .in = c->work.in, .out = own.heads, .count = n, .type = GP_U8, .map = "y != '\\\\'"};
    const gp_scan_desc backslashes = {.in = c->work.in,
                                      .out = own.escaped,
                                      .count = n,
                                      .type = GP_U8,
                                      .op = GP_XOR,
                                      .map = "x == '\\\\'",
                                      .exclusive = true,
                                      .segments = GP_SEGMENTS_BY_FLAGS,
                                      .heads = own.heads,
                                      .heads_type = GP_U8};
    const gp_scan_desc quotes = {.in = c->work.in,
                                 .out = own.inside,
                                 .count = n,
                                 .type = GP_U8,
                                 .op = GP_XOR,
                                 .map = "x == '\"' && !escaped[i]",
                                 .args = &escaped,
                                 .arg_count = 1};
    const gp_brackets_desc brackets = {
        .in = c->work.in,
        .count = n,
        .type = GP_U8,
        .map = "inside[i] ? 0 : x == '{' ? 1 : x == '}' ? -1 : x == '[' ? 2 : x == ']' ? -2 : 0",
        .args = &inside,
        .arg_count = 1,
        .match = c->work.out};
    gp_result r = gp_adjacent_difference(gp, &runs);
    if (r == GP_OK) r = gp_scan(gp, &backslashes);
    if (r == GP_OK) r = gp_scan(gp, &quotes);
    return done(c, v, r == GP_OK ? gp_brackets(gp, &brackets) : r);
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static bool check_partners(bench_case *c, bench_variant *v, const void *out)
{
    (void)c;
    return memcmp(out, own.partners, own.brackets * sizeof *own.partners) == 0 ||
           bench_fail(v, "wrong partners of brackets");
}

/* ------------------------------------------------------------------ input, expected result */

static char *read_file(size_t *size)
{
    FILE *file = fopen("bench/gpu_cost.json", "rb");
    const long end = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    char *text = end > 0 ? malloc((size_t)end) : NULL;
    if (text) rewind(file);
    *size = text ? fread(text, 1, (size_t)end, file) : 0;
    if (file) fclose(file);
    return text;
}

/* Brackets in a string, which also has an escaped backslash and an escaped quote: the file has none. */
static const char trap[] = ",\"]}\\\\\\\"[{\"";

/* An array of traps, with as many copies of the file between them as there is room for, then blanks. */
static void fill(char *text, size_t n)
{
    const size_t trapped = sizeof trap - 1;
    size_t size, used = trapped;
    char *file = read_file(&size);
    memset(text, ' ', n);
    memcpy(text, trap, trapped);
    text[0] = '[';
    while (size > 0 && used + 1 + size + trapped + 1 <= n) {
        text[used++] = ',';
        memcpy(text + used, file, size);
        memcpy(text + used + size, trap, trapped);
        used += size + trapped;
    }
    text[used] = ']';
    free(file);
}

/* Partners, by a byte's place and by a bracket's number. False: no memory. */
static bool make_expected(bench_case *c)
{
    const size_t n = c->work.n;
    const char *text = c->in.host;
    uint32_t *match = c->expected, *open = malloc(n * sizeof *open), *numbers = malloc(n * sizeof *numbers);
    bool inside = false, escaped = false;
    size_t height = 0;
    own.brackets = 0;
    own.partners = malloc(n * sizeof *own.partners);
    for (size_t i = 0; i < n && open && numbers && own.partners; i++) {
        const char x = text[i];
        const bool quote = x == '"' && !escaped;
        match[i] = UINT32_MAX;
        escaped = x == '\\' && !escaped;
        inside ^= quote;
        if (inside || strchr("{}[]", x) == NULL || x == 0) continue;
        numbers[i] = (uint32_t)own.brackets++;
        if (x == '{' || x == '[') open[height++] = (uint32_t)i;
        if (x == '{' || x == '[' || height == 0) continue;
        match[i] = open[--height];
        match[match[i]] = (uint32_t)i;
        own.partners[numbers[i]] = numbers[match[i]];
        own.partners[numbers[match[i]]] = numbers[i];
    }
    free(open);
    free(numbers);
    return open && numbers && own.partners;
}

/* ------------------------------------------------------------------ the case */

static bool open_own(const bench_case *c)
{
    gp_context *gp = c->b->gp;
    const size_t n = c->work.n;
    return gp_buffer_create(gp, 4 * n, NULL, &own.states) == GP_OK &&
           gp_buffer_create(gp, n, NULL, &own.heads) == GP_OK &&
           gp_buffer_create(gp, n, NULL, &own.escaped) == GP_OK &&
           gp_buffer_create(gp, n, NULL, &own.inside) == GP_OK;
}

static void close_own(void)
{
    const cl_mem all[] = {own.states, own.heads, own.escaped, own.inside};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) clReleaseMemObject(all[i]);
    free(own.partners);
    memset(&own, 0, sizeof own);
}

static void add(bench_case *c, const char *name, bool (*run)(bench_case *, bench_variant *))
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->run = run;
    v->check = check;
    v->out_bytes = 4 * c->work.n;
}

void bench_json(bench *b)
{
    const size_t asked = b->options.n ? b->options.n : (size_t)1 << 24, n = asked < 1024 ? 1024 : asked;
    bench_case c;
    const bench_case_desc desc = {.name = "json",
                                  .primitive = BENCH_JSON_FILE,
                                  .type = GP_U8,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 4 * n,
                                  .expected_bytes = 4 * n,
                                  .bytes = 5.0 * (double)n};
    if (!bench_case_open(b, &c, &desc)) return;
    memset(c.in.host, 0, n);
    fill(c.in.host, n - PADDING);
    bench_case_upload(&c, &c.in);
    if (make_expected(&c) && open_own(&c)) {
        add(&c, "gpuprim", run_two_scans);
        add(&c, "gpuprim:automaton", run_automaton);
        bench_add_peers(&c, check_partners, 4 * own.brackets);
        bench_case_run(&c);
    } else {
        report_failure(b, &desc, "not enough memory");
    }
    close_own();
    bench_case_close(&c);
}
