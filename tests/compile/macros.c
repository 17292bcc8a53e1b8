/* A program that defines the words of words.txt as macros, in C and in C++, before it includes gpuprim's headers:
   WITH_IMPLEMENTATION all of them, WITH_CPP gpuprim.hpp, WITH_MPI gpuprim_mpi.h. words.h is made of words.txt. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef _WIN32
#include <direct.h>
#include <process.h>
#include <windows.h>
#else
#include <dirent.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>
#include <utime.h>
#endif

#ifdef WITH_CPP
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#endif
#ifdef WITH_MPI
#include <mpi.h>
#endif

#include "words.h"

#ifdef WITH_IMPLEMENTATION
#define GP_IMPLEMENTATION
#define GP_HOST_IMPLEMENTATION
#define GP_MPI_IMPLEMENTATION
#endif
#ifdef WITH_CPP
#include "gpuprim.hpp"
#else
#include "gpuprim.h"
#endif
#include "gpuprim_host.h"
#ifdef WITH_MPI
#include "gpuprim_mpi.h"
#endif

int main(void) { return gp_error_string(GP_OK) != NULL ? 0 : 1; }
