"""Writes the module from which cffi knows gpuprim.h (and the few OpenCL calls that the package makes itself).

usage: cdef.py OUT COMPILER [-IFOLDER...]
"""

import re
import subprocess
import sys
from pathlib import Path

from cffi import FFI

OPENCL = """
typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool;
typedef uint64_t cl_ulong, cl_device_type, cl_map_flags, cl_mem_flags;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;
"""

OPENCL_CALLS = """
cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_int clGetMemObjectInfo(cl_mem, cl_uint, size_t, void *, size_t *);
cl_int clRetainMemObject(cl_mem);
cl_int clReleaseMemObject(cl_mem);
cl_int clRetainCommandQueue(cl_command_queue);
cl_int clReleaseCommandQueue(cl_command_queue);
cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,
                           cl_event *);
cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *,
                            cl_event *);
cl_int clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *,
                           cl_event *);
void *clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event *,
                         cl_event *, cl_int *);
cl_int clEnqueueUnmapMemObject(cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *);
cl_int clFinish(cl_command_queue);
cl_int clFlush(cl_command_queue);
cl_int clGetCommandQueueInfo(cl_command_queue, cl_uint, size_t, void *, size_t *);
cl_int clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueBarrierWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *);
cl_int clGetEventInfo(cl_event, cl_uint, size_t, void *, size_t *);
cl_int clWaitForEvents(cl_uint, const cl_event *);
cl_int clReleaseEvent(cl_event);
"""


def declarations(header, compiler):
    """What the header itself declares, with its macros expanded, and without what it includes."""
    command = [*compiler, "-std=c99", "-E", str(header)]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines, ours = [], False
    for line in text.splitlines():
        marker = re.match(r'#(?:line)? *\d+ "(.*?)"', line)
        if marker:
            ours = Path(marker[1]).name == header.name
        elif ours and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def main():
    out, *compiler = sys.argv[1:]
    ffi = FFI()
    ffi.cdef(OPENCL + declarations(Path(__file__).with_name("gpuprim.h"), compiler) + OPENCL_CALLS)
    ffi.set_source("gpuprim._cdef", None)
    ffi.emit_python_code(out)


main()
