/* run.h - sends chunks through one context, or distributes them to several, by one thread.

   If there are several contexts, each has slots of its own. The context for the next chunk is chosen by speed, which is
   the number of elements that a context has finished since the call began:

       fast   0 | 2 | 3 | 4 | 6 | 7 | 8 | 10
       slow   1         | 5             | 9 ...    leaves chunk 11 to the fast one, which finishes it earlier

   Chunks always begin at the same elements, but which context computes them varies. So results are combined in the
   chunks' order: partial results by the chunk's index, selected elements by their position in the input. */
#pragma once
#include "api/gpuprim_host.h"
#include "base/chunks.h"

/* Passes all chunks through the contexts. May be called again, with other arrays or other steps, and uses the same
   buffers. */
static gp_result gpi_host_chunks_run(gpi_host_chunks *chunks);
