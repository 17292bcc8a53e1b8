"""Sketches of sets of keys: Bloom filters and HyperLogLog."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._array import Array
from ._call import Call
from ._columns import Columns, is_texts
from ._native import ffi, lib


class BloomFilter:
    """A set of keys that answers "no" or "maybe": see `Context.bloom_filter`.

    Attributes
    ----------
    bits : Array of uint32
        The filter, of shape ``(blocks, 8)``. The keys of two filters are ``a.bits | b.bits``.
    """

    def __init__(self, context: Sketches, bits: Array, seed: int) -> None:
        self.bits, self._context, self._seed = bits, context, seed

    def __repr__(self) -> str:
        return f"<BloomFilter of {32 * self.bits.shape[0]} bytes>"

    def add(self, *columns: Any) -> None:
        """Adds the keys of all rows.

        Parameters
        ----------
        *columns : array_like, or list of str or bytes
            As for `group_rows`; later calls must have columns of the same dtypes.
        """
        self._call(columns)[0].run("gp_bloom_add")

    def contains(self, *columns: Any) -> Array:
        """Whether the key of each row may have been added: never False for one that was.

        Parameters
        ----------
        *columns : array_like, or list of str or bytes
            As for `add`.

        Returns
        -------
        Array of bool
        """
        call, size = self._call(columns)
        found = self._context.empty(size, np.bool_)
        call.buffer("found", found)
        call.run("gp_bloom_contains")
        return found

    def _call(self, columns: Sequence[Any]) -> tuple[Call, int]:
        call, size = self._context._sketching("bloom", columns, self._seed)
        call.set(filter=call.keep(self.bits)._buffer.mem, filter_offset=self.bits._offset // 8)
        call.set(block_count=self.bits.shape[0])
        return call, size


class HyperLogLog:
    """Registers that estimate how many distinct keys were added: see `Context.hyperloglog`.

    Attributes
    ----------
    registers : Array of uint32
        ``2**precision`` numbers. Those of the keys of two are ``maximum(a.registers, b.registers)``.
    """

    def __init__(self, context: Sketches, registers: Array, seed: int) -> None:
        self.registers, self._context, self._seed = registers, context, seed

    def __repr__(self) -> str:
        return f"<HyperLogLog of precision {self._precision}>"

    @property
    def _precision(self) -> int:
        return int(self.registers.size).bit_length() - 1

    def add(self, *columns: Any) -> None:
        """Adds the keys of all rows.

        Parameters
        ----------
        *columns : array_like, or list of str or bytes
            As for `group_rows`; later calls must have columns of the same dtypes.
        """
        call, _ = self._context._sketching("hyperloglog", columns, self._seed)
        self._set(call).run("gp_hyperloglog_add")

    def estimate(self) -> float:
        """The estimated number of distinct keys. Its standard error is 1.04 / sqrt(2**precision). Blocks.

        Examples
        --------
        >>> visitors = ctx.hyperloglog()  # doctest: +SKIP
        >>> visitors.add(user)  # doctest: +SKIP
        >>> visitors.estimate()  # doctest: +SKIP
        99712.4
        """
        number = ffi.new("double *")
        self._set(Call(self._context, "hyperloglog")).run("gp_hyperloglog_estimate", number)
        return float(number[0])

    def _set(self, call: Call) -> Call:
        call.buffer("registers", self.registers)
        call.set(precision=self._precision)
        return call


class Sketches(Columns):
    """Sketches of sets of keys."""

    def bloom_filter(self, count: int = 0, rate: float = 0.01, *, seed: int = 0, bits: Any = None) -> BloomFilter:
        """A set of keys that takes about a byte per key, whatever the keys are, and answers "no" or "maybe".

        Parameters
        ----------
        count : int
            How many distinct keys will be added.
        rate : float
            The fraction of other keys that may be found, once as many are there.
        seed : int
            Of hashes. Choose it at random if others choose the keys; filters that are combined must have the same.
        bits : array_like of uint32, optional
            The bits of a filter, instead of `count` and `rate`.

        Returns
        -------
        BloomFilter

        Examples
        --------
        >>> known = ctx.bloom_filter(10_000_000, 0.001)  # doctest: +SKIP
        >>> known.add(customer_id)  # doctest: +SKIP
        >>> candidates = ctx.select(orders, flags=known.contains(order_customer))  # doctest: +SKIP
        """
        if bits is None:
            blocks = lib.gp_bloom_blocks(count, rate)
            if not blocks:
                raise ValueError(f"no filter has count = {count} and rate = {rate}")
            return BloomFilter(self, self.fill((blocks, 8), 0, np.uint32), seed)
        words = self.array(bits)
        if words.dtype != np.uint32 or len(words.shape) != 2 or words.shape[1] != 8 or words._offset % 8:
            raise ValueError("bits are of uint32 and of shape (blocks, 8)")
        return BloomFilter(self, words, seed)

    def hyperloglog(self, precision: int = 14, *, seed: int = 0, registers: Any = None) -> HyperLogLog:
        """Registers that estimate how many distinct keys were added, in any number of calls.

        Parameters
        ----------
        precision : int
            4 to 18: there are ``2**precision`` registers, and the standard error is ``1.04 / sqrt(2**precision)``.
        seed : int
            Of hashes, as in `bloom_filter`.
        registers : array_like of uint32, optional
            Registers of before, instead of `precision`.

        Returns
        -------
        HyperLogLog

        Examples
        --------
        >>> pairs = ctx.hyperloglog(12)  # doctest: +SKIP
        >>> pairs.add(city, product)  # doctest: +SKIP
        """
        if registers is None:
            if not 4 <= precision <= 18:
                raise ValueError(f"precision is {precision}, not 4 to 18")
            return HyperLogLog(self, self.fill(1 << precision, 0, np.uint32), seed)
        line = self._line(registers, "registers")
        if line.dtype != np.uint32 or line.size not in (1 << p for p in range(4, 19)):
            raise ValueError("registers are of uint32, and as many as a power of two from 16 to 2**18")
        return HyperLogLog(self, line, seed)

    def _sketching(self, desc: str, columns: Sequence[Any], seed: int) -> tuple[Call, int]:
        """A call on the keys of rows, and their number."""
        call = Call(self, desc)
        size, _ = self._key_columns(call, columns, [is_texts(column) for column in columns])
        call.set(count=size, seed=seed)
        return call, size
