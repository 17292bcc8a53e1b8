"""The shared library, as cffi sees it. A call into it releases the interpreter's lock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ._cdef import ffi

try:
    lib: Any = ffi.dlopen(str(Path(__file__).with_name("_gpuprim.so")))
except OSError as error:
    raise ImportError(
        f"{error}; gpuprim needs the OpenCL loader (Debian: ocl-icd-libopencl1) and a device's driver"
        " (for CPUs: pocl-opencl-icd)"
    ) from None

__all__ = ["ffi", "lib"]
