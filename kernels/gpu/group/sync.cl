/* sync.cl - barriers, broadcasts and shared memory of a group.

       gpi_sync()               waits for all items of the group: what they wrote to shared memory can then be read
       gpi_sync_all()           waits in the same way, and makes writes to global memory visible, too
       gpi_broadcast(x, word)   returns item 0's x to every item; `word` is shared, and free again on return
       gpi_broadcast_once(x, word)   returns item 0's x to every item; `word` is free only after the next barrier
       GPI_SHARED(type, name)   at a kernel's beginning: defines memory that the group shares, and a pointer `name` to it

   Each function must be called by all items of a group or by none. */
#ifndef GPI_GROUP_SYNC_CL
#define GPI_GROUP_SYNC_CL
#include "base/platform.cl"

#define GPI_GROUP_SPACE __local
GPI_INLINE void gpi_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }
GPI_INLINE void gpi_sync_all(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }

#define GPI_SHARED(type, name)          \
    GPI_GROUP_SPACE type name##_memory; \
    GPI_GROUP_SPACE type *const name = &name##_memory

GPI_INLINE uint gpi_broadcast_once(uint x, GPI_GROUP_SPACE uint *word)
{
    if (GPI_LOCAL_ID == 0) *word = x;
    gpi_sync(); /* the word is written */
    x = *word;
    return x;
}

GPI_INLINE uint gpi_broadcast(uint x, GPI_GROUP_SPACE uint *word)
{
    if (GPI_LOCAL_ID == 0) *word = x;
    gpi_sync(); /* the word is written */
    x = *word;
    gpi_sync(); /* the word is read: the next broadcast may overwrite it */
    return x;
}
#endif
