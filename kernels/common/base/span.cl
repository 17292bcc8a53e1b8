/* span.cl - the part of a launch that one group handles. */
#ifndef GPI_BASE_SPAN_CL
#define GPI_BASE_SPAN_CL

/* Computes the range [*begin, *end) of n elements that the group handles. */
static void gpi_span(ulong n, ulong span, ulong *begin, ulong *end)
{
    *begin = min(n, span * get_group_id(0));
    *end = min(n, *begin + span);
}
#endif
