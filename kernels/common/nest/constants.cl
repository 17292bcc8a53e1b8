/* constants.cl - constants that the host and kernels share: lists of symbols, tiles of a group, and outputs of
   gp_tree. */
#ifndef GPI_NEST_CONSTANTS_CL
#define GPI_NEST_CONSTANTS_CL

#define GPI_LISTED_MAX 12 /* the most symbols of a list, which are compared side by side */
#define GPI_NODE_WORDS 4  /* words of a node that is published (nest/lookback.cl) */
#define GPI_GROUP_TILES_SERIAL 4

/* Outputs of gp_tree that are wanted. */
#define GPI_TREE_INDEX 1u
#define GPI_TREE_CHILDREN 2u
#define GPI_TREE_END 4u
#endif
