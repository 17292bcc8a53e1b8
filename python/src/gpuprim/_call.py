"""One call's desc, and what has to live until the call returns."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np

from ._array import Array, as_array, empty
from ._names import argument_name, c_text, rename_fields
from ._convert import exact
from ._native import ffi, lib
from ._session import Session
from ._types import OPS, STRATEGIES, Monoid, choice, computed_dtype, element_dtype, is_record, number_dtype, record, scalar_dtype, type_of

_SCRATCH = {
    "gp_unique_by_key": "gp_unique",
    "gp_hash_insert_or_assign": "gp_hash_insert",
    "gp_hash_insert_or_apply": "gp_hash_insert",
}


class Done(Exception):
    """Ends a method whose call is not made, but measured or warmed up."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _one(value: Any, dtype: np.dtype[Any], name: str) -> np.ndarray[Any, Any]:
    """A value as `dtype`. Bytes are an array of numbers elsewhere, but no number."""
    if isinstance(value, (bytes, bytearray)):
        raise TypeError(f"{name} is {type(value).__name__}, not {dtype}")
    return exact(value, dtype, name)


def scratch_function(name: str) -> Optional[str]:
    """The name of a call's ..._scratch_size, or None."""
    name = name.removesuffix("_read")
    function = _SCRATCH.get(name, name) + "_scratch_size"
    return function if hasattr(lib, function) else None


class Call:
    def __init__(self, context: Session, desc: str) -> None:
        self.context = context
        self.desc = ffi.new(f"gp_{desc}_desc *")
        self.creation: Optional[Call] = None  # of the table that this call is about
        self._keep: list[Any] = []
        self._counts: list[tuple[Array, str]] = []  # of which arrays, and into which fields
        self._expressions: list[tuple[Any, str, str]] = []  # where they are: struct and field
        self._renamed: dict[str, str] = {}  # fields of records whose C names are other ones

    def run(self, name: str, *extra: Any, table: Any = None) -> None:
        """Makes the call: name(context, table, desc, extra...)."""
        for struct, field, text in self._expressions:
            setattr(struct, field, self.c_text(field, rename_fields(text, self._renamed)))
        for array, prefix in self._counts:
            self._set_count(array, prefix)
        handles = () if table is None else (table,)
        if self.context._instead is not None:
            self.context._instead(self, name, handles)
        buffers = [thing._buffer for thing in self._keep if isinstance(thing, Array)]
        self.context._call(name, *handles, self.desc, *extra, buffers=buffers)

    def set(self, **fields: Any) -> None:
        for field, value in fields.items():
            setattr(self.desc, field, value)

    def keep(self, thing: Any) -> Any:
        self._keep.append(thing)
        return thing

    def c_text(self, what: str, text: Any) -> Any:
        """A text as C has it, which lives as long as the call."""
        return self.keep(ffi.new("char[]", c_text(what, text)))

    def text(self, field: str, text: Optional[str]) -> None:
        if text is not None:
            setattr(self.desc, field, self.c_text(field, text))

    def expression(self, field: str, text: Optional[str], struct: Any = None) -> None:
        """An expression, in which fields of records have the names that their dtype gives them."""
        if text is not None:
            c_text(field, text)
            self._expressions.append((self.desc if struct is None else struct, field, text))

    def value(self, field: str, value: Any, dtype: np.dtype[Any], name: Optional[str] = None) -> None:
        """A pointer to one element on the host; NULL for None."""
        if value is not None:
            setattr(self.desc, field, self._pointer(value, dtype, name or field))

    def _pointer(self, value: Any, dtype: np.dtype[Any], name: str) -> Any:
        host = _one(value, dtype, name)
        if host.size != 1:
            raise ValueError(f"{name} has {host.size} values instead of 1")
        native = self.keep(host.reshape(1).astype(dtype.newbyteorder("=")))
        return ffi.cast("void *", native.ctypes.data)

    def number(self, field: str, value: Any, dtype: np.dtype[Any], name: Optional[str] = None) -> None:
        """A gp_value."""
        host = _one(value, np.dtype(np.float32) if dtype == np.float16 else dtype, name or field)
        if host.size != 1:
            raise ValueError(f"{name or field} has {host.size} values instead of 1")
        data = host.astype(host.dtype.newbyteorder("=")).tobytes()
        ffi.buffer(ffi.addressof(self.desc, field))[: len(data)] = data

    def buffer(self, field: str, array: Optional[Array]) -> None:
        if array is not None:
            self.keep(array)
            setattr(self.desc, field, array._buffer.mem)
            setattr(self.desc, f"{field}_offset", array._offset)

    def count(self, of: Union[Array, int], prefix: str = "") -> None:
        """How many elements: a number, or what the array has, which the device may be the only one to know.

        That is asked when the call is made: until then, checks may bring the number to the host.
        """
        if isinstance(of, Array):
            self._counts.append((of, prefix))
        else:
            setattr(self.desc, f"{prefix}count", of)

    def _set_count(self, of: Array, prefix: str) -> None:
        number = of._count  # read once, and before the shape: another thread may bring it to the host meanwhile
        setattr(self.desc, f"{prefix}count", of.capacity if number is None else of._shape[0])
        if number is not None:
            self.keep(number)
            setattr(self.desc, f"{prefix}count_buffer", number._buffer.mem)
            setattr(self.desc, f"{prefix}count_offset", number._offset)
            setattr(self.desc, f"{prefix}count_type", type_of(number.dtype))

    def record(self, dtype: np.dtype[Any]) -> Any:
        """A gp_record."""
        name, source, renamed = record(dtype)
        self._renamed.update(renamed)
        c = self.keep(ffi.new("gp_record *"))
        c.cl_type = self.c_text("name", name)
        c.size = dtype.itemsize
        if source:
            c.source = self.c_text("source", source)
        return c

    def type(self, dtype: np.dtype[Any], type: str = "type", record: str = "record") -> None:
        """The element type, in the field `type` or `record`."""
        if is_record(dtype):
            setattr(self.desc, record, self.record(dtype))
        else:
            setattr(self.desc, type, type_of(dtype))

    def monoid(self, monoid: Monoid) -> Any:
        dtype = element_dtype(monoid.dtype)
        c = self.keep(ffi.new("gp_monoid *"))
        for field in ("type", "source", "combine"):
            setattr(c, field, self.c_text(field, getattr(monoid, field)))
        c.identity = self._pointer(monoid.identity, dtype, "identity")
        c.size = dtype.itemsize
        c.commutative, c.exact, c.takes_args = monoid.commutative, monoid.exact, monoid.takes_args
        return c

    def operation(
        self,
        op: Union[str, Monoid],
        x: Optional[np.dtype[Any]],
        map: Optional[str],
        dtype: Any,
        default: Any,
        type: str = "type",
    ) -> np.dtype[Any]:
        """Fills in op or monoid and the types. Returns the dtype of the result.

        `default` makes it from op and x where `dtype` is None.
        """
        if isinstance(op, Monoid):
            self.set(monoid=self.monoid(op))
            out: np.dtype[Any] = element_dtype(op.dtype)
            if dtype is not None and element_dtype(dtype) != out:
                raise TypeError(f"the monoid's elements are {out}, not {np.dtype(dtype)}")
            if x is not None and map is not None:
                self.type(x, type)
            elif x is not None and x.itemsize != out.itemsize:
                raise TypeError(f"the monoid combines {out}, and the elements are {x}")
            return out
        self.set(op=choice("op", op, OPS))
        if x is not None:
            self.type(x, type)
        if dtype is not None:
            kept = x == np.bool_ and map is None and op not in ("sum", "prod")
            out = np.dtype(dtype) if kept else computed_dtype(dtype, f"results of {op}")
            self.set(out_type=type_of(out))
            return out
        if x is None or is_record(x):
            if op in ("argmin", "argmax"):
                return np.dtype(np.uint64)
            raise TypeError("dtype is required: the type of the map's value")
        result: np.dtype[Any] = default(op, x)
        if x == np.bool_ and result != x:
            self.set(out_type=type_of(result))
        return result if map is None else number_dtype(result)

    def args(self, args: Optional[Mapping[str, Any]], like: Optional[np.dtype[Any]]) -> None:
        """Values and arrays that expressions name. Python's numbers are of type `like` where that can hold them."""
        if not args:
            return
        fp64 = bool(self.context.device.fp64)
        c = self.keep(ffi.new("gp_arg[]", len(args)))
        for arg, (name, value) in zip(c, args.items()):
            arg.name = self.keep(ffi.new("char[]", argument_name(name)))
            if np.ndim(value) == 0 and not isinstance(value, Array):
                dtype = scalar_dtype(value, like, fp64)
                arg.value = self._pointer(value, dtype, name)
            else:
                array = self.keep(as_array(self.context, value))
                if not array.size:  # a count of 0 means all up to the buffer's end, which may be others'
                    array = self.keep(empty(self.context, (0,), array.dtype))
                arg.buffer, arg.offset, arg.count = array._buffer.mem, array._offset, array.size
                dtype = array.dtype
            if is_record(dtype):
                arg.record = self.record(dtype)
            else:
                arg.type = type_of(dtype)
        self.set(args=c, arg_count=len(args))

    def strategy(self, strategy: str) -> None:
        self.set(strategy=choice("strategy", strategy, STRATEGIES))
