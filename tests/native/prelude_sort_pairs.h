/* A sort of 32-bit keys with 32-bit values, in a ring as tiny as it can be. */
#define GPI_KEY_SIZE 4
#define GPI_KEY_FLOAT 0
#define GPI_VALUE_SIZE 4
#define GPI_RING_ROWS 8u
#define GPI_RING_REACH 2u
#define GPI_RING_BLOCK 2u
