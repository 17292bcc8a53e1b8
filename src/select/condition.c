/* condition.c - writes program text for moved records and for the caller's conditions. */
#include "base/math.h"
#include "launch/launch.h"
#include "select/select.h"

/* Returns the unsigned type that has a record's size. */
static const char *gpi_compact_record(size_t size)
{
    return size == 16 ? "uint4" : size == 8 ? "ulong" : size == 4 ? "uint" : size == 2 ? "ushort" : "uchar";
}

/* Returns true if records of this size are moved as one built-in type. Others are moved as words, one record at a time. */
static bool gpi_compact_is_plain(size_t size) { return size <= 16 && (size & (size - 1)) == 0; }

static const char *gpi_compact_moved(size_t size)
{
    return gpi_compact_is_plain(size) ? gpi_compact_record(size) : "gpi_moved_record";
}

static void gpi_compact_prelude_moved(size_t size, gpi_text *text)
{
    const size_t word = gpi_word_of(size);
    if (gpi_compact_is_plain(size)) return;
    gpi_text_add(text, "typedef struct gpi_moved_record {\n    %s word[%u];\n} gpi_moved_record;\n",
                 gpi_compact_record(word), (unsigned)(size / word));
}

/* Adds a function for the caller's condition. The condition is true if its value, of any type, is not 0. The expression
   gets its own lines, so that it may end in a comment. */
static void gpi_compact_prelude_function(const gpi_compact *c, const char *name, const char *parameters,
                                         const char *field, const char *expression, gpi_text *text)
{
    if (!expression) return;
    gpi_text_add(text, "static uint %s(%s%s)\n{\n", name, gpi_args_parameter(&c->args), parameters);
    gpi_args_name(&c->args, text);
    gpi_text_add(text, "#line 1 \"%s\"\n    return (\n#line 1 \"%s\"\n%s\n    ) * 1 != 0 ? 1 : 0;\n}\n",
                 field, field, expression);
}
