// check.hpp - what tests in C++ share. cmocka leaves a test by longjmp, past destructors.
#ifndef GPUPRIM_TESTS_CPP_CHECK_HPP
#define GPUPRIM_TESTS_CPP_CHECK_HPP

#include <cstdio>

inline int failures = 0;

inline void check(bool holds, const char *what, const char *file, int line)
{
    if (holds) return;
    std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
    failures++;
}

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#endif
