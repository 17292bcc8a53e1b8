/* A sort of bytes, in the ring that everybody uses. */
#define GPI_KEY_SIZE 1
#define GPI_KEY_FLOAT 0
#define GPI_VALUE_SIZE 0
#define GPI_RING_ROWS 1024u
#define GPI_RING_REACH 64u
#define GPI_RING_BLOCK 32u
