/* memory.h - macros that allocate and free host memory. To replace them, define all four before GP_IMPLEMENTATION's
   #include. */
#pragma once
#if !defined(GP_MALLOC) && !defined(GP_CALLOC) && !defined(GP_REALLOC) && !defined(GP_FREE)
#include <stdlib.h>

#define GP_MALLOC(bytes) malloc(bytes)
#define GP_CALLOC(count, bytes) calloc(count, bytes)
#define GP_REALLOC(memory, bytes) realloc(memory, bytes)
#define GP_FREE(memory) free(memory)
#elif !defined(GP_MALLOC) || !defined(GP_CALLOC) || !defined(GP_REALLOC) || !defined(GP_FREE)
#error "define all of GP_MALLOC, GP_CALLOC, GP_REALLOC and GP_FREE, or none"
#endif
