"""Group-by and join of columns, made of other calls."""

from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np

from ._array import Array
from ._map import Maps

AGGREGATES = ("sum", "prod", "min", "max", "count", "mean", "and", "or", "xor")


class Columns(Maps):
    def group_by(self, keys: Any, values: Any = None, agg: Union[str, Sequence[str]] = "sum") -> tuple[Array, ...]:
        """Reduces the values of equal keys.

        Parameters
        ----------
        keys : array_like
            Numbers, in any order. Floats are equal if ``==`` says so, as in `join`: -0 equals +0, and no NaN another.
        values : array_like, optional
            One for each key; "count" needs none.
        agg : str or sequence of str
            "sum", "prod", "min", "max", "count", "mean", for integers "and", "or", "xor".

        Returns
        -------
        keys, results... : Array
            Sorted keys, and for each `agg` an array.

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
        if values is None:
            if set(aggs) != {"count"}:
                raise ValueError("values is required unless agg is 'count'")
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
