"""Hash tables on the device."""

from __future__ import annotations

import enum
import os
import secrets
import weakref
from contextlib import ExitStack
from typing import Any, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from ._array import Array
from ._call import Call
from ._context import Base
from ._convert import exact
from ._errors import check, text_of
from ._native import ffi, lib, library
from ._reduce import Args
from ._types import DUPLICATES, OPS, Monoid, choice, element_dtype, type_of


class HashResult(enum.IntEnum):
    """What happened to a key."""

    INSERTED = lib.GP_HASH_INSERTED
    EXISTED = lib.GP_HASH_EXISTED
    FAILED = lib.GP_HASH_FAILED
    REFUSED = lib.GP_HASH_REFUSED
    SUPERSEDED = lib.GP_HASH_SUPERSEDED
    ERASED = lib.GP_HASH_ERASED
    ABSENT = lib.GP_HASH_ABSENT


def _drop(context: weakref.ref[Base], process: int, handle: Any) -> None:
    """Runs in any thread, even within a call: the context destroys the handle at its next call."""
    there = context()
    if there is not None and os.getpid() == process:
        there._orphans.append(handle)


class HashTable:
    """A hash table on the device, made by `Context.hash_table`: a map, or a set without values.

    Keys are compared by their bits. Batches are concurrent; equal keys within a batch are told apart by `duplicates`.
    """

    def __init__(
        self, context: Base, handle: Any, creation: Call, key: np.dtype[Any], value: Optional[np.dtype[Any]]
    ) -> None:
        self.context = context
        self.key_dtype = key
        self.value_dtype = value
        self._table = handle
        self._creation = creation  # which keeps what its desc points to
        self._finalizer = weakref.finalize(self, _drop, weakref.ref(context), os.getpid(), handle)
        self._finalizer.atexit = False  # the context frees its tables

    def __reduce__(self) -> Any:
        raise TypeError("a table cannot be copied or pickled; share() makes another handle")

    def _handle(self) -> Any:
        if not self._finalizer.alive:
            raise RuntimeError("the table is closed")
        return self._table

    def close(self) -> None:
        """Frees the table. Closing twice does nothing."""
        if self._finalizer.alive:
            self.context._call("gp_hash_destroy", self._table[0])
            self._finalizer.detach()

    def __enter__(self) -> HashTable:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def _call(self, name: str, call: Call, *extra: Any) -> None:
        call.creation = self._creation
        call.run(name, *extra, table=self._handle()[0])

    def _keys(self, call: Call, keys: Any) -> Array:
        k = self.context._line(_cast(keys, self.key_dtype, "keys"), "keys")
        if k.dtype != self.key_dtype:
            raise TypeError(f"keys are {k.dtype}, and those of the table {self.key_dtype}")
        call.buffer("keys", k)
        call.count(k)
        return k

    # ---- insert

    def insert(self, keys: Any, values: Any = None, **options: Any) -> Any:
        """Puts keys in with their values; one that is there keeps its own.

        Parameters
        ----------
        keys : array_like
        values : array_like, optional
            One for each key; not for sets.
        duplicates : {"any", "first", "last"}
            Which of equal keys in the batch counts.
        return_results : bool
            Also a `HashResult` for each key.
        return_failed : bool
            Also the keys that found no slot, and their values if there are any.
        strategy : {"auto", "single_pass", "multi_pass"}

        Returns
        -------
        None, Array of uint8 with `return_results`, tuple (keys, values) with `return_failed`, or both
        """
        return self._insert("gp_hash_insert", keys, values, **options)

    def insert_or_assign(self, keys: Any, values: Any = None, **options: Any) -> Any:
        """As `insert`, but a key that is there gets the new value."""
        return self._insert("gp_hash_insert_or_assign", keys, values, **options)

    def insert_or_apply(self, keys: Any, values: Any = None, *, op: str = "sum", **options: Any) -> Any:
        """As `insert`, but values of equal keys combine by `op`: "sum", "min", "max", "and", "or", "xor".

        Without values it adds 1 for each key.
        """
        return self._insert("gp_hash_insert_or_apply", keys, values, op=op, **options)

    def _insert(
        self,
        name: str,
        keys: Any,
        values: Any,
        *,
        op: Optional[str] = None,
        duplicates: str = "any",
        return_results: bool = False,
        return_failed: bool = False,
        strategy: str = "auto",
    ) -> Any:
        call = Call(self.context, "hash_insert")
        k = self._keys(call, keys)
        v = None
        if values is not None:
            if self.value_dtype is None:
                raise TypeError("the table is a set: it has no values")
            v = self.context._line(_cast(values, self.value_dtype, "values"), "values")
            self.context._same(k, v, "keys and values")
            if v.dtype != self.value_dtype:
                raise TypeError(f"values are {v.dtype}, and those of the table {self.value_dtype}")
            call.buffer("values", v)
        if op is not None:
            call.set(op=choice("op", op, OPS))
            if self.value_dtype is not None:
                call.set(type=type_of(self.value_dtype))
        call.set(duplicates=choice("duplicates", duplicates, DUPLICATES))
        call.strategy(strategy)
        answers: list[Any] = []
        if return_results:
            answers.append(self.context._like(k, np.uint8))
            call.buffer("results", answers[0])
        if return_failed:
            number = self.context.empty(1, np.uint32)
            call.buffer("failed_count", number)
            failed = [_counted(self.context, k, self.key_dtype, number)]
            call.buffer("failed_keys", failed[0])
            if v is not None:
                failed.append(_counted(self.context, k, v.dtype, number))
                call.buffer("failed_values", failed[1])
            answers.append(tuple(failed))
        self._call(name, call)
        return None if not answers else answers[0] if len(answers) == 1 else tuple(answers)

    # ---- find, erase

    def find(self, keys: Any, default: Any = None, *, return_found: bool = False) -> Any:
        """The values of keys.

        Parameters
        ----------
        keys : array_like
        default : number, optional
            Of a key that is absent; without it the table's `reserved` value, or all bits set if it has none.
        return_found : bool
            Also which keys are there.

        Returns
        -------
        Array, or (values, found)
        """
        if self.value_dtype is None:
            raise TypeError("the table is a set: it has no values, but contains")
        call = Call(self.context, "hash_find")
        k = self._keys(call, keys)
        values = self.context._like(k, self.value_dtype)
        call.buffer("values", values)
        call.value("absent", default, self.value_dtype, "default")
        if return_found:
            found = self.context._like(k, np.bool_)
            call.buffer("found", found)
        self._call("gp_hash_find", call)
        return (values, found) if return_found else values

    def contains(self, keys: Any) -> Array:
        """Whether each key is there, as an array of bool."""
        call = Call(self.context, "hash_find")
        found = self.context._like(self._keys(call, keys), np.bool_)
        call.buffer("found", found)
        self._call("gp_hash_contains", call)
        return found

    def erase(self, keys: Any, *, return_results: bool = False, strategy: str = "auto") -> Optional[Array]:
        """Takes keys out. Their slots stay taken until a rehash.

        Parameters
        ----------
        keys : array_like
        return_results : bool
            A `HashResult` for each key: ERASED or ABSENT.
        strategy : {"auto", "single_pass", "multi_pass"}
        """
        call = Call(self.context, "hash_erase")
        k = self._keys(call, keys)
        call.strategy(strategy)
        results = None
        if return_results:
            results = self.context._like(k, np.uint8)
            call.buffer("results", results)
        self._call("gp_hash_erase", call)
        return results

    # ---- the table as a whole

    def __len__(self) -> int:
        size = ffi.new("size_t *")
        self.context._call("gp_hash_size_read", self._handle()[0], size)
        return int(size[0])

    def items(self, *, sort: bool = False, descending: bool = False) -> Any:
        """All keys and their values. Blocks.

        Parameters
        ----------
        sort, descending : bool
            By key, rising or falling; without them in any order.

        Returns
        -------
        (keys, values), or the keys of a set
        """
        room = len(self)
        call = Call(self.context, "hash_retrieve")
        keys = self.context.empty(room, self.key_dtype)
        number = self.context.empty(1, np.uint32)
        call.buffer("keys", keys)
        call.buffer("live_count", number)
        call.set(room=room, descending=descending)
        if sort or descending:
            call.set(sort_type=type_of(self.key_dtype))
        values = None
        if self.value_dtype is not None:
            values = self.context.empty(room, self.value_dtype)
            call.buffer("values", values)
        self._call("gp_hash_retrieve", call)
        return keys if values is None else (keys, values)

    def for_each(
        self, *, where: Optional[str] = None, map: Optional[str] = None, erase: bool = False, args: Args = None
    ) -> None:
        """Changes values, or erases keys, all over the table.

        Parameters
        ----------
        where : str, optional
            Expression in k, the key, and v, the value: only pairs for which it is not 0.
        map : str, optional
            Expression: the new value.
        erase : bool
            Instead of `map`.
        args : dict, optional
        """
        call = Call(self.context, "hash_for_each")
        call.expression("where", where)
        call.expression("map", map)
        call.args(args, None)
        call.set(erase=erase, key_type=type_of(self.key_dtype))
        if self.value_dtype is not None:
            call.set(value_type=type_of(self.value_dtype))
        self._call("gp_hash_for_each", call)

    def clear(self) -> None:
        """Empties the table and zeroes its counts."""
        self._call("gp_hash_clear", Call(self.context, "hash_clear"))

    def rehash(self, *, capacity: int = 0, expected_count: int = 0) -> None:
        """Moves all keys into new slots, by default as many, and drops erased ones. Blocks.

        Parameters
        ----------
        capacity : int
            Slots, rounded up to a power of two; or:
        expected_count : int
            Keys that there will be.
        """
        call = Call(self.context, "hash_rehash")
        call.set(capacity=capacity, expected_count=expected_count)
        self._call("gp_hash_rehash", call)

    def counts(self) -> dict[str, int]:
        """capacity, live, dead; inserted, existed, failed, refused, superseded, erased since the last clear. Blocks."""
        return self._read("gp_hash_counts")

    def stats(self) -> dict[str, Any]:
        """capacity, live, dead, load, mean_depth, max_depth, and keys by depth: 0, 1, 2-3, 4-7, ... Blocks."""
        stats = self._read("gp_hash_stats")
        stats["depths"] = list(stats["depths"])
        return stats

    def _read(self, name: str) -> dict[str, Any]:
        found = ffi.new(name + " *")
        self.context._call(name + "_read", self._handle()[0], found)
        return {field: getattr(found, field) for field, _ in ffi.typeof(name).fields}

    # ---- for others

    def share(self, context: Base) -> HashTable:
        """A handle for another context, which was made with ``Context(share=...)``, maybe for another thread.

        The table lives until all its handles are closed. A table that grows cannot be shared.
        """
        out = ffi.new("gp_hash *")
        here = self._handle()[0]
        context._check_usable()
        with library(), ExitStack() as held:
            for lock in sorted({self.context._lock, context._lock}, key=id):  # both contexts change
                held.enter_context(lock)
            check(context._gp, lib.gp_hash_share(context._gp, self.context._open(), here, out))
        return HashTable(context, out, self._creation, self.key_dtype, self.value_dtype)

    @property
    def int_ptr(self) -> int:
        """The table's cl_mem as a number, for kernels of your own; it is not retained."""
        self.context._check_usable()
        return int(ffi.cast("uintptr_t", lib.gp_hash_buffer(self.context._gp, self._handle()[0])))

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer that a new table of this kind needs."""
        size = ffi.new("size_t *")
        self.context._call("gp_hash_buffer_size", self._creation.desc, size)
        return int(size[0])


class HashTables(Base):
    def hash_table(
        self,
        key_dtype: npt.DTypeLike,
        value_dtype: Optional[npt.DTypeLike] = None,
        *,
        capacity: int = 0,
        expected_count: int = 0,
        max_load: float = 0.0,
        grow: bool = True,
        seed: Optional[int] = None,
        reserved: Any = None,
    ) -> HashTable:
        """An empty hash table.

        Parameters
        ----------
        key_dtype : dtype
            Of 32 or 64 bits.
        value_dtype : dtype, optional
            Of 32 or 64 bits; a set without it.
        capacity : int
            Slots, rounded up to a power of two; or:
        expected_count : int
            Keys that there will be. 0 for both: 1024 slots.
        max_load : float
            How full slots may become, in (0, 1]; 0: 0.5.
        grow : bool
            Insertions rehash into more slots when it gets fuller. False for tables that are shared.
        seed : int, optional
            Of the hash function; by default a random one, so that nobody can choose keys that share slots. It decides
            the order of `items`, and with ``grow=False`` which keys fail.
        reserved : number, optional
            With values of 64 bits: the value that is never stored.

        Returns
        -------
        HashTable
        """
        key = element_dtype(key_dtype)
        value = None if value_dtype is None else element_dtype(value_dtype)
        call = Call(self, "hash")
        call.set(key_size=key.itemsize, value_size=0 if value is None else value.itemsize)
        call.set(capacity=capacity if capacity or expected_count else 1024, expected_count=expected_count)
        call.set(max_load=max_load, grow=grow, seed=secrets.randbits(64) if seed is None else seed)
        if value is not None:
            call.value("reserved", reserved, value)
        handle = ffi.new("gp_hash *")
        call.run("gp_hash_create", handle)
        return HashTable(self, handle, call, key, value)

    def device_source(
        self,
        *,
        table: Optional[HashTable] = None,
        ops: Optional[Mapping[str, Union[tuple[str, npt.DTypeLike], Monoid]]] = None,
        group: int = 0,
    ) -> str:
        """OpenCL C for kernels of your own: put it before a kernel's source, and build with ``-cl-std=CL1.2``.

        Parameters
        ----------
        table : HashTable, optional
            For gp_hash_open, gp_hash_find, gp_hash_insert and more; the kernel takes the buffer of ``table.int_ptr``.
        ops : dict, optional
            Without a table: for each name of an operation of work-groups an (op, dtype) or a `Monoid`. The text then
            has gp_group_NAME_reduce, gp_group_NAME_scan and more.
        group : int
            Work-items of every group, where it is always the same number.
        """
        call = Call(self, "device_source")
        if table is not None:
            call.set(part=lib.GP_DEVICE_HASH, table=table._handle()[0])
        else:
            call.set(part=lib.GP_DEVICE_GROUP, group=group)
            if ops:
                c = call.keep(ffi.new("gp_group_op[]", len(ops)))
                for entry, (name, op) in zip(c, ops.items()):
                    entry.name = call.c_text("the name of an operation", name)
                    if isinstance(op, Monoid):
                        entry.monoid = call.monoid(op)
                    else:
                        entry.op, entry.type = choice("op", op[0], OPS), type_of(np.dtype(op[1]))
                call.set(ops=c, op_count=len(ops))
        size = ffi.new("size_t *")
        call.run("gp_device_source", ffi.NULL, 0, size)
        text = ffi.new("char[]", size[0])
        call.run("gp_device_source", text, size[0], size)
        return text_of(text)


def _cast(x: Any, dtype: np.dtype[Any], name: str) -> Any:
    """Numbers on the host become the table's; arrays on the device stay as they are."""
    if isinstance(x, Array) or hasattr(x, "base_data"):
        return x
    return exact(x, dtype, name)


def _counted(context: Base, x: Array, dtype: npt.DTypeLike, number: Array) -> Array:
    out = context.empty(x._shape, dtype)
    out._count = number
    return out
