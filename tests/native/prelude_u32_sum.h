/* 32-bit sums: what src/monoid.c writes for GP_U32, GP_SUM. */
#define GPI_IN uint
#define GPI_INPUTS 1
#define GPI_MAPPED 0
#define GPI_VALUE uint
#define GPI_T uint
#define GPI_OUT uint
#define GPI_OP GPI_SUM
#define GPI_FLOAT 0
#define GPI_SIZE 4
#define GPI_IDENTITY_WORDS 0x00000000u
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 1
#ifndef GPI_LANES
#define GPI_LANES 16
#endif
