/* math.h - rounding, bounds, powers of two, a hash of bytes. */
#pragma once
#include "api/gpuprim.h"

#define GPI_FNV1A_SEED 0xcbf29ce484222325u

#define GPI_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* math.c */
static uint32_t gpi_or_default(uint32_t value, uint32_t fallback);
static uint32_t gpi_power_of_two_below(uint64_t x);
static uint64_t gpi_fnv1a(uint64_t hash, const void *data, size_t size);
static size_t gpi_word_of(size_t size);
static size_t gpi_round_up(size_t x, size_t multiple);
static size_t gpi_ceil_div(size_t a, size_t b);
static size_t gpi_clamp(size_t x, size_t least, size_t most);
