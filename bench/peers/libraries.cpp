// libraries.cpp - the C++ libraries to compare with: their versions, or what is missing. The Makefile looks
// for the same headers.
#include "peer.h"

#if __has_include(<tbb/version.h>)
#include <tbb/version.h>
#endif
#if __has_include(<boost/version.hpp>)
#include <boost/version.hpp>
#endif
#if __has_include(<viennacl/version.hpp>)
#include <viennacl/version.hpp>
#endif
#if __has_include(<simdjson.h>)
#include <simdjson.h>
#endif
#if __has_include(<hwy/contrib/sort/vqsort.h>)
#include <hwy/highway.h>
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const bench_library bench_cxx_libraries[] = {
    {"std", __VERSION__, nullptr},
#if __has_include(<tbb/parallel_for.h>)
    {"tbb", TBB_VERSION_STRING, nullptr},
#else
    {"tbb", nullptr, "no tbb/parallel_for.h: make peers"},
#endif
#if __has_include(<boost/compute.hpp>)
    {"boost", BOOST_LIB_VERSION, nullptr},
#else
    {"boost", nullptr, "no boost/compute.hpp: make peers"},
#endif
#if __has_include(<simdjson.h>)
    {"simdjson", TEXT(SIMDJSON_VERSION), nullptr},
#else
    {"simdjson", nullptr, "no simdjson.h: make peers"},
#endif
#if __has_include(<viennacl/vector.hpp>)
    {"viennacl",
     TEXT(VIENNACL_MAJOR_VERSION) "." TEXT(VIENNACL_MINOR_VERSION) "." TEXT(VIENNACL_PATCH_VERSION), nullptr},
#else
    {"viennacl", nullptr, "no viennacl/vector.hpp: make peers"},
#endif
#if __has_include(<hwy/contrib/sort/vqsort.h>)
    {"highway", TEXT(HWY_MAJOR) "." TEXT(HWY_MINOR) "." TEXT(HWY_PATCH), nullptr},
#else
    {"highway", nullptr, "no hwy/contrib/sort/vqsort.h: make peers"},
#endif
    {nullptr, nullptr, nullptr},
};
