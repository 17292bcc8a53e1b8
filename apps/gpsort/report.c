/* report.c - errors, the progress bar, and what --verbose tells. */
#define _POSIX_C_SOURCE 200809L
#include "gpsort.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30 };

static struct {
    uint64_t done, total;
    double begin, last;
    bool shown;
} progress;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say_line(const char *format, va_list arguments, const char *more)
{
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = 0; /* a compiler's messages have several lines */
    progress_clear();
    fprintf(stderr, "gpsort: %s%s%s\n", text, more ? ": " : "", more ? more : "");
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_line(format, arguments, NULL);
    va_end(arguments);
}

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_line(format, arguments, NULL);
    va_end(arguments);
    exit(TROUBLE);
}

void die_errno(const char *format, ...)
{
    const char *text = strerror(errno);
    va_list arguments;
    va_start(arguments, format);
    say_line(format, arguments, text);
    va_end(arguments);
    exit(TROUBLE);
}

/* ------------------------------------------------------------------ progress */

static void progress_show(double elapsed)
{
    const double share = progress.total ? (double)progress.done / (double)progress.total : 0;
    const double left = share > 0 ? elapsed * (1 - share) / share : 0;
    char bar[BAR + 1];
    if (!progress.total) {
        fprintf(stderr, "\r\033[Kgpsort: %.0f MiB read", (double)progress.done / (1 << 20));
    } else {
        memset(bar, '.', BAR);
        memset(bar, '#', (size_t)(share < 1 ? share * BAR : BAR));
        bar[BAR] = 0;
        fprintf(stderr, "\r\033[Kgpsort: [%s] %.0f %%, about %.0f %s left", bar,
                100 * (share < 1 ? share : 1), left < 90 ? left : left / 60, left < 90 ? "s" : "min");
    }
    fflush(stderr);
    progress.shown = true;
}

void progress_left(uint64_t bytes)
{
    if (progress.begin <= 0) progress.begin = now();
    progress.total = bytes ? progress.done + bytes : 0;
}

void progress_add(uint64_t bytes)
{
    static int terminal = -1;
    double time;
    progress.done += bytes;
    if (terminal < 0) terminal = isatty(STDERR_FILENO);
    if (!terminal) return;
    time = now();
    if (time < progress.last + .2 || time < progress.begin + .5) return;
    progress.last = time;
    progress_show(time - progress.begin);
}

void progress_interrupted(void)
{
    if (progress.shown && write(STDERR_FILENO, "\n", 1) < 0) return;
}

void progress_clear(void)
{
    if (progress.shown) fprintf(stderr, "\r\033[K");
    progress.shown = false;
}
