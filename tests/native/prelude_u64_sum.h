/* 32-bit integers summed in 64 bits. */
#include "element.h"
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000000u, 0x00000000u
#define GPI_VALUE_0 ulong
#define GPI_RESULT_0 ulong
#define GPI_LANE_0 ulong
#define GPI_INDEX_0 ulong
#define GPI_OUT ulong
