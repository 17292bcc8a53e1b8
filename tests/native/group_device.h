/* Group collectives for kernels of a user's: what src/context/device_source.c writes ahead of group/device.cl. */
#define GPI_GROUP_ITEM ((uint)get_local_id(0) + (uint)get_local_size(0) * (uint)get_local_id(1))
#define GPI_LANES 1
#define GPI_GROUP gpi_counts
#define GPI_GROUP_T uint
#define GPI_GROUP_COMBINE(a, b) ((a) + (b))
#define GPI_GROUP_IDENTITY 0u
