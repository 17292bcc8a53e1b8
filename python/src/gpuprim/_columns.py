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
from ._types import GROUP_OPS, JOINS, choice, index_type_of, is_record, result_dtype, type_of

AGGREGATES = ("sum", "prod", "min", "max", "count", "mean", "and", "or", "xor")
MORE_AGGREGATES = ("var", "first", "last", "argmin", "argmax")  # of tuples of key columns


class JoinTable:
    """The right table of joins, made once, for many: see `Context.join_table`."""

    def __init__(self, call: Call, alone: bool, texts: list[bool], dtypes: list[Optional[np.dtype[Any]]]) -> None:
        self._call = call  # that made it, and has its columns
        self._alone = alone  # one column, not in a tuple
        self._texts, self._dtypes = texts, dtypes

    def __repr__(self) -> str:
        return f"<JoinTable of {self._call.desc.right_count} rows>"


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
        size, _ = self._key_columns(call, columns, [is_texts(column) for column in columns])
        rows = self.empty(size, np.uint32)
        rows._count = self.empty(1, np.uint32)
        call.buffer("rows_out", rows)
        call.buffer("count_out", rows._count)
        call.set(count=size)
        return call, size, rows

    def _key_columns(
        self, call: Call, columns: Sequence[Any], texts: Sequence[bool], side: str = ""
    ) -> tuple[int, list[Optional[np.dtype[Any]]]]:
        """Fills in the key columns, of a join those of a side. Returns their number of rows, and their dtypes."""
        if not columns:
            raise TypeError("keys are at least one column")
        of = f" of {side}" if side else ""
        keys = call.keep(ffi.new("gp_key_column[]", len(columns)))
        each = zip(keys, columns, texts)
        found = [self._key_column(call, key, column, text, f"column {k}{of}") for k, (key, column, text) in enumerate(each)]
        sizes = [size for size, _ in found]
        if len(set(sizes)) != 1:
            raise ValueError(f"columns{of} have {', '.join(map(str, sizes))} rows")
        call.set(**{side or "columns": keys}, column_count=len(columns))
        return sizes[0], [dtype for _, dtype in found]

    def _key_column(self, call: Call, key: Any, column: Any, texts: bool, name: str) -> tuple[int, Optional[np.dtype[Any]]]:
        """Fills in a gp_key_column. Returns its number of rows, and its dtype; that of texts is None."""
        if texts:
            data, ends = (self.array(part) for part in strings_and_offsets(column))
            call.keep(ends)
            key.offsets, key.offsets_offset = ends._buffer.mem, ends._offset
            key.offsets_type, key.byte_count = index_type_of(ends.dtype), data.size
        else:
            data = self._line(column, name)
            if data.dtype.kind == "c":
                raise TypeError(f"{name} is complex: give its parts as two columns")
            if is_record(data.dtype):
                key.element_size = data.dtype.itemsize
            else:
                key.type = type_of(data.dtype)
        call.keep(data)
        setattr(key, "in", data._buffer.mem)
        key.in_offset = data._offset
        return (len(column), None) if texts else (data.size, data.dtype)

    def group_by(self, keys: Any, values: Any = None, agg: Any = "sum") -> tuple[Any, ...]:
        """Reduces the values of equal keys.

        Parameters
        ----------
        keys : array_like, or tuple of columns
            Numbers, in any order. Floats are equal if ``==`` says so: -0 equals +0, and no NaN another. Of a tuple of
            columns, as `group_rows` takes them, rows are grouped that are equal in all columns; strings are such a column,
            alone as ``(names,)``.
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
        """Which rows of two tables have equal keys.

        Parameters
        ----------
        left, right : array_like, list of str or bytes, or tuples of as many columns
            Keys of one dtype, in any order, of which any may repeat. Rows of tuples are equal in all columns. Columns are
            as for `group_rows`: -0 equals +0, and all NaNs are equal, as in ``pandas.merge``. The call is fastest with the
            smaller table on the right, which may be a `JoinTable`.
        how : {"inner", "left", "full", "outer", "semi", "anti"}
            "left" also has the rows of `left` that have no partner, and "full", or "outer", those of both tables. "semi" has
            the rows of `left` that have a partner, each once, and "anti" those that have none.

        Returns
        -------
        left_indices, right_indices : Array of int64
            One element per pair, by row of `left`, then by row of `right`; -1 where there is no partner. Rows of `right`
            without one come last. `gather` takes the indices; for -1 it gives 0, or keeps what is in its `out`. Blocks, for the
            number of pairs. For "semi" and "anti" the left indices only, without waiting.

        Examples
        --------
        >>> l, r = ctx.join([7, 5, 9], [5, 7, 5, 8], how="full")  # doctest: +SKIP
        >>> l.get(), r.get()  # doctest: +SKIP
        (array([ 0,  1,  1,  2, -1]), array([ 1,  0,  2, -1,  3]))
        >>> l, r = ctx.join((order_shop, order_item), (shop, item))  # doctest: +SKIP
        >>> prices = ctx.gather(price, r)  # doctest: +SKIP
        """
        call, room = self._joining(left, right, how)
        sides = ("left_out",) if how in ("semi", "anti") else ("left_out", "right_out")
        rows = self._pairs(call, room, *sides)
        found = tuple(self.transform(side, "x == 0xffffffffu ? -1L : (long)x", dtype=np.int64) for side in rows)
        return found if len(found) == 2 else found[0]

    def _joining(self, left: Any, right: Any, how: str) -> tuple[Call, int]:
        """A call that joins two tables, and for how many pairs to make room: enough if one table's keys do not repeat."""
        call = Call(self, "join")
        call.set(kind=choice("how", how, JOINS))
        if isinstance(left, JoinTable):
            raise TypeError("left is a JoinTable: only right may be one")
        made = right if isinstance(right, JoinTable) else None
        if not isinstance(left, tuple) and (made._alone if made else not isinstance(right, tuple)):
            left, right = (left,), (right,)
        width = len(made._texts) if made else len(right) if isinstance(right, tuple) else None
        if not (isinstance(left, tuple) and len(left) == width):
            raise TypeError("left and right are tuples of as many columns, or neither is one")
        texts = made._texts if made else [is_texts(a) or is_texts(b) for a, b in zip(left, right)]
        left_count, left_dtypes = self._key_columns(call, left, texts, "left")
        if made:
            self._use_table(call, made)
            right_dtypes = made._dtypes
        else:
            right_count, right_dtypes = self._key_columns(call, right, texts, "right")
            call.set(right_count=right_count)
        for k, (a, b) in enumerate(zip(left_dtypes, right_dtypes)):
            if a != b:
                raise TypeError(f"column {k}: left is of {a}, right of {b}: they must be of one dtype")
        call.set(left_count=left_count)
        return call, left_count + (0 if how in ("semi", "anti") else int(call.desc.right_count))

    def _use_table(self, call: Call, made: JoinTable) -> None:
        if made._call.context is not self:
            raise ValueError("the JoinTable is of another context")
        for thing in made._call._keep:
            call.keep(thing)
        desc = made._call.desc
        call.set(right=desc.right, right_count=desc.right_count, table=desc.table)

    def join_table(self, right: Any) -> JoinTable:
        """Makes the right table of joins once, for many calls of `join` and `isin`.

        Parameters
        ----------
        right : array_like, list of str or bytes, or tuple of columns
            As for `join`. Arrays on the device must not change as long as the table is used.

        Returns
        -------
        JoinTable

        Examples
        --------
        >>> customers = ctx.join_table(customer_id)  # doctest: +SKIP
        >>> for orders in batches:  # doctest: +SKIP
        ...     left, right = ctx.join(orders, customers)
        """
        alone = not isinstance(right, tuple)
        columns = (right,) if alone else right
        call, texts, size = Call(self, "join"), [is_texts(column) for column in columns], ffi.new("size_t *")
        count, dtypes = self._key_columns(call, columns, texts, "right")
        call.set(right_count=count)
        call.run("gp_join_table_size", size)
        table = call.keep(self.empty(size[0], np.uint8))
        call.set(table=table._buffer.mem)
        call.run("gp_join_build")
        return JoinTable(call, alone, texts, dtypes)

    def _pairs(self, call: Call, room: int, *sides: str) -> list[Array]:
        """Joins, again if there is no room for all pairs. Of one side the device will have the number of rows."""
        number = self.empty(1, np.uint64)
        found = [self.empty(room, np.uint32) for _ in sides]
        for side, rows in zip(sides, found):
            call.buffer(side, rows)
        call.buffer("count_out", number)
        call.set(capacity=room)
        call.run("gp_join")
        if len(sides) == 1:
            found[0]._count = number
            return found
        pairs = int(number.get()[0])
        return [rows[:pairs] for rows in found] if pairs <= room else self._pairs(call, pairs, *sides)

    def isin(self, x: Any, values: Any) -> Array:
        """Which elements are among `values`, as `numpy.isin`.

        Parameters
        ----------
        x, values : array_like, list of str or bytes, or tuples of as many columns
            As for `join`, of one dtype; but a NaN is among nothing, except in a tuple. `values` may be a `JoinTable`.

        Returns
        -------
        Array of bool

        Examples
        --------
        >>> ctx.isin([3, 1, 7], [7, 3]).get()  # doctest: +SKIP
        array([ True, False,  True])
        """
        texts = any(values._texts) if isinstance(values, JoinTable) else is_texts(values)
        numbers = not (isinstance(x, tuple) or is_texts(x) or texts)
        if numbers:
            x = self._line(x, "x")
        call, size = self._joining(x, values, "semi")
        (rows,) = self._pairs(call, size, "left_out")
        found: Array = self.scatter(self.transform(rows, "1", dtype=np.bool_), rows, size=size)
        if numbers and x.dtype.kind == "f":
            found = self.transform(found, "x && y == y", y=x, dtype=np.bool_)
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


def is_texts(column: Any) -> bool:
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
