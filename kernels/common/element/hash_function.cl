/* hash_function.cl - murmur3's finalisers: bijections in which a change of any input bit changes half of the output
   bits on average. (Appleby, MurmurHash3, 2011.) */
#ifndef GPI_ELEMENT_HASH_FUNCTION_CL
#define GPI_ELEMENT_HASH_FUNCTION_CL

static uint gpi_hash_32(uint h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

static ulong gpi_hash_64(ulong h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdul;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ul;
    return h ^ h >> 33;
}
#endif
