# gpuprim - `make help` lists the targets.

CC ?= cc
CXX ?= c++
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
FILE ?= gpuprim.h

ifeq ($(shell uname -s),Darwin)
OPENCL_LIBS := -framework OpenCL
else
OPENCL_LIBS := -lOpenCL
endif

# Programs that make runs keep their caches of built kernels here: warm from run to run, and apart from the
# user's own.
export XDG_CACHE_HOME := $(CURDIR)/build/cache
export POCL_CACHE_DIR := $(CURDIR)/build/cache/pocl
export CC CXX

VERSION = $(shell awk '/define GP_VERSION_M/ { v = v $$3 "." } /define GP_VERSION_PATCH/ { print v $$3; exit }' gpuprim.h)

WARNINGS := -Wall -Wextra -Wpedantic
AS_GCC_14 := -Werror=implicit-function-declaration -Werror=incompatible-pointer-types -Werror=int-conversion
C_FLAGS = $(CPPFLAGS) -I. -std=c99 $(WARNINGS) $(AS_GCC_14) $(CFLAGS) -MMD -MP -MT $@ -MF $@.d
CXX_FLAGS = $(CPPFLAGS) -I. -std=c++17 $(WARNINGS) $(CFLAGS) $(CXXFLAGS) -MMD -MP -MT $@ -MF $@.d
TEST_LIBS := -lcmocka $(OPENCL_LIBS) -lm -lpthread

# tests/scan/test_scan.c becomes build/tests/test_scan. Tests in C++ have the implementation that a C compiler made,
# but for those of ALONE, which have their own.
TEST_SOURCES := $(wildcard tests/*/test_*.c)
ALONE := test_neighbours test_ports
CPP_SOURCES := $(filter-out $(ALONE:%=tests/examples/%.cpp),$(wildcard tests/*/test_*.cpp))
C_TESTS := $(basename $(notdir $(TEST_SOURCES)))
CPP_TESTS := $(basename $(notdir $(CPP_SOURCES)))
TESTS := $(C_TESTS) $(CPP_TESTS)
SUPPORT := $(basename $(notdir $(wildcard tests/support/*.c)))
vpath %.c $(sort $(dir $(TEST_SOURCES))) tests/support
vpath %.cpp $(sort $(dir $(CPP_SOURCES)))
# Those that take longest come first.
TEST_PROGRAMS := $(patsubst %,build/tests/%,$(filter test_cpp,$(TESTS)) $(filter-out test_cpp,$(TESTS)))
CPP_PROGRAMS := $(CPP_TESTS:%=build/tests/%)
SANITIZED := $(TESTS:%=build/sanitize/%)
EXAMPLES := $(patsubst examples/%,build/examples/%,$(basename $(wildcard examples/*.c examples/*.cpp)))

DEPS := $(addprefix deps-,run test lint bench gpu-cost report site python mpi cxx shared install packaging)

.PHONY: declarations first-calls first-calls-table all demo info test test-full test-gpsort test-examples test-all test-shapes test-masked fresh test-million test-strings test-hash-stress bench bench-check against report test-report readme-figures plot-hash peers gpu-cost gpu-cost-check gpu-compilers gpu-compilers-check examples header check-header layers format check-format cache-keys docs \
	lint compile-matrix sanitize tsan races fault fault-check kernel-tsan kernel-large models fuzz fuzz-keep stress deps deps-all \
	$(DEPS) gpu-day test-gpu-day manual site check-site wheel test-python mpi-test mpi-fault-check mpi-bench mpi-bench-check host-files install uninstall test-install test-packaging dist clean help always
.SECONDARY:
.DELETE_ON_ERROR:

all: examples $(TEST_PROGRAMS) build/gpbench build/gpsort ## build examples, tests, gpbench and gpsort

# ---- header

header: ## make gpuprim.h from src/, kernels/ and tunings/, gpuprim_host.h from host/, gpuprim_mpi.h from mpi/
	tools/amalgamate.sh gpuprim.h
	tools/amalgamate.sh --host gpuprim_host.h
	tools/amalgamate.sh --mpi gpuprim_mpi.h

gpuprim.h: $(shell find src kernels tunings -type f) LICENSE tools/amalgamate.sh tools/resolve.awk
	tools/amalgamate.sh $@

gpuprim_host.h: $(shell find host -type f) LICENSE tools/amalgamate.sh tools/resolve.awk
	tools/amalgamate.sh --host $@

gpuprim_mpi.h: $(shell find mpi -type f) LICENSE tools/amalgamate.sh tools/resolve.awk
	tools/amalgamate.sh --mpi $@

check-header: ## are gpuprim.h, gpuprim_host.h and gpuprim_mpi.h what their sources make?
	@mkdir -p build
	tools/amalgamate.sh build/gpuprim.h
	diff -u gpuprim.h build/gpuprim.h
	tools/amalgamate.sh --host build/gpuprim_host.h
	diff -u gpuprim_host.h build/gpuprim_host.h
	tools/amalgamate.sh --mpi build/gpuprim_mpi.h
	diff -u gpuprim_mpi.h build/gpuprim_mpi.h

# ---- demo, examples

demo: build/examples/tour ## build and run examples/tour; FILE=... is what it reads
	build/examples/tour "$(FILE)"

examples: $(EXAMPLES) ## build examples/

info: build/examples/gpinfo ## what a bug report needs: devices, how each primitive runs, gp_self_test; DEVICE=... as GPUPRIM_DEVICE
	@build/examples/gpinfo $(DEVICE)

build/examples/%: examples/%.c | gpuprim.h deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS) -lm

build/examples/%: examples/%.cpp | gpuprim.h deps-run deps-cxx
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS) -lm

# ---- programs

build/gpsort: $(patsubst %.c,build/%.o,$(wildcard apps/gpsort/*.c)) ## sorts files larger than memory
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(OPENCL_LIBS) -lm

build/apps/%.o: apps/%.c | gpuprim.h deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -c -o $@ $<

build/apps/gpsort/record.o: C_FLAGS += -O3 # loops over bytes gain from vectors

# Where the linker has RTLD_NEXT.
build/apps/faults.so: tests/apps/faults.c | deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -fPIC -shared -o $@ $<

test-gpsort: build/gpsort $(if $(filter Linux,$(shell uname -s)),build/apps/faults.so) ## gpsort against sort(1): options, errors, full disks, kill -9
	@tools/deps.sh python3
	@tools/deps.sh acl || true # tests of access lists are skipped without it
	tests/apps/test_gpsort.py

# ---- tests

# Tests of strategies that have to be forced, of several devices, of endurance: test-full has them.
FULL_ONLY := test_brackets_back test_host_devices test_many test_nest_strings test_sort_shares

DEFAULT_PROGRAMS := $(filter-out $(FULL_ONLY:%=build/tests/%),$(TEST_PROGRAMS))

# They are compiled on all cores, also by a `make` without -j.
test: | deps-test ## build and run the tests, as the device runs each call by itself; GPUPRIM_DEVICE names it
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1)) $(DEFAULT_PROGRAMS)
	@tools/run_tests.sh $(DEFAULT_PROGRAMS)

# What forces shapes and strategies on the device is left out without it: tests/support/support.h.
test-full test-all test-shapes test-strings test-hash-stress sanitize races: export GPUPRIM_TEST_FULL = 1

test-full: $(TEST_PROGRAMS) ## the tests in every shape, strategy and word form that the device can take
	@tools/run_tests.sh $(TEST_PROGRAMS)

# Tests include other examples that check their results.
CHECKED_EXAMPLES := $(ALONE:%=build/tests/%) build/examples/15_neighbours build/examples/10_spatial_hash
test-examples: $(CHECKED_EXAMPLES) ## the example and the ports in C++, and those that check their results by themselves
	@tools/run_tests.sh $(CHECKED_EXAMPLES)

# The Python package: a wheel that carries the library, built of a copy without links, and a virtual environment with
# nothing but the wheel and what its tests need, made anew with the wheel.
PYTHON ?= python3
PYTHON_SOURCES := $(wildcard python/*.* python/src/gpuprim/*)
PYTHON_ENV := build/python/env

wheel: build/python/wheel.stamp ## the Python package as a wheel in build/python/wheel

build/python/wheel.stamp: $(PYTHON_SOURCES) gpuprim.h | deps-run deps-python
	rm -rf build/python/wheel build/python/source
	mkdir -p build/python
	cp -RL python build/python/source
	$(PYTHON) -m venv build/python/builder
	build/python/builder/bin/pip wheel -q --no-input --no-deps -w build/python/wheel build/python/source
	touch $@

build/python/env.stamp: build/python/wheel.stamp
	$(PYTHON) -m venv --clear $(PYTHON_ENV)
	$(PYTHON_ENV)/bin/pip install -q --no-input "$$(echo build/python/wheel/*.whl)[test]"
	touch $@

test-python: build/python/env.stamp ## the Python package: its tests from an installed wheel, and mypy
	$(PYTHON_ENV)/bin/mypy --cache-dir build/python/mypy --config-file python/pyproject.toml
	@cd python && ../$(PYTHON_ENV)/bin/pytest $(PYTEST)

test-all: $(filter-out $(CPP_PROGRAMS),$(TEST_PROGRAMS)) build/tools/cpu_mask.so ## the tests in C on PoCL, also as with AVX2, SSE4.1 and SSE2 alone, on PoCL 7, Intel's CPU runtime, rusticl and Oclgrind
	@tools/test_all.sh $(filter-out %.so,$^)

# SHAPES names some of the test programs, CLASSES some of the classes, SUB_GROUPS some of the sizes.
SHAPES ?= $(C_TESTS)
CLASSES ?= nvidia amd intel_gpu mali adreno apple unknown llvmpipe
SUB_GROUPS ?= 8 16 32 64 128

test-shapes: $(SHAPES:%=build/tests/%) ## the tests on PoCL in the shapes of GPUs: with the rows of each class, and with emulated sub-groups; CLASSES=nvidia SUB_GROUPS= takes one
	@PLATFORMS="$(CLASSES:%=as-%) $(SUB_GROUPS:%=sub_group-%)" tools/test_all.sh $^

# MASKS names features, MASKED test programs, or all: by default one of each family. gpinfo's self-test comes first.
MASKED ?= test_lanes test_sort_shares test_reduce test_select test_unique test_reduce_by_key test_search test_nest_strings test_hash_values test_gather test_histogram
MASKED_PROGRAMS := build/examples/gpinfo $(if $(filter all,$(MASKED)),$(TEST_PROGRAMS),$(MASKED:%=build/tests/%))
test-masked: $(MASKED_PROGRAMS) build/tools/cpu_mask.so ## some tests on PoCL without features of this CPU: as with AVX2, with AVX and with SSE alone; MASKS=avx2,avx512 takes one
	@tools/test_masked.sh $(MASKED_PROGRAMS)

build/tools/cpu_mask.so: tools/cpu_mask.c
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -fPIC -shared -o $@ $< -ldl

fresh: ## make demo, test, test-install, test-python and test-masked on a fresh Debian 12 and 13, as root with debootstrap; RELEASE=trixie takes one
	@tools/fresh.sh $(RELEASE)

test-million: build/tests/test_many ## a million scans and a million sorts in a row, without growth of memory or objects
	@GPUPRIM_TEST_CALLS=1000000 tools/run_tests.sh $<

test-strings: build/tests/test_nest_strings ## every string of up to eight brackets, in tiles of 2, 3 and 4 of both shapes
	@GPUPRIM_TEST_STRINGS=8 tools/run_tests.sh $<

test-hash-stress: build/tests/test_hash build/tests/test_hash_full ## the hash table against a model: ten seeds, millions of operations each
	@GPUPRIM_TEST_HASH=10 tools/run_tests.sh $^

build/tests/%.o: %.c | gpuprim.h gpuprim_host.h deps-test
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -c -o $@ $<

build/tests/test_%: build/tests/test_%.o $(SUPPORT:%=build/tests/%.o)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(TEST_LIBS)

build/tests/%.o: %.cpp | gpuprim.h deps-test
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) -c -o $@ $<

$(CPP_PROGRAMS): build/tests/%: build/tests/%.o $(SUPPORT:%=build/tests/%.o)
	$(CXX) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(TEST_LIBS)

# In C++, of one file.
$(ALONE:%=build/tests/%): build/tests/%: tests/examples/%.cpp | gpuprim.h deps-run deps-cxx
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS) -lm

$(ALONE:%=build/sanitize/%): build/sanitize/%: tests/examples/%.cpp | gpuprim.h deps-run deps-cxx
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) $(SANITIZE) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS) -lm

# It has an answer of its own to how large a kernel's groups may be.
build/tests/test_group_max build/sanitize/test_group_max build/races/test_group_max: \
	TEST_LIBS += -Wl,--wrap=clGetKernelWorkGroupInfo

# It has answers of its own to what devices are, and sees how programs are built.
build/tests/test_device_class build/sanitize/test_device_class build/races/test_device_class: \
	TEST_LIBS += -Wl,--wrap=clGetPlatformInfo -Wl,--wrap=clGetDeviceInfo -Wl,--wrap=clCreateKernel

# It drops groups, and refuses launches.
build/tests/test_self_test build/sanitize/test_self_test build/races/test_self_test: \
	TEST_LIBS += -Wl,--wrap=clEnqueueNDRangeKernel

# It has implementations of its own, which tell of failures in other ways.
build/tests/test_async build/sanitize/test_async build/races/test_async: \
	TEST_LIBS += -Wl,--wrap=clFinish -Wl,--wrap=clGetEventInfo -Wl,--wrap=clEnqueueReadBuffer

# The C++ library comes first in the link: the OpenCL implementations load it late, and AddressSanitizer
# must have seen it by then.
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_LIBS := -Wl,--no-as-needed -lstdc++

# Clover, Mesa's retired implementation, leaks on AMD machines, from code that is unloaded by the time the leak sanitizer
# looks, so that no suppression can name it. So PoCL is alone there, unless another device is named.
POCL_ALONE = $(if $(GPUPRIM_DEVICE),,$(addprefix OCL_ICD_VENDORS=,$(wildcard /etc/OpenCL/vendors/pocl.icd)))

# use_sigaltstack=0: LLVM gives the thread that uses it first a stack for signals, and AddressSanitizer, which takes it for
# its own, fails to unmap it.
sanitize: $(SANITIZED) ## the tests with the address, leak and undefined-behaviour sanitizers
	@$(POCL_ALONE) ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1:use_sigaltstack=0 \
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 \
	UBSAN_OPTIONS=print_stacktrace=1 tools/run_tests.sh $(SANITIZED)

build/sanitize/%.o: %.c | gpuprim.h gpuprim_host.h deps-test
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) $(SANITIZE) -c -o $@ $<

build/sanitize/%.o: %.cpp | gpuprim.h deps-test
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) $(SANITIZE) -c -o $@ $<

build/sanitize/test_%: build/sanitize/test_%.o $(SUPPORT:%=build/sanitize/%.o)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(LDFLAGS) $(TEST_LIBS) $(SANITIZE_LIBS)

# Threads, processes and two queues on one table; the rest of the tests has one thread. PoCL, LLVM and the loader are
# not compiled with the sanitizer: what they do to memory by themselves is left out, their locks are seen.
TSAN_TESTS := test_threads test_processes test_hash_full
TSAN_PROGRAMS := $(TSAN_TESTS:%=build/tsan/%)
TSAN := -O1 -g -fsanitize=thread -fno-omit-frame-pointer

tsan: $(TSAN_PROGRAMS) ## tests with several threads with the thread sanitizer, on PoCL
	@TSAN_OPTIONS=ignore_noninstrumented_modules=1 tools/run_tests.sh $(TSAN_PROGRAMS)

build/tsan/%.o: %.c | gpuprim.h deps-test
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) $(TSAN) -c -o $@ $<

build/tsan/test_%: build/tsan/test_%.o $(SUPPORT:%=build/tsan/%.o)
	$(CC) $(CFLAGS) $(TSAN) -o $@ $^ $(LDFLAGS) $(TEST_LIBS)

# RACES names some of the test programs. What is wrapped, and why: tests/races/shadow.c.
RACES ?= $(C_TESTS)
comma := ,
RACES_WRAPPED := clBuildProgram clCreateBuffer clEnqueueFillBuffer clEnqueueCopyBuffer
RACES_PROGRAMS := $(RACES:%=build/races/%)

races: build/races/planted $(RACES_PROGRAMS) ## every kernel under Oclgrind: data races, bounds, and what is used but was never written
	@tools/races.sh $^

build/races/%.o: tests/races/%.c | gpuprim.h deps-test
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -c -o $@ $<

build/races/planted: build/races/planted.o build/races/shadow.o
	$(CC) $(CFLAGS) $(RACES_WRAPPED:%=-Wl$(comma)--wrap=%) -o $@ $^ $(LDFLAGS) $(TEST_LIBS)

build/races/test_%: build/tests/test_%.o $(SUPPORT:%=build/tests/%.o) build/races/shadow.o
	$(CC) $(CFLAGS) $(RACES_WRAPPED:%=-Wl$(comma)--wrap=%) -o $@ $^ $(LDFLAGS) $(TEST_LIBS)

# Every call of OpenCL and of the C library fails once. The layer goes between the driver and the ICD loader.
FAULT_OBJECTS := $(patsubst tests/fault/%.c,build/fault/%.o,$(filter-out tests/fault/layer.c,$(wildcard tests/fault/*.c)))
FAULT_WRAPPED := malloc calloc realloc open read write close rename opendir stat

fault: build/fault/driver build/fault/layer.so ## every call and command fails, one after the other: error or exact result, no leak
	@$(POCL_ALONE) tools/fault.sh

fault-check: build/fault/driver build/fault/layer.so ## the same, with one error a call, and programs that are there
	@$(POCL_ALONE) FAULT_TURNS=1 FAULT_PASSES=ac FAULT_TIMEOUT=600 tools/fault.sh

build/fault/%.o: tests/fault/%.c | gpuprim.h gpuprim_host.h deps-test
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) $(SANITIZE) -D_POSIX_C_SOURCE=200809L -c -o $@ $<

build/fault/driver: $(FAULT_OBJECTS)
	$(CC) $(CFLAGS) $(SANITIZE) $(FAULT_WRAPPED:%=-Wl$(comma)--wrap=%) -o $@ $^ $(LDFLAGS) $(OPENCL_LIBS) -ldl $(SANITIZE_LIBS)

build/fault/layer.so: tests/fault/layer.c | deps-test
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -fPIC -shared -DCL_TARGET_OPENCL_VERSION=300 -o $@ $<

compile-matrix: gpuprim.h gpuprim_host.h gpuprim_mpi.h | deps-lint ## gcc and clang, C99, C11, C++11, C++17 and C++20, warnings as errors
	tools/compile_matrix.sh

FUZZ_SECONDS ?= 60
fuzz: gpuprim.h ## random descs and cache files, for FUZZ_SECONDS, with the sanitizers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh

fuzz-keep: gpuprim.h ## tests/fuzz/corpus anew, from what `make fuzz` has found
	@tools/fuzz.sh keep

# SECONDS, SEED and CALLS as tests/stress/stress.c says.
STRESS := $(patsubst tests/stress/%.c,build/stress/%.o,$(wildcard tests/stress/*.c))
stress: build/stress/stress ## random calls on one another's results; SECONDS=120, SEED=... replays
	@tools/stress.sh $< $(or $(SECONDS),10) "$(SEED)" $(CALLS)

build/stress/stress: $(STRESS) $(SUPPORT:%=build/tests/%.o)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(TEST_LIBS)

build/stress/%.o: tests/stress/%.c | gpuprim.h deps-test
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -c -o $@ $<

# MPICC and MPIRUN name another MPI, RANKS how many ranks, MPI_LARGE the elements of the largest arrays, MPI_FAULTS how many
# of each call's OpenCL calls and commands fail (0: all).
MPICC ?= mpicc
export MPICC MPIRUN RANKS MPI_LARGE MPI_FAULTS
mpi-test: build/mpi/ranks build/mpi/manual build/mpi/manual_join build/mpi/manual_reference ## gpuprim_mpi.h on 1 to 8 ranks of this machine
	@$(POCL_ALONE) tools/mpi_test.sh build/mpi

mpi-fault-check: build/mpi/faults build/fault/layer.so ## ... where calls of OpenCL fail on one rank: MPI_FAULTS of each gp_mpi_... call
	@$(POCL_ALONE) tools/mpi_test.sh build/mpi faults

build/mpi/gpuprim.o: gpuprim.h | deps-mpi
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -DGP_IMPLEMENTATION -x c -c -o $@ $<

build/mpi/ranks build/mpi/faults: build/mpi/%: tests/mpi/%.c build/mpi/gpuprim.o gpuprim_mpi.h tests/fault/fault.h | deps-mpi
	$(MPICC) $(C_FLAGS) -o $@ $< build/mpi/gpuprim.o $(LDFLAGS) $(OPENCL_LIBS) -lm -ldl

build/mpi/manual: manual/code/mpi.c
build/mpi/manual_join: manual/code/mpi_join.c
build/mpi/manual_reference: manual/code/mpi_reference.c
build/mpi/manual build/mpi/manual_join build/mpi/manual_reference: gpuprim_mpi.h gpuprim.h | deps-mpi
	@mkdir -p $(@D)
	$(MPICC) $(C_FLAGS) -o $@ $(filter %.c,$^) $(LDFLAGS) $(OPENCL_LIBS) -lm

# ARGS: those of bench/mpi/mpi_bench.c.
mpi-bench: build/mpi/bench ## gpuprim_mpi.h's calls over 1, 2, 4, 8 ranks of this machine: what is MPI, copies, device; RANKS, ARGS
	@tools/deps.sh python3
	@$(POCL_ALONE) tools/mpi_bench.sh $< build/mpi/bench.jsonl $(or $(filter-out all,$(ARGS)),--weak 0x400000 --strong 0x1000000)

mpi-bench-check: build/mpi/bench ## do messages and bytes agree with the formulas of tools/mpi_scaling.py, on 1 to 16 ranks?
	@tools/deps.sh python3
	@$(POCL_ALONE) CHECK=1 RANKS="1 2 3 4 7 8 16" tools/mpi_bench.sh $< build/mpi/check.jsonl --weak 20000 --strong 1000003 --repeats 1
	@tools/mpi_scaling.py predict >build/mpi/predicted.md

MPI_BENCH := $(wildcard bench/mpi/*.c)
build/mpi/bench: $(MPI_BENCH) bench/mpi/counts.h build/mpi/gpuprim.o gpuprim_mpi.h | deps-mpi
	$(MPICC) $(C_FLAGS) -o $@ $(MPI_BENCH) build/mpi/gpuprim.o $(LDFLAGS) $(OPENCL_LIBS) -lm

models: ## the Promela models of look-back, ring and hash slots: every reachable state
	tools/check_models.sh

# ARGS: those of tests/host/files.c.
host-files: build/tests/host_files ## sorts and groups 1 GiB in mapped files, with a tenth of that besides (Linux; takes 6 GiB in build/)
	$(POCL_ALONE) $< $(or $(filter-out all,$(ARGS)),build)

build/tests/host_files: tests/host/files.c gpuprim.h gpuprim_host.h | deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS) -lm

kernel-tsan: | deps-lint ## the kernels compiled natively, with the thread sanitizer
	tools/kernel_tsan.sh

kernel-large: | deps-lint ## scan and sort compiled natively, on more than 2^32 elements
	tools/kernel_large.sh

# ---- benchmarks

ARGS ?= all
# NATIVE="-O3 -march=haswell" beside CPU_MASK=avx512 gives peers the instructions that PoCL has then.
NATIVE := -O3 -march=native

# The peers whose libraries are there; `make peers` brings them. (Since make 4.3 a function gets "\#" with the
# backslash, and the compiler took that line without looking for the file.)
hash := \#
peer_if = $(shell printf '%s\n' '$(hash)include <$(1)>' | $(CXX) -std=c++17 -E -x c++ -o /dev/null - 2>/dev/null && echo $(2))
ifneq ($(filter all bench bench-check against report plot-hash build/gpbench,$(MAKECMDGOALS)),)
PEERS := $(strip $(call peer_if,numeric,libraries std packs sorts sorted topk topk_rows segment_sorts string_sorts std_map) $(call peer_if,tbb/parallel_for.h,std_par tbb tbb_sort tbb_histogram par_merge par_packs par_map tbb_map) \
	$(call peer_if,boost/compute.hpp,boost_compute boost_sort boost_packs boost_map) \
	$(call peer_if,simdjson.h,simdjson) $(call peer_if,hwy/contrib/sort/vqsort.h,vqsort) $(call peer_if,viennacl/vector.hpp,viennacl))
endif

BENCH_OBJECTS := $(patsubst %.c,build/%.o,$(filter-out bench/mpi/%,$(wildcard bench/*.c bench/*/*.c)))
PEER_OBJECTS := $(PEERS:%=build/bench/peers/%.o)

bench: build/gpbench ## gpuprim against the machine's limits and the peers found; ARGS="scan --n 16M"
	build/gpbench $(ARGS)

bench-check: build/gpbench ## does every benchmark run, with right results?
	@tools/deps.sh python3
	tests/report/test_gpbench.py
	build/gpbench
	build/gpbench all --n 5000 --repeats 1
	build/gpbench hash-published --n 5000 --repeats 1
	build/gpbench host --n 100000 --budget 512K --repeats 1
	build/gpbench tune --n 5000 --seconds 1 --out build/bench-check.tuning

against: build/gpbench ## this header against another: OTHER=FILE or a git revision, ARGS="scan --n 2^24 --no-peers", RUNS=11
	@tools/against.sh $(OTHER) $(ARGS)

FRESH_RESULTS := build/results/$(shell date -u +%Y-%m-%dT%H%M).jsonl
report: build/examples/gpinfo $(if $(RESULTS),,build/gpbench) | deps-report ## build/report.html: this device's self-test and benchmarks; GPUPRIM_DEVICE names it; RESULTS=FILE takes what gpbench wrote before
	build/examples/gpinfo >build/gpinfo.txt || true
ifeq ($(RESULTS),)
	@mkdir -p build/results
	-tools/report/measure.sh $(FRESH_RESULTS) build/gpinfo.txt
endif
	tools/report/report.py $(or $(RESULTS),$(FRESH_RESULTS)) build/report.html build/gpinfo.txt

test-report: | deps-report ## is the page whole, well-formed and true to its results? does compare.py find what is slower?
	tests/report/test_report.py
	tests/report/test_compare.py

readme-figures: | deps-report ## README's figures and docs/PERFORMANCE.md's anew, from bench/results/
	tools/report/readme.py

plot-hash: build/gpbench ## docs/hash.svg: rate of insertion by load; N=2^20 takes fewer slots
	@tools/deps.sh gnuplot
	build/gpbench hash-published --no-peers --csv $(if $(N),--n $(N)) >build/hash.csv
	tools/plot_hash.sh build/hash.csv docs/hash.svg

peers: ## install the libraries to compare with, and build gpbench with those that can be had
	@tools/deps.sh bench || test $$? = 2
	@$(MAKE) --no-print-directory build/gpbench

build/gpbench: $(BENCH_OBJECTS) $(PEER_OBJECTS)
	$(if $(PEERS),$(CXX),$(CC)) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(if $(filter tbb,$(PEERS)),-ltbb) $(if $(filter simdjson,$(PEERS)),-lsimdjson) $(if $(filter vqsort,$(PEERS)),-lhwy_contrib -lhwy) \
		$(OPENCL_LIBS) -lm -lpthread

build/bench/%.o: bench/%.c | gpuprim.h gpuprim_host.h deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -c -o $@ $<

# What stands for the best that a host compiler can do, and only that.
build/bench/harness/host_loops.o build/bench/peers/c_tiled.o build/bench/peers/c_transpose.o build/bench/peers/c_columns.o build/bench/peers/c_rows.o build/bench/peers/c_pack.o build/bench/peers/c_lsd.o build/bench/peers/c_merge.o \
	build/bench/peers/c_brackets.o build/bench/peers/c_tree.o build/bench/peers/c_hash.o build/bench/peers/c_histogram.o \
	build/bench/peers/c_by_key.o build/bench/peers/c_decode.o: C_FLAGS += $(NATIVE)
build/bench/harness/host_loops.o $(filter build/bench/peers/%,$(BENCH_OBJECTS) $(PEER_OBJECTS)): build/bench/peers/native.list

# Compiled anew when other peers are found than the last time.
build/bench/peers/peers.o: C_FLAGS += $(shell echo $(PEERS:%=-DBENCH_HAVE_%) | tr a-z A-Z)
build/bench/peers/peers.o build/bench/peers/libraries.o: build/bench/peers/peers.list
# Highway 1.0 refuses CPUs with all that it calls AVX3_DL, such as Zen 5, unless it may use it.
build/bench/peers/libraries.o build/bench/peers/vqsort.o: CPPFLAGS += -DHWY_WANT_AVX3_DL=1
build/bench/peers/peers.list: always
	@mkdir -p $(@D)
	@echo "$(PEERS)" | cmp -s - $@ || echo "$(PEERS)" >$@
build/bench/peers/native.list: always
	@mkdir -p $(@D)
	@echo "$(NATIVE)" | cmp -s - $@ || echo "$(NATIVE)" >$@

build/bench/peers/%.o: bench/peers/%.cpp | gpuprim.h deps-run
	@mkdir -p $(@D)
	$(CXX) -std=c++17 $(WARNINGS) $(CPPFLAGS) $(CXXFLAGS) $(NATIVE) -MMD -MP -MT $@ -MF $@.d -c -o $@ $<

# What `make gpu-day` runs besides: programs of one file each, and CUDA's libraries for comparison.
build/gpu/%: tests/gpu/%.c | gpuprim.h deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS) -lm

NVCC ?= nvcc
CUDA_ARCH ?= sm_90
build/cuda/%.o: bench/cuda/%.cu
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -arch=$(CUDA_ARCH) -MD -MP -MF $@.d -c -o $@ $<

build/cuda/cubbench: $(patsubst bench/cuda/%.cu,build/cuda/%.o,$(wildcard bench/cuda/*.cu))
	$(NVCC) -arch=$(CUDA_ARCH) -o $@ $^

gpu-day: gpuprim.h ## everything to be learnt on a borrowed GPU, by steps (docs/gpu-day.md); OUT=folder STEPS=...
	tools/gpu_day.sh $(or $(OUT),build/gpu-day) $(STEPS)

test-gpu-day: build/gpu/litmus ## how gpu-day finds the vendor's library and ends what hangs, with a fake; its litmus tests
	$(POCL_ALONE) build/gpu/litmus --small
	tools/test_gpu_day.sh

# CALLS names some of them, FIRST_CALLS_KERNELS=1 prints kernels, FIRST_CALLS_CPU=1 counts time of the CPU.
first-calls: build/tools/first_calls ## what the first call of each primitive takes where all caches are empty
	@rm -rf build/cache/first
	@XDG_CACHE_HOME=build/cache/first POCL_CACHE_DIR=build/cache/first/pocl build/tools/first_calls $(CALLS)

first-calls-table: ## the same in manual/caching.md, as CPU time
	@mkdir -p build
	@FIRST_CALLS_CPU=1 $(MAKE) -s --no-print-directory first-calls CALLS= >build/first_calls.txt
	tools/first_calls_table.sh manual/caching.md <build/first_calls.txt

build/tools/first_calls: tools/first_calls.c | gpuprim.h deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -D_POSIX_C_SOURCE=200809L -o $@ $< $(LDFLAGS) $(OPENCL_LIBS) -lm

# ---- cost on GPUs

gpu-cost: build/gpu_cost/plugin.so build/gpu_cost/calls ## what kernels would cost on GPUs, counted without one; writes bench/gpu_cost.json
	@tools/deps.sh machine-code || true
	@tools/gpu_cost/gpu_cost.py build/gpu_cost

gpu-cost-check: build/gpu_cost/plugin.so build/gpu_cost/calls ## is any of these counts more than 2 % worse than in bench/gpu_cost.json? COST_CLASSES="nvidia amd64" takes some
	@tools/deps.sh machine-code || true
	@tools/gpu_cost/test_gpu_cost.py build/gpu_cost
	@tools/gpu_cost/gpu_cost.py --check $(COST_CLASSES:%=--class %) build/gpu_cost

build/gpu_cost/calls: tools/gpu_cost/calls.c gpuprim.h | deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS) -lm

# The types of Oclgrind's classes are in no library of its own.
build/gpu_cost/plugin.so: tools/gpu_cost/plugin.cpp | deps-gpu-cost
	@mkdir -p $(@D)
	$(CXX) -std=c++14 $(WARNINGS) $(CPPFLAGS) -O2 -fno-rtti -fPIC -shared -Itools/gpu_cost -MMD -MP -MT $@ -MF $@.d -o $@ $<

# Compilers of GPUs that are not there, from the root of Debian's next release; the status 2 of tools/deps.sh: it cannot be had.
GPU_COMPILERS = tools/gpu_compilers/test_gpu_compilers.py && { \
	found=0; tools/deps.sh next || found=$$?; \
	if [ $$found = 2 ]; then echo "gpu-compilers: skipped: no root of Debian's next release"; \
	elif [ $$found = 0 ]; then tools/gpu_compilers/gpu_compilers.py $(1) $(DEVICES:%=--devices %) $(if $(FORMS),--forms) build/gpu_compilers; \
	else exit $$found; fi; }

gpu-compilers: build/gpu_compilers/build build/gpu_compilers/calls ## every program by the compilers of Intel's, AMD's and Adreno's GPUs; writes bench/gpu_compilers.json; DEVICES=dg2,navi31 takes some; FORMS=all: those of lint, too
	@$(call GPU_COMPILERS)

gpu-compilers-check: build/gpu_compilers/build build/gpu_compilers/calls ## do all programs build there, and is no more spilled than in bench/gpu_compilers.json?
	@$(call GPU_COMPILERS,--check)

build/gpu_compilers/build: tools/gpu_compilers/build.c | deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS)

build/gpu_compilers/calls: tools/gpu_cost/calls.c tools/gpu_compilers/device.c gpuprim.h | deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -o $@ $(filter %.c,$^) $(LDFLAGS) -lm -lpthread

# ---- manual

manual: ## write the manual's reference from the comments of src/api, and the code in its chapters from manual/code
	@tools/deps.sh python3
	manual/write.py

site: manual | deps-site ## build/site/index.html: the manual, a page for each call, examples, documents; a warning is an error
	@rm -rf build/site
	manual/stage.py build/manual
	build/sphinx/bin/sphinx-build -q -W --keep-going -E -j auto -c manual -d build/manual.doctrees build/manual build/site

FIRST_PROGRAMS := build/manual.code/first_program build/manual.code/first_program_cpp build/manual.code/cpp
MANUAL := $(FIRST_PROGRAMS) $(filter-out $(FIRST_PROGRAMS),$(patsubst manual/code/%.c,build/manual.code/%,$(filter-out %/mpi.c %/mpi_join.c %/mpi_reference.c,$(wildcard manual/code/*.c))))

check-site: site $(MANUAL) ## is every link of the site whole, and does all code in the manual and README run?
	manual/check_site.py build/site
	@tools/run_tests.sh $(MANUAL)

$(filter-out $(FIRST_PROGRAMS),$(MANUAL)): build/manual.code/%: manual/code/%.c build/manual.code/gpuprim.o | deps-run
	$(CC) $(C_FLAGS) -o $@ $< build/manual.code/gpuprim.o $(LDFLAGS) $(OPENCL_LIBS) -lm

build/manual.code/gpuprim.o: gpuprim.h | deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -DGP_IMPLEMENTATION -x c -c -o $@ $<

build/manual.code/first_program: manual/code/first_program.c gpuprim.h | deps-run
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -o $@ $< $(LDFLAGS) $(OPENCL_LIBS)

build/manual.code/first_program_cpp: manual/code/first_program.cpp
build/manual.code/cpp: manual/code/cpp.cpp
build/manual.code/first_program_cpp build/manual.code/cpp: gpuprim.h gpuprim.hpp | deps-test
	@mkdir -p $(@D)
	$(CXX) $(CXX_FLAGS) -o $@ $(filter %.cpp,$^) $(LDFLAGS) $(OPENCL_LIBS)

# ---- style

format: | deps-lint ## format the sources
	tools/format.sh

check-format: | deps-lint ## are the sources formatted?
	tools/format.sh --check

measures: gpuprim.h ## how large the house is: lines, branches, files of a program
	@tools/measures.sh

cache-keys: gpuprim.h | deps-run ## comments of kernels are no part of the disk cache's keys
	tools/check_cache_keys.sh

docs: gpuprim.h gpuprim_host.h gpuprim_mpi.h ## is every public function and field documented, and named in a test or example? Are the manual and README's figures up to date?
	tools/check_docs.sh
	tools/check_docs.sh gpuprim_host.h
	tools/check_docs.sh gpuprim_mpi.h
	@tools/deps.sh python3
	manual/write.py --check
	tools/report/readme.py --check

compile_commands.json: always ## for clangd: every file of kernels/ and src/ by itself
	tools/compile_commands.sh >$@

lint: | deps-lint ## compile every kernel with clang's warnings as errors
	tools/lint_kernels.sh

declarations: | deps-lint ## do programs call the same functions with kernels/common/base/declarations.cl as with all of OpenCL's?
	tools/lint_kernels.sh --declarations

layers: ## does every file of src/, kernels/, host/, mpi/, bench/harness/ and python/ stand on those below it only, and name what it stands on?
	tools/layers.sh
	tools/layers.sh kernels
	tools/layers.sh host
	tools/layers.sh mpi
	tools/layers.sh bench/harness
	tools/layers.sh python/src/gpuprim

# ---- dependencies

deps: deps-test ## look for what `make test` needs, and install it where possible

deps-all: ## the same for everything that .ci/run needs; goes without what cannot be had on this system
	@tools/deps.sh all || test $$? = 2

$(DEPS):
	@tools/deps.sh $(@:deps-%=%)

# ---- install, clean, help

INSTALL_SH = VERSION=$(VERSION) PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" tools/install.sh
SHARED := $(if $(filter Darwin,$(shell uname -s)),,build/libgpuprim.so)

install: gpuprim.h $(SHARED) ## the header, a shared library and what pkg-config and CMake read; PREFIX=/usr/local LIBDIR=PREFIX/lib DESTDIR=
	@$(INSTALL_SH) install

uninstall: ## remove what install has copied
	@$(INSTALL_SH) uninstall

# Only what GP_API marks is visible from outside.
build/libgpuprim.so: packaging/gpuprim.c gpuprim.h | deps-shared
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -I. -std=c99 $(WARNINGS) $(CFLAGS) -fPIC -fvisibility=hidden -shared \
		-Wl,-soname,libgpuprim.so.$(firstword $(subst ., ,$(VERSION))) $(LDFLAGS) -o $@ $< $(OPENCL_LIBS)

test-install: | deps-install ## programs of others against an installed copy: cc, pkg-config, CMake, Meson, C++20, the shared library
	@VERSION=$(VERSION) tools/test_install.sh

test-packaging: dist | deps-packaging ## Debian's packages, by lintian and a program; Conan's by its own test
	@VERSION=$(VERSION) tools/test_packaging.sh

dist: ## build/gpuprim-VERSION.tar.gz of the last commit: the same bytes every time
	@mkdir -p build
	git -c tar.umask=022 archive --prefix=gpuprim-$(VERSION)/ -o build/gpuprim-$(VERSION).tar.gz HEAD
	@echo build/gpuprim-$(VERSION).tar.gz

clean: ## remove build/
	rm -rf build

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z_.-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' Makefile

-include $(wildcard build/*/*.d build/*/*/*.d)
