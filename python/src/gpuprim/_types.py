"""NumPy's dtypes as the library's types and records, and what calls take besides arrays."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Mapping, Optional

import numpy as np
import numpy.typing as npt

from ._names import c_name, is_free
from ._native import lib

_TYPES: dict[np.dtype[Any], int] = {
    np.dtype(name): getattr(lib, "GP_" + word)
    for name, word in [
        ("bool", "U8"), ("int8", "I8"), ("uint8", "U8"), ("int16", "I16"), ("uint16", "U16"), ("int32", "I32"),
        ("uint32", "U32"), ("int64", "I64"), ("uint64", "U64"), ("float16", "F16"), ("float32", "F32"),
        ("float64", "F64"),
    ]
}  # fmt: skip
_CL_NAMES = {
    np.dtype(name): cl
    for name, cl in [
        ("bool", "uchar"), ("int8", "char"), ("uint8", "uchar"), ("int16", "short"), ("uint16", "ushort"),
        ("int32", "int"), ("uint32", "uint"), ("int64", "long"), ("uint64", "ulong"), ("float32", "float"),
        ("float64", "double"),
    ]
}  # fmt: skip
OPS = {
    name: getattr(lib, "GP_" + name.upper())
    for name in ("sum", "prod", "min", "max", "and", "or", "xor", "argmin", "argmax")
}
#: What `group_by` computes of the rows of a group.
GROUP_OPS = {**OPS, "count": lib.GP_COUNT, "mean": lib.GP_MEAN, "var": lib.GP_VARIANCE, "first": lib.GP_FIRST, "last": lib.GP_LAST}
JOINS = {
    "inner": lib.GP_JOIN_INNER,
    "left": lib.GP_JOIN_LEFT,
    "full": lib.GP_JOIN_FULL,
    "outer": lib.GP_JOIN_FULL,
    "semi": lib.GP_JOIN_SEMI,
    "anti": lib.GP_JOIN_ANTI,
}
STRATEGIES = {
    "auto": lib.GP_STRATEGY_AUTO,
    "single_pass": lib.GP_STRATEGY_SINGLE_PASS,
    "multi_pass": lib.GP_STRATEGY_MULTI_PASS,
}
BORDERS = {"clamp": lib.GP_BORDER_CLAMP, "wrap": lib.GP_BORDER_WRAP, "constant": lib.GP_BORDER_CONSTANT}
KINDS = {
    "bits": lib.GP_RANDOM_BITS,
    "uniform": lib.GP_RANDOM_UNIFORM,
    "range": lib.GP_RANDOM_RANGE,
    "normal": lib.GP_RANDOM_NORMAL,
}
DUPLICATES = {"any": lib.GP_HASH_ANY, "first": lib.GP_HASH_FIRST, "last": lib.GP_HASH_LAST}


def choice(what: str, name: str, names: dict[str, int]) -> int:
    try:
        return names[name]
    except (KeyError, TypeError):
        raise ValueError(f"{what} is {name!r}, not one of {', '.join(names)}") from None


def is_record(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "Vc"


def element_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Returns a dtype in the machine's byte order; TypeError if its elements are more than bytes that a program computes."""
    given = np.dtype(dtype)
    if given.hasobject or given.itemsize == 0 or given.subdtype or given.kind not in "biufcV":
        raise TypeError(f"elements of {given} cannot be on the device")
    return given.newbyteorder("=")


def type_of(dtype: np.dtype[Any]) -> int:
    """The gp_type of a dtype."""
    try:
        return _TYPES[dtype]
    except KeyError:
        raise TypeError(f"{dtype} is not an element type of this call") from None


def index_type_of(dtype: np.dtype[Any]) -> int:
    """Of indices and offsets. Signed ones are taken as unsigned: what is negative is out of range."""
    if dtype.kind not in "iu" or dtype.itemsize not in (4, 8):
        raise TypeError(f"indices and offsets have 32 or 64 bits, not {dtype}")
    return int(lib.GP_U32 if dtype.itemsize == 4 else lib.GP_U64)


def vector(dtype: np.dtype[Any]) -> Optional[str]:
    """The OpenCL vector that a dtype is: x, y (z, w) of one type and one after the other, or a complex number."""
    if dtype.kind == "c":
        return {8: "float2", 16: "double2"}.get(dtype.itemsize)
    if dtype.names not in (("x", "y"), ("x", "y", "z", "w")) or dtype.fields is None:
        return None
    first = dtype.fields["x"][0]
    if first not in _CL_NAMES or dtype.itemsize != len(dtype.names) * first.itemsize:
        return None
    for place, name in enumerate(dtype.names):
        if dtype.fields[name][:2] != (first, place * first.itemsize):
            return None
    return _CL_NAMES[first] + str(len(dtype.names))


def _struct(dtype: np.dtype[Any], name: Optional[str], definitions: dict[str, str], renamed: dict[str, str]) -> str:
    """The name of a record's type. Adds its definition and those of records in it, and the fields with other C names.

    A type's name follows from its whole layout: two that differ never share one.
    """
    text, at = "", 0
    fields: Any = dtype.fields or {}
    for field in sorted(dtype.names or (), key=lambda field: fields[field][1]):
        kind, offset = fields[field][:2]
        if offset < at:
            raise TypeError(f"fields of {dtype} overlap")
        if offset > at:
            text += f"uchar pad_{at}[{offset - at}]; "
        base, shape = kind.subdtype if kind.subdtype else (kind, ())
        if kind.itemsize == 0:
            raise TypeError(f"the field {field[:80]!r} has no elements")
        cl = _CL_NAMES.get(base) or vector(base)
        if cl is None and base.names:
            cl = _struct(base, None, definitions, renamed)
        if cl is None:
            raise TypeError(f"{base} cannot be a field of a record")
        c = c_name(field)
        if c != field:
            renamed[field] = c
        text += f"{cl} {c}{''.join(f'[{n}]' for n in shape)}; "
        at = offset + kind.itemsize
    if dtype.itemsize > at:
        text += f"uchar pad_{at}[{dtype.itemsize - at}]; "
    name = name or f"record_{hashlib.sha256(text.encode()).hexdigest()}"
    definitions[name] = f"typedef struct __attribute__((packed)) {{ {text}}} {name};"
    return name


@lru_cache(maxsize=256)
def record(dtype: np.dtype[Any], name: Optional[str] = None) -> tuple[str, str, Mapping[str, str]]:
    """As `record_type`, and the fields whose name in programs is another one."""
    simple = _CL_NAMES.get(dtype) or vector(dtype)
    if simple:
        return simple, "", {}
    if not dtype.names:
        raise TypeError(f"{dtype} is no record")
    definitions: dict[str, str] = {}
    renamed: dict[str, str] = {}
    name = _struct(dtype, name, definitions, renamed)
    source = "".join(
        f"\n#ifndef have_{type}\n#define have_{type}\n{text}\n#endif\n" for type, text in definitions.items()
    )
    return name, source, renamed


def record_type(dtype: npt.DTypeLike, name: Optional[str] = None) -> tuple[str, str]:
    """The OpenCL C type of a structured or complex dtype, for expressions that must name it.

    Parameters
    ----------
    dtype : dtype
        Fields may be numbers, arrays of them (``("position", "f4", 3)``) and structs. Their names are identifiers; one
        that OpenCL C uses itself, such as int, or that is not ASCII has another name in the text.
    name : str, optional
        Of the type; without it one is made up. Fields x, y (z, w) of one type are an OpenCL vector, whatever `name`.

    Returns
    -------
    (str, str)
        The type's name, and the text that defines it ("" for vectors).

    Examples
    --------
    >>> record_type(np.dtype([("x", "f4"), ("y", "f4")]))
    ('float2', '')
    """
    if name is not None and not (isinstance(name, str) and is_free(name)):
        raise TypeError(f"the type's name {name!r} is no identifier in ASCII that OpenCL C leaves free")
    return record(np.dtype(dtype), name)[:2]


@dataclass(frozen=True)
class Monoid:
    """An associative operation in OpenCL C.

    Parameters
    ----------
    dtype : dtype
        Of elements: 4, 8, 12, ... 64 bytes.
    type : str
        The element type's name in `source`.
    source : str
        OpenCL C that defines the type and ``type combine(type a, type b)``, in which a comes before b.
        `record_type` writes the type of a structured dtype.
    combine : str
        The function's name.
    identity : array_like
        One element, neutral on both sides.
    commutative : bool
        Elements may be combined in any order.
    exact : bool
        Another grouping gives the same bits (integers, min, max; not float sums).
    takes_args : bool
        combine has the call's `args` after a and b.
    """

    dtype: npt.DTypeLike
    type: str
    source: str
    combine: str
    identity: Any
    commutative: bool = False
    exact: bool = False
    takes_args: bool = False


@dataclass(frozen=True)
class Column:
    """One column of a sort of records.

    Parameters
    ----------
    map : str
        Expression in x, the record, and i, its index.
    dtype : dtype
        What its value is converted to, and ordered as.
    descending : bool
    """

    map: str
    dtype: npt.DTypeLike
    descending: bool = False


def result_dtype(op: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The default dtype of a reduction's result."""
    if op in ("argmin", "argmax"):
        return np.dtype(np.uint64)
    if op in ("sum", "prod"):
        if dtype.kind in "bu":
            return np.dtype(np.uint64)
        if dtype.kind == "i":
            return np.dtype(np.int64)
        if dtype == np.float16:
            return np.dtype(np.float32)
    return dtype


def computed_dtype(dtype: npt.DTypeLike, what: str) -> np.dtype[Any]:
    """Returns the dtype that a caller gives to numbers which a call computes; TypeError for bool: they are not 0 and 1 only."""
    if np.dtype(dtype) == np.bool_:
        raise TypeError(f"{what} are no bool: give uint8 or a wider dtype")
    return np.dtype(dtype)


def number_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype of numbers computed from elements: that of the elements, for bool uint8."""
    return np.dtype(np.uint8) if dtype == np.bool_ else dtype


def scalar_dtype(value: Any, like: Optional[np.dtype[Any]], fp64: bool) -> np.dtype[Any]:
    """The dtype of a number in `args`: NumPy's own, and of Python's numbers that of the array (as NumPy 2 has it)."""
    if isinstance(value, (np.generic, np.ndarray)):
        return np.dtype(np.float32) if value.dtype == np.float16 else value.dtype.newbyteorder("=")
    if isinstance(value, bool):
        return np.dtype(np.int32)
    known = like if like is not None and like.kind in "iuf" else None
    if known == np.float16:
        known = np.dtype(np.float32)
    if isinstance(value, int):
        return known if known is not None else np.dtype(np.uint64 if value >= 1 << 63 else np.int64)
    if isinstance(value, float):
        if known is not None and known.kind == "f":
            return known
        return np.dtype(np.float64 if fp64 else np.float32)
    raise TypeError(f"args take numbers and arrays, not {type(value).__name__}")
