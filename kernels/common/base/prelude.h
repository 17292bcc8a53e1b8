/* prelude.h - an example of the text that the host writes before every program, so that an editor or clang can read any
   file of kernels/ by itself (`make compile_commands.json`). Each folder's prelude.h adds an example of what is written
   before the programs there. No program of the library contains these files. GPI_SHAPE_SERIAL 1 shows the CPU wing.
   If the command line defines GPI_WG, it must define the rest, too: this file then defines nothing. */
#ifndef GPI_WG
#if GPI_SHAPE_SERIAL
#define GPI_WG 1
#define GPI_TILE 8
#else
#define GPI_SHAPE_SERIAL 0
#define GPI_WG 64
#define GPI_TILE 512
#endif
#define GPI_PER_ITEM 8
#define GPI_TILES_ABREAST 2
#define GPI_WIDE 1
#define GPI_INT64_EXTENDED 1
#define GPI_FP64 1
#endif
