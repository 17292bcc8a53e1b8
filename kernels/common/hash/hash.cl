/* hash.cl - the kernels of a hash table, on batches of keys and on all slots. */
#include "hash/batch.cl"
#include "hash/combine.cl"
#include "hash/slots.cl"
