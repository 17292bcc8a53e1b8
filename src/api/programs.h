#pragma once
#include "api/results.h"
#include "api/context.h"

/* ------------------------------------------------------------------ programs as bytes */

/* Receives bytes that gp_programs_export writes, in several calls that follow one another. */
typedef void gp_write(const void *bytes, size_t size, void *user);

/* Writes the programs that this context has in memory, so that an application can ship or store them. Blocks
   until the queue is idle. Call gp_warmup, or one call of each kind, first to make them. Programs of `share`
   are not written; only that context writes them.

   Result: gp_stats.programs_saved counts them. A program whose binary the driver does not return is left out,
   and reported to `log`.
   Cost: on PoCL as much as building them.
   Errors: those of gp_finish; nothing has been written then. */
GP_API gp_result gp_programs_export(gp_context *gp, gp_write *write, void *user);

/* Copies bytes that gp_programs_export wrote; calls then load these programs instead of building them.
   Programs for another device or driver, or of another version of the library, are not used. Programs that
   the context has in memory stay as they are.

   Result: gp_stats.programs_loaded counts the programs that calls have loaded since.
   Errors: GP_ERROR_INVALID_ARGUMENT for damaged bytes, and for bytes in the format of another version;
   nothing is imported then. A program that the driver refuses is built. But a driver runs what it is given,
   and may crash on a binary that was made to do harm: import only what you trust. */
GP_API gp_result gp_programs_import(gp_context *gp, const void *data, size_t size);
