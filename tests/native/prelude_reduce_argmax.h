/* The index of the largest value of two inputs. */
#include "element.h"
#define GPI_SIZE 12
#define GPI_IDENTITY_WORDS 0xff800000u, 0xffffffffu, 0xffffffffu
#define GPI_EXACT 0
#define GPI_OP_0 GPI_ARGMAX
#define GPI_VALUE_0 float
#define GPI_FLOAT_0 1
#define GPI_RESULT_0 ulong
#define GPI_LANE_0 float
#define GPI_Y float
#define GPI_MAPPED 1
static GPI_Y gpi_map(float x, int y, ulong i) { return (x * y + (i == 0)); }
#define GPI_IN float
#define GPI_INPUTS 2
#define GPI_IN2 int
#define GPI_IN2_HALF 0
#define GPI_OUT ulong
