/* brackets.c - gp_mpi_brackets: matches brackets within each part, then across ranks. */
#include "base/arrays.h"
#include "base/buffers.h"
#include "base/call.h"
#include "base/error.h"
#include "base/exchange.h"
#include "calls/select.h"

#include <string.h>

/* The state of a call of gp_mpi_brackets.

   After brackets have been matched within each part, a part has closers without openers, followed by openers without
   closers. From the numbers of both on all ranks, each rank computes which ranks' openers its closers pop:

       rank 0   ( ( ( )        leaves ( (
       rank 1   ) ( (          pops one of rank 0; ( ( ( are open after it
       rank 2   ) ) ) ( (      pops two of rank 1, then one of rank 0

   Openers are sent from the top of the stack down, so that the openers that one rank closes are consecutive, in the
   order of ranks. */
typedef struct gpi_mpi_nest {
    const gp_brackets_desc *desc;
    gp_mpi_part place;
    gp_type index_type, code_type;
    size_t size;            /* bytes of an index */
    gp_brackets_desc local; /* the call on the codes of this part */
    cl_mem codes, own_match, own_depth;
    size_t codes_offset;
    cl_mem closers, openers; /* indices of brackets without a partner in the part; openers top first */
    uint64_t closer_count, opener_count;
    cl_mem passed;         /* for each element: the number of `closers` before it */
    cl_mem stack;          /* the topmost openers before the part, top first: indices in the whole array */
    uint64_t height, lead; /* number of openers that are open before the part, and of those in `stack` */
    uint64_t matched;      /* number of openers in `stack` that this part closes */
    uint64_t closed;       /* number of this part's openers that later parts close */
    bool errors_wanted, match_wanted; /* match_wanted: any rank wants match */
    int *memory;
    gpi_mpi_moves up, back; /* moves of openers to their closers' ranks, and back */
    gp_brackets_errors errors;
} gpi_mpi_nest;

/* The numbers that ranks exchange about their parts. */
typedef struct gpi_mpi_nest_part {
    uint64_t closers, openers, count, match_wanted, left; /* left: the part's openers that are still open */
} gpi_mpi_nest_part;

/* Creates a buffer with a code for each byte, as gp_brackets would use it. The pairs have been checked. */
static gp_result gpi_mpi_nest_table(gp_mpi *all, const gp_brackets_desc *desc, cl_mem *out)
{
    const char *pair = desc->pairs ? desc->pairs : "()[]{}";
    int8_t codes[256];
    int kind = 1;
    memset(codes, 0, sizeof codes);
    for (; pair[0] && pair[1]; pair += 2, kind++) {
        codes[(unsigned char)pair[0]] = (int8_t)kind;
        codes[(unsigned char)pair[1]] = (int8_t)-kind;
    }
    return gp_buffer_create(all->gp, sizeof codes, desc->table ? desc->table : codes, out);
}

/* Sets n->codes to the input, or, if the input does not consist of codes, to a new buffer of codes. */
static gp_result gpi_mpi_nest_codes(gp_mpi *all, gpi_mpi_nest *n)
{
    const gp_brackets_desc *desc = n->desc;
    gp_transform_desc transform;
    gp_arg arg;
    cl_mem table = NULL;
    gp_result result;
    n->code_type = desc->map || desc->type == GP_U8 ? GP_I32 : desc->type;
    if (!desc->map && desc->type != GP_U8) {
        n->codes = desc->in;
        n->codes_offset = desc->in_offset;
        return n->codes ? gpi_mpi_cl(all, "gp_mpi_brackets", "clRetainMemObject", clRetainMemObject(n->codes))
                        : GP_OK;
    }
    result = gpi_mpi_buffer(all, desc->count * sizeof(int32_t), &n->codes);
    if (result == GP_OK && !desc->map) result = gpi_mpi_nest_table(all, desc, &table);
    if (result == GP_OK && desc->count > 0) {
        arg = gpi_mpi_array("part_table", GP_I8, table, 0);
        memset(&transform, 0, sizeof transform);
        transform.in = desc->in;
        transform.in_offset = desc->in_offset;
        transform.type = desc->type;
        transform.out = n->codes;
        transform.out_type = GP_I32;
        transform.map = desc->map ? desc->map : "part_table[x]";
        transform.args = desc->map ? desc->args : &arg;
        transform.arg_count = desc->map ? desc->arg_count : 1;
        transform.count = desc->count;
        result = gpi_mpi_done(all, gp_transform(all->gp, &transform));
    }
    gpi_mpi_free(&table);
    return result;
}

/* Creates a buffer with the indices of the codes that meet `condition`, and sets *count. */
static gp_result gpi_mpi_nest_select(gp_mpi *all, const gpi_mpi_nest *n, const char *condition, cl_mem *out,
                                     uint64_t *count)
{
    const gp_arg arg = gpi_mpi_array("part_match", n->index_type, n->local.match, n->local.match_offset);
    gp_select_desc select;
    const gp_result result = gpi_mpi_buffer(all, n->place.count * n->size, out);
    if (result != GP_OK) return result;
    memset(&select, 0, sizeof select);
    select.in = n->codes;
    select.in_offset = n->codes_offset;
    select.type = n->code_type;
    select.predicate = condition;
    select.args = &arg;
    select.arg_count = 1;
    select.indices_out = *out;
    select.index_type = n->index_type;
    select.count = n->place.count;
    return gp_select_read(all->gp, &select, count);
}

/* Creates n->openers with openers[i] = list[last - i], so that the top one comes first. */
static gp_result gpi_mpi_nest_reverse(gp_mpi *all, gpi_mpi_nest *n, cl_mem list)
{
    const cl_ulong last = n->opener_count - 1;
    gp_transform_desc transform;
    gp_arg args[2];
    gp_result result = gpi_mpi_buffer(all, (size_t)n->opener_count * n->size, &n->openers);
    if (result != GP_OK || n->opener_count == 0) return result;
    args[0] = gpi_mpi_array("part_list", n->index_type, list, 0);
    args[1] = gpi_mpi_value("part_last", GP_U64, &last);
    memset(&transform, 0, sizeof transform);
    transform.out = n->openers;
    transform.out_type = n->index_type;
    transform.map = "part_list[part_last - i]";
    transform.args = args;
    transform.arg_count = 2;
    transform.count = (size_t)n->opener_count;
    return gpi_mpi_done(all, gp_transform(all->gp, &transform));
}

/* Creates n->passed, where passed[i] is the number of closers without an opener before element i. */
static gp_result gpi_mpi_nest_pass(gp_mpi *all, gpi_mpi_nest *n)
{
    const gp_arg arg = gpi_mpi_array("part_match", n->index_type, n->local.match, n->local.match_offset);
    gp_scan_desc scan;
    const gp_result result = gpi_mpi_buffer(all, n->place.count * n->size, &n->passed);
    if (result != GP_OK) return result;
    memset(&scan, 0, sizeof scan);
    scan.in = n->codes;
    scan.in_offset = n->codes_offset;
    scan.type = n->code_type;
    scan.out = n->passed;
    scan.out_type = n->index_type;
    scan.op = GP_SUM;
    scan.map = "x < 0 && !~part_match[i]";
    scan.args = &arg;
    scan.arg_count = 1;
    scan.exclusive = true;
    scan.count = (size_t)n->place.count;
    return gpi_mpi_done(all, gp_scan(all->gp, &scan));
}

/* Checks that outputs do not overlap inputs. gp_brackets cannot check this here, because it may see only codes. */
static gp_result gpi_mpi_nest_apart(gp_mpi *all, const char *function, const gpi_mpi_nest *n)
{
    const gp_brackets_desc *desc = n->desc;
    const size_t count = desc->count;
    const gpi_mpi_span in =
        gpi_mpi_span_of("in", desc->in, desc->in_offset, count, gpi_mpi_size_of(desc->type));
    const gpi_mpi_span written[] = {
        gpi_mpi_span_of("match", desc->match, desc->match_offset, count, n->size),
        gpi_mpi_span_of("parent", desc->parent, desc->parent_offset, count, n->size),
        gpi_mpi_span_of("depth", desc->depth, desc->depth_offset, count, n->size)};
    gp_result result = GP_OK;
    int k;
    for (k = 0; k < 3 && result == GP_OK; k++) {
        result = gpi_mpi_check_apart(all, function, &in, &written[k], false);
        if (result == GP_OK)
            result = gpi_mpi_check_args_apart(all, function, desc->args, desc->arg_count, &written[k]);
    }
    return result;
}

/* Matches the brackets within this part, and lists the brackets without a partner. */
static gp_result gpi_mpi_nest_own(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    gp_brackets_desc *local = &n->local;
    const size_t count = (size_t)n->place.count;
    cl_mem list = NULL;
    gp_result result = gpi_mpi_nest_codes(all, n);
    if (result == GP_OK) result = gpi_mpi_nest_apart(all, function, n);
    if (result != GP_OK || count == 0) return result;
    *local = *n->desc;
    local->in = n->codes;
    local->in_offset = n->codes_offset;
    local->type = n->code_type;
    local->index_type = n->index_type;
    local->pairs = local->map = NULL;
    local->table = NULL;
    local->args = NULL;
    local->arg_count = 0;
    if (!local->match) {
        result = gpi_mpi_buffer(all, count * n->size, &n->own_match);
        local->match = n->own_match;
        local->match_offset = 0;
    }
    if (!local->depth && n->errors_wanted && result == GP_OK) {
        result = gpi_mpi_buffer(all, count * n->size, &n->own_depth);
        local->depth = n->own_depth;
        local->depth_offset = 0;
    }
    if (result == GP_OK)
        result = gpi_mpi_done(all, n->errors_wanted ? gp_brackets_read(all->gp, local, &n->errors)
                                                    : gp_brackets(all->gp, local));
    if (result == GP_OK)
        result = gpi_mpi_nest_select(all, n, "x < 0 && !~part_match[i]", &n->closers, &n->closer_count);
    if (result == GP_OK)
        result = gpi_mpi_nest_select(all, n, "x > 0 && !~part_match[i]", &list, &n->opener_count);
    if (result == GP_OK) result = gpi_mpi_nest_reverse(all, n, list);
    gpi_mpi_free(&list);
    return result;
}

/* Pops openers of earlier parts for the closers of part r. If part r has an element after these closers, the next
   opener, which encloses that element, is sent to part r, too. */
static void gpi_mpi_nest_pop(const gp_mpi *all, gpi_mpi_nest *n, gpi_mpi_nest_part *parts, int r)
{
    const uint64_t closers = parts[r].closers;
    uint64_t see = closers < parts[r].count ? closers + 1 : closers, pop = closers, height = 0;
    int q;
    if (r == all->rank)
        for (q = 0; q < r; q++) n->height += parts[q].left;
    for (q = r - 1; q >= 0 && see > 0; q--) {
        const uint64_t seen = parts[q].left < see ? parts[q].left : see;
        const uint64_t popped = parts[q].left < pop ? parts[q].left : pop;
        if (r == all->rank) {
            n->up.receives[q] = (int)seen;
            n->up.receives_at[q] = (int)n->lead;
            n->back.sends[q] = (int)popped;
            n->back.sends_at[q] = (int)n->matched;
            n->lead += seen;
            n->matched += popped;
        }
        if (q == all->rank) {
            n->up.sends[r] = (int)seen;
            n->back.receives[r] = (int)popped;
            n->up.sends_at[r] = n->back.receives_at[r] = (int)n->closed;
            n->closed += popped;
        }
        parts[q].left -= popped;
        see -= seen;
        pop -= popped;
    }
    parts[r].left = parts[r].openers;
    n->errors.unmatched_closers += pop;
    for (q = 0; q <= r; q++) height += parts[q].left;
    if (height > n->errors.max_depth) n->errors.max_depth = height;
}

/* Exchanges the numbers of unmatched brackets, and sets which brackets move to which ranks. */
static gp_result gpi_mpi_nest_resolve(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    const size_t ranks = (size_t)all->ranks;
    gpi_mpi_nest_part own, *parts = (gpi_mpi_nest_part *)GPI_MPI_MALLOC(ranks * sizeof *parts);
    gp_result result = GP_OK;
    int r;
    n->memory = (int *)GPI_MPI_MALLOC(2 * gpi_mpi_moves_bytes(all));
    if (!parts || !n->memory) result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    result = gpi_mpi_agree(all, function, result);
    own.closers = n->closer_count;
    own.openers = n->opener_count;
    own.count = n->place.count;
    own.match_wanted = n->desc->match != NULL;
    own.left = 0;
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allgather",
                             MPI_Allgather(&own, 5, MPI_UINT64_T, parts, 5, MPI_UINT64_T, all->comm));
    if (result == GP_OK) {
        memset(n->memory, 0, 2 * gpi_mpi_moves_bytes(all));
        gpi_mpi_moves_at(all, &n->up, n->memory);
        gpi_mpi_moves_at(all, &n->back, n->memory + gpi_mpi_moves_ints(all));
        n->errors.unmatched_closers = n->errors.unmatched_openers = n->errors.max_depth = 0;
        for (r = 0; r < all->ranks; r++) {
            n->match_wanted = n->match_wanted || parts[r].match_wanted;
            gpi_mpi_nest_pop(all, n, parts, r);
        }
        for (r = 0; r < all->ranks; r++) n->errors.unmatched_openers += parts[r].left;
        n->up.sent = (size_t)n->opener_count;
        n->up.received = (size_t)n->lead;
        n->back.sent = (size_t)n->matched;
        n->back.received = (size_t)n->closed;
        /* the positions after the openers from lower ranks, and after the closers that are sent back to these
           ranks */
        n->up.receives_at[all->rank] = (int)n->lead;
        n->back.sends_at[all->rank] = (int)n->matched;
    }
    GPI_MPI_FREE(parts);
    return result;
}

/* Converts indices in the part to indices in the whole array. Entries without an index are unchanged. `out` may be
   `in`. */
static gp_result gpi_mpi_nest_shift(gp_mpi *all, const gpi_mpi_nest *n, cl_mem in, cl_mem out, size_t offset,
                                    size_t count)
{
    const gp_arg arg = gpi_mpi_value("part_first", GP_U64, &n->place.first);
    gp_transform_desc transform;
    if (count == 0 || (in == out && n->place.first == 0)) return GP_OK;
    memset(&transform, 0, sizeof transform);
    transform.in = in;
    transform.in_offset = offset;
    transform.out = out;
    transform.out_offset = offset;
    transform.type = n->index_type;
    transform.map = "~x ? x + part_first : x";
    transform.args = &arg;
    transform.arg_count = 1;
    transform.count = count;
    return gpi_mpi_done(all, gp_transform(all->gp, &transform));
}

/* Writes partners in other parts to match: match[at[i]] = from[i] for `count` brackets. */
static gp_result gpi_mpi_nest_scatter(gp_mpi *all, const gpi_mpi_nest *n, cl_mem from, cl_mem at,
                                      uint64_t count)
{
    gp_gather_desc scatter;
    if (count == 0 || !n->desc->match) return GP_OK;
    memset(&scatter, 0, sizeof scatter);
    scatter.in = from;
    scatter.out = n->desc->match;
    scatter.out_offset = n->desc->match_offset;
    scatter.indices = at;
    scatter.index_type = n->index_type;
    scatter.element_size = n->size;
    scatter.limit = (size_t)n->place.count;
    scatter.count = (size_t)count;
    return gpi_mpi_done(all, gp_scatter(all->gp, &scatter));
}

/* Sends brackets to the ranks of their partners, receives those partners, and completes match. */
static gp_result gpi_mpi_nest_partners(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    cl_mem sent = NULL, partners = NULL;
    gp_result result = gpi_mpi_buffer(all, n->up.sent * n->size, &sent);
    if (result == GP_OK) result = gpi_mpi_nest_shift(all, n, n->openers, sent, 0, n->up.sent);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_exchanged(all, function, &n->up, sent, n->size, 0, &n->stack);
    gpi_mpi_free(&sent);
    if (result == GP_OK && n->desc->match)
        result = gpi_mpi_nest_shift(all, n, n->desc->match, n->desc->match, n->desc->match_offset,
                                    (size_t)n->place.count);
    if (result == GP_OK) result = gpi_mpi_nest_scatter(all, n, n->stack, n->closers, n->matched);
    if (result == GP_OK) result = gpi_mpi_buffer(all, n->back.sent * n->size, &sent);
    if (result == GP_OK) result = gpi_mpi_nest_shift(all, n, n->closers, sent, 0, n->back.sent);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK && n->match_wanted)
        result = gpi_mpi_exchanged(all, function, &n->back, sent, n->size, 0, &partners);
    if (result == GP_OK) result = gpi_mpi_nest_scatter(all, n, partners, n->openers, n->closed);
    gpi_mpi_free(&sent);
    gpi_mpi_free(&partners);
    return gpi_mpi_agree(all, function, result);
}

/* Completes parents and depths with the openers before the part. */
static gp_result gpi_mpi_nest_around(gp_mpi *all, gpi_mpi_nest *n)
{
    const gp_brackets_desc *local = &n->local;
    gp_transform_desc transform;
    gp_arg args[4];
    gp_result result = GP_OK;
    if (n->place.count == 0) return GP_OK;
    if (n->height == 0)
        return local->parent ? gpi_mpi_nest_shift(all, n, local->parent, local->parent, local->parent_offset,
                                                  (size_t)n->place.count)
                             : GP_OK;
    args[0] = gpi_mpi_value("part_first", GP_U64, &n->place.first);
    args[1] = gpi_mpi_value("part_height", GP_U64, &n->height);
    args[2] = gpi_mpi_value("part_lead", GP_U64, &n->lead);
    args[3] = gpi_mpi_array("part_stack", n->index_type, n->stack, 0);
    memset(&transform, 0, sizeof transform);
    transform.type = n->index_type;
    transform.in2 = n->passed;
    transform.args = args;
    transform.arg_count = 4;
    transform.count = (size_t)n->place.count;
    if (local->depth) {
        transform.in = transform.out = local->depth;
        transform.in_offset = transform.out_offset = local->depth_offset;
        transform.map = "y < part_height ? x + part_height - y : x";
        result = gpi_mpi_done(all, gp_transform(all->gp, &transform));
    }
    if (local->parent && result == GP_OK) {
        transform.in = transform.out = local->parent;
        transform.in_offset = transform.out_offset = local->parent_offset;
        transform.map = "~x ? x + part_first : y < part_lead ? part_stack[y] : x";
        result = gpi_mpi_done(all, gp_transform(all->gp, &transform));
    }
    return result;
}

/* Counts pairs across ranks whose brackets differ in kind, and finds the first such pair. Each pair is counted by its
   closer's rank. */
static gp_result gpi_mpi_nest_mismatches(gp_mpi *all, const char *function, gpi_mpi_nest *n, uint64_t *count,
                                         uint64_t *first)
{
    const size_t size = gpi_mpi_size_of(n->code_type), matched = (size_t)n->matched;
    cl_mem sent = NULL, others = NULL, own = NULL;
    gp_reduce_desc reduce;
    gp_arg args[2];
    gp_result result = gpi_mpi_gathered(all, n->codes, n->codes_offset, (size_t)n->place.count, size,
                                        n->openers, n->index_type, n->up.sent, &sent);
    if (result == GP_OK)
        result = gpi_mpi_gathered(all, n->codes, n->codes_offset, (size_t)n->place.count, size, n->closers,
                                  n->index_type, matched, &own);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_exchanged(all, function, &n->up, sent, size, 0, &others);
    if (result == GP_OK && matched > 0) {
        args[0] = gpi_mpi_array("part_other", n->code_type, others, 0);
        args[1] = gpi_mpi_array("part_closers", n->index_type, n->closers, 0);
        memset(&reduce, 0, sizeof reduce);
        reduce.in = own;
        reduce.count = matched;
        reduce.type = n->code_type;
        reduce.out_type = GP_U64;
        reduce.op = GP_SUM;
        reduce.map = "x + part_other[i] != 0";
        reduce.args = args;
        reduce.arg_count = 2;
        result = gp_reduce_read(all->gp, &reduce, count);
        reduce.op = GP_MIN;
        reduce.map = "x + part_other[i] ? (ulong)part_closers[i] : ~0UL";
        if (result == GP_OK) result = gp_reduce_read(all->gp, &reduce, first);
    }
    gpi_mpi_free(&sent);
    gpi_mpi_free(&others);
    gpi_mpi_free(&own);
    return result;
}

/* Reads list[at], and converts it to an index in the whole array. */
static gp_result gpi_mpi_nest_index(gp_mpi *all, const char *function, const gpi_mpi_nest *n, cl_mem list,
                                    uint64_t at, uint64_t *index)
{
    uint32_t narrow = 0;
    const gp_result result = gpi_mpi_read(all, function, list, (size_t)at * n->size, n->size,
                                          n->size == 4 ? (void *)&narrow : (void *)index);
    if (n->size == 4) *index = narrow;
    *index += n->place.first;
    return result;
}

/* Computes the errors of the whole array from the errors within parts and those between parts. */
static gp_result gpi_mpi_nest_errors(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    gp_brackets_errors *e = &n->errors;
    uint64_t count = 0, first = UINT64_MAX, sums[3], least[3];
    unsigned char depth[8] = {0};
    uint32_t narrow;
    gp_reduce_desc reduce;
    int i;
    gp_result result = gpi_mpi_nest_mismatches(all, function, n, &count, &first);
    if (n->place.count == 0) e->mismatches = e->joined = e->searches = 0, e->first_mismatch = UINT64_MAX;
    sums[0] = e->mismatches + count;
    sums[1] = e->joined + n->matched;
    sums[2] = e->searches;
    least[0] = first < e->first_mismatch ? first : e->first_mismatch;
    if (least[0] != UINT64_MAX) least[0] += n->place.first;
    else least[0] = INT64_MAX; /* MPICH 4.0 compares unsigned numbers as if they were signed */
    least[1] = least[2] = INT64_MAX;
    if (result == GP_OK && n->closer_count > n->matched)
        result = gpi_mpi_nest_index(all, function, n, n->closers, n->matched, &least[1]);
    if (result == GP_OK && n->opener_count > n->closed)
        result = gpi_mpi_nest_index(all, function, n, n->openers, n->opener_count - 1, &least[2]);
    if (result == GP_OK && n->place.count > 0) {
        memset(&reduce, 0, sizeof reduce);
        reduce.in = n->local.depth;
        reduce.in_offset = n->local.depth_offset;
        reduce.count = (size_t)n->place.count;
        reduce.type = reduce.out_type = n->index_type;
        reduce.op = GP_MAX;
        result = gp_reduce_read(all->gp, &reduce, depth);
    }
    memcpy(&narrow, depth, sizeof narrow);
    count = narrow;
    if (n->size == 8) memcpy(&count, depth, sizeof count);
    if (count > e->max_depth) e->max_depth = count;
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_UINT64_T, MPI_SUM, all->comm));
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_UINT64_T, MPI_MIN, all->comm));
    for (i = 0; i < 3; i++)
        if (least[i] == INT64_MAX) least[i] = UINT64_MAX;
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(MPI_IN_PLACE, &e->max_depth, 1, MPI_UINT64_T, MPI_MAX, all->comm));
    e->mismatches = sums[0];
    e->joined = sums[1];
    e->searches = sums[2];
    e->first_mismatch = least[0];
    e->first_unmatched_closer = least[1];
    e->first_unmatched_opener = least[2];
    return result;
}

/* Checks the desc, including all that gp_brackets checks. */
static gp_result gpi_mpi_nest_check(gp_mpi *all, const char *function, const gp_brackets_desc *desc,
                                    bool errors)
{
    size_t bytes;
    gp_result result = GP_OK;
    GPI_MPI_REFUSE_COMMON;
    GPI_MPI_REFUSE(errors);
    if (result == GP_OK && desc->count > INT32_MAX)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    if (result == GP_OK && desc->count > 0 && !desc->match && !desc->parent && !desc->depth && !errors)
        result = gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function,
                              "match, parent, depth and errors are NULL");
    return result == GP_OK ? gp_brackets_scratch_size(all->gp, desc, &bytes) : result;
}

/* Adds the terms on which the codes of brackets depend, because codes are compared across ranks. Codes that a map
   computes have more bits than codes of bytes, which depend on `pairs` or `table`. */
static void gpi_mpi_nest_terms(const gp_brackets_desc *desc, bool errors, gpi_mpi_terms *terms)
{
    const char *pairs = desc->pairs ? desc->pairs : "()[]{}";
    gpi_mpi_term(terms, "type", desc->type);
    gpi_mpi_term(terms, "index_type", desc->index_type);
    gpi_mpi_term(terms, "whether errors are asked for", errors);
    gpi_mpi_term(terms, "whether there is a map", desc->map != NULL);
    gpi_mpi_term_bytes(terms, "table", desc->table, desc->table ? 256 : 0);
    gpi_mpi_term_bytes(terms, "pairs", pairs, strlen(pairs));
}

static gp_result gpi_mpi_nest_run(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    gp_result result = gpi_mpi_place(all, function, n->desc->count, &n->place);
    const bool wide = n->place.total > UINT32_MAX;
    n->index_type = n->desc->index_type ? n->desc->index_type : wide ? GP_U64 : GP_U32;
    n->size = gpi_mpi_size_of(n->index_type);
    if (result == GP_OK && wide && n->size == 4)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "indices of the whole do not fit GP_U32");
    if (result == GP_OK) result = gpi_mpi_nest_own(all, function, n);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_nest_resolve(all, function, n);
    if (result == GP_OK && n->height > 0 && n->place.count > 0 && (n->local.parent || n->local.depth))
        result = gpi_mpi_nest_pass(all, n);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_nest_partners(all, function, n);
    if (result == GP_OK) result = gpi_mpi_nest_around(all, n);
    result = gpi_mpi_agree(all, function, result);
    return result == GP_OK && n->errors_wanted ? gpi_mpi_nest_errors(all, function, n) : result;
}

GP_MPI_API gp_result gp_mpi_brackets(gp_mpi *all, const gp_brackets_desc *desc, gp_brackets_errors *errors)
{
    static const char function[] = "gp_mpi_brackets";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_nest n;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    memset(&n, 0, sizeof n);
    n.desc = desc;
    n.errors_wanted = errors != NULL;
    if (result == GP_OK) result = gpi_mpi_nest_check(all, function, desc, n.errors_wanted);
    if (result == GP_OK) gpi_mpi_nest_terms(desc, n.errors_wanted, &terms);
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) result = gpi_mpi_nest_run(all, function, &n);
    gpi_mpi_free(&n.codes);
    gpi_mpi_free(&n.own_match);
    gpi_mpi_free(&n.own_depth);
    gpi_mpi_free(&n.closers);
    gpi_mpi_free(&n.openers);
    gpi_mpi_free(&n.passed);
    gpi_mpi_free(&n.stack);
    GPI_MPI_FREE(n.memory);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK && errors) *errors = n.errors;
    return gpi_mpi_end(all, result);
}
