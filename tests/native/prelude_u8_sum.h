/* Sums of bytes in bytes: an element that does not fill a word. */
#define GPI_IN uchar
#define GPI_INPUTS 1
#define GPI_MAPPED 0
#define GPI_VALUE uchar
#define GPI_T uchar
#define GPI_OUT uchar
#define GPI_OP GPI_SUM
#define GPI_FLOAT 0
#define GPI_SIZE 1
#define GPI_IDENTITY_WORDS 0x00000000u
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 1
#define GPI_LANES 16
