"""Values of the host are taken exactly, are compared as NumPy compares them, or are refused by the names of both dtypes."""

import array as buffers
import sys
import warnings

import numpy as np
import pytest

import gpuprim


@pytest.mark.parametrize(
    "keys, needles",
    [
        (np.array([1, 2, 3], "u4"), np.array([-1])),
        (np.array([1, 2, 3], "i4"), np.array([2.5])),
        (np.array([1, 2, 3], "u1"), np.array([-1, 0, 1, 256, 2**40])),
        (np.array([0.1], "f4"), np.array([0.1])),
        (np.array([0.1], "f4"), [0.1]),
        (np.array([0.5, 1.5], "f2"), np.array([0.1, 1.5, 70000], "f4")),
        (np.array([-1.0, 0.0, 0.0, 1.0]), np.array([-0.0, 0.0])),
        (np.array([-1.0, -0.0, 0.0, 1.0], "f4"), np.array([-0.0, 0.0], "f4")),
        (np.array([1, 2**24 + 1], "i4"), np.array([2**24], "f4")),
        (np.array([False, True]), np.array([0, 1, 2])),
        (np.arange(5), np.array([2.5, -0.5, 3, 4.5])),
        (np.array([1, 2**63], "u8"), [0.5, 1.0, 2.0**63, 1.5]),
    ],
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_search(ctx, keys, needles, side):
    expected = np.searchsorted(keys, needles, side)
    assert ctx.search(keys, needles, side=side).get().tolist() == expected.tolist()
    kept = [np.asarray(needles).dtype, keys.dtype]
    if kept[0] != kept[1]:
        with pytest.raises(TypeError, match=f"{kept[0]}.*{kept[1]}|{kept[1]}.*{kept[0]}"):
            ctx.search(keys, ctx.array(needles), side=side)


@pytest.mark.parametrize("keys, needles", [("u8", "i8"), ("i8", "f8"), ("u8", "f4")])
def test_search_without_a_common_dtype(ctx, keys, needles):
    with pytest.raises(TypeError, match=f"{np.dtype(needles)}.*{np.dtype(keys)}"):
        ctx.search(np.array([1, 2], keys), np.array([-1e30 if needles[0] == "f" else -1], needles))
    assert ctx.search(np.array([1, 2], keys), np.array([2], needles))[0] == 1


@pytest.mark.parametrize(
    "x, edges",
    [
        (np.array([0, 0, 0, 1, 1, 2, 3, 4, 4], "i4"), [-0.5, 0.5, 1.5]),
        (np.array([0, 1, 200], "u1"), np.array([0, 2, 256])),
        (np.array([0, 1, 200], "u1"), [-5, 0.5, 199.5, 1000]),
        (np.array([0.1, 0.2], "f4"), [0, 0.1, 0.2, 1]),
        (np.array([-0.0, 0.0, 1], "f4"), [0, 0.5, 2]),
        (np.array([-0.0, 0.0, 1], "f4"), [-1, -0.0, 0.5, 2]),
        (np.array([0.5, 1], "f2"), [0, 0.75, 1e6]),
        (np.arange(5), [-0.5, 1.5, 2.0, 3.5]),
    ],
)
def test_histogram_edges(ctx, x, edges):
    """But for samples at the end of the last bin, of which there are none here."""
    assert ctx.histogram(x, edges).get().tolist() == np.histogram(x, edges)[0].tolist()


def test_histogram_range(ctx):
    x = np.array([0, 0, 0, 1, 1, 2, 3, 4, 4], "i4")
    assert ctx.histogram(x, 2, (-0.5, 1.5)).get().tolist() == [3, 2]
    assert ctx.histogram(x, 2, (0.0, 4.0)).get().tolist() == [5, 2]
    assert ctx.histogram(x.astype("u1"), 4, (-1.5, 2.5)).get().tolist() == [0, 3, 2, 1]
    large = np.array([2**63, 2**63 + 4, 2**63 + 5, 4, 3, 2], "u8")  # NumPy makes floats of both bounds
    for low, high in ((3, 2**63 + 5), (np.int64(3), np.uint64(2**63 + 5))):
        assert ctx.histogram(large, 1, (low, high)).get().tolist() == [4]
        assert ctx.histogram(large, 1, (low, high), map="x").get().tolist() == [4]
    with pytest.raises(TypeError, match="float64.*int64|int64.*float64"):
        ctx.histogram(x.astype("i8"), 2, (-0.5, 1.5))
    with pytest.raises(TypeError, match="uint64"):
        ctx.histogram(x.astype("u8"), 2, (-1, 2))
    with pytest.raises(TypeError, match="float64.*int32"):
        ctx.histogram(x, [0, 0.5, 1e20], map="x", map_dtype=np.int32)
    for edges in ([0, 2, 1], [0, np.nan, 1]):
        with pytest.raises(ValueError, match="rise"):
            ctx.histogram(x.astype("f8"), edges)


I4, U1, F4 = np.arange(5, dtype="i4"), np.arange(5, dtype="u1"), np.arange(5, dtype="f4")
AFFINE = gpuprim.Monoid(
    dtype=np.dtype([("a", "u4"), ("b", "u4")]),
    type="affine",
    source="typedef struct { uint a, b; } affine;"
    "affine then(affine p, affine q) { affine r = {p.a * q.a, q.a * p.b + q.b}; return r; }",
    combine="then",
    identity=(1.5, 0),
)


@pytest.mark.parametrize(
    "call, kept, given",
    [
        (lambda c: c.scan(I4, initial=2.5), "int32", "float64"),
        (lambda c: c.scan(U1, initial=256), "uint8", "int64"),
        (lambda c: c.scan(U1, initial=-1), "uint8", "int64"),
        (lambda c: c.scan(I4, initial=2**40), "int32", "int64"),
        (lambda c: c.scan(I4, initial=2**70), "int32", "int"),
        (lambda c: c.scan(I4, initial=1j), "int32", "complex128"),
        (lambda c: c.scan(F4, initial=1j), "float32", "complex128"),
        (lambda c: c.scan(F4, initial=np.float64(0.1)), "float32", "float64"),
        (lambda c: c.scan(F4, initial=2**24 + 1), "float32", "int64"),
        (lambda c: c.scan(F4, initial=1e300), "float32", "float64"),
        (lambda c: c.scan(I4, initial="3"), "int32", "<U1"),
        (lambda c: c.reduce(I4, initial=0.5), "int64", "float64"),
        (lambda c: c.segmented_reduce(I4, [0, 5], initial=0.5), "int64", "float64"),
        (lambda c: c.reduce_by_key(I4, I4, initial=0.5), "int64", "float64"),
        (lambda c: c.stack_scan("()", I4[:2], initial=0.5), "int32", "float64"),
        (lambda c: c.fill(3, 2.7, np.int32), "int32", "float64"),
        (lambda c: c.fill(3, 300, np.uint8), "uint8", "int64"),
        (lambda c: c.fill(None, 2.7, out=np.zeros(3, "i4")), "int32", "float64"),
        (lambda c: c.fill(3, np.nan, np.int32), "int32", "float64"),
        (lambda c: c.fill(3, 2, np.bool_), "bool", "int64"),
        (lambda c: c.fill(3, None, np.int32), "int32", "NoneType"),
        (lambda c: c.fill(None, None, out=np.ones(3, "i4")), "int32", "NoneType"),
        (lambda c: c.iota(3, 0.5, 1, np.int32), "int32", "float64"),
        (lambda c: c.iota(3, 0, -1, np.uint32), "uint32", "int64"),
        (lambda c: c.iota(3, 0, 0.5, np.int64), "int64", "float64"),
        (lambda c: c.stencil(U1, map="x", radius=1, border="constant", border_value=-1), "uint8", "int64"),
        (lambda c: c.random(2, np.int32, seed=1, low=0.5, high=3), "int64", "float64"),
        (lambda c: c.random(2, np.uint32, seed=1, low=-1, high=3), "uint64", "int64"),
        (lambda c: c.hash_table("u4", "i4").find([1], 0.5), "int32", "float64"),
        (lambda c: c.hash_table("u4", "u8", reserved=-1), "uint64", "int64"),
        (lambda c: c.hash_table("u4").insert([1.5]), "uint32", "float64"),
        (lambda c: c.hash_table("u4").insert([-1]), "uint32", "int64"),
        (lambda c: c.hash_table("u4").contains([2**32]), "uint32", "int64"),
        (lambda c: c.hash_table("i4").erase(np.array([2**31], "u4")), "int32", "uint32"),
        (lambda c: c.hash_table("u4", "f4").insert([1], np.array([0.1])), "float32", "float64"),
        (lambda c: c.transform(U1, "x + t", args={"t": 300}), "uint8", "int64"),
        (lambda c: c.transform(F4, "x + t", args={"t": 2**24 + 1}), "float32", "int64"),
        (lambda c: c.transform(I4, "x + t", args={"t": 2**31}), "int32", "int64"),
        (lambda c: c.transform(I4, "x + t", args={"t": np.longdouble(1)}), "args|element", "longdouble|float128"),
        (lambda c: c.array([1.5], np.int32), "int32", "float64"),
        (lambda c: c.array([300], np.uint8), "uint8", "int64"),
        (lambda c: c.empty(1, np.int32).set([1.5]), "int32", "float64"),
        (lambda c: c.brackets("()", table=np.full(256, 200)), "int8", "int64"),
        (lambda c: c.reduce(np.zeros(3, AFFINE.dtype), AFFINE), "uint32", "float64"),
        (lambda c: c.check_monoid(AFFINE), "uint32", "float64"),
        (lambda c: c.join(np.zeros(1, "i4"), np.zeros(1, "u4")), "int32", "uint32"),
        (lambda c: c.merge(I4, U1), "int32", "uint8"),
    ],
)
def test_refused(ctx, call, kept, given):
    with pytest.raises(TypeError, match=f"({kept}).*({given})|({given}).*({kept})"):
        call(ctx)


def test_exact(ctx):
    """What changes nothing is taken, from any dtype; Python's floats are rounded to floats, as by NumPy."""
    assert ctx.scan(I4, initial=2.0).get().tolist() == (np.cumsum(I4) + 2).tolist()
    assert ctx.scan(I4, initial=np.uint64(2))[0] == ctx.scan(I4, initial=True)[0] + 1 == 2
    assert ctx.fill(2, 0.1, np.float32)[0] == np.float32(0.1) and ctx.fill(2, np.float64(0.5), "f4")[0] == 0.5
    assert ctx.fill(2, 2**64 - 1, "u8")[0] == 2**64 - 1 and ctx.fill(2, -(2**63), "i8")[0] == -(2**63)
    assert np.isnan(ctx.fill(2, np.float64("nan"), "f4")[0]) and ctx.fill(2, np.float64("inf"), "f2")[0] == np.inf
    assert ctx.fill(2, 1, "c8")[0] == 1 and ctx.fill(2, np.void(b"0123456789abcdef"))[1].tobytes() == b"0123456789abcdef"
    assert ctx.transform(F4, "x + t", args={"t": 0.1})[0] == np.float32(0.1)
    assert ctx.transform(np.zeros(1, "u8"), "x + t", args={"t": 2**64 - 1})[0] == 2**64 - 1
    assert ctx.array([0.1], "f4")[0] == np.float32(0.1) and ctx.array(np.array([0.1]), "f4")[0] == np.float32(0.1)
    table = ctx.hash_table("u4", "f4")
    table.insert([1, 2.0], [0.1, 2])
    assert table.find(np.array([1, 2], "i8")).get().tolist() == [np.float32(0.1), 2]
    record = np.dtype([("a", "u4"), ("b", "f4", 2), ("c", [("d", "i4")])])
    assert ctx.fill(2, np.zeros(1, record)[0], record)[0] == np.zeros(1, record)[0]
    assert ctx.fill(2, (1.0, (2, 0.1), (3,)), record)[1].tolist()[2] == (3,)
    for bad in ((1, (2, 3)), (1, (2, 3, 4), (3,)), (1, (2, 3), (2**31,)), [1, (2, 3), (3,)], np.zeros(1, [("a", "u4")])[0]):
        with pytest.raises((TypeError, ValueError)):
            ctx.fill(2, bad, record)


def test_key_dtype_takes_a_map(ctx):
    with pytest.raises(TypeError, match="int32.*float32"):
        ctx.search(I4, [1.0], key_dtype=np.float32)


@pytest.mark.parametrize("side", ["left", "right"])
def test_search_in_falling_keys(ctx, side):
    keys, needles = np.array([4, 3, 3, 1]), np.array([3.5, 3.0, 2.5, 0.5, 5.0])
    expected = [sum(k > v if side == "left" else k >= v for k in keys) for v in needles]
    assert ctx.search(keys, needles, side=side, descending=True).get().tolist() == expected


def test_counts(ctx):
    for call in (
        lambda: ctx.scatter([1], [0], size=3.7), lambda: ctx.iota(2.5), lambda: ctx.topk(I4, 1.5), lambda: ctx.empty(2.0),
        lambda: ctx.stencil(np.zeros((3, 3), "f4"), map="x", radius=(1, 1, 1)), lambda: ctx.random(1.5, seed=1),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            call()


def test_random_bounds(ctx):
    for bad in ({"low": 2, "high": 5}, {"high": 5}, {"low": 1}, {"mean": 3}, {"deviation": 2}):
        with pytest.raises(TypeError, match="float32"):
            ctx.random(2, np.float32, seed=1, **bad)
    with pytest.raises(TypeError, match="high"):
        ctx.random(2, np.int32, seed=1, low=3)
    with pytest.raises(TypeError, match="mean"):
        ctx.random(2, np.int32, seed=1, low=3, high=5, mean=2.5)
    dice = ctx.random(1000, np.int64, seed=1, low=-(2**63), high=-(2**63) + 3).get()
    assert np.unique(dice).tolist() == [-(2**63), -(2**63) + 1, -(2**63) + 2]
    with pytest.raises((TypeError, ValueError)):
        ctx.random(1000, np.int8, seed=1, low=0, high=1000)


class Quantity(np.ndarray):
    """Numbers with a unit."""


class WithMask:
    def __array__(self, dtype=None, copy=None):
        return np.ma.array([1, 2, 3], mask=[0, 1, 0])


MEANING = [
    np.ma.array([1, 2, 3], mask=[0, 1, 0]),
    np.ma.array([1, 2, 3]),
    np.arange(3).view(Quantity),
    np.matrix([[1, 2, 3]]),
    [np.ma.array([1, 2], mask=[0, 1]), [3, 4]],
    [1.0, np.ma.masked],
    WithMask(),
]


@pytest.mark.parametrize("x", MEANING, ids=lambda x: type(x).__name__)
def test_subclasses_with_a_meaning(ctx, x):
    """A mask or a unit would be lost without a word."""
    table = ctx.hash_table("i8", "i8")
    out = np.zeros(3, np.int64)
    for call in (
        lambda: ctx.reduce(x), lambda: ctx.array(x), lambda: ctx.from_dlpack(x), lambda: ctx.search(np.arange(5), x),
        lambda: ctx.transform(out, "x", args={"t": x}), lambda: ctx.histogram(out, x), lambda: table.insert(x),
        lambda: ctx.empty(3, np.int64).set(x), lambda: ctx.scan(out, flags=x), lambda: ctx.gather(out, x),
        lambda: ctx.stencil(np.zeros(9, "f4"), x), lambda: ctx.select(out, flags=x),
        lambda: ctx.fill(3, x, np.int64),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="MaskedArray|MaskedConstant|Quantity|matrix"):
            call()
    if isinstance(x, np.ndarray):
        with pytest.raises(TypeError, match="MaskedArray|Quantity|matrix"):
            ctx.scan(out, out=x)
        with pytest.raises(TypeError, match="MaskedArray|Quantity|matrix"):
            ctx.array(out).get(x)


def test_subclasses_without(ctx, tmp_path):
    rows = np.rec.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f4")])
    assert ctx.reduce(rows, map="x.b", dtype=np.float32) == 7
    np.arange(5).tofile(tmp_path / "numbers")
    assert ctx.reduce(np.memmap(tmp_path / "numbers", np.int64, "r")) == 10


def test_buffers(ctx):
    """Memory has the type that its format says."""
    floats = buffers.array("f", [1.5, 2.5])
    assert ctx.reduce(floats) == ctx.reduce(memoryview(floats)) == 4 and ctx.reduce(bytearray(b"\1\2")) == 3
    assert ctx.reduce(memoryview(b"\1\2\3\4")[::2]) == 4 and ctx.reduce(memoryview(np.arange(4.0))) == 6
    for bad in ([2**63 + 1, -1], [2**53 + 1, 0.5], [2**64], [[2**63 + 1, -1]], [np.uint64(2**63 + 1), np.int64(-1)]):
        with pytest.raises(TypeError, match="int|object"):
            ctx.reduce(bad)


def test_strings_are_strings(ctx):
    for bad in ([5, 3], [None], [1.5], [np.int64(3)]):
        with pytest.raises(TypeError, match="str or bytes"):
            ctx.sort_strings(bad)
    assert ctx.sort_strings([bytearray(b"b"), memoryview(b"a"), "c"]).get().tolist() == [1, 0, 2]


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
def test_keys_of_floats(ctx, dtype):
    """The zeros are one key; to join, all NaNs are one, too, and to group_by none equals another."""
    keys = np.array([0.0, -0.0, np.nan, 1, np.nan, 0.0, -np.nan], dtype)
    names, counts = ctx.group_by(keys, agg="count")
    assert sorted(counts.get().tolist()) == [1, 1, 1, 1, 3]
    assert (names.get() == 0).sum() == 1 and np.isnan(names.get()).sum() == 3
    right = np.array([-0.0, np.nan, 1, 0.0, -np.nan], dtype)
    for how, alone in (("inner", False), ("left", True)):
        expected = []
        for i, key in enumerate(keys):
            partners = np.flatnonzero((right == key) | (np.isnan(right) & np.isnan(key))).tolist()
            expected += [(i, j) for j in partners] or ([(i, -1)] if alone else [])
        pairs = ctx.join(keys, right, how)
        assert list(zip(*(part.get().tolist() for part in pairs))) == expected
    assert [len(part) for part in ctx.join(np.array([0.0], dtype), np.array([-0.0], dtype))] == [1, 1]
    assert "NaN" in ctx.join.__doc__ and "NaN" in ctx.group_by.__doc__


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
def test_small_indices(ctx, dtype):
    x, places = np.arange(10, 20), np.array([3, 0, 9], dtype)
    assert ctx.gather(x, places).get().tolist() == [13, 10, 19]
    assert ctx.select(x, indices=places).get().tolist() == [13, 10, 19]
    assert ctx.scatter(x[:3], places, size=10).get().tolist() == [11, 0, 0, 10, 0, 0, 0, 0, 0, 12]
    assert ctx.segmented_reduce(x, np.array([0, 3, 10], dtype)).get().tolist() == [33, 112]
    assert ctx.segmented_sort(-x, np.array([0, 3, 10], dtype)).get()[0] == -12
    assert ctx.sort_strings(b"cab", np.array([0, 1, 2, 3], dtype)).get().tolist() == [1, 2, 0]
    if dtype[0] == "i":
        assert ctx.gather(x, np.array([-1, 2], dtype)).get().tolist() == [0, 12]
        assert ctx.tree(np.array([-1, 0, 0], dtype)).children.get().tolist() == [2, 0, 0]
    with pytest.raises(TypeError, match=str(np.dtype(dtype))):
        ctx.gather(x, ctx.array(places))


def test_no_indices(ctx):
    x = np.arange(3)
    for bad in (np.array([True, False, True]), np.array([0.0, 1.0]), np.array([1j])):
        for call in (lambda: ctx.gather(x, bad), lambda: ctx.select(x, indices=bad), lambda: ctx.segmented_reduce(x, bad)):
            with pytest.raises(TypeError, match=str(bad.dtype)):
                call()
    assert ctx.gather(x, []).get().tolist() == []


@pytest.mark.parametrize("dtype", [">u4", ">f8", [("a", ">i2"), ("b", "<f4")]])
def test_byte_orders(ctx, dtype):
    """Of inputs, arguments and outputs."""
    dtype = np.dtype(dtype)
    x = np.zeros(5, dtype)
    if dtype.names:
        x["a"], x["b"] = np.arange(5), 0.5
        assert ctx.reduce(x, map="x.a * x.b", dtype=np.float32) == 5
        out = np.zeros(5, dtype)
        assert ctx.transform(x, "x", out=out) is out and out.tolist() == x.tolist()
        return
    x[:] = np.arange(5)
    out = np.zeros(5, dtype)
    assert ctx.scan(x, out=out) is out and out.tolist() == [0, 1, 3, 6, 10] and out.dtype == dtype
    assert ctx.array(x).get(out) is out and out.tolist() == x.tolist()
    assert ctx.transform(x, "x + t", args={"t": x[1]})[0] == 1 and ctx.transform(x, "x + t[4]", args={"t": x})[0] == 4
    assert ctx.fill(3, x[2], dtype)[0] == 2 and ctx.iota(3, dtype=dtype)[2] == 2


def test_no_warnings(ctx):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (1e300, np.inf, np.nan, -1, 2**40):
            for dtype in ("i4", "u8", "f2", "f4"):
                try:
                    ctx.fill(1, value, dtype)
                except TypeError:
                    pass


# ---- arrays


def test_operators_are_refused(ctx):
    a, b = ctx.iota(3), ctx.iota(3)
    for call in (
        lambda: a == b, lambda: a != b, lambda: a < b, lambda: a + b, lambda: np.arange(3) == a, lambda: bool(a),
        lambda: a == 3, lambda: not a, lambda: bool(a[:1]), lambda: bool(a[:0]),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            call()
    assert len({a, b, a}) == 2 and a in [a] and {a: 1}[a] == 1


def test_indices_are_refused(ctx):
    a = ctx.iota(4)
    for index in (np.array([True] * 4), ..., (), None, [1, 2], np.array([1]), True, np.True_, 1.0, "1", (1, 2), slice(0, 2, 2)):
        with pytest.raises((IndexError, TypeError), match="index|slices|select|gather"):
            a[index]
    assert a[np.int8(2)] == 2 and a[np.array(3)] == 3 and list(a) == [0, 1, 2, 3]
    with pytest.raises(TypeError):
        list(ctx.empty((2, 2)))
    with pytest.raises(TypeError):
        len(ctx.reduce(a, out=ctx.empty(1, "i8")).reshape(()))


def test_shapes(ctx):
    a = ctx.iota(12)
    assert a.reshape(-1).shape == (12,) and a.reshape(3, -1).shape == (3, 4) and a.reshape((2, 6)).shape == (2, 6)
    assert a.reshape([4, 3]).shape == (4, 3) and ctx.empty(0).reshape(-1, 3).shape == (0, 3)
    for bad in ((-3, -4), (-1, -1), (5,), (-12,), (-1, 5), (0, -1), (-2, 6), (2.0, 6)):
        with pytest.raises((ValueError, TypeError)):
            a.reshape(*bad)
    for bad in (2.5, (2.5,), (2, -1), -1, "3", None, (2**62, 2**62), 2**70):
        with pytest.raises((ValueError, TypeError)):
            ctx.empty(bad)


@pytest.mark.parametrize("x", [np.arange(9, dtype=np.uint64), np.arange(9, dtype=np.uint8), np.arange(9.0)])
def test_bounds_of_more_than_64_bits(ctx, x):
    for bins, range in [(4, (0, 2**64)), (4, (-(2**63) - 1, 5)), ([0, 5, 2**64], None)]:
        with pytest.raises(TypeError, match=r"bins are bounded by (18446744073709551616|-9223372036854775809), .*64 bits"):
            ctx.histogram(x, bins, range)
    with pytest.raises(TypeError, match="bins are bounded by str"):
        ctx.histogram(x, np.array(["a", "b"], object))


@pytest.mark.parametrize("shape", [1.5, (2, 1.5), "3", None, np.array([1.0])])
def test_no_shapes(ctx, shape):
    with pytest.raises(TypeError, match="shape is .*: a whole number, or a sequence of them"):
        ctx.empty(shape)
    if shape is not None:  # which stands for the shape of `out`
        with pytest.raises(TypeError, match="shape is "):
            ctx.fill(shape, 3)


@pytest.mark.parametrize("value", [b"3", bytearray(b"3"), np.bytes_(b"3")])
def test_bytes_are_no_value(ctx, value):
    calls = [
        lambda: ctx.fill(3, value, np.uint8),
        lambda: ctx.fill(3, value, np.int64),
        lambda: ctx.iota(3, value, dtype=np.uint8),
        lambda: ctx.reduce(np.arange(3), initial=value),
        lambda: ctx.transform(np.arange(3), "x + t", args={"t": value}),
    ]
    for call in calls[: None if isinstance(value, bytes) else -1]:  # args take arrays as well
        with pytest.raises(TypeError, match="bytes|bytearray"):
            call()
    np.testing.assert_array_equal(ctx.sort(b"312").get(), [49, 50, 51])  # as an array they are numbers


@pytest.mark.parametrize("dtype", [object, [("a", "O")], ("f4", 2), np.dtypes.StringDType(), "V0"])
def test_dtypes_that_are_no_bytes(ctx, dtype):
    for call in (lambda: ctx.iota(4).view(dtype), lambda: ctx.empty(3, dtype)):
        with pytest.raises(TypeError):
            call()


BOOLS = np.random.default_rng(1).integers(0, 2, 700).astype(bool)


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda c: c.scan(BOOLS), np.cumsum(BOOLS)),
        (lambda c: c.scan(BOOLS, map="x * 3"), np.cumsum(BOOLS * 3)),
        (lambda c: c.scan(BOOLS, "max"), np.maximum.accumulate(BOOLS)),
        (lambda c: c.scan(BOOLS, "xor"), np.logical_xor.accumulate(BOOLS)),
        (lambda c: c.scan(BOOLS, "max", map="x + 5"), np.maximum.accumulate(BOOLS + 5)),
        (lambda c: c.stack_scan("(" * 700, BOOLS), np.cumsum(BOOLS)),
        (lambda c: c.reduce(BOOLS, "max", map="x + 5"), 6),
        (lambda c: c.reduce(BOOLS, ["max", "min", "sum"], map="x + 5"), [6, 5, np.sum(BOOLS + 5)]),
        (lambda c: c.reduce(BOOLS, ["max", "min", "sum"], map="x + 5", map_dtype=bool), [6, 5, np.sum(BOOLS + 5)]),
        (lambda c: c.reduce(BOOLS, "or", dtype=bool), True),
        (lambda c: c.segmented_reduce(BOOLS, [0, 700], "max", map="x + 5"), [6]),
        (lambda c: c.reduce_by_key(np.zeros(700), BOOLS, "max", map="x + 5")[1], [6]),
        (lambda c: c.group_by(np.zeros(700), BOOLS, "max")[1], [True]),
        (lambda c: c.adjacent_difference(BOOLS), np.diff(BOOLS.view("u1"), prepend=np.uint8(0))),
        (lambda c: c.stencil(BOOLS, [0, 1, 1]), BOOLS + np.r_[BOOLS[1:], BOOLS[-1]].astype("u1")),
        (lambda c: c.transform(BOOLS, "!x"), ~BOOLS),
        (lambda c: c.transform(BOOLS, "x + 5"), BOOLS == BOOLS),
        (lambda c: c.transform(np.array([0, 256, 0.5, np.nan]), "x // any", dtype=bool), [False, True, True, True]),
        (lambda c: c.transform(np.arange(4), "x & 2, x & 1", dtype=bool), [False, True, False, True]),
    ],
)
def test_bools(ctx, call, expected):
    """A result of dtype bool has no bytes but 0 and 1; other results have room for numbers."""
    found = call(ctx)
    found = found.get() if isinstance(found, gpuprim.Array) else np.asarray(found)
    np.testing.assert_array_equal(found, expected)
    if found.dtype == bool:
        assert found.view(np.uint8).max() <= 1


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.scan(BOOLS, dtype=bool), lambda c: c.reduce(BOOLS, dtype=bool), lambda c: c.iota(3, dtype=bool),
        lambda c: c.reduce(np.arange(3), "max", dtype=bool), lambda c: c.reduce(BOOLS, "max", map="x", dtype=bool),
        lambda c: c.random(3, bool, seed=1), lambda c: c.stencil(BOOLS, [1], dtype=bool),
        lambda c: c.adjacent_difference(BOOLS, dtype=bool), lambda c: c.reduce(BOOLS, ["sum"], dtype=[bool]),
    ],
)  # fmt: skip
def test_no_bools(ctx, call):
    with pytest.raises(TypeError, match="bool"):
        call(ctx)


@pytest.mark.parametrize("text", ["x) + (x", "x;", "", "// x", "(x", "x /* ", "x #", "x + ')')", "x /* ( */ )", "x // (\n)"])
def test_expressions_of_bools(ctx, text):
    """What is no expression is none as a bool, either."""
    with pytest.raises((gpuprim.ArgumentError, gpuprim.BuildError)):
        ctx.transform(np.arange(3), text, dtype=bool)


@pytest.mark.parametrize("dtype", [object, [("a", "u4"), ("b", object)], ("u8", (1,)), "V0", "M8[s]", "U2"])
def test_dtypes_of_monoids_that_are_no_bytes(ctx, dtype):
    """Results of such a dtype would be addresses that a program has computed."""
    monoid = gpuprim.Monoid(dtype, "ulong", "ulong f(ulong a, ulong b) { return a + b; }", "f", np.zeros((), dtype))
    x = np.arange(5, dtype="u8")
    for call in (
        lambda: ctx.reduce(x, monoid), lambda: ctx.scan(x, monoid), lambda: ctx.segmented_reduce(x, [0, 5], monoid),
        lambda: ctx.reduce(x, monoid, map="x", dtype=dtype), lambda: ctx.check_monoid(monoid),
        lambda: ctx.device_source(ops={"add": monoid}), lambda: ctx.reduce(x, dtype=dtype), lambda: ctx.hash_table(dtype),
        lambda: ctx.hash_table("u4", dtype),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="cannot be|element"):
            call()


@pytest.mark.parametrize("dtype", [">u4", [("a", ">u4")]])
def test_byte_orders_of_monoids(ctx, dtype):
    """A monoid that was made with the dtype of a file computes with the machine's byte order."""
    dtype = np.dtype(dtype)
    body = "return a + b;" if not dtype.names else "t c = {a.a + b.a}; return c;"
    type = "typedef uint t; " if not dtype.names else "typedef struct { uint a; } t; "
    monoid = gpuprim.Monoid(dtype, "t", type + f"t f(t a, t b) {{ {body} }}", "f", 0)
    x = np.arange(300, dtype="u4").view([("a", "u4")] if dtype.names else "u4").astype(dtype)
    total = np.zeros(1, dtype)
    if dtype.names:
        total["a"] = 44850
    else:
        total[:] = 44850
    assert ctx.reduce(x, monoid) == total[0] and ctx.scan(x, monoid).get()[-1] == total[0]
    assert ctx.reduce(x, monoid, initial=total[0], dtype=dtype).tobytes() == (44850 * 2).to_bytes(4, sys.byteorder)
    only_small = gpuprim.Monoid(">u4", "uint", "uint f(uint a, uint b) { return a < 9 && b < 9 ? max(a, b) : a; }", "f", 0)
    ctx.check_monoid(only_small, np.arange(9, dtype=">u4"))


def test_byte_orders_of_tables(ctx):
    table = ctx.hash_table(">u4", ">i8")
    table.insert(np.array([1, 2], ">u4"), [3, -4])
    assert table.find([2, 1]).get().tolist() == [-4, 3] and sorted(table.items()[0].get().tolist()) == [1, 2]


@pytest.mark.parametrize("op", ["min", "max", "argmin", "argmax"])
def test_extreme_of_nothing(ctx, op):
    nothing = ctx.select(np.arange(5), "x > 9")
    for call in (
        lambda: ctx.reduce(np.zeros(0), op), lambda: ctx.reduce(nothing, op), lambda: ctx.reduce(nothing, ["sum", op]),
        lambda: ctx.reduce(None, op, map="i", count=0, dtype=np.uint64, map_dtype=np.uint64 if "arg" in op else None),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="nothing"):
            call()
    assert ctx.reduce(nothing) == 0
    if "arg" not in op:
        assert ctx.reduce(nothing, op, initial=3) == 3


def test_numbers_and_arrays_without_dimensions(ctx):
    for dtype in ("i4", "f8", "?"):
        one = ctx.array(np.array(1, dtype))
        one.set(np.array(0, dtype))
        assert one.get() == 0 and one.get().shape == () and one.get(np.zeros((), dtype)) == 0
    for bad in (True, np.True_, -1):
        with pytest.raises((TypeError, ValueError), match="needles"):
            ctx.search([1, 2], bad)
    with pytest.raises(ValueError, match="odd number"):
        ctx.stencil(np.zeros(3, "f4"), np.float32(1))
    assert ctx.stencil(np.arange(3.0), map="at(1, 0)", radius=np.int8(1)).get().tolist() == [1, 2, 2]


def test_import_of_any_buffer():
    """The length of programs is that of their bytes, whatever the items of the buffer."""
    with gpuprim.Context(disk_cache=False) as own:
        own.reduce(np.arange(3))
        saved = own.export_programs()
        for data in (saved, bytearray(saved), memoryview(saved).cast("B", (1, len(saved)))):
            own.import_programs(data)
        with pytest.raises((gpuprim.ArgumentError, ValueError)):
            own.import_programs(np.zeros(1 << 20, "V0"))
