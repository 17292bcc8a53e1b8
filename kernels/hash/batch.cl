/* batch.cl - batches of keys: put (insert, assign, apply), find, erase.

   Group g takes the keys [g * span, (g + 1) * span). What came of the keys is counted by the item, added up in the
   group, and then added to the table's header.

   Parameters
       GPI_SHAPE_SERIAL   1: one item a group                                                          */
#ifndef GPI_HASH_BATCH_CL
#define GPI_HASH_BATCH_CL

#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_SHAPE_SERIAL
#include "hash/batch_serial.cl"
#else
#include "hash/batch_local.cl"
#endif
#endif
