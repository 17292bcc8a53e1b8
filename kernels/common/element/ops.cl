/* ops.cl - defines the operations of an element: includes op.cl once for each of its fields. */
#ifndef GPI_ELEMENT_OPS_CL
#define GPI_ELEMENT_OPS_CL
#include "base/platform.cl"

#if GPI_FIELD_COUNT > 0
#define GPI_FIELD 0
#include "element/op.cl"
#endif
#if GPI_FIELD_COUNT > 1
#define GPI_FIELD 1
#include "element/op.cl"
#endif
#if GPI_FIELD_COUNT > 2
#define GPI_FIELD 2
#include "element/op.cl"
#endif
#if GPI_FIELD_COUNT > 3
#define GPI_FIELD 3
#include "element/op.cl"
#endif
#if GPI_FIELD_COUNT > 4
#define GPI_FIELD 4
#include "element/op.cl"
#endif
#if GPI_FIELD_COUNT > 5
#define GPI_FIELD 5
#include "element/op.cl"
#endif
#if GPI_FIELD_COUNT > 6
#define GPI_FIELD 6
#include "element/op.cl"
#endif
#if GPI_FIELD_COUNT > 7
#define GPI_FIELD 7
#include "element/op.cl"
#endif
#endif
