/* hash.cl - a hash table's kernels: on batches of keys, and on all slots. */
#include "hash/batch.cl"
#include "hash/combine.cl"
#include "hash/slots.cl"
