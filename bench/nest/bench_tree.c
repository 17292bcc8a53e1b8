/* bench_tree.c - gpbench tree: what gp_tree makes of the parents of a nest, index among siblings alone and
   with numbers of children and ends of subtrees, against the loops in C that a user would write. */
#include "../harness/bench.h"
#include "nests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Output: index; with all, children from out[n] on and ends from out[2 * n] on. */
static size_t outputs_of(const bench_case *c) { return c->work.k; }

/* Parents as gp_brackets gives them: the innermost pair that an element is in, of which its own is none. */
static bool make_parents(const nest_input *input, uint32_t *parent, size_t n)
{
    char *text = malloc(n + 1);
    uint32_t *stack = malloc((n + 1) * sizeof *stack), *top = stack;
    const bool good = text && stack;
    if (good) input->fill(text, n);
    for (size_t i = 0; i < n && good; i++) {
        const int sign = nest_signs[(unsigned char)text[i]];
        if (sign < 0 && top > stack) top--;
        parent[i] = top > stack ? top[-1] : UINT32_MAX;
        if (sign > 0) *top++ = (uint32_t)i;
    }
    free(text);
    free(stack);
    return good;
}

/* By the path from the root to where the loop is. */
static bool make_expected(bench_case *c)
{
    const size_t n = c->work.n;
    const uint32_t *parent = c->in.host;
    uint32_t *index = c->expected, roots = 0, *path = malloc((n + 1) * sizeof *path);
    uint32_t *children = calloc(n + 1, sizeof *children), *end = malloc((n + 1) * sizeof *end);
    const bool good = path && children && end;
    size_t length = 0;
    for (size_t i = 0; i < n && good; i++) {
        const uint32_t p = parent[i];
        while (length > 0 && path[length - 1] != p) end[path[--length]] = (uint32_t)i;
        path[length++] = (uint32_t)i;
        index[i] = p == UINT32_MAX ? roots++ : children[p]++;
    }
    while (length > 0 && good) end[path[--length]] = (uint32_t)n;
    if (good && outputs_of(c) > 1) {
        memcpy(index + n, children, n * sizeof *children);
        memcpy(index + 2 * n, end, n * sizeof *end);
    }
    free(path);
    free(children);
    free(end);
    return good;
}

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_tree(c->b->gp, &v->with.tree);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, outputs_of(c) * c->work.n);
}

static void add(bench_case *c)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    gp_tree_desc *d = &v->with.tree;
    const size_t n = c->work.n;
    v->run = run;
    v->check = check;
    v->out_bytes = 4 * n * outputs_of(c);
    memset(d, 0, sizeof *d);
    d->parent = c->work.in;
    d->count = n;
    d->index = c->work.out;
    if (outputs_of(c) == 1) return;
    d->children = d->end = c->work.out;
    d->children_offset = n;
    d->end_offset = 2 * n;
}

static void one(bench *b, const nest_input *input, size_t n, size_t outputs)
{
    char name[64];
    bench_case c;
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_TREE,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 4 * n * outputs,
                                  .expected_bytes = 4 * n * outputs,
                                  .bytes = 4.0 * (double)n * (double)(1 + outputs)};
    snprintf(name, sizeof name, "tree, %s, %s", outputs > 1 ? "all" : "index", input->name);
    if (!bench_case_open(b, &c, &desc)) return;
    c.work.k = outputs;
    if (make_parents(input, c.in.host, n) && make_expected(&c)) {
        bench_case_upload(&c, &c.in);
        add(&c);
        bench_add_peers(&c, check, 4 * n * outputs);
        bench_case_run(&c);
    }
    bench_case_close(&c);
}

void bench_tree(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    for (size_t i = 0; i < NEST_INPUTS; i++) {
        one(b, &nest_inputs[i], n, 1);
        one(b, &nest_inputs[i], n, 3);
    }
}
