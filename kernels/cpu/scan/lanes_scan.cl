/* lanes_scan.cl - scans a vector of 16 elements in registers, without and with segments. */
#ifndef GPI_SCAN_LANES_SCAN_CL
#define GPI_SCAN_LANES_SCAN_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "element/input_vectors.cl"
#include "element/monoid.cl"
#include "element/ops.cl"

#if GPI_LANES > 1
#define GPI_LAST(v) ((v).sf)

/* Shifts of a vector v. A quad is four elements, which are few enough for CPUs to move them by one instruction.

       GPI_SHIFT(T, v, e)      element i is v[i-1], or e for i = 0
       GPI_QUADS_SHIFT_k       element i is v[i-k] if that is in the same quad, else e
       GPI_QUADS_NEXT_k        element i is the last one of the quad that is k quads before its own, or e if there is none */
#define GPI_SHIFT(T, v, e) \
    ((T)(e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc, v.sd, v.se))
#define GPI_QUADS_SHIFT_1(T, v, e) \
    ((T)(e, v.s0, v.s1, v.s2, e, v.s4, v.s5, v.s6, e, v.s8, v.s9, v.sa, e, v.sc, v.sd, v.se))
#define GPI_QUADS_SHIFT_2(T, v, e) \
    ((T)(e, e, v.s0, v.s1, e, e, v.s4, v.s5, e, e, v.s8, v.s9, e, e, v.sc, v.sd))
#define GPI_QUADS_NEXT_1(T, v, e) \
    ((T)(e, e, e, e, v.s3, v.s3, v.s3, v.s3, v.s7, v.s7, v.s7, v.s7, v.sb, v.sb, v.sb, v.sb))
#define GPI_QUADS_NEXT_2(T, v, e) \
    ((T)(e, e, e, e, e, e, e, e, v.s3, v.s3, v.s3, v.s3, v.s7, v.s7, v.s7, v.s7))

/* Returns the scan of x, which begins anew at each head. On entry, *begun has all bits set in the lanes with a head; on return,
   in all lanes whose segment begins in the vector. `e` must be the identity. */
static gpi_lanes gpi_lanes_scan_segments(gpi_lanes x, GPI_BASE e, gpi_lane_heads *begun)
{
    gpi_lane_heads b = *begun;
    gpi_lanes v = x;
    v = select(gpi_lanes_combine(GPI_QUADS_SHIFT_1(gpi_lanes, v, e), v), v, b);
    b |= GPI_QUADS_SHIFT_1(gpi_lane_heads, b, 0);
    v = select(gpi_lanes_combine(GPI_QUADS_SHIFT_2(gpi_lanes, v, e), v), v, b);
    b |= GPI_QUADS_SHIFT_2(gpi_lane_heads, b, 0);
    v = select(gpi_lanes_combine(GPI_QUADS_NEXT_1(gpi_lanes, v, e), v), v, b);
    b |= GPI_QUADS_NEXT_1(gpi_lane_heads, b, 0);
    v = select(gpi_lanes_combine(GPI_QUADS_NEXT_2(gpi_lanes, v, e), v), v, b);
    b |= GPI_QUADS_NEXT_2(gpi_lane_heads, b, 0);
    *begun = b;
    return v;
}

#if !GPI_SEGMENTED
static gpi_lanes gpi_lanes_scan(gpi_lanes x, GPI_BASE e)
{
    gpi_lanes v = x;
    v = gpi_lanes_combine(GPI_QUADS_SHIFT_1(gpi_lanes, v, e), v);
    v = gpi_lanes_combine(GPI_QUADS_SHIFT_2(gpi_lanes, v, e), v);
    v = gpi_lanes_combine(GPI_QUADS_NEXT_1(gpi_lanes, v, e), v);
    v = gpi_lanes_combine(GPI_QUADS_NEXT_2(gpi_lanes, v, e), v);
    return v;
}
#endif
#endif
#endif
