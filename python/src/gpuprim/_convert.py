"""Values of the host as NumPy arrays, and as the dtype of an operand: exactly, or not at all."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

_PLAIN = (np.ndarray, np.memmap, np.recarray)


def check_plain(x: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Refuses subclasses of NumPy's, whose meaning (a mask, a unit) would be lost."""
    if type(x) not in _PLAIN:
        raise TypeError(f"{name} is a {type(x).__name__}, whose meaning would be lost: give a plain ndarray")
    return x


def as_host(x: Any, name: str = "x") -> npt.NDArray[Any]:
    """Anything as a NumPy array, without a copy where that can be."""
    if isinstance(x, np.ndarray):
        return check_plain(x, name)
    if isinstance(x, bytes):
        return np.frombuffer(x, np.uint8)
    if hasattr(x, "__dlpack_device__") and not isinstance(x, np.generic):
        kind = int(x.__dlpack_device__()[0])
        if kind == 4:
            raise TypeError("DLPack arrays of kind kDLOpenCL are not taken: give the PyOpenCL array itself")
        if kind not in (1, 3, 11, 13):  # CPU; pinned by CUDA or ROCm; managed by CUDA
            raise TypeError(f"DLPack memory of device kind {kind} is no memory of the host: copy it there first")
        return np.from_dlpack(x)
    if isinstance(x, (list, tuple)):
        _check_items(x, name)
    host = check_plain(np.asanyarray(x), name)
    if host.dtype.kind == "f" and isinstance(x, (list, tuple)):
        if (np.abs(host) >= 2.0 ** np.finfo(host.dtype).nmant).any():
            _check_integers(x, host, name)
    return host


def _check_items(items: Any, name: str) -> None:
    for item in items:
        if isinstance(item, np.ndarray):
            check_plain(item, name)
        elif isinstance(item, (list, tuple)):
            _check_items(item, name)


def _check_integers(items: Any, host: npt.NDArray[Any], name: str) -> None:
    """Refuses lists whose integers NumPy made floats and changed."""
    for item, value in zip(items, host):
        if isinstance(item, (list, tuple)):
            _check_integers(item, value, name)
        elif isinstance(item, (int, np.integer)) and float(value) != int(item):
            raise TypeError(f"{name} has the int {item}, which {host.dtype} cannot hold: give an array of one dtype")


def exact(value: Any, dtype: np.dtype[Any], name: str, rounded: bool = False) -> npt.NDArray[Any]:
    """A value, or several, as `dtype`; TypeError where one would change.

    Python's own floats are rounded to floats, as NumPy does it; others if `rounded`.
    """
    if dtype.names is not None:
        return _record(value, dtype, name)
    host = as_host(value, name)
    if host.dtype == dtype:
        return host
    if host.size == 0 and host.ndim:
        return host.astype(dtype)
    if host.dtype.kind not in "biufc" or dtype.kind not in "biufc":
        given = type(value).__name__ if host.dtype.hasobject else str(host.dtype)
        raise TypeError(f"{name} is {given}, not {dtype}")
    with np.errstate(all="ignore"):
        cast = host.astype(dtype) if host.dtype.kind != "c" or dtype.kind == "c" else host.real.astype(dtype)
        if dtype.kind in "fc" and host.dtype.kind in "fc" and (rounded or _is_own(value)):
            same = np.isfinite(cast) | ~np.isfinite(host)
            if host.dtype.kind == "c" and dtype.kind == "f":
                same &= host.imag == 0
        else:
            same = _same(host, cast)
    if not same.all():
        first = host[~same][0] if host.ndim else host[()]
        raise TypeError(f"{name} has {first} ({host.dtype}), which {dtype} cannot hold")
    return cast


def exact_or_none(host: npt.NDArray[Any], dtype: np.dtype[Any]) -> Optional[npt.NDArray[Any]]:
    """NumPy's values as `dtype`; None where one would change."""
    try:
        return exact(host, dtype, "")
    except TypeError:
        return None


def _is_own(value: Any) -> bool:
    """Whether numbers are Python's own, which have no precision of NumPy's."""
    if isinstance(value, (list, tuple)):
        return all(_is_own(item) for item in value)
    return isinstance(value, (int, float, complex)) and not isinstance(value, np.generic)


def _same(host: npt.NDArray[Any], cast: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Which values a cast left as they were."""
    if host.dtype.kind == "c" or cast.dtype.kind == "c":
        return np.asarray(_same(host.real, cast.real) & _same(host.imag, cast.imag))
    if host.dtype.kind == "f" and cast.dtype.kind == "f":
        return np.asarray((host == cast) | (np.isnan(host) & np.isnan(cast)))
    if host.dtype.kind != "f" and cast.dtype.kind != "f":  # a wrapped integer has another value, which NumPy compares
        return np.asarray(host == cast)
    floats, integers = (host, cast) if host.dtype.kind == "f" else (cast, host)
    # A float that is whole and within int64 or uint64 is compared as such: no cast of it wraps.
    low, high = (-(2.0**63), 2.0**63) if integers.dtype.kind == "i" else (0.0, 2.0**64)
    wide = floats.astype(np.promote_types(floats.dtype, np.float64))
    inside = (wide >= low) & (wide < high)
    whole = np.where(inside, wide, 0).astype(np.int64 if integers.dtype.kind == "i" else np.uint64)
    return np.asarray(inside & (wide == np.trunc(wide)) & (whole == integers))


def _record(value: Any, dtype: np.dtype[Any], name: str) -> npt.NDArray[Any]:
    if isinstance(value, (np.ndarray, np.void)):
        host = as_host(value, name)
        if host.dtype.newbyteorder("=") != dtype.newbyteorder("="):
            raise TypeError(f"{name} is {host.dtype}, not {dtype}")
        return host.astype(dtype, copy=False)
    if isinstance(value, list):
        return np.array([_record(item, dtype, name) for item in value], dtype)
    names = dtype.names or ()
    fields: Any = dtype.fields
    items = value if isinstance(value, tuple) else (value,) * len(names)  # one number for all fields
    if len(items) != len(names):
        raise TypeError(f"{name} has {len(items)} fields, and {dtype} {len(names)}")
    out = np.zeros((), dtype)
    for field, item in zip(names, items):
        base, shape = fields[field][0].subdtype or (fields[field][0], ())
        host = exact(item, base, f"{name}.{field}")
        if host.shape != shape and (isinstance(value, tuple) or host.shape):
            raise TypeError(f"{name}.{field} has the shape {host.shape}, not {shape}")
        out[field] = host
    return out


def common_dtype(a: np.dtype[Any], b: np.dtype[Any], fp64: bool) -> Optional[np.dtype[Any]]:
    """The dtype that holds all values of both; None if there is none on the device."""
    if a.kind not in "biuf" or b.kind not in "biuf":
        return None
    both = np.promote_types(a, b)
    if both == np.float16:
        both = np.dtype(np.float32)
    for dtype in (a, b):
        if dtype.kind in "iu" and both.kind == "f" and dtype.itemsize >= both.itemsize:
            return None  # as of uint64 and int64, for which NumPy takes float64
    return None if both.itemsize > 8 or (both == np.float64 and not fp64) else both
