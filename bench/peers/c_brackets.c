/* c_brackets.c - brackets matched by one thread in plain C: the usual stack, and one without branches.
   Compiled like host_loops.c. */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

static bool supports(const bench_work *work) { return work->primitive == BENCH_BRACKETS; }

/* Kept from call to call: its pages are touched in the first one, which is not timed. */
static uint32_t *stack_of(size_t n)
{
    static uint32_t *p;
    static size_t size;
    if (n > size) {
        free(p);
        p = malloc((n + 1) * sizeof *p);
        size = p ? n : 0;
        if (p) memset(p, 0, (n + 1) * sizeof *p);
    }
    return p;
}

static bool run_usual(const bench_work *work)
{
    const unsigned char *text = work->host_in;
    const signed char *signs = work->signs;
    uint32_t *match = work->host_out, *stack = stack_of(work->n);
    size_t height = 0;
    if (!stack) return false;
    for (size_t i = 0; i < work->n; i++) {
        const int sign = signs[text[i]];
        match[i] = UINT32_MAX;
        if (sign > 0) {
            stack[height++] = (uint32_t)i;
        } else if (sign < 0 && height > 0) {
            const uint32_t opener = stack[--height];
            match[opener] = (uint32_t)i;
            match[i] = opener;
        }
    }
    return true;
}

/* Every index is written above the stack. None is more than any index: what is no closer is its own partner
   first, and has none in the end. */
static bool run_branch_free(const bench_work *work)
{
    const unsigned char *text = work->host_in;
    const signed char *signs = work->signs;
    uint32_t *match = work->host_out, *stack = stack_of(work->n);
    if (!stack) return false;
    uint32_t *const base = stack + 1;
    uint32_t *top = base;
    stack[0] = UINT32_MAX;
    for (size_t i = 0; i < work->n; i++) {
        const int sign = signs[text[i]];
        *top = (uint32_t)i;
        const uint32_t partner = top[-1] | ~(uint32_t)(sign >> 31);
        const uint32_t first = partner < (uint32_t)i ? partner : (uint32_t)i;
        match[first] = (uint32_t)i;
        match[i] = partner;
        top += sign;
        top = top < base ? base : top;
    }
    return true;
}

const bench_peer bench_peer_c_stack = {
    .name = "c-stack", .on_host = true, .supports = supports, .run = run_usual};
const bench_peer bench_peer_c_stack_branch_free = {
    .name = "c-stack-branch-free", .on_host = true, .supports = supports, .run = run_branch_free};
