/* tuning_file.c - reads rows of the tuning table from a file such as this:

       gpuprim tuning 1
       platform Portable Computing Language
       device pthread-haswell-Intel(R) Xeon(R) CPU
       scan bytes=65536 polls=1048576
       sort strategy=single_pass

   A line names the primitive of a row of runtime/tuning_table.h, and the values that differ from that row. Blank lines
   and text after a '#' are ignored. The library contains such texts for tuned devices (tunings/). */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "context/tuning_file.h"
#include "program/file.h"
#include "program/program.h"
#include "runtime/tuning.h"
#include "runtime/tuning_table.h"
#include "tunings.h" /* made from tunings/ by tools/amalgamate.sh */

#include <stdlib.h>
#include <string.h>

#define GPI_TUNING_HEAD "gpuprim tuning 1"

/* A part of the file's text. */
typedef struct gpi_span {
    const char *at;
    size_t length;
} gpi_span;

static bool gpi_span_is(gpi_span s, const char *text)
{
    return s.length == strlen(text) && memcmp(s.at, text, s.length) == 0;
}

/* Returns the text before the first `mark`, and removes both from *rest. */
static gpi_span gpi_span_cut(gpi_span *rest, char mark)
{
    const char *end = (const char *)memchr(rest->at, mark, rest->length);
    const gpi_span cut = {rest->at, end ? (size_t)(end - rest->at) : rest->length};
    const size_t gone = end ? cut.length + 1 : cut.length;
    rest->at += gone;
    rest->length -= gone;
    return cut;
}

static gpi_span gpi_span_trim(gpi_span s)
{
    while (s.length && (unsigned char)s.at[0] <= ' ') s.at++, s.length--;
    while (s.length && (unsigned char)s.at[s.length - 1] <= ' ') s.length--;
    return s;
}

/* Reads a number. Returns false if the text is not a number below 2^32. */
static bool gpi_span_number(gpi_span s, uint32_t *number)
{
    uint64_t value = 0;
    size_t i;
    for (i = 0; i < s.length && value <= UINT32_MAX; i++) {
        if (s.at[i] < '0' || s.at[i] > '9') return false;
        value = 10 * value + (uint64_t)(s.at[i] - '0');
    }
    *number = (uint32_t)value;
    return s.length > 0 && value <= UINT32_MAX;
}

/* ------------------------------------------------------------------ rows */

/* Returns the name of a primitive in tuning files, which is the name of its entry file; empty: the table has no rows for it. */
static gpi_span gpi_tuning_name(gpi_primitive primitive)
{
    const char *name = strchr(gpi_program_file(primitive), '/') + 1;
    const bool has_rows = gpi_tuning_find(GP_DEVICE_CLASS_UNKNOWN, primitive)->primitive == primitive;
    const gpi_span span = {name, has_rows ? strlen(name) - strlen(".cl") : 0};
    return span;
}

/* Returns the context's own row of the primitive `name`, which begins as a copy of the table's row. NULL: there is no
   such primitive. */
static gpi_tuning_row *gpi_tuned_row(gp_context *gp, gpi_span name)
{
    int primitive;
    for (primitive = 0; primitive < GPI_PRIMITIVES; primitive++) {
        const gpi_span known = gpi_tuning_name((gpi_primitive)primitive);
        gpi_tuning_row *row = &gp->tuned[primitive];
        if (!known.length || known.length != name.length || memcmp(known.at, name.at, name.length) != 0)
            continue;
        if (!row->group) *row = *gpi_tuning_find(gp->info.device_class, (gpi_primitive)primitive);
        return row;
    }
    return NULL;
}

static bool gpi_is_power_of_two(uint32_t x) { return x && !(x & (x - 1)); }

/* Sets the field `name` of a row. Returns NULL, or a description of the error. */
static const char *gpi_tuned_set(const gp_context *gp, gpi_tuning_row *row, gpi_span name, gpi_span value)
{
    const bool serial = row->shape == GP_SHAPE_SERIAL;
    uint32_t number = 0;
    if (gpi_span_is(name, "strategy")) {
        if (gpi_span_is(value, "single_pass")) row->strategy = GP_STRATEGY_SINGLE_PASS;
        else if (gpi_span_is(value, "multi_pass")) row->strategy = GP_STRATEGY_MULTI_PASS;
        else return "strategy is neither single_pass nor multi_pass";
        return NULL;
    }
    if (!gpi_span_is(name, "group") && !gpi_span_is(name, "bytes") && !gpi_span_is(name, "polls"))
        return "a word is none of group=, bytes=, strategy=, polls=";
    if (!gpi_span_number(value, &number)) return "a value is no number";
    if (gpi_span_is(name, "group")) {
        if (serial) return "group: this device has one work-item a group";
        if (!gpi_is_power_of_two(number) || number > gp->info.max_work_group_size)
            return "group is not a power of two that the device takes";
        row->group = number;
    } else if (gpi_span_is(name, "bytes")) {
        const uint32_t most = serial ? GPI_TILE_SERIAL_MAX : GPI_TILE_ITEM_MAX;
        if (number > most || (!gpi_is_power_of_two(number) && number != row->item_bytes))
            return "bytes is not a power of two that kernels take";
        row->item_bytes = number;
    } else {
        if (!number) return "polls is 0";
        row->polls = number;
    }
    return NULL;
}

static const char *gpi_tuning_line(gp_context *gp, gpi_span line)
{
    gpi_tuning_row *row = gpi_tuned_row(gp, gpi_span_cut(&line, ' '));
    const char *wrong = NULL;
    if (!row) return "no such primitive";
    while (!wrong && (line = gpi_span_trim(line)).length > 0) {
        gpi_span value = gpi_span_cut(&line, ' ');
        const gpi_span name = gpi_span_cut(&value, '=');
        wrong = gpi_tuned_set(gp, row, name, value);
    }
    return wrong;
}

/* ------------------------------------------------------------------ the file */

/* Returns the next line that is not blank, and adds the number of lines read to *number. Returns an empty line at the end. */
static gpi_span gpi_tuning_next(gpi_span *rest, unsigned *number)
{
    gpi_span line = {"", 0};
    while (!line.length && rest->length > 0) {
        line = gpi_span_cut(rest, '\n');
        line = gpi_span_trim(gpi_span_cut(&line, '#'));
        ++*number;
    }
    return line;
}

/* Reads the head of a text, which must name this device. Returns NULL, or a description of the error in line *number. */
static const char *gpi_tuning_head(const gp_context *gp, gpi_span *rest, unsigned *number)
{
    gpi_span line = gpi_tuning_next(rest, number);
    if (!gpi_span_is(line, GPI_TUNING_HEAD)) return "it does not begin with \"" GPI_TUNING_HEAD "\"";
    line = gpi_tuning_next(rest, number);
    if (!gpi_span_is(gpi_span_cut(&line, ' '), "platform")) return "platform is expected";
    if (!gpi_span_is(line, gp->info.platform_name)) return "it is for another platform";
    line = gpi_tuning_next(rest, number);
    if (!gpi_span_is(gpi_span_cut(&line, ' '), "device")) return "device is expected";
    return gpi_span_is(line, gp->info.name) ? NULL : "it is for another device";
}

/* Reads the rows after the head. Returns NULL, or a description of the error in line *number. */
static const char *gpi_tuning_rows_of(gp_context *gp, gpi_span rest, unsigned *number)
{
    const char *wrong = NULL;
    gpi_span line;
    while (!wrong && (line = gpi_tuning_next(&rest, number)).length > 0) wrong = gpi_tuning_line(gp, line);
    return wrong;
}

/* Sets the context's rows from a text. If the text has an error, the context has no rows of its own. */
static gp_result gpi_tuning_take(gp_context *gp, gpi_span text, const char *name)
{
    unsigned number = 0;
    const char *wrong = gpi_tuning_head(gp, &text, &number);
    if (!wrong) {
        gp->tuned = (gpi_tuning_row *)GP_CALLOC(GPI_PRIMITIVES, sizeof *gp->tuned);
        if (!gp->tuned) return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
        wrong = gpi_tuning_rows_of(gp, text, &number);
    }
    if (!wrong) return GP_OK;
    GP_FREE(gp->tuned);
    gp->tuned = NULL;
    return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "tuning_file %s, line %u: %s", name, number, wrong);
}

static gp_result gpi_tuning_load(gp_context *gp, const char *path)
{
    gpi_span text = {NULL, 0};
    gp_result result;
    unsigned char *data = gpi_file_read(path, false, &text.length);
    if (!data && text.length == GPI_FILE_ENDS_EARLY)
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "cannot read all of tuning_file %s", path);
    if (!data && text.length > 0)
        return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for tuning_file %s", path);
    if (!data) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "cannot read tuning_file %s", path);
    }
    text.at = (const char *)data;
    result = gpi_tuning_take(gp, text, path);
    GP_FREE(data);
    return result;
}

/* Uses the library's tuning text for this device, if there is one. */
static gp_result gpi_tuning_known(gp_context *gp, const char *const *texts)
{
    for (; *texts; texts++) {
        const gpi_span text = {*texts, strlen(*texts)};
        gpi_span rest = text;
        unsigned number = 0;
        if (!gpi_tuning_head(gp, &rest, &number)) return gpi_tuning_take(gp, text, "of the library");
    }
    return GP_OK;
}

/* Reads the desc's tuning file, and fails if the file cannot be used. If the desc names no file, reads the file that
   GPUPRIM_TUNING names, or the library's text, and only logs a failure. */
static gp_result gpi_tuning_open(gp_context *gp)
{
    const char *path = gp->desc.tuning_file;
    const char *named = getenv("GPUPRIM_TUNING");
    gp_result result;
    if (path && *path) return gpi_tuning_load(gp, path);
    result = named && *named ? gpi_tuning_load(gp, named) : gpi_tuning_known(gp, gpi_tunings);
    if (result != GP_OK) gpi_log(gp, GP_LOG_WARNING, "%s; ignored", gp_last_error(NULL));
    return GP_OK;
}
