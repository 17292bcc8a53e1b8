"""Sorts, top k, merge, search."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._array import Array
from ._call import Call
from ._convert import as_host, common_dtype, exact_or_none
from ._native import ffi, lib
from ._reduce import Args, _required, _segments
from ._select import Selections
from ._types import Column, index_type_of, is_record, type_of


class Sorts(Selections):
    def sort(
        self,
        keys: Any,
        values: Any = None,
        *,
        descending: bool = False,
        bits: Optional[tuple[int, int]] = None,
        inplace: bool = False,
        strategy: str = "auto",
        out: Any = None,
    ) -> Any:
        """A stable sort of keys, which may each carry a value.

        Floats are in a total order: -NaN, -inf, ..., -0, +0, ..., inf, NaN.

        Parameters
        ----------
        keys : array_like
            Numbers; records are sorted by `sort_records`.
        values : array_like, optional
            One for each key, of 1, 2, 4, 8 or 16 bytes.
        descending : bool
        bits : (int, int), optional
            Only these bits of the key are compared: first, and one past the last.
        inplace : bool
            Keys and values are arrays on the device, and are sorted where they are.
        strategy : {"auto", "single_pass", "multi_pass"}
        out : array, or a pair of them with values; optional

        Returns
        -------
        Array, or (keys, values)
        """
        k = self._line(keys, "keys")
        v = None if values is None else self._line(values, "values")
        call = self._sort_call("sort", k, v, descending, bits)
        call.count(k)
        call.strategy(strategy)
        if inplace:
            if out is not None:
                raise ValueError("inplace takes no out")
            _on_device(k, keys, v, values)
            call.run("gp_sort")
            return keys if v is None else (keys, values)
        outs: tuple[Any, ...] = (out,) if v is None else (out if out is not None else (None, None))
        shape = k._shape if out is None else k.shape
        targets = [self._out(outs[0], shape, k.dtype, k)]
        call.buffer("keys_out", targets[0])
        if v is not None:
            targets.append(self._out(outs[1], shape, v.dtype, k))
            call.buffer("values_out", targets[1])
        call.run("gp_sort")
        results = tuple(self._give(o, t) for o, t in zip(outs, targets))
        return results[0] if v is None else results

    def argsort(
        self,
        keys: Any,
        *,
        axis: Optional[int] = None,
        descending: bool = False,
        bits: Optional[tuple[int, int]] = None,
        return_keys: bool = False,
        strategy: str = "auto",
    ) -> Any:
        """The indices that would sort the keys; stable.

        Parameters
        ----------
        keys : array_like
        axis : int, optional
            1 or -1: those of each row of a matrix; indices are column numbers.
        descending, bits, strategy
            As for `sort`; rows have no strategy.
        return_keys : bool
            Also the sorted keys.

        Returns
        -------
        Array of uint32 (uint64 for 2^32 keys and more), or (indices, keys)
        """
        if axis is not None:
            matrix = self._matrix(keys, axis, "keys")
            call = self._sort_call("segmented_sort", matrix, None, descending, bits)
            call.set(row_length=matrix.shape[1], segment_count=matrix.shape[0] if matrix.size else 0)
            call.set(offsets_type=lib.GP_U32)
            return self._segmented_argsort(call, matrix, return_keys)
        k = self._line(keys, "keys")
        call = self._sort_call("sort", k, None, descending, bits)
        call.count(k)
        call.strategy(strategy)
        indices = self._like(k, self._index_dtype(k))
        call.set(value_size=indices.dtype.itemsize)
        call.buffer("values_out", indices)
        if return_keys:
            out = self._like(k, k.dtype)
            call.buffer("keys_out", out)
        call.run("gp_argsort")
        return (indices, out) if return_keys else indices

    def segmented_argsort(
        self,
        keys: Any,
        offsets: Any,
        *,
        descending: bool = False,
        bits: Optional[tuple[int, int]] = None,
        return_keys: bool = False,
    ) -> Any:
        """The indices that would sort each segment ``keys[offsets[s]:offsets[s + 1]]`` by itself; stable.

        Parameters
        ----------
        keys, descending, bits
            As for `sort`.
        offsets : array_like of int
            As for `segmented_sort`.
        return_keys : bool
            Also the sorted keys.

        Returns
        -------
        Array of uint32 (uint64 for 2^32 keys and more), or (indices, keys)
            Indices count within the segment. Outside all segments indices and keys are 0.

        Examples
        --------
        >>> ctx.segmented_argsort([30, 10, 20, 9, 8], [0, 3, 5]).get()
        array([1, 2, 0, 1, 0], dtype=uint32)
        """
        k, ends = self._line(keys, "keys"), self._indices(offsets, "offsets")
        call = self._sort_call("segmented_sort", k, None, descending, bits)
        call.set(segment_count=_segments(ends), offsets_type=index_type_of(ends.dtype))
        call.buffer("offsets", ends)
        return self._segmented_argsort(call, k, return_keys)

    def _segmented_argsort(self, call: Call, keys: Array, return_keys: bool) -> Any:
        index = np.uint32 if keys.size < 1 << 32 else np.uint64
        indices: Array = self.fill(keys.shape, 0, index)  # type: ignore[attr-defined]
        call.set(count=keys.size, value_size=indices.dtype.itemsize)
        call.buffer("values_out", indices)
        if return_keys:
            out: Array = self.fill(keys.shape, 0, keys.dtype)  # type: ignore[attr-defined]
            call.buffer("keys_out", out)
        call.run("gp_segmented_argsort")
        return (indices, out) if return_keys else indices

    def _sort_call(self, desc: str, k: Array, v: Optional[Array], descending: bool, bits: Any) -> Call:
        call = Call(self, desc)
        call.buffer("keys", k)
        call.set(key_type=type_of(k.dtype), descending=descending)
        if v is not None:
            self._same(k, v, "keys and values")
            call.buffer("values", v)
            call.set(value_size=v.dtype.itemsize)
        if bits is not None:
            begin, end = bits
            if not 0 <= begin < end <= 8 * k.dtype.itemsize:
                raise ValueError(f"bits {bits} are no range of a key of {8 * k.dtype.itemsize}")
            call.set(begin_bit=begin, end_bit=end)
        return call

    def segmented_sort(
        self,
        keys: Any,
        offsets: Any,
        values: Any = None,
        *,
        descending: bool = False,
        bits: Optional[tuple[int, int]] = None,
        inplace: bool = False,
        check_offsets: bool = False,
    ) -> Any:
        """Sorts each segment ``keys[offsets[s]:offsets[s + 1]]`` by itself, or without offsets each row of a matrix; stable.

        Parameters
        ----------
        keys, values, descending, bits, inplace
            As for `sort`. Elements outside all segments stay as they are.
        offsets : array_like of int, or None
            One more than there are segments. One that is below an earlier one or beyond the keys is replaced by the
            greatest good one before it.
        check_offsets : bool
            Blocks, and raises ValueError for such offsets.

        Returns
        -------
        Array, or (keys, values)
        """
        matrix = offsets is None
        k = self._matrix(keys, 1, "keys") if matrix else self._line(keys, "keys")
        v = None if values is None else self._matrix(values, 1, "values") if matrix else self._line(values, "values")
        if inplace:
            _on_device(k, keys, v, values)
        else:  # outside of segments nothing is written
            k = k.copy() if k is keys or hasattr(keys, "base_data") else k
            v = v.copy() if v is not None and (v is values or hasattr(values, "base_data")) else v
        call = self._sort_call("segmented_sort", k, v, descending, bits)
        call.set(count=k.size)
        if matrix:
            if v is not None and v.shape != k.shape:
                raise ValueError(f"keys and values differ in shape: {k.shape} and {v.shape}")
            call.set(segment_count=k.shape[0] if k.size else 0, row_length=k.shape[1], offsets_type=lib.GP_U32)
        else:
            ends = self._indices(offsets, "offsets")
            call.set(segment_count=_segments(ends), offsets_type=index_type_of(ends.dtype))
            call.buffer("offsets", ends)
        if check_offsets:
            report = ffi.new("gp_segmented_sort_report *")
            call.run("gp_segmented_sort_read", report)
            if report.bad_offsets:
                raise ValueError(f"{report.bad_offsets} offsets are bad, the first one at {report.first_bad}")
        else:
            call.run("gp_segmented_sort")
        if inplace:
            k, v = keys, values
        return k if v is None else (k, v)

    def sort_records(
        self,
        x: Any,
        columns: Sequence[Union[str, Column]],
        *,
        args: Args = None,
        count: Optional[int] = None,
        return_indices: bool = False,
        strategy: str = "auto",
    ) -> Any:
        """A stable sort of records by several columns, of which the first decides first.

        Parameters
        ----------
        x : array_like or None
            Of any dtype; None: keys are of the index i and of `args`, as for NumPy's lexsort.
        columns : sequence of str or Column
            Up to eight. A str is a field's name, with "-" before it for a descending order.
        args : dict, optional
            Numbers and arrays that columns name.
        count : int, optional
            Without x: how many there are.
        return_indices : bool
            Also where the records were.
        strategy : {"auto", "single_pass", "multi_pass"}

        Returns
        -------
        Array, (records, indices) with `return_indices`, or without x the indices

        Examples
        --------
        >>> ctx.sort_records(orders, ["-price", "customer"])  # doctest: +SKIP
        >>> age = Column("age[i]", np.uint16)
        >>> ctx.sort_records(None, [age], args={"age": ages}, count=len(ages))  # doctest: +SKIP
        """
        call = Call(self, "sort_records")
        first = None if x is None else self._line(x)
        indices: Optional[Array] = None
        fields: Any = first.dtype.fields if first is not None else None
        names = (first.dtype.names if first is not None else None) or ()
        c = call.keep(ffi.new("gp_sort_column[]", max(len(columns), 1)))
        for entry, column in zip(c, columns):
            if isinstance(column, str):
                name = column.removeprefix("-")
                if name not in names:
                    raise ValueError(f"the records have no field {name!r}; expressions are Column(map, dtype)")
                column = Column(f"x.{name}", fields[name][0], column.startswith("-"))
            call.expression("map", column.map, entry)
            entry.type = type_of(np.dtype(column.dtype))
            entry.descending = column.descending
        call.set(columns=c, column_count=len(columns))
        call.args(args, None)
        call.strategy(strategy)
        if first is None:
            size = _required(count)
            indices = self.empty(size, np.uint32 if size < 1 << 32 else np.uint64)
            call.count(size)
        else:
            call.count(first)
            call.buffer("in", first)
            call.type(first.dtype)
            out = self._like(first, first.dtype)
            call.buffer("out", out)
            if return_indices:
                indices = self._like(first, self._index_dtype(first))
        if indices is not None:
            call.buffer("indices_out", indices)
            call.set(index_type=type_of(indices.dtype))
        call.run("gp_sort_records")
        if first is None:
            return indices
        return (out, indices) if return_indices else out

    def sort_strings(self, strings: Any, offsets: Any = None, *, descending: bool = False) -> Array:
        """The indices that sort strings by their bytes; stable. Blocks.

        Parameters
        ----------
        strings : sequence of str or bytes, or array_like of uint8
            A str is compared by its UTF-8.
        offsets : array_like of int, optional
            With an array: string s is ``strings[offsets[s]:offsets[s + 1]]``.
        descending : bool

        Returns
        -------
        Array of uint32
        """
        if offsets is None:
            strings, offsets = strings_and_offsets(strings)
        data, places = self._line(strings, "strings"), self._indices(offsets, "offsets")
        if data.dtype.itemsize != 1:
            raise TypeError(f"strings are bytes, not {data.dtype}")
        number = _segments(places)
        call = Call(self, "sort_strings")
        call.buffer("bytes", data)
        call.buffer("offsets", places)
        out = self.empty(number, np.uint32 if number < 1 << 32 else np.uint64)
        call.buffer("out", out)
        call.set(byte_count=data.size, offsets_type=index_type_of(places.dtype), index_type=type_of(out.dtype))
        call.set(count=number, descending=descending)
        call.run("gp_sort_strings")
        return out

    def topk(
        self, keys: Any, k: int, *, axis: Optional[int] = None, smallest: bool = False, strategy: str = "auto"
    ) -> tuple[Array, Array]:
        """The k largest keys, best first, and where they are.

        Parameters
        ----------
        keys : array_like
        k : int
            At most as many as there are keys.
        axis : int, optional
            1 or -1: those of each row of a matrix, for k up to 1024; indices are column numbers.
        smallest : bool
            The smallest ones instead.
        strategy : {"auto", "single_pass", "multi_pass"}
            Of the sort of what is left.

        Returns
        -------
        keys, indices : Array
        """
        if axis is not None:
            matrix = self._matrix(keys, axis, "keys")
            rows, columns = matrix.shape
            if not 0 <= k <= columns:
                raise ValueError(f"k is {k}, and rows have {columns} keys")
            call = Call(self, "segmented_topk")
            call.set(row_length=columns, count=matrix.size, offsets_type=lib.GP_U32)
            return self._segmented_topk(call, matrix, rows, k, smallest)
        every = self._line(keys, "keys")
        size = every.size
        if not 0 <= k <= size:
            raise ValueError(f"k is {k}, and there are {size} keys")
        call = Call(self, "topk")
        call.buffer("keys", every)
        call.set(key_type=type_of(every.dtype), k=k, smallest=smallest, count=size)
        call.strategy(strategy)
        best, indices = self.empty(k, every.dtype), self.empty(k, self._index_dtype(every))
        call.buffer("keys_out", best)
        call.buffer("indices_out", indices)
        call.set(index_type=type_of(indices.dtype))
        call.run("gp_topk")
        return best, indices

    def segmented_topk(
        self, keys: Any, offsets: Any, k: Any, *, smallest: bool = False
    ) -> tuple[Array, Array]:
        """The k largest keys of each segment ``keys[offsets[s]:offsets[s + 1]]``, best first, and where they are in it.

        Parameters
        ----------
        keys : array_like
        offsets : array_like of int
            One more than there are segments. A segment that ends before it begins, or beyond the keys, is empty.
        k : int or array_like of int
            At most 1024. An array has a k for each segment; its greatest one is the number of columns, for which the call waits.
        smallest : bool
            The smallest ones instead.

        Returns
        -------
        keys, indices : Array
            A row for each segment. If it has fewer than k keys, or a k of its own that is less than the number of columns, zeros
            follow, whose index is the greatest of its dtype.

        Examples
        --------
        >>> ctx.segmented_topk([3, 1, 2, 9, 8], [0, 3, 5], [2, 1])[0].get()
        array([[3, 2],
               [9, 0]])
        """
        every, ends = self._line(keys, "keys"), self._indices(offsets, "offsets")
        call = Call(self, "segmented_topk")
        call.set(count=every.size, offsets_type=index_type_of(ends.dtype))
        call.buffer("offsets", ends)
        segments = _segments(ends)
        if isinstance(k, Array) or np.ndim(k):
            each = self._indices(k, "k")
            numbers = each.get()
            if numbers.size != segments or numbers.min(initial=0) < 0:
                raise ValueError(f"k has {numbers.size} numbers, and there are {segments} segments; none is negative")
            call.buffer("ks", each)
            call.set(ks_type=index_type_of(each.dtype))
            k = int(numbers.max(initial=0))
        return self._segmented_topk(call, every, segments, k, smallest)

    def _segmented_topk(self, call: Call, keys: Array, segments: int, k: int, smallest: bool) -> tuple[Array, Array]:
        if k < 0:
            raise ValueError(f"k is {k}")
        index = np.uint32 if keys.size < 1 << 32 else np.uint64
        best: Array = self.fill((segments, k), 0, keys.dtype)  # type: ignore[attr-defined]
        indices: Array = self.fill((segments, k), np.iinfo(index).max, index)  # type: ignore[attr-defined]
        call.buffer("keys", keys)
        call.buffer("keys_out", best)
        call.buffer("indices_out", indices)
        call.set(segment_count=segments, k=k, smallest=smallest)
        call.set(key_type=type_of(keys.dtype), index_type=type_of(np.dtype(index)))
        call.run("gp_segmented_topk")
        return best, indices

    def nth_element(self, keys: Any, ranks: Any, *, axis: Optional[int] = None, offsets: Any = None) -> Array:
        """The keys that a sort would put at these positions: like ``np.sort(keys)[ranks]``.

        Parameters
        ----------
        keys : array_like
        ranks : int or array_like of int
            In any order, from 0 on; -1 is the last. Of an array, which is not sorted for them, at most 64.
        axis : int, optional
            1: those of each row of a matrix; 0: of each column. The result is ``np.take(np.sort(keys, axis), ranks, axis)``.
        offsets : array_like of int, optional
            Those of each segment ``keys[offsets[s]:offsets[s + 1]]``, of which each has to have these ranks. Blocks.

        Returns
        -------
        Array
            Of the shape of ranks; for one rank an array of one key. With offsets a row for each segment.
        """
        wanted = np.asarray(ranks)
        if wanted.size and wanted.dtype.kind not in "iu":
            raise TypeError(f"ranks are integers, not {wanted.dtype}")
        places = wanted.ravel().astype(np.int64)
        if axis is not None or offsets is not None:
            ordered, begin, length = self._segments_in_order(keys, axis, offsets)
            at = _ranks_below(places[None], length[:, None], "the keys of a segment") + begin[:, None]
            if axis in (0, -2):
                return self._pick(ordered, at.T, wanted.shape + length.shape)
            return self._pick(ordered, at, length.shape + wanted.shape)
        every = self._line(keys, "keys")
        places = np.ascontiguousarray(_ranks_below(places, every.size, "the number of keys"), np.uint64)
        found = self.empty(wanted.shape if wanted.ndim else 1, every.dtype)
        call = Call(self, "nth_element")
        call.buffer("keys", every)
        call.buffer("keys_out", found)
        call.set(count=every.size, rank_count=places.size, key_type=type_of(every.dtype))
        call.set(ranks=ffi.cast("const uint64_t *", places.ctypes.data))
        call.run("gp_nth_element")
        return found

    def quantile(self, keys: Any, q: Any, *, axis: Optional[int] = None, offsets: Any = None) -> Any:
        """The q-th quantiles of the keys, as ``np.quantile(keys, q, axis)`` with its method "linear". Blocks.

        Without `axis` and `offsets` the keys are not sorted (`nth_element`). Otherwise rows, columns or segments are sorted.

        Parameters
        ----------
        keys : array_like
        q : float or array_like of float
            From 0 to 1.
        axis : int, optional
            1: of each row of a matrix; 0: of each column.
        offsets : array_like of int, optional
            Of each segment ``keys[offsets[s]:offsets[s + 1]]``; those of an empty segment are NaN. Offsets that fall, or exceed the
            keys, are an error.

        Returns
        -------
        float or ndarray
            Floats of the keys' dtype, of integers float64; of the shape of q, with axis or offsets followed by that of rows, columns or
            segments. NaN if a key is one. Between two keys of which one is infinite, it is infinite; between -inf and inf NaN.
        """
        part = np.asarray(q, np.float64)
        if part.size and not (part.min() >= 0 and part.max() <= 1):
            raise ValueError("q must be from 0 to 1")
        t = part.ravel()[:, None]
        if axis is not None or offsets is not None:
            ordered, begin, length = self._segments_in_order(keys, axis, offsets)
            shape, dtype = part.shape + length.shape, ordered.dtype
            last = np.maximum(length - 1, 0)
            low, high, share = _between(t, last)
            at = np.concatenate([low, high, 0 * last[None], last[None]]) + begin
            keys_there = self._pick(ordered, at, at.shape).get() if ordered.size else np.zeros(at.shape, dtype)
            a, b, ends = keys_there[: len(low)], keys_there[len(low) : -2], keys_there[-2:]
            lacks = length == 0
        else:
            every = self._line(keys, "keys")
            if every.size == 0:
                raise ValueError("there are no keys")
            shape, dtype, last = part.shape, every.dtype, np.array([every.size - 1])
            low, high, share = _between(t, last)
            places = np.unique(np.concatenate([[0], low.ravel(), high.ravel(), last]))
            sixty_fours = range(0, len(places), 64)  # the most ranks of a call
            found = np.concatenate([self.nth_element(every, places[i : i + 64]).get() for i in sixty_fours])
            a, b = found[np.searchsorted(places, low)], found[np.searchsorted(places, high)]
            ends, lacks = found[[0, -1]][:, None], np.zeros(1, bool)
        if dtype.kind == "f":
            lacks = lacks | np.isnan(ends).any(axis=0)  # NaNs are first or last
        result = np.where(lacks, np.nan, _mix(a.astype(np.float64), b.astype(np.float64), share))
        return result.astype(dtype if dtype.kind == "f" else np.float64).reshape(shape)[()]

    def percentile(self, keys: Any, q: Any, *, axis: Optional[int] = None, offsets: Any = None) -> Any:
        """The q-th percentiles of the keys: `quantile` of ``q / 100``. Blocks.

        Parameters
        ----------
        keys, axis, offsets
            As for `quantile`.
        q : float or array_like of float
            From 0 to 100.

        Returns
        -------
        float or ndarray
        """
        part = np.asarray(q, np.float64) / 100
        if part.size and not (part.min() >= 0 and part.max() <= 1):
            raise ValueError("q must be from 0 to 100")
        return self.quantile(keys, part, axis=axis, offsets=offsets)

    def median(self, keys: Any, *, axis: Optional[int] = None, offsets: Any = None) -> Any:
        """The median of the keys, as ``np.median(keys, axis)``; of an even number the mean of the middle two. Blocks.

        Parameters
        ----------
        keys : array_like
        axis, offsets
            As for `quantile`.

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> ctx.median([[5, 1, 3, 2], [9, 9, 0, 9]], axis=1)
        array([2.5, 9. ])
        """
        return self.quantile(keys, 0.5, axis=axis, offsets=offsets)

    def _segments_in_order(self, keys: Any, axis: Optional[int], offsets: Any) -> tuple[Array, Any, Any]:
        """The keys, each row, column or segment of them sorted, and where each begins and how many keys it has."""
        if offsets is None:
            matrix = self._matrix(keys, axis, "keys", columns=True)
            if axis in (0, -2):
                matrix = self.transpose(matrix)  # type: ignore[attr-defined]
            segments, columns = matrix.shape
            call = self._sort_call("segmented_sort", matrix, None, False, None)
            call.set(count=matrix.size, segment_count=segments if matrix.size else 0)
            call.set(row_length=columns, offsets_type=lib.GP_U32)
            ordered = self.empty(matrix.size, matrix.dtype)
            call.buffer("keys_out", ordered)
            call.run("gp_segmented_sort")
            return ordered, np.arange(segments, dtype=np.int64) * columns, np.full(segments, columns, np.int64)
        if axis is not None:
            raise ValueError("give axis or offsets")
        every, ends = self._line(keys, "keys"), self._indices(offsets, "offsets")
        _segments(ends)
        at = ends.get().astype(np.int64)
        if at[0] < 0 or at[-1] > every.size or (at[1:] < at[:-1]).any():
            raise ValueError(f"offsets fall, or exceed the number of keys, {every.size}")
        return self.segmented_sort(every, ends), at[:-1], np.diff(at)

    def _pick(self, ordered: Array, at: Any, shape: tuple[int, ...]) -> Array:
        index = np.uint32 if ordered.size < 1 << 32 else np.uint64
        picked: Array = self.gather(ordered, at.astype(index).ravel())  # type: ignore[attr-defined]
        return picked.reshape(shape)

    def merge(
        self, a: Any, b: Any, a_values: Any = None, b_values: Any = None, *, descending: bool = False
    ) -> Any:
        """Merges two sorted arrays; of equal keys those of a come first.

        Parameters
        ----------
        a, b : array_like
            Sorted keys of one dtype.
        a_values, b_values : array_like, optional
            One for each key.
        descending : bool
            Both are, and the result is.

        Returns
        -------
        Array, or (keys, values)
        """
        if (a_values is None) != (b_values is None):
            raise ValueError("give values for both sequences, or for none")
        call = Call(self, "merge")
        sides = [self._line(a, "a"), self._line(b, "b")]
        if sides[0].dtype != sides[1].dtype:
            raise TypeError(f"a and b are of one dtype, not of {sides[0].dtype} and {sides[1].dtype}")
        total = sides[0].size + sides[1].size
        for name, side in zip("ab", sides):
            call.buffer(f"{name}_keys", side)
            call.count(side.size, f"{name}_")
        keys = self.empty(total, sides[0].dtype)
        call.buffer("keys_out", keys)
        call.set(key_type=type_of(keys.dtype), descending=descending)
        if a_values is not None:
            carried = [self._line(a_values, "a_values"), self._line(b_values, "b_values")]
            if carried[0].dtype != carried[1].dtype:
                raise TypeError(f"values are of one dtype, not of {carried[0].dtype} and {carried[1].dtype}")
            for name, side, value in zip("ab", sides, carried):
                self._same(side, value, f"{name} and {name}_values")
                call.buffer(f"{name}_values", value)
            values = self.empty(total, carried[0].dtype)
            call.buffer("values_out", values)
            call.set(value_size=values.dtype.itemsize)
        call.run("gp_merge")
        return keys if a_values is None else (keys, values)

    def search(
        self,
        keys: Any,
        needles: Any,
        *,
        side: str = "left",
        descending: bool = False,
        key_dtype: Optional[npt.DTypeLike] = None,
        map: Optional[str] = None,
        needle_map: Optional[str] = None,
        args: Args = None,
        dtype: npt.DTypeLike = np.uint64,
        out: Any = None,
    ) -> Any:
        """Where needles belong among sorted keys, as NumPy's searchsorted.

        Needles of the host may have another dtype: they are compared exactly, or TypeError says that there is no dtype
        for both. Without maps, -0 equals +0; NaNs belong where `sort` puts them.

        Parameters
        ----------
        keys : array_like
            Sorted.
        needles : array_like or int
            An int n stands for 0, 1, ... n - 1.
        side : {"left", "right"}
            How many keys come before the needle, or with "right" are equal to it, too.
        descending : bool
            Keys are.
        key_dtype : dtype, optional
            What the maps' values are converted to; by default the dtype of keys.
        map, needle_map : str, optional
            Expressions in x and i: the key, the needle, of an element.
        args : dict, optional
        dtype : dtype
            Of the result: uint64 or uint32.
        out : array, optional

        Returns
        -------
        Array
        """
        if side not in ("left", "right"):
            raise ValueError(f"side is {side!r}, not 'left' or 'right'")
        k = self._line(keys, "keys")
        kind = np.dtype(key_dtype) if key_dtype is not None else k.dtype
        if isinstance(needles, (bool, np.bool_)) or (isinstance(needles, (int, np.integer)) and needles < 0):
            raise ValueError(f"needles is {needles}, and a number says how many there are")
        n: Any = needles if isinstance(needles, (int, np.integer)) else None
        if n is None and needle_map is None and not (isinstance(needles, Array) or hasattr(needles, "base_data")):
            free = map is None and kind == k.dtype
            needles = as_host(needles, "needles")
            if kind.kind in "iu" and needles.dtype.kind == "f":  # whole numbers are on the same side of both
                needles = np.floor(needles) if (side == "right") != descending else np.ceil(needles)
            k, kind, needles = self._comparable(k, kind, needles, free)
            if free and kind != k.dtype:
                map = "x"
        if n is None:
            n = self._line(needles, "needles")
            if needle_map is None and n.dtype != kind:
                raise TypeError(f"needles are {n.dtype}, and keys {kind}")
        if map is None and k.dtype != kind:
            raise TypeError(f"without a map the keys are {k.dtype}, not {kind}")
        if kind.kind == "f":  # the zeros are one number
            map = map if map not in (None, "x") else _ONE_ZERO
            needle_map = _ONE_ZERO if needle_map is None and isinstance(n, Array) else needle_map
        call = Call(self, "search")
        call.buffer("keys", k)
        call.count(k)
        if is_record(k.dtype) or k.dtype != kind:
            call.set(record=call.record(k.dtype))
        call.set(key_type=type_of(kind), upper=side == "right", descending=descending)
        call.expression("map", map)
        call.expression("needle_map", needle_map)
        call.args(args, kind)
        result = np.dtype(dtype)
        call.set(out_type=type_of(result))
        shape: tuple[int, ...]
        if isinstance(n, Array):
            if needle_map is not None and n.dtype != kind:
                call.set(needle_record=call.record(n.dtype))
            call.buffer("needles", n)
            call.count(n, "needle_")
            shape, like = (n._shape if out is None else n.shape), n
        else:
            shape, like = (int(n),), None
            call.count(int(n), "needle_")
        target = self._out(out, shape, result, like)
        call.buffer("out", target)
        call.run("gp_search")
        return self._give(out, target)

    def _comparable(
        self, k: Array, kind: np.dtype[Any], needles: npt.NDArray[Any], free: bool
    ) -> tuple[Array, np.dtype[Any], npt.NDArray[Any]]:
        """Keys, and needles of the host as the dtype in which both are compared."""
        cast = exact_or_none(needles, kind)
        if cast is not None:
            return k, kind, cast
        wide = common_dtype(kind, needles.dtype, self.device.fp64) if free else None
        if wide is None:
            raise TypeError(f"needles are {needles.dtype}, which cannot be compared with keys of {kind}")
        if k.dtype == np.float16:  # of which no map makes another type
            k = self.transform(k, "x", dtype=wide)  # type: ignore[attr-defined]
        return k, wide, needles.astype(wide)


def _ranks_below(ranks: Any, count: Any, what: str) -> Any:
    """Ranks from 0 on, of which negative ones count from the end."""
    if ranks.size and ((ranks >= count) | (ranks < -count)).any():
        raise ValueError(f"a rank is not below {what}, {np.min(count)}")
    return np.where(ranks < 0, ranks + count, ranks)


def _between(q: Any, last: Any) -> tuple[Any, Any, Any]:
    """The ranks on both sides of each quantile of keys whose last rank is `last`, and the share of the higher one."""
    at = q * last
    low = np.floor(at).astype(np.int64)
    return low, np.minimum(low + 1, last), at - low


def _mix(a: Any, b: Any, share: Any) -> Any:
    """The number between a and b of which b has this share."""
    with np.errstate(invalid="ignore", over="ignore"):
        step = b - a
        near = np.where(share < 0.5, a + step * share, b - step * (1 - share))
        far = a * (1 - share) + b * share  # of infinities, or where the step overflows
        return np.where((a == b) | (share == 0), a, np.where(np.isfinite(step), near, far))


def strings_and_offsets(strings: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The bytes of strings, one after the other, and where each begins and the last one ends."""
    parts = [_bytes(s) for s in strings]
    ends = np.zeros(len(parts) + 1, np.uint64)
    np.cumsum([len(part) for part in parts], out=ends[1:])
    return np.frombuffer(b"".join(parts), np.uint8), ends


def _bytes(s: Any) -> bytes:
    if not isinstance(s, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"a string is str or bytes, not {type(s).__name__}")
    return s.encode() if isinstance(s, str) else bytes(s)


_ONE_ZERO = "x == 0 ? 0 : x"


def _on_device(k: Array, keys: Any, v: Optional[Array], values: Any) -> None:
    for name, array, given in (("keys", k, keys), ("values", v, values)):
        if array is not None and array is not given and not hasattr(given, "base_data"):
            raise TypeError(f"inplace: {name} is no array on the device")
