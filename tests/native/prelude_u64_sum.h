/* 64-bit sums of 32-bit elements: a state of several words. */
#define GPI_IN uint
#define GPI_INPUTS 1
#define GPI_MAPPED 0
#define GPI_VALUE ulong
#define GPI_T ulong
#define GPI_OUT ulong
#define GPI_OP GPI_SUM
#define GPI_FLOAT 0
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000000u, 0x00000000u
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 1
#ifndef GPI_LANES
#define GPI_LANES 16
#endif
