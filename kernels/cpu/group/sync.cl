/* sync.cl - the functions of gpu/group/sync.cl for a group of one item. The item waits for no other item, and shares
   nothing. */
#ifndef GPI_GROUP_SYNC_CL
#define GPI_GROUP_SYNC_CL
#include "base/platform.cl"

#if GPI_WG != 1
#error "a group has one item"
#endif

#define GPI_GROUP_SPACE __private
GPI_INLINE void gpi_sync(void) {}
GPI_INLINE void gpi_sync_all(void) {}

#define GPI_SHARED(type, name)          \
    GPI_GROUP_SPACE type name##_memory; \
    GPI_GROUP_SPACE type *const name = &name##_memory

GPI_INLINE uint gpi_broadcast_once(uint x, GPI_GROUP_SPACE uint *word)
{
    (void)word;
    return x;
}

GPI_INLINE uint gpi_broadcast(uint x, GPI_GROUP_SPACE uint *word)
{
    (void)word;
    return x;
}
#endif
