/* Maxima of doubles: not bit-exact, so that nothing is posted for others. */
#define GPI_IN double
#define GPI_INPUTS 1
#define GPI_MAPPED 0
#define GPI_VALUE double
#define GPI_T double
#define GPI_OUT double
#define GPI_OP GPI_MAX
#define GPI_FLOAT 1
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000000u, 0xfff00000u
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 0
#define GPI_LANES 16
