/* constants.cl - constants of sub-groups that the host and kernels share. */
#ifndef GPI_GROUP_CONSTANTS_CL
#define GPI_GROUP_CONSTANTS_CL

#define GPI_SUB_GROUP_MIN 8
#define GPI_SUB_GROUP_MAX 128

/* Forms of a sub-group's operations (group/sub_group.cl). */
#define GPI_SUB_GROUP_EMULATED 1
#define GPI_SUB_GROUP_KHRONOS 2
#define GPI_SUB_GROUP_NVIDIA 3
#define GPI_SUB_GROUP_AMD 4
#endif
