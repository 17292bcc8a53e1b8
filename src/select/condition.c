/* condition.c - text on records, and on conditions of the caller's. */
#include "select/select.h"

/* Unsigned, as wide as a record. */
static const char *gpi_compact_record(size_t size)
{
    return size == 16 ? "uint4" : size == 8 ? "ulong" : size == 4 ? "uint" : size == 2 ? "ushort" : "uchar";
}

/* A condition of the caller's as a function: it holds where the value, of whatever type, is not 0. It has
   lines of its own, so that it may end in a comment. */
static void gpi_compact_prelude_function(const char *name, const char *parameters, const char *field,
                                         const char *expression, gpi_text *text)
{
    if (!expression) return;
    gpi_text_add(
        text,
        "static uint %s(%s)\n{\n#line 1 \"%s\"\n    return (\n#line 1 \"%s\"\n%s\n    ) != 0 ? 1 : 0;\n}\n",
        name, parameters, field, field, expression);
}
