/* stress_nests.c - brackets, scans of stacks, trees. */
#include "stress.h"

/* A text of brackets, in an array and on the device. */
static piece make_text(stress *s, size_t n)
{
    const piece text = stress_out(s, n, 1);
    nest_fill(text.mirror, n, (nest_pattern)stress_below(s, NEST_PATTERNS));
    stress_send(s, &text, n, 1);
    return text;
}

static void set_indices(const piece *p, const uint64_t *from, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) stress_set_u32(p, i, (uint32_t)from[i]);
}

/* What gp_tree makes of parents: the others' numbers from these. */
static void tree_mirror(const piece *parent, size_t n, const piece *index, const piece *children,
                        const piece *end)
{
    uint32_t roots = 0;
    size_t i;
    for (i = 0; i < n; i++) stress_set_u32(children, i, 0);
    for (i = 0; i < n; i++) stress_set_u32(end, i, (uint32_t)i + 1);
    for (i = 0; i < n; i++) {
        const uint32_t p = stress_u32(parent, i);
        stress_set_u32(index, i, p == UINT32_MAX ? roots++ : stress_u32(children, p));
        if (p != UINT32_MAX) stress_set_u32(children, p, stress_u32(children, p) + 1);
    }
    for (i = n; i > 0; i--) {
        const uint32_t p = stress_u32(parent, i - 1), e = stress_u32(end, i - 1);
        if (p != UINT32_MAX && stress_u32(end, p) < e) stress_set_u32(end, p, e);
    }
}

/* Brackets, and then the tree of their parents, which waits for them on either queue. */
static void run_brackets(stress *s)
{
    const size_t n = stress_count(s);
    const piece text = make_text(s, n);
    const piece match = stress_out(s, n, 4), parent = stress_out(s, n, 4), depth = stress_out(s, n, 4);
    int *code = nest_codes(text.mirror, n, "()[]{}");
    nest_reference *r = nest_reference_make(code, n);
    gp_brackets_desc d = {0};
    STRESS_PIECE(d, in, text);
    STRESS_PIECE(d, match, match);
    STRESS_PIECE(d, parent, parent);
    STRESS_PIECE(d, depth, depth);
    d.type = GP_U8;
    d.count = n;
    set_indices(&match, r->match, n);
    set_indices(&parent, r->parent, n);
    set_indices(&depth, r->depth, n);
    STRESS_CALL(s, gp_brackets, d);
    if (stress_chance(s, 2)) {
        const piece index = stress_out(s, n, 4), children = stress_out(s, n, 4), end = stress_out(s, n, 4);
        gp_tree_desc t = {0};
        STRESS_PIECE(t, parent, parent);
        STRESS_PIECE(t, index, index);
        STRESS_PIECE(t, children, children);
        STRESS_PIECE(t, end, end);
        t.count = n;
        s->which = (int)stress_below(s, 2);
        s->gp = s->context[s->which];
        tree_mirror(&parent, n, &index, &children, &end);
        STRESS_CALL(s, gp_tree, t);
    }
    nest_reference_free(r);
    free(code);
}

static void run_stack_scan(stress *s)
{
    const size_t n = stress_count(s);
    const piece text = make_text(s, n), values = stress_in(s, n, 4), out = stress_out(s, n, 4);
    uint32_t *stack = malloc((n + 1) * sizeof *stack);
    int *code = nest_codes(text.mirror, n, "()[]{}");
    size_t i, height = 0;
    gp_stack_scan_desc d = {0};
    if (!stack) abort();
    STRESS_PIECE(d, in, text);
    STRESS_PIECE(d, values, values);
    STRESS_PIECE(d, out, out);
    d.type = GP_U8;
    d.value_type = GP_U32;
    d.op = GP_SUM;
    d.count = n;
    d.exclusive = stress_chance(s, 2);
    stack[0] = 0;
    for (i = 0; i < n; i++) { /* stack: the sum up to each height */
        if (d.exclusive) stress_set_u32(&out, i, stack[height]);
        if (code[i] > 0) {
            stack[height + 1] = stack[height] + stress_u32(&values, i);
            height++;
        }
        if (code[i] < 0 && height > 0) height--;
        if (!d.exclusive) stress_set_u32(&out, i, stack[height]);
    }
    free(stack);
    free(code);
    STRESS_CALL(s, gp_stack_scan, d);
}

const stress_entry stress_nests[] = {
    {"brackets", run_brackets}, {"stack_scan", run_stack_scan}, {NULL, NULL}};
