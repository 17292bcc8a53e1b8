"""Element by element: transforms, sequences, random numbers, gathers, stencils, histograms."""

from __future__ import annotations

import operator
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._array import Array
from ._call import Call
from ._convert import as_host, common_dtype, exact, exact_or_none
from ._names import as_bool
from ._native import lib
from ._reduce import Args, _required
from ._sort import Sorts
from ._types import BORDERS, KINDS, choice, computed_dtype, index_type_of, number_dtype, type_of


class Maps(Sorts):
    def transform(
        self,
        x: Any,
        map: str,
        *,
        y: Any = None,
        z: Any = None,
        args: Args = None,
        dtype: Optional[npt.DTypeLike] = None,
        count: Optional[int] = None,
        out: Any = None,
    ) -> Any:
        """Computes each element by an expression.

        Parameters
        ----------
        x : array_like or None
            None: the expression is in the index i alone.
        map : str
            Expression in OpenCL C of x, y, z and i.
        y, z : array_like, optional
            Further inputs of the same length.
        args : dict, optional
            Numbers and arrays that `map` names.
        dtype : dtype, optional
            Of the result; by default that of x. For bool: is the value not 0?
        count : int, optional
            Without x: how many elements.
        out : array, optional
            May be an input itself.

        Returns
        -------
        Array

        Examples
        --------
        >>> ctx.transform(x, "x > t ? sqrt(x) : 0", args={"t": 0.5})  # doctest: +SKIP
        """
        call = Call(self, "transform")
        first = None if x is None else self._in(x)
        if first is None:
            if dtype is None:
                raise TypeError("without x, dtype is required")
            shape: tuple[int, ...] = (_required(count),)
            call.count(shape[0])
        else:
            shape = first._shape if out is None else first.shape
            call.buffer("in", first)
            call.type(first.dtype)
            call.count(first)
        for number, other in (("2", y), ("3", z)):
            if other is not None:
                more = self._in(other, "y or z")
                if first is not None:
                    self._same(first, more, "inputs")
                call.buffer("in" + number, more)
                call.type(more.dtype, "type" + number, "record" + number)
        result = np.dtype(dtype) if dtype is not None else first.dtype  # type: ignore[union-attr]
        call.type(result, "out_type", "out_record")
        call.expression("map", as_bool(map) if result == np.bool_ and isinstance(map, str) else map)
        call.args(args, None if first is None else first.dtype)
        target = self._out(out, shape, result, first)
        call.buffer("out", target)
        call.run("gp_transform")
        return self._give(out, target)

    def fill(
        self,
        shape: Union[int, Sequence[int], None],
        value: Any,
        dtype: Optional[npt.DTypeLike] = None,
        *,
        out: Any = None,
    ) -> Any:
        """An array of one value, of 1, 2, 4, 8 or 16 bytes.

        Parameters
        ----------
        shape : int or sequence of int, or None with `out`
        value : number
        dtype : dtype, optional
            By default as NumPy's full.
        out : array, optional
        """
        call = Call(self, "fill")
        if out is None:
            if shape is None:
                raise ValueError("give a shape or out")
            target = self.empty(shape, np.asarray(value).dtype if dtype is None else dtype)
        else:
            there = self._in(out)
            target = self._out(out, there.shape, there.dtype)
        call.buffer("out", target)
        call.set(element_size=target.dtype.itemsize)
        call.count(target)
        if value is None:  # no value would be zeros
            raise TypeError(f"value is NoneType, not {target.dtype}")
        call.value("value", value, target.dtype)
        call.run("gp_fill")
        return self._give(out, target)

    def iota(
        self, count: int, start: Any = 0, step: Any = 1, dtype: npt.DTypeLike = np.int64, *, out: Any = None
    ) -> Any:
        """start, start + step, start + 2 step, ...

        Parameters
        ----------
        count : int
        start, step : number
            step is not 0.
        dtype : dtype
        out : array, optional
        """
        result = computed_dtype(dtype, "elements of a sequence").newbyteorder("=")
        if exact(step, result, "step") == 0:
            raise ValueError("step is 0: use fill")
        call = Call(self, "iota")
        target = self._out(out, (_size(count),), result)
        call.buffer("out", target)
        call.set(type=type_of(result), count=count)
        call.number("start", start, result)
        call.number("step", step, result)
        call.run("gp_iota")
        return self._give(out, target)

    def adjacent_difference(
        self,
        x: Any,
        map: Optional[str] = None,
        *,
        args: Args = None,
        dtype: Optional[npt.DTypeLike] = None,
        out: Any = None,
    ) -> Any:
        """``out[0] = x[0]``, ``out[i] = x[i] - x[i - 1]``.

        Parameters
        ----------
        x : array_like
        map : str, optional
            Instead of the difference: an expression in x, the element, y, the one before it, and i.
        args : dict, optional
        dtype : dtype, optional
            Of the result; by default that of x, uint8 for bool.
        out : array, optional
            May be x itself.

        Returns
        -------
        Array
        """
        first = self._line(x)
        call = Call(self, "adjacent_difference")
        result = number_dtype(first.dtype) if dtype is None else computed_dtype(dtype, "differences")
        call.buffer("in", first)
        call.count(first)
        call.set(type=type_of(first.dtype), out_type=type_of(result))
        call.expression("map", map)
        call.args(args, first.dtype)
        target = self._out(out, first._shape if out is None else first.shape, result, first)
        call.buffer("out", target)
        call.run("gp_adjacent_difference")
        return self._give(out, target)

    def random(
        self,
        count: int,
        dtype: npt.DTypeLike = np.float32,
        *,
        seed: int,
        kind: Optional[str] = None,
        stream: int = 0,
        first_element: int = 0,
        low: Optional[int] = None,
        high: Optional[int] = None,
        mean: float = 0.0,
        deviation: float = 1.0,
        out: Any = None,
    ) -> Any:
        """Random numbers (Philox4x32-10): the same on every device, however a stream is cut into calls.

        Parameters
        ----------
        count : int
        dtype : dtype
        seed, stream : int
            Name the stream.
        kind : {"bits", "uniform", "range", "normal"}, optional
            All bits of integers; floats in [0, 1); integers in [low, high); normal floats. By default "uniform" for
            floats, "range" where `high` is given, else "bits".
        first_element : int
            Where in the stream to begin.
        low, high : int, optional
        mean, deviation : float
            Of normal numbers.
        out : array, optional

        Returns
        -------
        Array
        """
        result = computed_dtype(dtype, "random numbers")
        if kind is None:
            kind = "uniform" if result.kind == "f" else "range" if high is not None else "bits"
        if kind == "normal" and not deviation > 0:
            raise ValueError(f"deviation is {deviation}, and must be positive")
        if kind != "range" and (low, high) != (None, None):
            raise TypeError(f"low and high are of integers in a range, which has a high; this is {kind} of {result}")
        if kind != "normal" and (mean, deviation) != (0, 1):
            raise TypeError(f"mean and deviation are of normal numbers; this is {kind} of {result}")
        call = Call(self, "random")
        target = self._out(out, (_size(count),), result)
        call.buffer("out", target)
        call.set(type=type_of(result), kind=choice("kind", kind, KINDS), count=count)
        call.set(seed=seed, stream=stream, first_element=first_element)
        if kind == "range":
            if high is None:
                raise ValueError("a range has a high end")
            call.number("low", low or 0, _widest(result))
            call.number("high", high, _widest(result))
        if kind == "normal":
            call.set(mean=mean, deviation=deviation)
        call.run("gp_random")
        return self._give(out, target)

    # ---- by index

    def gather(self, x: Any, indices: Any, *, out: Any = None) -> Any:
        """``x[indices]``.

        Parameters
        ----------
        x : array_like
            Elements of 1, 2, 4, 8 or 16 bytes.
        indices : array_like of int
            One that is out of range leaves its element of `out` as it is, without `out` 0.
        out : array, optional

        Returns
        -------
        Array
        """
        first, places = self._line(x), self._indices(indices)
        target = self._zeros_or(out, places._shape if out is None else places.shape, first.dtype, places)
        call = self._gather_call(first, places, target, first.size)
        call.count(places)
        call.run("gp_gather")
        return self._give(out, target)

    def scatter(self, x: Any, indices: Any, *, size: Optional[int] = None, out: Any = None) -> Any:
        """``out[indices] = x``. Of equal indices any one counts.

        Parameters
        ----------
        x : array_like
            Elements of 1, 2, 4, 8 or 16 bytes.
        indices : array_like of int
            Those that are out of range are left out.
        size : int, optional
            Of a result of zeros; without `out`.
        out : array, optional

        Returns
        -------
        Array
        """
        first, places = self._line(x), self._indices(indices)
        self._same(first, places, "x and indices")
        if (size is None) == (out is None):
            raise ValueError("give size or out")
        shape = (_size(size),) if size is not None else self._in(out).shape
        target = self._zeros_or(out, shape, first.dtype)
        call = self._gather_call(first, places, target, target.size)
        call.count(places)
        call.run("gp_scatter")
        return self._give(out, target)

    def transpose(self, x: Any, *, out: Any = None) -> Any:
        """The transpose of a matrix, with its rows one behind the other.

        Parameters
        ----------
        x : array_like
            Two dimensions; elements of 1, 2, 4, 8 or 16 bytes.
        out : array, optional

        Returns
        -------
        Array
        """
        matrix = self._in(x, "x")
        if matrix.ndim != 2:
            raise ValueError(f"x has {matrix.ndim} dimensions instead of 2")
        rows, columns = matrix.shape
        target = self._out(out, (columns, rows), matrix.dtype)
        call = Call(self, "transpose")
        call.buffer("in", matrix)
        call.buffer("out", target)
        call.set(rows=rows, columns=columns, element_size=matrix.dtype.itemsize)
        call.run("gp_transpose")
        return self._give(out, target)

    def unpack(self, x: Any, flags: Any, *, out: Any = None) -> Any:
        """``out[flags] = x``: undoes a selection by flags.

        Parameters
        ----------
        x : array_like
            Elements of 1, 2, 4, 8 or 16 bytes, one for each flag that is set.
        flags : array_like
        out : array, optional
            Elements without a flag stay as they are; without `out` they are 0.

        Returns
        -------
        Array
        """
        first, flag = self._line(x), self._heads(flags, "flags")
        target = self._zeros_or(out, flag._shape if out is None else flag.shape, first.dtype, flag)
        call = Call(self, "unpack")
        call.buffer("in", first)
        call.buffer("flags", flag)
        call.buffer("out", target)
        call.set(in_count=first.size, flags_type=type_of(flag.dtype), element_size=first.dtype.itemsize)
        call.count(flag)
        call.run("gp_unpack")
        return self._give(out, target)

    def _zeros_or(self, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], like: Optional[Array] = None) -> Array:
        target = self._out(out, shape, dtype, like)
        if out is None:
            call = Call(self, "fill")
            call.buffer("out", target)
            call.set(element_size=dtype.itemsize, count=target.capacity)
            self._call("gp_fill", call.desc)
        return target

    def _gather_call(self, x: Array, indices: Array, out: Array, limit: int) -> Call:
        call = Call(self, "gather")
        call.buffer("in", x)
        call.buffer("indices", indices)
        call.buffer("out", out)
        call.set(index_type=index_type_of(indices.dtype), element_size=x.dtype.itemsize, limit=limit)
        return call

    # ---- pictures, counts

    def stencil(
        self,
        x: Any,
        weights: Any = None,
        *,
        map: Optional[str] = None,
        radius: Union[int, tuple[int, int], None] = None,
        border: str = "clamp",
        border_value: Any = 0,
        args: Args = None,
        dtype: Optional[npt.DTypeLike] = None,
        out: Any = None,
    ) -> Any:
        """Each element of a line or a picture from its neighbours.

        Parameters
        ----------
        x : array_like
            A line, a picture (height, width), or pixels (height, width, channels).
        weights : array_like, optional
            Of an odd length, or an odd height and width: a correlation. Rounded to float32.
        map : str, optional
            Instead: an expression in at(dx, dy), x, i (column) and j (row).
        radius : int or (int, int), optional
            With `map`: how far it looks, in columns and rows; up to 8.
        border : {"clamp", "wrap", "constant"}
            What is beyond: the nearest element, the one at the other end, `border_value`.
        args : dict, optional
        dtype : dtype, optional
            Of the result; by default that of x, uint8 for bool.
        out : array, optional
            May be x itself.

        Returns
        -------
        Array
            Of the shape of x.
        """
        first = self._in(x)
        if (weights is None) == (map is None) or (map is None) != (radius is None):
            raise ValueError("give weights, or a map and its radius")
        if not 1 <= first.ndim <= 3:
            raise ValueError(f"x has {first.ndim} dimensions, and a picture 1 to 3")
        call = Call(self, "stencil")
        shape = first.shape
        result = number_dtype(first.dtype) if dtype is None else computed_dtype(dtype, "results of a stencil")
        call.buffer("in", first)
        call.set(type=type_of(first.dtype), out_type=type_of(result))
        call.set(width=shape[-1] if len(shape) < 3 else shape[1], height=1 if len(shape) == 1 else shape[0])
        call.set(channels=shape[2] if len(shape) == 3 else 1)
        if weights is not None:
            on_device = isinstance(weights, Array) or hasattr(weights, "base_data")
            w = self._in(weights if on_device else exact(weights, np.dtype(np.float32), "weights", rounded=True))
            if w.ndim not in (1, 2) or any(n % 2 == 0 for n in w.shape):
                raise ValueError(f"weights have an odd number of rows and columns, not the shape {w.shape}")
            radii = (w.shape[-1] // 2, w.shape[0] // 2 if w.ndim == 2 else 0)
            if w.dtype != np.float32:
                raise TypeError(f"weights are float32, not {w.dtype}")
            call.buffer("weights", w)
        else:
            columns, rows = (radius, radius if len(shape) > 1 else 0) if isinstance(radius, (int, np.integer)) else radius  # type: ignore
            radii = columns, rows
        call.set(radius_x=radii[0], radius_y=radii[1], border=choice("border", border, BORDERS))
        if border == "constant":
            call.number("border_value", border_value, first.dtype)
        call.expression("map", map)
        call.args(args, first.dtype)
        target = self._out(out, shape, result)
        if first.size:
            call.buffer("out", target)
            call.run("gp_stencil")
        return self._give(out, target)

    def histogram(
        self,
        x: Any,
        bins: Any = None,
        range: Optional[tuple[Any, Any]] = None,
        *,
        weights: Any = None,
        map: Optional[str] = None,
        args: Args = None,
        map_dtype: Optional[npt.DTypeLike] = None,
        channels: Optional[int] = None,
        dtype: Optional[npt.DTypeLike] = None,
        count: Optional[int] = None,
        accumulate: bool = False,
        out: Any = None,
    ) -> Any:
        """Counts samples by bins.

        A sample at the end of the last bin is not counted, unlike NumPy. Bounds of the host may have another dtype than
        samples: they are compared exactly, or TypeError says that there is no dtype for both.

        Parameters
        ----------
        x : array_like or None
            Samples, or with two dimensions pixels of 1 to 4 samples of 8 bits. None: `map` is of the index alone.
        bins : int or array_like, optional
            How many even bins in `range`; or their edges, one more than there are bins. By default 256, for samples of
            8 bits.
        range : (low, high), optional
            Required for floats; by default the whole range of integers.
        weights : array_like of int, optional
            One per element: bins have their sums.
        map : str, optional
            Expression in x and i: the sample of an element, of `map_dtype`.
        args : dict, optional
        channels : int, optional
            Only the first ones of each pixel are counted.
        dtype : dtype, optional
            Of counts: uint32 or uint64; by default that of `out`, else uint32. Of sums of weights: by default uint64, or
            int64 for signed weights; they wrap around in uint32.
        count : int, optional
            Without x: how many indices.
        accumulate : bool
            Adds to what `out` holds.
        out : array, optional

        Returns
        -------
        Array
            Counts, of pixels (channels, bins).
        """
        call = Call(self, "histogram")
        first = None if x is None else self._in(x)
        if first is None:
            call.count(_required(count))
        else:
            call.buffer("in", first)
            call.type(first.dtype)
            call.count(first if first.ndim == 1 else first.shape[0])
            if first.ndim == 2:
                call.set(channels=first.shape[1], channels_out=channels or 0)
            elif first.ndim != 1:
                raise ValueError(f"x has {first.ndim} dimensions: samples have 1, pixels 2")
        sample = np.dtype(map_dtype) if map_dtype is not None else None if first is None else first.dtype
        if sample is None:
            raise TypeError("without x, map_dtype is required")
        if map_dtype is not None:
            call.set(map_type=type_of(sample))
        call.expression("map", map)
        call.args(args, None if first is None else first.dtype)
        free = map is None and first is not None and first.ndim == 1
        number = self._bins(call, bins, range, sample, free)
        signed = False
        if weights is not None:
            w = self._line(weights, "weights")
            if w.size != (_required(count) if first is None else first.shape[0]):
                raise ValueError(f"{'count' if first is None else 'x'} and weights differ in length")
            call.buffer("weights", w)
            call.set(weight_type=type_of(w.dtype))
            signed = w.dtype.kind == "i"
        if accumulate and out is None:
            raise ValueError("accumulate adds to out")
        if dtype is None and out is not None and hasattr(out, "dtype"):
            dtype = np.dtype(out.dtype).newbyteorder("=")
        elif dtype is None:
            dtype = np.uint32 if weights is None else np.int64 if signed else np.uint64
        result = np.dtype(dtype)
        shape: tuple[int, ...] = (number,)
        if first is not None and first.ndim == 2:
            shape = (channels or first.shape[1], number)
        target = self._out(out, shape, result)
        call.buffer("out", target)
        call.set(out_type=lib.GP_U64 if result == np.int64 and signed else type_of(result), accumulate=accumulate)
        call.run("gp_histogram")
        return self._give(out, target)

    def _bins(self, call: Call, bins: Any, range: Any, sample: np.dtype[Any], free: bool) -> int:
        """Fills in where bins begin and end. Returns how many there are.

        If samples are `free` to have another dtype, edges of the host are compared exactly.
        """
        if bins is not None and not isinstance(bins, (int, np.integer)):
            if not isinstance(bins, Array) and not hasattr(bins, "base_data"):
                bins = as_host(bins, "bins")
                if bins.ndim == 1 and not (bins[1:] >= bins[:-1]).all():
                    raise ValueError("edges of bins do not rise")
                sample, bins = self._samples(call, sample, bins, free)
            edges = self._line(bins, "bins")
            if edges.dtype != sample or edges.size < 2 or range is not None:
                raise ValueError(f"edges are {sample} like the samples, at least two, and have no range beside them")
            call.buffer("edges", edges)
            call.set(bins=edges.size - 1)
            return edges.size - 1
        if bins is None and sample.itemsize != 1:
            raise ValueError("bins is required for samples of more than 8 bits")
        number = 256 if bins is None else int(bins)
        if number < 1:
            raise ValueError(f"bins is {number}")
        call.set(bins=number)
        if range is not None:
            low, high = range
            if not low < high:
                raise ValueError(f"range is ({low}, {high}), in which there is nothing")
            wide = _widest(sample)
            bounds: Any = [exact_or_none(as_host(bound, "range"), wide) for bound in (low, high)]  # both may have no dtype
            if bounds[0] is None or bounds[1] is None:
                sample, bounds = self._samples(call, sample, as_host([low, high], "range"), free, wide)
                wide = _widest(sample)
            call.number("lower", bounds[0], wide, "range")
            call.number("upper", bounds[1], wide, "range")
        elif sample.kind == "f":
            raise ValueError("range is required for floats")
        return number


    def _samples(
        self, call: Call, sample: np.dtype[Any], bounds: npt.NDArray[Any], free: bool, wide: Any = None
    ) -> tuple[np.dtype[Any], npt.NDArray[Any]]:
        """The dtype in which samples are compared with bounds, and these in it."""
        if bounds.dtype.hasobject:
            for bound in bounds.tolist():
                if not isinstance(bound, int):
                    raise TypeError(f"bins are bounded by {type(bound).__name__}, not numbers")
                if not -(1 << 63) <= bound < 1 << 64:
                    hint = ": without a range all values are counted" if wide is not None else ""
                    hint = ": give it as a float" if sample.kind == "f" else hint
                    raise TypeError(f"bins are bounded by {bound}, which has more than 64 bits{hint}")
        if wide is None and sample.kind in "iu" and bounds.dtype.kind == "f":
            bounds = np.ceil(bounds)  # whole samples are on the same side of both
        cast = exact_or_none(bounds, sample) if wide is None else None
        if cast is not None:
            return sample, cast
        both = common_dtype(sample, bounds.dtype, self.device.fp64) if free else None
        if both is None:
            raise TypeError(f"bins are bounded by {bounds.dtype}, which cannot be compared with samples of {wide or sample}")
        call.set(map_type=type_of(both))
        call.expression("map", "x")
        return both, bounds.astype(both)


def _widest(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype({"i": np.int64, "u": np.uint64, "b": np.uint64}.get(dtype.kind, np.float64))


def _size(count: int) -> int:
    if operator.index(count) < 0:
        raise ValueError(f"count is {count}")
    return operator.index(count)
