"""Group-by and join of columns, made of other calls."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._array import Array
from ._call import Call
from ._map import Maps
from ._names import has_name, index_columns
from ._native import ffi
from ._sort import strings_and_offsets
from ._types import GROUP_OPS, index_type_of, is_record, result_dtype, type_of

AGGREGATES = ("sum", "prod", "min", "max", "count", "mean", "and", "or", "xor")
MORE_AGGREGATES = ("var", "first", "last", "argmin", "argmax")  # of tuples of key columns


class Columns(Maps):
    def group_rows(self, *columns: Any, return_order: bool = False) -> tuple[Array, ...]:
        """Groups the rows of a table by key: rows that are equal in all columns are one group.

        Parameters
        ----------
        *columns : array_like, or list of str or bytes
            One to eight, with an element for each row: numbers, records of up to 64 bytes, strings. -0 and 0 are equal, and
            so are all NaNs; records are compared byte by byte, with padding.
        return_order : bool
            Also the rows of each group. Blocks.

        Returns
        -------
        groups, rows : Array of uint32
            The group of each row, and the first row of each group. Groups are numbered in the order of their first rows.
            ``gather(column, rows)`` has each group's value, of numbers and records.
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
        call, size, rows = self._grouping(columns)
        groups = self.empty(size, np.uint32)
        call.buffer("groups_out", groups)
        order, offsets = (self.empty(size + k if return_order else 0, np.uint32) for k in range(2))
        if return_order:
            call.buffer("order_out", order)
            call.buffer("offsets_out", offsets)
        call.run("gp_group_by")
        return (groups, rows, order, offsets[: len(rows) + 1]) if return_order else (groups, rows)

    def _grouping(self, columns: Sequence[Any]) -> tuple[Call, int, Array]:
        """A call that groups rows, their number, and the first row of each group, whose number the device will have."""
        call = Call(self, "group_by")
        keys = call.keep(ffi.new("gp_key_column[]", len(columns)))
        sizes = [self._key_column(call, key, column, k) for k, (key, column) in enumerate(zip(keys, columns))]
        if len(set(sizes)) != 1:
            raise ValueError(f"columns have {', '.join(map(str, sizes))} rows")
        rows = self.empty(sizes[0], np.uint32)
        rows._count = self.empty(1, np.uint32)
        call.buffer("rows_out", rows)
        call.buffer("count_out", rows._count)
        call.set(columns=keys, column_count=len(columns), count=sizes[0])
        return call, sizes[0], rows

    def _key_column(self, call: Call, key: Any, column: Any, k: int) -> int:
        """Fills in a gp_key_column, and returns its number of rows."""
        texts = _is_texts(column)
        if texts:
            data, ends = (self.array(part) for part in strings_and_offsets(column))
            call.keep(ends)
            key.offsets, key.offsets_offset = ends._buffer.mem, ends._offset
            key.offsets_type, key.byte_count = index_type_of(ends.dtype), data.size
        else:
            data = self._line(column, f"column {k}")
            if data.dtype.kind == "c":
                raise TypeError(f"column {k} is complex: give its parts as two columns")
            if is_record(data.dtype):
                key.element_size = data.dtype.itemsize
            else:
                key.type = type_of(data.dtype)
        call.keep(data)
        setattr(key, "in", data._buffer.mem)
        key.in_offset = data._offset
        return len(column) if texts else data.size

    def group_by(self, keys: Any, values: Any = None, agg: Any = "sum") -> tuple[Any, ...]:
        """Reduces the values of equal keys.

        Parameters
        ----------
        keys : array_like, or tuple of columns
            Numbers, in any order. Floats are equal if ``==`` says so, as in `join`: -0 equals +0, and no NaN another. Of a
            tuple of columns, as `group_rows` takes them, rows are grouped that are equal in all columns; strings are such a
            column, alone as ``(names,)``.
        values : array_like, or dict of columns, optional
            One value for each row; "count" needs none. A dict, for a tuple of keys, names columns of numbers.
        agg : str or sequence of str, or dict
            "sum", "prod", "min", "max", "count", "mean", for integers "and", "or", "xor"; for tuples of keys also "var" (the mean
            squared distance from the mean), "first", "last", "argmin" and "argmax" (rows). With columns that have names, a dict
            from the names of results to (expression, one of these), (expression, one of these, dtype), or (expression, one of
            these, dtype or None, condition): then only rows for which the condition, an expression too, is not 0 count.
            Expressions, in OpenCL C, name columns, and i is the row. C computes with the columns' types: ``(double)price *
            quantity``. An expression's values are converted to the dtype of the result before they are combined; without one,
            to 64-bit integers if all columns that are named are integers, and else to the type of the widest column. For
            "argmin" and "argmax" they are compared as float64 where the device has it. At most 32 results.

        Returns
        -------
        keys, results... : Array
            Sorted keys, and for each `agg` an array. If `keys` is a tuple, there is a row number in place of the keys: the first
            row of each group, in ascending order. If `agg` is a dict, there is one dict of results.

        Examples
        --------
        >>> names, totals, n = ctx.group_by(name, price, ["sum", "count"])  # doctest: +SKIP
        >>> rows, found = ctx.group_by(  # doctest: +SKIP
        ...     (city, product),
        ...     {"price": price, "quantity": quantity},
        ...     {"revenue": ("price * quantity", "sum"), "bulk": ("", "count", None, "quantity > 9")},
        ... )
        """
        if isinstance(keys, tuple):
            return self._reduce_groups(keys, values, agg)
        if isinstance(agg, dict) or isinstance(values, dict):
            raise TypeError("agg or values is a dict, which takes a tuple of key columns")
        aggs = _aggregates(agg)
        if values is None and set(aggs) != {"count"}:
            raise ValueError("values is required unless agg is 'count'")
        if values is None:
            k, v = self.sort(keys), None
        else:
            k, v = self.sort(keys, values)
        found: tuple[Array, ...] = ()
        for name in aggs:
            groups, result = self._aggregate(k, v, name)
            found = (found or (groups,)) + (result,)
        return found

    def _reduce_groups(self, keys: tuple[Any, ...], values: Any, agg: Any) -> tuple[Any, ...]:
        named = isinstance(values, dict)
        if named != isinstance(agg, dict) and not (values is None and isinstance(agg, dict)):
            raise TypeError('name both, columns and results, or neither: {"price": price}, {"total": ("price", "sum")}')
        wanted = agg if isinstance(agg, dict) else dict(enumerate(_aggregates(agg, AGGREGATES + MORE_AGGREGATES)))
        columns = {name: self._line(column, name) for name, column in (values or {}).items()} if named else {}
        if values is not None and not named:
            columns["v"] = self._line(values, "values")
        parts = {name: _parts(how, "" if isinstance(agg, dict) else "v") for name, how in wanted.items()}
        if not columns and not isinstance(agg, dict) and any(op != "count" for _, op, _, _ in parts.values()):
            raise ValueError("values is required unless agg is 'count'")
        if "i" in columns:
            raise ValueError("i is the row in expressions: give the column another name")
        call, size, rows = self._grouping(keys)
        for name, column in columns.items():
            if column.size != size:
                what = "values has" if not named else f"{name} has"
                raise ValueError(f"{what} {column.size} elements, and the columns have {size} rows")
        results = call.keep(ffi.new("gp_group_result[]", len(parts)))
        made = [self._result(call, result, columns, *part) for result, part in zip(results, parts.values())]
        named_in = [text for part in parts.values() for text in (part[0], part[3] or "")]
        call.args({name: c for name, c in columns.items() if any(has_name(text, name) for text in named_in)}, None)
        call.set(results=results if parts else ffi.NULL, result_count=len(parts))
        call.run("gp_group_by")
        for array, _ in made:
            array._count = rows._count
        found = dict(zip(parts, (a if a.dtype == dtype else self.transform(a, "x", dtype=dtype) for a, dtype in made)))
        return (rows, found) if isinstance(agg, dict) else (rows, *found.values())

    def _result(
        self, call: Call, result: Any, columns: dict[str, Array], text: str, agg: str, dtype: Any, where: Optional[str]
    ) -> tuple[Array, np.dtype[Any]]:
        """Fills in a gp_group_result. Returns its array, and the dtype that is wanted."""
        elements = {name: f"vload_half(i, {name})" if c.dtype == np.float16 else f"{name}[i]" for name, c in columns.items()}
        kind = _widest([c.dtype for name, c in columns.items() if has_name(text, name)])
        wide = np.dtype(np.float64 if self.device.fp64 else np.float32)
        plain = text.strip() in columns
        compared = kind if plain or kind.itemsize == 8 else wide  # has fractions, too
        if not plain and kind.kind in "biu" and kind.itemsize < 8:
            kind = np.dtype(np.int64)  # an expression's values may be larger, and negative
        of = {"count": np.dtype(np.uint64), "mean": wide, "var": wide}.get(agg) or result_dtype(agg, kind)
        if agg != "count":
            call.expression("map", index_columns(text, elements), result)
        if where is not None:
            call.expression("where", index_columns(where, elements), result)
        wanted = of if dtype is None else np.dtype(dtype)
        out = wanted if agg not in ("count", "mean", "var") else of
        if out == np.float16:
            out = np.dtype(np.float32)
        if agg not in ("count", "argmin", "argmax", "mean", "var"):
            result.map_type = type_of(out)
        elif agg != "count":
            result.map_type = type_of(wide if agg in ("mean", "var") else compared)
        result.op, result.out_type = GROUP_OPS[agg], type_of(out)
        array = self.empty(call.desc.count, out)
        call.keep(array)
        result.out, result.out_offset = array._buffer.mem, array._offset
        return array, wanted

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

    def join(self, left: Any, right: Any, how: str = "inner") -> Any:
        """Which elements of two columns have equal keys. Blocks once, for the number of pairs.

        Parameters
        ----------
        left, right : array_like, or tuples of as many columns
            Keys of one dtype, in any order, of which any may repeat. Floats are equal if ``==`` says so, as in `group_by`:
            -0 equals +0, and no NaN another. Rows of tuples are equal as `group_rows` says.
        how : {"inner", "left", "semi", "anti"}
            "left" also has the elements of `left` that have no partner; "semi" has the elements of `left` that have one, each
            once, and "anti" those that have none.

        Returns
        -------
        left_indices, right_indices : Array of int64
            One element per pair, in the order of `left`; -1 where there is no partner. `gather` takes them. For "semi" and
            "anti" the left indices only.

        Examples
        --------
        >>> l, r = ctx.join(order_customer, customer_id)  # doctest: +SKIP
        >>> names = ctx.gather(customer_name, r)  # doctest: +SKIP
        """
        if how not in ("inner", "left", "semi", "anti"):
            raise ValueError(f"how is {how!r}, not 'inner', 'left', 'semi' or 'anti'")
        order, first, ends = self._partners(left, right)
        if how in ("semi", "anti"):
            flags = self.transform(first, "y > x" if how == "semi" else "y <= x", y=ends, dtype=np.uint8)
            return self.transform(self.select(flags, flags=flags, return_indices=True)[1], "x", dtype=np.int64)
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

    def _partners(self, left: Any, right: Any) -> tuple[Array, Array, Array]:
        """The sort order of `right`, and for each element of `left` where its equals begin and end in it."""
        if isinstance(left, tuple) or isinstance(right, tuple):
            left, right = self._groups_of_both(left, right)
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
        return order, first, ends

    def isin(self, x: Any, values: Any) -> Array:
        """Which elements are among `values`, as `numpy.isin`.

        Parameters
        ----------
        x, values : array_like, or tuples of as many columns
            As for `join`: of one dtype; -0 equals +0, and no NaN another.

        Returns
        -------
        Array of bool

        Examples
        --------
        >>> ctx.isin([3, 1, 7], [7, 3]).get()  # doctest: +SKIP
        array([ True, False,  True])
        """
        _, first, ends = self._partners(x, values)
        found: Array = self.transform(first, "y > x", y=ends, dtype=np.bool_)
        return found

    def nunique(self, *columns: Any) -> int:
        """The number of different rows of columns. All NaNs are one value. Blocks.

        Parameters
        ----------
        *columns : array_like, or list of str or bytes
            As for `group_rows`.
        """
        return len(self.group_rows(*columns)[1])

    def union1d(self, a: Any, b: Any) -> Array:
        """The sorted different elements of `a` and `b`, as `numpy.union1d`.

        Parameters
        ----------
        a, b : array_like
            Numbers of one dtype, in any order.
        """
        x, y = self._line(a, "a"), self._line(b, "b")
        if x.dtype != y.dtype:
            raise TypeError(f"a and b are of one dtype, not of {x.dtype} and {y.dtype}")
        both = self.empty(x.size + y.size, x.dtype)
        for part, at in ((x, 0), (y, x.size)):
            if part.size:
                self.transform(part, "x", out=both[at : at + part.size])
        different: Array = self.unique(self.sort(both))
        return different

    def intersect1d(self, a: Any, b: Any) -> Array:
        """The sorted different elements that `a` and `b` have both, as `numpy.intersect1d`.

        Parameters
        ----------
        a, b : array_like
            As for `union1d`.
        """
        return self._different(a, b, "found[i]")

    def setdiff1d(self, a: Any, b: Any) -> Array:
        """The sorted different elements of `a` that `b` does not have, as `numpy.setdiff1d`.

        Parameters
        ----------
        a, b : array_like
            As for `union1d`.
        """
        return self._different(a, b, "!found[i]")

    def _different(self, a: Any, b: Any, wanted: str) -> Array:
        x = self.unique(self.sort(self._line(a, "a")))
        kept: Array = self.select(x, wanted, args={"found": self.isin(x, b)})
        return kept

    def _groups_of_both(self, left: Any, right: Any) -> tuple[Array, Array]:
        """The groups of the rows of two tables, as numbers that are the same for equal rows."""
        if not (isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right)):
            raise TypeError("left and right are tuples of as many columns, or neither is one")
        columns: list[Any] = []
        rows = {len(column) for column in left}
        for k, (a, b) in enumerate(zip(left, right)):
            if _is_texts(a) or _is_texts(b):
                columns.append([*a, *b])
                continue
            x, y = self._line(a, f"left {k}"), self._line(b, f"right {k}")
            if x.dtype != y.dtype:
                raise TypeError(f"left and right are of one dtype, not of {x.dtype} and {y.dtype}")
            if is_record(x.dtype) or x.dtype == np.float16:
                columns.append(np.concatenate([x.get(), y.get()]))
                continue
            columns.append(
                self.transform(
                    None, "i < m ? a[i] : b[i - m]", args={"a": x, "b": y, "m": np.uint64(x.size)}, count=x.size + y.size, dtype=x.dtype
                )
            )
        if len(rows) != 1:
            raise ValueError(f"columns of left have {', '.join(map(str, sorted(rows)))} rows")
        groups, size = self.group_rows(*columns)[0], rows.pop()
        return groups[:size], groups[size:]


def _is_texts(column: Any) -> bool:
    if isinstance(column, np.ndarray):
        return column.dtype.kind in "US" and column.ndim == 1
    return isinstance(column, (list, tuple)) and len(column) > 0 and isinstance(column[0], (str, bytes))


def _check_aggregate(name: Any, known: Sequence[str]) -> str:
    if not (isinstance(name, str) and name in known):
        raise ValueError(f"agg is {name!r}, not one of {', '.join(known)}")
    return name


def _aggregates(agg: Any, known: Sequence[str] = AGGREGATES) -> list[str]:
    if not isinstance(agg, Sequence):
        raise TypeError(f"agg is {agg!r}, not the names of reductions")
    aggs = [agg] if isinstance(agg, str) else list(agg)
    if not aggs:
        raise ValueError("agg names at least one reduction")
    return [_check_aggregate(name, known) for name in aggs]


def _parts(how: Any, text: str) -> tuple[str, str, Any, Optional[str]]:
    """The expression, the reduction, the dtype and the condition of a result of `group_by`."""
    parts = (text, how) if isinstance(how, str) else tuple(how)
    if not 2 <= len(parts) <= 4:
        raise ValueError(f"a result of group_by is (expression, reduction[, dtype[, condition]]), not {how!r}")
    if not isinstance(parts[0], str):
        raise TypeError(f"an expression is a str, not {type(parts[0]).__name__}")
    agg = _check_aggregate(parts[1], AGGREGATES + MORE_AGGREGATES)
    if not parts[0].strip() and agg != "count":
        raise ValueError(f"{agg!r} takes an expression: (expression, {agg!r})")
    return parts[0], agg, parts[2] if len(parts) > 2 else None, parts[3] if len(parts) > 3 else None


def _widest(dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
    """The type in which C computes with all of these, about: the widest float, or else integer."""
    if not dtypes:
        return np.dtype(np.int64)
    return max(dtypes, key=lambda dtype: (dtype.kind == "f", dtype.itemsize, dtype.kind == "u"))
