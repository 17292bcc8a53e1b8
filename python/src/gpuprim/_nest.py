"""Brackets, scans over stacks, trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from ._array import Array
from ._call import Call
from ._context import Base
from ._convert import exact
from ._native import ffi
from ._reduce import Args, Op, _scan_dtype
from ._types import index_type_of, type_of


@dataclass(frozen=True)
class BracketsErrors:
    """What is wrong with brackets, and how deep they are; an index is None where there is none."""

    unmatched_closers: int
    first_unmatched_closer: Optional[int]
    unmatched_openers: int
    first_unmatched_opener: Optional[int]
    mismatches: int
    first_mismatch: Optional[int]
    max_depth: int


@dataclass(frozen=True)
class Brackets:
    """Results of `Context.brackets`; what was not asked for is None. All bits set: no partner, no parent."""

    match: Optional[Array]
    parent: Optional[Array]
    depth: Optional[Array]
    errors: Optional[BracketsErrors]


@dataclass(frozen=True)
class Tree:
    """Results of `Context.tree`; what was not asked for is None."""

    index: Optional[Array]
    children: Optional[Array]
    end: Optional[Array]


class Nests(Base):
    def brackets(
        self,
        x: Any,
        *,
        pairs: Optional[str] = None,
        table: Optional[npt.ArrayLike] = None,
        map: Optional[str] = None,
        args: Args = None,
        outputs: Sequence[str] = ("match",),
        strategy: str = "auto",
    ) -> Brackets:
        """Matches nested brackets.

        Parameters
        ----------
        x : array_like, str or bytes
            Text (uint8), or codes (int8, int32): +k opens a bracket of kind k, -k closes one.
        pairs : str, optional
            Each opener and its closer, in turns; by default "()[]{}".
        table : array_like, optional
            Instead: a code for each of the 256 bytes.
        map : str, optional
            Instead: an expression in x and i whose value is the code.
        args : dict, optional
        outputs : sequence of {"match", "parent", "depth", "errors"}
            The partner of each bracket; the innermost opener around each element; how many are around it; what is
            wrong, for which the call blocks.
        strategy : {"auto", "single_pass", "multi_pass"}

        Returns
        -------
        Brackets

        Examples
        --------
        >>> ctx.brackets("(a[b])").match.get()  # doctest: +SKIP
        """
        unknown = set(outputs) - {"match", "parent", "depth", "errors"}
        if unknown or not outputs:
            raise ValueError(f"outputs are match, parent, depth and errors, not {sorted(unknown)}")
        first = self._line(_text(x))
        call = Call(self, "brackets")
        call.buffer("in", first)
        call.count(first)
        self._codes(call, first, pairs, table, map, args)
        call.strategy(strategy)
        index = np.dtype(np.uint32 if first._shape[0] < 1 << 32 else np.uint64)
        call.set(index_type=type_of(index))
        found = {name: self._like(first, index) for name in ("match", "parent", "depth") if name in outputs}
        for name, array in found.items():
            call.buffer(name, array)
        errors = None
        if "errors" in outputs:
            c = ffi.new("gp_brackets_errors *")
            call.run("gp_brackets_read", c)
            none = 2**64 - 1
            fields: dict[str, Any] = {}
            for name in BracketsErrors.__dataclass_fields__:
                number = getattr(c, name)
                fields[name] = None if number == none else number
            errors = BracketsErrors(**fields)
        else:
            call.run("gp_brackets")
        return Brackets(found.get("match"), found.get("parent"), found.get("depth"), errors)

    def _codes(self, call: Call, x: Array, pairs: Any, table: Any, map: Any, args: Any) -> None:
        call.set(type=type_of(x.dtype))
        call.text("pairs", pairs)
        call.expression("map", map)
        call.args(args, x.dtype)
        if table is not None:
            codes = np.ascontiguousarray(exact(table, np.dtype(np.int8), "table"))
            if codes.shape != (256,):
                raise ValueError(f"table has 256 codes, not the shape {codes.shape}")
            call.set(table=call.keep(ffi.from_buffer("int8_t[]", codes)))

    def stack_scan(
        self,
        x: Any,
        values: Any,
        op: Op = "sum",
        *,
        pairs: Optional[str] = None,
        table: Optional[npt.ArrayLike] = None,
        map: Optional[str] = None,
        value_map: Optional[str] = None,
        args: Args = None,
        exclusive: bool = False,
        dtype: Optional[npt.DTypeLike] = None,
        initial: Any = None,
        out: Any = None,
    ) -> Any:
        """For each element of a nest of brackets: the reduction of the values of all openers that are open.

        Parameters
        ----------
        x, pairs, table, map, args
            As for `brackets`.
        values : array_like
            One for each element; those of openers count.
        op : str or Monoid
            Outermost first.
        value_map : str, optional
            Expression in x, an element of `values`, and i.
        exclusive : bool
            The stack before the element instead of after it.
        dtype : dtype, optional
            Of the result; by default that of values (uint64 for argmin and argmax, and for sums of bool).
        initial : number, optional
        out : array, optional

        Returns
        -------
        Array
        """
        first, v = self._line(_text(x)), self._line(values, "values")
        self._same(first, v, "x and values")
        call = Call(self, "stack_scan")
        call.buffer("in", first)
        call.count(first)
        self._codes(call, first, pairs, table, map, args)
        call.buffer("values", v)
        call.expression("value_map", value_map)
        call.set(exclusive=exclusive)
        result = call.operation(op, v.dtype, value_map, dtype, _scan_dtype, "value_type")
        call.value("initial", initial, result)
        target = self._out(out, first._shape if out is None else first.shape, result, first)
        call.buffer("out", target)
        call.run("gp_stack_scan")
        return self._give(out, target)

    def tree(
        self,
        parent: Any,
        x: Any = None,
        *,
        map: Optional[str] = None,
        args: Args = None,
        outputs: Sequence[str] = ("index", "children", "end"),
    ) -> Tree:
        """What a consumer of a tree in preorder asks, from each element's parent.

        Parameters
        ----------
        parent : array_like of int
            `Brackets.parent`, for example; all bits set (-1): none.
        x : array_like of int, optional
            Only elements that are not 0 count in index and children; or those for which `map` is not 0.
        map : str, optional
            Expression in x and i.
        args : dict, optional
        outputs : sequence of {"index", "children", "end"}
            How many siblings come before an element; how many children it has; where its subtree ends.

        Returns
        -------
        Tree
        """
        unknown = set(outputs) - {"index", "children", "end"}
        if unknown or not outputs:
            raise ValueError(f"outputs are index, children and end, not {sorted(unknown)}")
        above = self._indices(parent, "parent")
        call = Call(self, "tree")
        call.buffer("parent", above)
        call.count(above)
        index = index_type_of(above.dtype)
        call.set(index_type=index)
        if x is not None:
            first = self._line(_text(x))
            self._same(above, first, "parent and x")
            call.buffer("in", first)
            call.set(type=type_of(first.dtype))
            call.args(args, first.dtype)
        call.expression("map", map)
        unsigned = np.dtype(f"u{above.dtype.itemsize}")
        found = {name: self._like(above, unsigned) for name in ("index", "children", "end") if name in outputs}
        for name, array in found.items():
            call.buffer(name, array)
        call.run("gp_tree")
        return Tree(found.get("index"), found.get("children"), found.get("end"))


def _text(x: Any) -> Any:
    return np.frombuffer(x.encode(), np.uint8) if isinstance(x, str) else x
