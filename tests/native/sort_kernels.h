/* sort_kernels.h - the kernels of sort/sort.cl, as it declares them. VALUES: there are values of 32 bits. */
#include <stdint.h>

#if VALUES
#define PLACES                                                                                    \
    const KEY *key_in, uint64_t key_in_at, KEY *key_out, uint64_t key_out_at, KEY *key_tmp,       \
        uint64_t key_tmp_at, const uint32_t *value_in, uint64_t value_in_at, uint32_t *value_out, \
        uint64_t value_out_at, uint32_t *value_tmp, uint64_t value_tmp_at, uint32_t indices
#else
#define PLACES                                                                              \
    const KEY *key_in, uint64_t key_in_at, KEY *key_out, uint64_t key_out_at, KEY *key_tmp, \
        uint64_t key_tmp_at
#endif
#define DIGIT uint64_t flip, uint32_t shift, uint32_t mask
#define STATE volatile uint32_t *state

void gp_sort_begin(STATE, uint32_t zeros, uint32_t from, uint64_t bound, const uint32_t *wanted,
                   uint64_t wanted_offset, uint32_t wanted_words, volatile uint32_t *counters);
void gp_sort_histogram(PLACES, uint64_t flip, uint32_t begin_bit, uint32_t end_bit, uint32_t passes, STATE,
                       uint64_t span, uint64_t histogram_at);
void gp_sort_bases(STATE, uint32_t passes, uint32_t portions, uint32_t tmp_first, uint64_t histogram_at,
                   uint64_t bases_at);
void gp_sort_onesweep(PLACES, DIGIT, STATE, uint32_t pass, uint32_t launch, uint64_t portion,
                      uint64_t portion_end, uint64_t span, uint32_t lines, uint64_t bases_at, uint32_t more,
                      uint64_t rows_at, uint32_t polls);
void gp_sort_count(PLACES, DIGIT, STATE, uint32_t pass, uint32_t redo, uint32_t order_end, uint64_t span,
                   uint64_t table_at);
void gp_sort_spine(STATE, uint32_t pass, uint32_t redo, uint32_t first, uint32_t blocks, uint64_t table_at,
                   uint64_t bases_at, volatile uint32_t *counters);
void gp_sort_scatter(PLACES, DIGIT, STATE, uint32_t pass, uint32_t redo, uint64_t span, uint32_t lines,
                     uint64_t table_at, uint64_t bases_at);
void gp_sort_resume(PLACES, uint64_t flip, uint32_t begin_bit, uint32_t end_bit, uint32_t passes, STATE,
                    uint32_t portions, uint32_t lines, uint64_t bases_at, uint64_t span,
                    volatile uint32_t *counters);
void gp_sort_copy(PLACES, STATE, uint32_t passes, uint64_t span);

enum { PLACE_IN = 0, PLACE_OUT = 1, PLACE_TMP = 2 };
enum { ABANDONED = 2, FROM = 4, STATE_WORDS = 16, BINS = 256, DIGIT_BITS = 8 }; /* sort/digit.cl */
