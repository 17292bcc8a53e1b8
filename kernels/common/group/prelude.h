/* prelude.h - example values of the parameters of group/, with which a file there compiles alone: collectives that add
   uints, as in a user's kernel (src/context/device_source.c). */
#include "base/prelude.h"
#ifndef GPI_GROUP_SIZE
#define GPI_GROUP_SIZE ((uint)get_local_size(0))
#define GPI_GROUP_ALONE 0
#endif
#define GPI_LANES 1
#define GPI_GROUP_ITEM ((uint)get_local_id(0) + (uint)get_local_size(0) * (uint)get_local_id(1))
#define GPI_GROUP_TURNS(n) (n)
#define GPI_GROUP gpi_counts
#define GPI_GROUP_T uint
#define GPI_GROUP_COMBINE(a, b) ((a) + (b))
#define GPI_GROUP_IDENTITY 0u
