/* run.h - chunks are sent through one context, or dealt to several, by one thread.

   Each of several has slots as one has. Which one takes the next chunk is for their speeds to say, in elements that
   each has finished since the call began:

       fast   0 | 2 | 3 | 4 | 6 | 7 | 8 | 10
       slow   1         | 5             | 9 ...    it leaves chunk 11 to the fast one, which has it done earlier

   Where chunks begin is the same every time, who computes them is not. So results that depend on it are combined in
   the chunks' order: partial results by index, selected elements by where they were. */
#pragma once
#include "api/gpuprim_host.h"
#include "base/chunks.h"

/* Sends all chunks through. Other arrays of count elements may follow, by other steps: the buffers stay. */
static gp_result gpi_host_chunks_run(gpi_host_chunks *chunks);
