"""Selections, partitions, runs."""

from __future__ import annotations

import operator
from typing import Any, Optional

import numpy as np

from ._array import Array
from ._call import Call
from ._reduce import Args, Reductions, _segments
from ._types import index_type_of, type_of


class Selections(Reductions):
    def select(
        self,
        x: Any,
        predicate: Optional[str] = None,
        *,
        flags: Any = None,
        indices: Any = None,
        args: Args = None,
        return_indices: bool = False,
        strategy: str = "auto",
    ) -> Any:
        """Packs the elements for which a condition holds, in their order.

        Parameters
        ----------
        x : array_like
        predicate : str, optional
            Expression in x and i.
        flags : array_like, optional
            Instead: an element is kept where its flag is not 0.
        indices : array_like of int, optional
            Instead: ``x[indices]``, without those that are out of range.
        args : dict, optional
            Numbers and arrays that `predicate` names.
        return_indices : bool
            Also where the elements were.
        strategy : {"auto", "single_pass", "multi_pass"}

        Returns
        -------
        Array, or (Array, Array) with `return_indices`

        Examples
        --------
        >>> ctx.select(x, "x > t", args={"t": 3})  # doctest: +SKIP
        """
        if sum(what is not None for what in (predicate, flags, indices)) != 1:
            raise ValueError("give a predicate, flags or indices")
        first = self._line(x)
        call = Call(self, "select")
        call.buffer("in", first)
        call.type(first.dtype)
        call.expression("predicate", predicate)
        call.args(args, first.dtype)
        call.strategy(strategy)
        counted, index = first, self._index_dtype(first)
        if flags is not None:
            self._flags(call, first, flags)
        if indices is not None:
            counted = self._indices(indices)
            index = counted.dtype
            call.buffer("indices", counted)
            call.set(in_count=first.size)
        call.set(index_type=index_type_of(index))
        call.count(counted)
        number = self._number(call, counted)
        out = self._counted(counted, first.dtype, number)
        call.buffer("out", out)
        if return_indices:
            places = self._counted(counted, index, number)
            call.buffer("indices_out", places)
        call.run("gp_select")
        return (out, places) if return_indices else out

    def partition(
        self,
        x: Any,
        predicate: Optional[str] = None,
        predicate2: Optional[str] = None,
        *,
        flags: Any = None,
        args: Args = None,
        strategy: str = "auto",
    ) -> tuple[Array, ...]:
        """Splits elements in two or, with `predicate2`, in three parts, each in input order.

        Parameters
        ----------
        x : array_like
        predicate, predicate2 : str
            Expressions in x and i. The second one is asked of elements for which the first one does not hold.
        flags : array_like, optional
            Instead of predicates.
        args : dict, optional
        strategy : {"auto", "single_pass", "multi_pass"}

        Returns
        -------
        tuple of Array
            Those for which `predicate` holds, those of the others for which `predicate2` holds, the rest.
        """
        if (predicate is None) == (flags is None):
            raise ValueError("give a predicate or flags")
        first = self._line(x)
        call = Call(self, "partition")
        call.buffer("in", first)
        call.count(first)
        call.type(first.dtype)
        call.expression("predicate", predicate)
        call.expression("predicate2", predicate2)
        call.args(args, first.dtype)
        call.strategy(strategy)
        if flags is not None:
            self._flags(call, first, flags)
        fields = ("out", "rest") if predicate2 is None else ("out", "second", "rest")
        numbers = self.empty(len(fields), np.uint64 if first._shape[0] >= 1 << 32 else np.uint32)
        call.buffer("counts_out", numbers)
        call.set(counts_out_type=type_of(numbers.dtype))
        parts = [self._counted(first, first.dtype, numbers[i : i + 1]) for i in range(len(fields))]
        for field, part in zip(fields, parts):
            call.buffer(field, part)
        call.run("gp_partition")
        return tuple(parts)

    def _flags(self, call: Call, x: Array, flags: Any) -> None:
        flag = self._heads(flags, "flags")
        self._same(x, flag, "x and flags")
        call.buffer("flags", flag)
        call.set(flags_type=type_of(flag.dtype))

    def unique(
        self,
        keys: Any,
        values: Any = None,
        *,
        equal: Optional[str] = None,
        args: Args = None,
        return_indices: bool = False,
        strategy: str = "auto",
    ) -> Any:
        """The first key of each run of equal neighbours: of sorted keys all different ones.

        Parameters
        ----------
        keys : array_like
        values : array_like, optional
            One for each key, of 1, 2, 4, 8 or 16 bytes; moves with it.
        equal : str, optional
            Expression in x and y, a key and the one before it. Records need one.
        args : dict, optional
        return_indices : bool
            Also where the keys were.
        strategy : {"auto", "single_pass", "multi_pass"}

        Returns
        -------
        Array, or a tuple of keys, values if there are any, and indices if they are wanted
        """
        k = self._line(keys, "keys")
        call = Call(self, "unique")
        call.buffer("keys", k)
        call.count(k)
        call.type(k.dtype, "key_type")
        call.expression("equal", equal)
        call.args(args, k.dtype)
        call.strategy(strategy)
        number = self._number(call, k)
        results = [self._counted(k, k.dtype, number)]
        call.buffer("keys_out", results[0])
        if values is not None:
            v = self._line(values, "values")
            self._same(k, v, "keys and values")
            call.buffer("values", v)
            call.set(value_size=v.dtype.itemsize)
            results.append(self._counted(k, v.dtype, number))
            call.buffer("values_out", results[-1])
        if return_indices:
            results.append(self._counted(k, self._index_dtype(k), number))
            call.buffer("indices_out", results[-1])
            call.set(index_type=type_of(results[-1].dtype))
        call.run("gp_unique" if values is None else "gp_unique_by_key")
        return results[0] if len(results) == 1 else tuple(results)

    def run_length_encode(
        self,
        x: Any,
        *,
        equal: Optional[str] = None,
        args: Args = None,
        repeated_only: bool = False,
        offsets_end: bool = False,
        strategy: str = "auto",
    ) -> tuple[Array, Array, Array]:
        """The runs of equal neighbours.

        Parameters
        ----------
        x : array_like
        equal, args
            As for `unique`.
        repeated_only : bool
            Without runs of one element.
        offsets_end : bool
            One more offset, where the last run ends: the offsets of `segmented_reduce` and `segmented_sort`. Blocks.
        strategy : {"auto", "single_pass", "multi_pass"}

        Returns
        -------
        values, lengths, offsets : Array
            Each run's first element, its length, and where it begins.
        """
        first = self._line(x)
        call = Call(self, "run_length_encode")
        call.buffer("in", first)
        call.count(first)
        call.type(first.dtype)
        call.expression("equal", equal)
        call.args(args, first.dtype)
        call.set(repeated_only=repeated_only)
        call.strategy(strategy)
        number, index = self._number(call, first), self._index_dtype(first)
        values = self._counted(first, first.dtype, number)
        lengths, offsets = self._counted(first, index, number), self._counted(first, index, number)
        if offsets_end:
            offsets = self.empty(first._shape[0] + 1, index)
        call.set(index_type=type_of(index), offsets_end=offsets_end)
        for field, array in (("out", values), ("lengths_out", lengths), ("offsets_out", offsets)):
            call.buffer(field, array)
        call.run("gp_run_length_encode")
        return values, lengths, offsets[: len(values) + 1] if offsets_end else offsets

    def run_length_decode(
        self,
        x: Any,
        offsets: Any,
        *,
        size: Optional[int] = None,
        return_runs: bool = False,
        return_positions: bool = False,
    ) -> Any:
        """Repeats the key of each run: ``result[offsets[r]:offsets[r + 1]] = x[r]``.

        Parameters
        ----------
        x : array_like or None
            A key for each run, of 1, 2, 4, 8 or 16 bytes. None: keys are not wanted.
        offsets : array_like of int
            One more than there are runs, as from `run_length_encode` with `offsets_end`.
        size : int, optional
            Of the result. By default the last offset; then the call blocks.
        return_runs, return_positions : bool
            Also the run of each element, and its position in the run.

        Returns
        -------
        Array, or a tuple of Arrays
            Elements in no run are zeros.

        Examples
        --------
        >>> ctx.run_length_decode(np.array([7, 8]), [0, 2, 5]).get()  # doctest: +SKIP
        array([7, 7, 8, 8, 8])
        """
        ends = self._indices(offsets, "offsets")
        runs = _segments(ends)
        begin = 1 if size is not None else int(ends[:1].get()[0])
        count = max(0, int(ends[-1:].get()[0])) if size is None else size
        call = Call(self, "run_length_decode")
        call.set(count=count, run_count=runs, offsets_type=index_type_of(ends.dtype))
        call.buffer("offsets", ends)
        results = []
        if x is not None:
            keys = self._line(x)
            if keys.size != runs:
                raise ValueError(f"x has {keys.size} elements, and offsets have {runs} runs")
            results.append(("out", keys.dtype))
            call.buffer("in", keys)
            call.set(element_size=keys.dtype.itemsize)
        index = np.dtype(np.uint32 if count < 1 << 32 and runs < 1 << 32 else np.uint64)
        if return_runs:
            results.append(("runs_out", index))
        if return_positions:
            results.append(("positions_out", index))
        if not results:
            raise ValueError("without x, give return_runs or return_positions")
        arrays = [self.empty(count, dtype) for _, dtype in results]
        for (field, _), array in zip(results, arrays):
            call.buffer(field, array)
            if begin != 0:  # some elements may be in no run
                self.fill(None, 0, out=array)  # type: ignore[attr-defined]
        call.set(index_type=type_of(index))
        call.run("gp_run_length_decode")
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def repeat(self, x: Any, counts: Any) -> Array:
        """Each element as often as `counts` says, as NumPy's repeat. Blocks.

        Parameters
        ----------
        x : array_like
            Elements of 1, 2, 4, 8 or 16 bytes.
        counts : int or array_like of int
            One number for all elements, or one for each.

        Returns
        -------
        Array
        """
        keys = self._line(x)
        if np.ndim(counts) == 0 and not isinstance(counts, Array):
            each = operator.index(counts)
            if each < 0:
                raise ValueError(f"counts is {each}")
            offsets = _zeros_then(self, keys.size)
            if each and keys.size:
                self.iota(keys.size + 1, 0, each, np.uint64, out=offsets)  # type: ignore[attr-defined]
            even: Array = self.run_length_decode(keys, offsets)
            return even
        if not isinstance(counts, Array) and not hasattr(counts, "base_data") and np.min(counts, initial=0) < 0:
            raise ValueError("counts are negative")
        lengths = self._indices(counts, "counts")
        self._same(keys, lengths, "x and counts")
        offsets = _zeros_then(self, keys.size)
        if keys.size:
            self.scan(lengths, dtype=np.uint64, out=offsets[1:])
        repeated: Array = self.run_length_decode(keys, offsets)
        return repeated


def _zeros_then(context: Reductions, count: int) -> Array:
    """Offsets of empty runs."""
    offsets: Array = context.fill(count + 1, 0, np.uint64)  # type: ignore[attr-defined]
    return offsets
