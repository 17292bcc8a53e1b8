/* events.h - the commands in flight, and those that have failed. */
#pragma once
#include "api/gpuprim.h"

/* events.c */
static void gpi_tell_failures(gp_context *gp);
static gp_result gpi_async_result(gp_context *gp);
static cl_int gpi_event_status(cl_event event);
static void gpi_settle(gp_context *gp);
static void gpi_settle_all(gp_context *gp);
static void gpi_pending_free(gp_context *gp);
static void gpi_throttle(gp_context *gp);
static cl_int gpi_restore_order(gp_context *gp);
static void gpi_watch(gp_context *gp, const char *kernel, cl_event event);
