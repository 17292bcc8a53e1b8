/* gpsort - sorts lines or binary records of files larger than memory, on a device with OpenCL.

   usage: gpsort [OPTION]... [FILE]...        (gpsort --help)

   Sorts as LC_ALL=C sort does, whose options it has where they mean the same. Exit status 0, 1 for disorder that --check
   has found, 2 for trouble. */
#include "gpsort.h"

#include <string.h>

int main(int argc, char **argv)
{
    options o;
    output out;
    runs r;
    standard_open();
    options_read(&o, argc, argv);
    input_check(&o);
    if (o.check) return check_order(&o);
    catch_signals();
    output_open(&out, &o);
    runs_make(&r, &o, &out);
    runs_merge(&r, &o, &out);
    output_close(&out);
    progress_clear();
    if (o.verbose) say("peak memory %zu MiB of %zu", memory_peak() >> 20, o.memory >> 20);
    return SORTED;
}
