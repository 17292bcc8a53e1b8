/* device.cl - a hash table for kernels of your own (gp_device_source). Open the table's buffer, then call its functions:

       gp_hash_table t = gp_hash_open(memory);            memory: __global uint *
       gp_hash_value v;
       if (gp_hash_find(t, key, &v)) ...
       uint what = gp_hash_insert(t, key, v);             GP_HASH_INSERTED, _EXISTED, _FAILED, _REFUSED
       uint what = gp_hash_erase(t, key);                 GP_HASH_ERASED, _ABSENT

   All these functions may run at the same time as one another and as the library's own operations on the table. Insert
   keys of a set with the value 0. Each call that changes the table also updates the counts in its header. */
#ifndef GPI_HASH_DEVICE_CL
#define GPI_HASH_DEVICE_CL
#include "hash/table.cl"

static uint gpi_hash_counted(gp_hash_table t, uint what)
{
    if (what & GPI_CLAIMED) gpi_hash_count(t, GPI_COUNT_CLAIMED, 1);
    what &= GPI_CLAIMED - 1;
    if (what != GP_HASH_ABSENT) gpi_hash_count(t, what, 1);
    return what;
}

/* Returns whether the key is in the table, and writes its value to *value. */
static bool gp_hash_find(gp_hash_table t, gp_hash_key key, gp_hash_value *value)
{
    return gpi_hash_get(t, gpi_hash_home(t, key), key, value);
}

/* Inserts a pair, and returns the outcome. A key that is in the table keeps its value. */
static uint gp_hash_insert(gp_hash_table t, gp_hash_key key, gp_hash_value value)
{
    return gpi_hash_counted(t, gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_CHANGE_KEEP));
}

static uint gp_hash_assign(gp_hash_table t, gp_hash_key key, gp_hash_value value)
{
    return gpi_hash_counted(t, gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_CHANGE_ASSIGN));
}

/* gp_hash_add, gp_hash_min and gp_hash_max combine unsigned values of the table's width. An absent key is inserted with `value`.
   */
static uint gp_hash_add(gp_hash_table t, gp_hash_key key, gp_hash_value value)
{
    return gpi_hash_counted(
        t, gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_VALUE_WIDTH | GPI_CHANGE_ADD));
}

static uint gp_hash_min(gp_hash_table t, gp_hash_key key, gp_hash_value value)
{
    return gpi_hash_counted(
        t, gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_VALUE_WIDTH | GPI_CHANGE_MIN_U));
}

static uint gp_hash_max(gp_hash_table t, gp_hash_key key, gp_hash_value value)
{
    return gpi_hash_counted(
        t, gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_VALUE_WIDTH | GPI_CHANGE_MAX_U));
}

static uint gp_hash_erase(gp_hash_table t, gp_hash_key key)
{
    return gpi_hash_counted(t, gpi_hash_remove(t, gpi_hash_home(t, key), key));
}
#endif
