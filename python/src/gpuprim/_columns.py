"""Group-by and join of columns, made of other calls."""

from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np

from ._array import Array
from ._call import Call
from ._map import Maps
from ._native import ffi
from ._sort import strings_and_offsets
from ._types import index_type_of, is_record, result_dtype, type_of

AGGREGATES = ("sum", "prod", "min", "max", "count", "mean", "and", "or", "xor")


class Columns(Maps):
    def group_rows(self, *columns: Any, return_order: bool = False) -> tuple[Array, ...]:
        """Groups the rows of a table by key: rows that are equal in all columns are one group.

        Parameters
        ----------
        *columns : array_like, or sequence of str or bytes
            One to eight, with an element for each row: numbers, records of up to 64 bytes, strings. -0 and 0 are equal, and
            so are all NaNs; records are compared byte by byte.
        return_order : bool
            Also the rows of each group. Blocks.

        Returns
        -------
        groups, rows : Array of uint32
            The group of each row, and the first row of each group. Groups are numbered in the order of their first rows.
            ``gather(column, rows)`` has each group's value.
        order, offsets : Array of uint32
            With `return_order`: group g has the rows ``order[offsets[g]:offsets[g + 1]]``, in ascending order. For
            `segmented_reduce` with a map of row numbers: ``"price[x] * quantity[x]"``.

        Examples
        --------
        >>> groups, rows = ctx.group_rows([3, 1, 3, 2])  # doctest: +SKIP
        >>> groups.get(), rows.get()  # doctest: +SKIP
        (array([0, 1, 0, 2], dtype=uint32), array([0, 1, 3], dtype=uint32))
        """
        if not columns:
            raise TypeError("group_rows takes at least one column")
        call = Call(self, "group_rows")
        keys = call.keep(ffi.new("gp_key_column[]", len(columns)))
        sizes = [self._key_column(call, key, column, k) for k, (key, column) in enumerate(zip(keys, columns))]
        if len(set(sizes)) != 1:
            raise ValueError(f"columns have {', '.join(map(str, sizes))} rows")
        number = self.empty(1, np.uint32)
        groups, rows = self.empty(sizes[0], np.uint32), self.empty(sizes[0], np.uint32)
        rows._count = number
        results = [("groups_out", groups), ("rows_out", rows), ("count_out", number)]
        if return_order:
            results += [("order_out", self.empty(sizes[0], np.uint32)), ("offsets_out", self.empty(sizes[0] + 1, np.uint32))]
        for field, array in results:
            call.buffer(field, array)
        call.set(columns=keys, column_count=len(columns), count=sizes[0])
        call.run("gp_group_rows")
        if not return_order:
            return groups, rows
        return groups, rows, results[3][1], results[4][1][: len(rows) + 1]

    def _key_column(self, call: Call, key: Any, column: Any, k: int) -> int:
        """Fills in a gp_key_column, and returns its number of rows."""
        texts = isinstance(column, (list, tuple)) and len(column) > 0 and isinstance(column[0], (str, bytes))
        if texts:
            data, ends = (self.array(part) for part in strings_and_offsets(column))
            call.keep(ends)
            key.offsets, key.offsets_offset = ends._buffer.mem, ends._offset
            key.offsets_type, key.byte_count = index_type_of(ends.dtype), data.size
        else:
            data = self._line(column, f"column {k}")
            if is_record(data.dtype):
                key.element_size = data.dtype.itemsize
            else:
                key.type = type_of(data.dtype)
        call.keep(data)
        setattr(key, "in", data._buffer.mem)
        key.in_offset = data._offset
        return len(column) if texts else data.size

    def group_by(self, keys: Any, values: Any = None, agg: Union[str, Sequence[str]] = "sum") -> tuple[Array, ...]:
        """Reduces the values of equal keys.

        Parameters
        ----------
        keys : array_like, or tuple of columns
            Numbers, in any order. Floats are equal if ``==`` says so, as in `join`: -0 equals +0, and no NaN another. Of a
            tuple of columns, as `group_rows` takes them, rows are grouped that are equal in all columns.
        values : array_like, optional
            One for each key; "count" needs none.
        agg : str or sequence of str
            "sum", "prod", "min", "max", "count", "mean", for integers "and", "or", "xor".

        Returns
        -------
        keys, results... : Array
            Sorted keys, and for each `agg` an array. If `keys` is a tuple, there is a row number in place of the keys: the first
            row of each group, in ascending order. Then the call blocks.

        Examples
        --------
        >>> names, totals, n = ctx.group_by(name, price, ["sum", "count"])  # doctest: +SKIP
        """
        aggs = [agg] if isinstance(agg, str) else list(agg)
        if not aggs:
            raise ValueError("agg names at least one reduction")
        if isinstance(agg, dict):
            raise TypeError("agg is a dict, must be names of reductions")
        for name in aggs:
            if name not in AGGREGATES:
                raise ValueError(f"agg is {name!r}, not one of {', '.join(AGGREGATES)}")
        if values is None and set(aggs) != {"count"}:
            raise ValueError("values is required unless agg is 'count'")
        if isinstance(keys, tuple):
            _, rows, order, offsets = self.group_rows(*keys, return_order=True)
            v = None if values is None else self._line(values, "values")
            if v is not None and v.size != order.size:
                raise ValueError(f"values has {v.size} elements, and the columns have {order.size} rows")
            return (rows, *(self._aggregate_rows(order, offsets, v, name) for name in aggs))
        if values is None:
            k, v = self.sort(keys), None
        else:
            k, v = self.sort(keys, values)
        found: tuple[Array, ...] = ()
        for name in aggs:
            groups, result = self._aggregate(k, v, name)
            found = (found or (groups,)) + (result,)
        return found

    def _aggregate(self, keys: Array, values: Any, agg: str) -> tuple[Array, Array]:
        if agg == "count":
            return self.reduce_by_key(keys, keys, "sum", map="1", dtype=np.uint64)
        if agg != "mean":
            return self.reduce_by_key(keys, values, agg)
        wide = np.float64 if self.device.fp64 else np.float32
        whole = values.dtype.kind in "biu" and (values.dtype.itemsize < 8 or wide is np.float32)  # 64 bits hold the sum
        groups, sums = self.reduce_by_key(keys, values, "sum", dtype=None if whole else wide)
        _, counts = self.reduce_by_key(keys, keys, "sum", map="1", dtype=np.uint64)
        cl = "double" if wide is np.float64 else "float"
        counts._count = sums._count
        return groups, self.transform(sums, f"({cl})x / ({cl})y", y=counts, dtype=wide)

    def _aggregate_rows(self, order: Array, offsets: Array, values: Any, agg: str) -> Array:
        if agg == "count":
            lengths: Array = self.transform(offsets[:-1], "(ulong)(y - x)", y=offsets[1:], dtype=np.uint64)
            return lengths
        wide = np.float64 if self.device.fp64 else np.float32
        mean = agg == "mean"
        whole = mean and values.dtype.kind in "biu" and (values.dtype.itemsize < 8 or wide is np.float32)
        dtype = result_dtype("sum" if mean else agg, values.dtype) if whole or not mean else np.dtype(wide)
        result: Array = self.segmented_reduce(
            order, offsets, "sum" if mean else agg, map="v[x]", args={"v": values}, dtype=dtype
        )
        if not mean:
            return result
        cl = "double" if wide is np.float64 else "float"
        counts = self._aggregate_rows(order, offsets, values, "count")
        means: Array = self.transform(result, f"({cl})x / ({cl})y", y=counts, dtype=wide)
        return means

    def join(self, left: Any, right: Any, how: str = "inner") -> tuple[Array, Array]:
        """Which elements of two columns have equal keys. Blocks once, for the number of pairs.

        Parameters
        ----------
        left, right : array_like
            Keys of one dtype, in any order, of which any may repeat. Floats are equal if ``==`` says so, as in `group_by`:
            -0 equals +0, and no NaN another.
        how : {"inner", "left"}
            "left" also has the elements of `left` that have no partner.

        Returns
        -------
        left_indices, right_indices : Array of int64
            One element per pair, in the order of `left`; -1 where there is no partner. `gather` takes them.

        Examples
        --------
        >>> l, r = ctx.join(order_customer, customer_id)  # doctest: +SKIP
        >>> names = ctx.gather(customer_name, r)  # doctest: +SKIP
        """
        if how not in ("inner", "left"):
            raise ValueError(f"how is {how!r}, not 'inner' or 'left'")
        a, b = self._line(left, "left"), self._line(right, "right")
        if a.dtype != b.dtype:
            raise TypeError(f"left and right are of one dtype, not of {a.dtype} and {b.dtype}")
        floats = a.dtype.kind == "f"
        if floats:
            a, b = self.transform(a, "x == 0 ? 0 : x"), self.transform(b, "x == 0 ? 0 : x")
        order, keys = self.argsort(b, return_keys=True)
        first = self.search(keys, a)
        ends = self.search(keys, a, side="right")
        if floats:
            ends = self.transform(first, "z == z ? y : x", y=ends, z=a)
        pairs = "y - x" if how == "inner" else "y > x ? y - x : 1"
        places = self.transform(first, pairs, y=ends)
        total = int(self.reduce(places))
        self.scan(places, exclusive=True, out=places)  # where each left element's pairs begin
        rows = self.search(places, total, side="right", dtype=np.uint64)
        lefts = self.transform(rows, "(long)(x - 1)", dtype=np.int64)
        at = "first[x] + (i - places[x])"
        partner = f"({at}) < ends[x] ? (long)order[{at}] : -1L"
        args = {"first": first, "ends": ends, "places": places, "order": order}
        return lefts, self.transform(lefts, partner, args=args, dtype=np.int64)
