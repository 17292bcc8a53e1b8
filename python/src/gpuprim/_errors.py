"""Exceptions: a gp_result and the text of gp_last_error."""

from __future__ import annotations

from typing import Any

from ._native import ffi, lib


class Error(Exception):
    """A call of the library failed.

    Attributes
    ----------
    code : int
        The gp_result, negative.
    """

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.code)


class ArgumentError(Error, ValueError):
    """An argument, type or operation that the call does not take, or buffers that overlap or are too small."""


class BuildError(Error, ValueError):
    """An expression or monoid does not compile; the text has the compiler's messages."""


class LawError(Error, ValueError):
    """The operation violates the monoid laws."""


class UnsupportedError(Error, NotImplementedError):
    """The device cannot do this."""


class OutOfMemoryError(Error, MemoryError):
    """The host or the device has no memory left."""


_CLASSES: dict[int, type[Error]] = {
    lib.GP_ERROR_INVALID_ARGUMENT: ArgumentError,
    lib.GP_ERROR_INVALID_BUFFER: ArgumentError,
    lib.GP_ERROR_OVERLAP: ArgumentError,
    lib.GP_ERROR_INVALID_TYPE: ArgumentError,
    lib.GP_ERROR_INVALID_OP: ArgumentError,
    lib.GP_ERROR_COUNT_LIMIT: ArgumentError,
    lib.GP_ERROR_UNSUPPORTED: UnsupportedError,
    lib.GP_ERROR_BUILD: BuildError,
    lib.GP_ERROR_OUT_OF_HOST_MEMORY: OutOfMemoryError,
    lib.GP_ERROR_OUT_OF_DEVICE_MEMORY: OutOfMemoryError,
    lib.GP_ERROR_LAW: LawError,
}


def text_of(pointer: Any) -> str:
    return str(ffi.string(pointer).decode("utf-8", "replace"))


def check(gp: Any, result: int) -> None:
    """Raises what a gp_result stands for; `gp` is the context, or NULL."""
    if result == lib.GP_OK:
        return
    text = text_of(lib.gp_last_error(gp)) or text_of(lib.gp_error_string(result))
    raise _CLASSES.get(result, Error)(text, result)


def check_opencl(name: str, result: int) -> None:
    """The same for OpenCL calls of the package's own."""
    if result != 0:
        memory = result in (-4, -5, -6)  # CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY
        code = lib.GP_ERROR_OUT_OF_DEVICE_MEMORY if memory else lib.GP_ERROR_OPENCL
        raise _CLASSES.get(code, Error)(f"{name}: OpenCL error {result}", code)
