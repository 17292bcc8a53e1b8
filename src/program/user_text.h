/* user_text.h - checks expressions, names and sources that the caller supplies. */
#pragma once
#include "api/gpuprim.h"

/* user_text.c */
static bool gpi_is_blank(const char *text);
static bool gpi_has_word_anywhere(const char *text, const char *word);
static bool gpi_may_define(const char *source, const char *word);
static gp_result gpi_check_text(gp_context *gp, const char *field, const char *text);
static gp_result gpi_check_source(gp_context *gp, const char *field, const char *text);
static gp_result gpi_check_name(gp_context *gp, const char *field, const char *text, const char *kind,
                                bool several);
static gp_result gpi_check_monoid_text(gp_context *gp, const gp_monoid *m);
static gp_result gpi_check_macros(gp_context *gp, const char *prelude, const char *library);
