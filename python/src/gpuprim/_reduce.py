"""Reductions and scans."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._array import Array
from ._call import Call
from ._context import Base
from ._native import ffi, lib
from ._types import OPS, Monoid, choice, computed_dtype, index_type_of, number_dtype, result_dtype, type_of

Op = Union[str, Monoid]
Args = Optional[Mapping[str, Any]]


class Reductions(Base):
    def reduce(
        self,
        x: Any = None,
        op: Union[Op, Sequence[str]] = "sum",
        *,
        map: Optional[str] = None,
        y: Any = None,
        axis: Optional[int] = None,
        args: Args = None,
        dtype: Any = None,
        map_dtype: Optional[npt.DTypeLike] = None,
        initial: Any = None,
        compensated: bool = False,
        count: Optional[int] = None,
        out: Any = None,
    ) -> Any:
        """Reduces an array to one value.

        Parameters
        ----------
        x : array_like, optional
            Without it `map` is of the index i alone, and `count` says how many there are.
        op : str, Monoid or sequence of str
            "sum", "prod", "min", "max", "argmin", "argmax", for integers also "and", "or", "xor". Several of them read
            the array once.
        map : str, optional
            Expression in OpenCL C of x (the element), y and i (the index): "x * x".
        y : array_like, optional
            A second input of the same length, for y in `map`.
        axis : int, optional
            1 or -1: reduces each row of a matrix; 0 or -2: each column; i counts within it. Not with y, several `op`, `compensated`,
            `map_dtype` and `count`.
        args : dict, optional
            Numbers and arrays that `map` names. Other numbers compile nothing anew.
        dtype : dtype, optional
            Of the result; by default 64 bits for sums and products of integers, uint64 for argmin and argmax, else that
            of x. With several `op` a sequence.
        map_dtype : dtype, optional
            With several `op`, and without x for argmin and argmax: what the map's value is converted to first.
        initial : number, optional
            What comes before the first element. Without it there is no "min", "max", "argmin", "argmax" of no elements:
            ValueError, but into `out` the greatest or least value.
        compensated : bool
            Float sums in about twice the precision.
        count : int, optional
            Without x: how many indices.
        out : array, optional
            One element on the device; the call then does not block.

        Returns
        -------
        NumPy scalar, tuple of them for several `op`, an Array with `axis`, or `out`

        Examples
        --------
        >>> ctx.reduce(x, map="x * x")  # doctest: +SKIP
        """
        if axis is not None:
            if not isinstance(op, (str, Monoid)) or compensated or any(v is not None for v in (y, map_dtype, count)):
                raise ValueError("axis is not taken with y, several op, compensated, map_dtype or count")
            matrix = self._matrix(x, axis, columns=True)
            call = Call(self, "segmented_reduce")
            segments = self._lines(call, matrix, axis)
            return self._reduce_segments(call, matrix, segments, op, map, args, dtype, initial, out)
        call = Call(self, "reduce")
        first = None if x is None else self._line(x)
        kind = None if first is None else first.dtype
        if first is not None:
            call.buffer("in", first)
            call.count(first)
        else:
            call.count(_required(count))
        if y is not None:
            second = self._line(y, "y")
            if first is not None:
                self._same(first, second, "x and y")
            call.buffer("in2", second)
            call.set(type2=type_of(second.dtype))
        call.expression("map", map)
        call.args(args, kind)
        call.set(compensated=compensated)
        if map_dtype is not None:
            call.set(map_type=type_of(np.dtype(map_dtype)))
        if not isinstance(op, (str, Monoid)):
            if out is not None or initial is not None:
                raise ValueError("several operations take neither out nor initial")
            value = kind if map_dtype is None else np.dtype(map_dtype)
            value = value if map is None or value is None else number_dtype(value)
            found = self._reduce_many(call, list(op), value, kind, dtype)
            _check_some(op, first, count)
            return found
        result = call.operation(op, kind, map, dtype, result_dtype)
        call.value("initial", initial, result)
        if out is not None:
            target = self._out(out, (1,), result)
            call.buffer("out", target)
            call.run("gp_reduce")
            return self._give(out, target)
        host = np.zeros(1, result)
        call.run("gp_reduce_read", ffi.cast("void *", host.ctypes.data))
        if initial is None:
            _check_some([op], first, count)
        return host[0]

    def _reduce_many(self, call: Call, ops: list[str], value: Any, kind: Any, dtypes: Any) -> tuple[Any, ...]:
        if value is None or value.kind == "V":
            raise TypeError("map_dtype is required for several operations without numbers in x")
        if kind is not None:
            call.type(kind)
        given = [None] * len(ops) if dtypes is None else list(dtypes)
        if len(given) != len(ops) or not ops:
            raise ValueError("give one dtype for each op, and at least one op")
        results = [result_dtype(op, value) if d is None else computed_dtype(d, f"results of {op}") for op, d in zip(ops, given)]
        call.set(ops=call.keep(ffi.new("gp_op[]", [choice("op", op, OPS) for op in ops])), op_count=len(ops))
        call.set(out_types=call.keep(ffi.new("gp_type[]", [type_of(d) for d in results])))
        values = ffi.new("gp_value[]", len(ops))
        call.run("gp_reduce_read", values)
        found = []
        for v, d in zip(values, results):
            wide = np.dtype(np.float32) if d == np.float16 else d  # halves come out as floats
            found.append(np.frombuffer(ffi.buffer(ffi.addressof(v)), wide, 1)[0].astype(d))
        return tuple(found)

    def segmented_reduce(
        self,
        x: Any,
        offsets: Any,
        op: Op = "sum",
        *,
        map: Optional[str] = None,
        args: Args = None,
        dtype: Optional[npt.DTypeLike] = None,
        initial: Any = None,
        out: Any = None,
    ) -> Any:
        """Reduces each segment ``x[offsets[s]:offsets[s + 1]]``, or without offsets each row of a matrix.

        Parameters
        ----------
        x : array_like
        offsets : array_like of int, or None
            One more than there are segments. A segment that ends before it begins, or beyond x, is empty.
        op, map, args, dtype, initial
            As for `reduce`; i counts from the segment's first element.
        out : array, optional
            One element per segment.

        Returns
        -------
        Array
        """
        call = Call(self, "segmented_reduce")
        if offsets is None:
            first = self._matrix(x, 1)
            segments = self._lines(call, first, 1)
        else:
            first, ends = self._line(x), self._indices(offsets, "offsets")
            segments = _segments(ends)
            call.set(offsets_type=index_type_of(ends.dtype))
            call.buffer("offsets", ends)
        return self._reduce_segments(call, first, segments, op, map, args, dtype, initial, out)

    def _lines(self, call: Call, matrix: Array, axis: int) -> int:
        """Sets the rows or columns of a matrix, and returns how many there are."""
        rows, columns = matrix.shape
        segments, length = (rows, columns) if axis in (1, -1) else (columns, rows)
        if segments and length == 0:
            raise ValueError(f"{'rows' if axis in (1, -1) else 'columns'} have no elements")
        call.set(row_length=length, offsets_type=lib.GP_U32)
        if axis in (0, -2) and length:
            call.set(row_stride=1, element_stride=columns)
        return segments

    def _reduce_segments(
        self, call: Call, first: Array, segments: int, op: Op, map: Optional[str], args: Args, dtype: Any, initial: Any, out: Any
    ) -> Any:
        call.buffer("in", first)
        call.set(count=first.size, segment_count=segments)
        call.expression("map", map)
        call.args(args, first.dtype)
        result = call.operation(op, first.dtype, map, dtype, result_dtype)
        call.value("initial", initial, result)
        target = self._out(out, (segments,), result)
        call.buffer("out", target)
        call.run("gp_segmented_reduce")
        return self._give(out, target)

    def reduce_by_key(
        self,
        keys: Any,
        x: Any,
        op: Op = "sum",
        *,
        equal: Optional[str] = None,
        map: Optional[str] = None,
        args: Args = None,
        dtype: Optional[npt.DTypeLike] = None,
        initial: Any = None,
        strategy: str = "auto",
    ) -> tuple[Array, Array]:
        """Reduces the elements of each run of equal neighbouring keys. `group_by` sorts first.

        Parameters
        ----------
        keys, x : array_like
            Of the same length.
        equal : str, optional
            Expression in x and y, a key and the one before it: are they equal? Records need one.
        op, map, args, dtype, initial
            As for `reduce`; i counts from the run's first element.
        strategy : {"auto", "single_pass", "multi_pass"}

        Returns
        -------
        keys, values : Array
            One element per run.
        """
        k, first = self._line(keys, "keys"), self._line(x)
        self._same(k, first, "keys and x")
        call = Call(self, "reduce_by_key")
        call.buffer("keys", k)
        call.buffer("in", first)
        call.count(k)
        call.type(k.dtype, "key_type", "key_record")
        call.expression("equal", equal)
        call.expression("map", map)
        call.args(args, first.dtype)
        call.strategy(strategy)
        result = call.operation(op, first.dtype, map, dtype, result_dtype)
        call.value("initial", initial, result)
        number = self._number(call, k)
        out_keys, out = self._counted(k, k.dtype, number), self._counted(k, result, number)
        call.buffer("keys_out", out_keys)
        call.buffer("out", out)
        call.run("gp_reduce_by_key")
        return out_keys, out

    def scan(
        self,
        x: Any,
        op: Op = "sum",
        *,
        axis: Optional[int] = None,
        exclusive: bool = False,
        reverse: bool = False,
        flags: Any = None,
        keys: Any = None,
        map: Optional[str] = None,
        args: Args = None,
        dtype: Optional[npt.DTypeLike] = None,
        initial: Any = None,
        deterministic: bool = False,
        strategy: str = "auto",
        out: Any = None,
    ) -> Any:
        """Reduces the elements up to each one: running totals.

        Parameters
        ----------
        x : array_like
        op : str or Monoid
            As for `reduce`.
        axis : int, optional
            1 or -1: scans each row of a matrix; 0 or -2: each column; i counts within it. Not with flags or keys.
        exclusive : bool
            Without the element itself.
        reverse : bool
            From the last element to the first.
        flags : array_like, optional
            A segment begins at each element whose flag is not 0.
        keys : array_like, optional
            A segment begins at each element whose key differs from the one before.
        map, args, initial
            As for `reduce`.
        dtype : dtype, optional
            Of sums and result; by default that of x (uint64 for argmin and argmax, and for sums of bool).
        deterministic : bool
            Sums of floats are the same bits every time.
        strategy : {"auto", "single_pass", "multi_pass"}
        out : array, optional
            May be x itself, where both dtypes have one size.

        Returns
        -------
        Array

        Examples
        --------
        >>> ctx.scan(np.array([3, 1, 4])).get()  # doctest: +SKIP
        array([3, 4, 8])
        """
        if axis is not None:
            if flags is not None or keys is not None:
                raise ValueError("axis is not taken with flags or keys")
            matrix = self._matrix(x, axis, columns=True)
            call = Call(self, "segmented_scan")
            segments = self._lines(call, matrix, axis)
            call.set(exclusive=exclusive, reverse=reverse, deterministic=deterministic)
            call.strategy(strategy)
            return self._scan_segments(call, matrix, segments, op, map, args, dtype, initial, out)
        first = self._line(x)
        call = Call(self, "scan")
        call.buffer("in", first)
        call.count(first)
        if flags is not None and keys is not None:
            raise ValueError("segments begin by flags or by keys, not by both")
        heads = flags if keys is None else keys
        if heads is not None:
            head = self._heads(heads, "flags or keys", np.bool_ if keys is None else np.float32)
            self._same(first, head, "x and flags or keys")
            call.buffer("heads", head)
            call.set(heads_type=type_of(head.dtype))
            call.set(segments=lib.GP_SEGMENTS_BY_FLAGS if keys is None else lib.GP_SEGMENTS_BY_KEYS)
        call.expression("map", map)
        call.args(args, first.dtype)
        call.set(exclusive=exclusive, reverse=reverse, deterministic=deterministic)
        call.strategy(strategy)
        result = call.operation(op, first.dtype, map, dtype, _scan_dtype)
        call.value("initial", initial, result)
        target = self._out(out, first._shape if out is None else first.shape, result, first)
        call.buffer("out", target)
        call.run("gp_scan")
        return self._give(out, target)

    def segmented_scan(
        self,
        x: Any,
        offsets: Any,
        op: Op = "sum",
        *,
        exclusive: bool = False,
        reverse: bool = False,
        map: Optional[str] = None,
        args: Args = None,
        dtype: Optional[npt.DTypeLike] = None,
        initial: Any = None,
        deterministic: bool = False,
        strategy: str = "auto",
        out: Any = None,
    ) -> Any:
        """Running totals of each segment ``x[offsets[s]:offsets[s + 1]]``, or without offsets of each row of a matrix.

        Parameters
        ----------
        x : array_like
        offsets : array_like of int, or None
            One more than there are segments. A segment that ends before it begins, or beyond x, is empty.
        op, exclusive, reverse, map, args, dtype, initial, deterministic, strategy
            As for `scan`; i counts from the segment's first element.
        out : array, optional
            May be x itself, where both dtypes have one size. Elements outside all segments are not written; without `out` they are 0.

        Returns
        -------
        Array
        """
        call = Call(self, "segmented_scan")
        call.set(exclusive=exclusive, reverse=reverse, deterministic=deterministic)
        call.strategy(strategy)
        if offsets is None:
            first = self._matrix(x, 1)
            return self._scan_segments(call, first, self._lines(call, first, 1), op, map, args, dtype, initial, out)
        first, ends = self._line(x), self._indices(offsets, "offsets")
        segments = _segments(ends)
        call.set(offsets_type=index_type_of(ends.dtype))
        call.buffer("offsets", ends)
        return self._scan_segments(call, first, segments, op, map, args, dtype, initial, out, fill=True)

    def summed_area(self, image: Any, *, dtype: Optional[npt.DTypeLike] = None) -> Array:
        """The summed-area table of a matrix: each element is the sum of all elements above and to the left, with its own row and column.

        Parameters
        ----------
        image : array_like
            With two dimensions.
        dtype : dtype, optional
            Of the sums; by default uint64 for bool, int64 or uint64 for other integers, else that of image.

        Returns
        -------
        Array

        Examples
        --------
        >>> ctx.summed_area(np.ones((2, 3), np.int32)).get()  # doctest: +SKIP
        array([[1, 2, 3],
               [2, 4, 6]])
        """
        matrix = self._matrix(image, 1, "image")
        if 0 in matrix.shape:
            return self.empty(matrix.shape, result_dtype("sum", matrix.dtype) if dtype is None else dtype)
        table: Array = self.scan(matrix, axis=1, dtype=result_dtype("sum", matrix.dtype) if dtype is None else dtype)
        self.scan(table, axis=0, out=table)
        return table

    def _scan_segments(
        self,
        call: Call,
        first: Array,
        segments: int,
        op: Op,
        map: Optional[str],
        args: Args,
        dtype: Any,
        initial: Any,
        out: Any,
        fill: bool = False,
    ) -> Any:
        call.buffer("in", first)
        call.set(count=first.size, segment_count=segments)
        call.expression("map", map)
        call.args(args, first.dtype)
        result = call.operation(op, first.dtype, map, dtype, _scan_dtype)
        call.value("initial", initial, result)
        if fill and out is None:
            target = self._in(np.zeros(first.shape, result))
        else:
            target = self._out(out, first.shape, result, first)
        call.buffer("out", target)
        call.run("gp_segmented_scan")
        return self._give(out, target)

    # ---- results whose length the device finds

    def _number(self, call: Call, x: Array) -> Array:
        """Where a call writes how many elements its result has."""
        wide = x._shape[0] >= 1 << 32
        number = self.empty(1, np.uint64 if wide else np.uint32)
        call.buffer("count_out", number)
        call.set(count_out_type=type_of(number.dtype))
        return number

    def _counted(self, x: Array, dtype: npt.DTypeLike, number: Array) -> Array:
        """A result with room for as many elements as x has."""
        out = self.empty(x._shape, dtype)
        out._count = number
        return out

    def _index_dtype(self, x: Array) -> np.dtype[Any]:
        return np.dtype(np.uint32 if x._shape[0] < 1 << 32 else np.uint64)


def _scan_dtype(op: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    wide = op in ("argmin", "argmax") or (dtype == np.bool_ and op in ("sum", "prod"))
    return np.dtype(np.uint64) if wide else dtype


def _required(count: Optional[int]) -> int:
    if count is None or count < 0:
        raise ValueError("without x, count says how many indices there are")
    return count


def _check_some(ops: Any, x: Optional[Array], count: Optional[int]) -> None:
    """Refuses results that no elements have."""
    extremes = [op for op in ops if isinstance(op, str) and op in ("min", "max", "argmin", "argmax")]
    if extremes and (count if x is None else x.size) == 0:
        raise ValueError(f"nothing has no {extremes[0]}: give initial")


def _segments(offsets: Array) -> int:
    if offsets.size == 0:
        raise ValueError("offsets has one element more than there are segments")
    return offsets.size - 1
