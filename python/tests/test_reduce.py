import numpy as np
import pytest
from conftest import FLOATS, INTEGERS, SIZES, numbers

import gpuprim


@pytest.mark.parametrize("n", SIZES)
def test_sizes(ctx, rng, n):
    x = numbers(rng, n, "int32")
    assert ctx.reduce(x) == x.sum()
    assert ctx.scan(x).get().tolist() == np.cumsum(x, dtype=np.int32).tolist()
    assert ctx.reduce(x, map="x > t", args={"t": 7}, dtype=np.uint64) == np.count_nonzero(x > 7)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_dtypes(ctx, rng, dtype):
    x = numbers(rng, 1000, dtype)
    total = ctx.reduce(x)
    wide = {"i": np.int64, "u": np.uint64}.get(x.dtype.kind, np.float32 if dtype == "float16" else x.dtype)
    assert total.dtype == wide and total == x.astype(wide).sum()
    assert ctx.reduce(x, "min") == x.min() and ctx.reduce(x, "argmax") == x.argmax()
    assert ctx.reduce(x, "max").dtype == x.dtype
    if dtype != "float16":
        np.testing.assert_array_equal(ctx.scan(x).get(), np.cumsum(x, dtype=x.dtype))


def test_reduce_options(ctx, rng):
    x = numbers(rng, 5000, "float32")
    y = numbers(rng, 5000, "float32")
    assert ctx.reduce(x, map="x * y", y=y, dtype=np.float64) == np.dot(x.astype(float), y)
    assert ctx.reduce(x, initial=10) == x.sum() + 10
    assert ctx.reduce(None, map="i * i", count=1000, dtype=np.uint64) == sum(i * i for i in range(1000))
    assert ctx.reduce(x, ["sum", "min", "argmin"]) == (x.sum(), x.min(), x.argmin())
    big = np.array([1e8, 1, -1e8] * 1000, np.float32)
    assert ctx.reduce(big, compensated=True) == 1000
    out = ctx.empty(1, np.float32)
    assert ctx.reduce(x, out=out) is out and out[0] == x.sum()
    host = np.zeros(1, np.float32)
    assert ctx.reduce(x, out=host) is host and host[0] == x.sum()
    bits = np.array([0b1100, 0b1010], np.uint8)
    assert (ctx.reduce(bits, "and"), ctx.reduce(bits, "or"), ctx.reduce(bits, "xor")) == (0b1000, 0b1110, 0b0110)
    assert ctx.reduce(np.array([True, False, True])) == 2


def test_scan_options(ctx, rng):
    x = numbers(rng, 70000, "int64")
    flags = rng.random(70000) < 0.01
    keys = np.cumsum(flags)
    sums = np.cumsum(x)
    np.testing.assert_array_equal(ctx.scan(x, exclusive=True, initial=5).get(), 5 + sums - x)
    np.testing.assert_array_equal(ctx.scan(x, reverse=True).get(), np.cumsum(x[::-1])[::-1])
    starts = np.flatnonzero(flags)
    first = np.where(keys > 0, starts[np.maximum(keys - 1, 0)], 0)
    expected = sums - np.where(first > 0, sums[first - 1], 0)
    np.testing.assert_array_equal(ctx.scan(x, flags=flags).get(), expected)
    np.testing.assert_array_equal(ctx.scan(x, keys=keys).get(), expected)
    np.testing.assert_array_equal(ctx.scan(x, "max", strategy="multi_pass").get(), np.maximum.accumulate(x))
    on_device = ctx.array(x)
    assert ctx.scan(on_device, out=on_device) is on_device
    np.testing.assert_array_equal(on_device.get(), sums)
    np.testing.assert_array_equal(ctx.scan(x, map="x * f", args={"f": 3}).get(), 3 * sums)


def test_segmented_reduce(ctx, rng):
    x = numbers(rng, 100000, "int32")
    offsets = np.sort(rng.integers(0, len(x), 500))
    expected = [x[a:b].sum() for a, b in zip(offsets, offsets[1:])]
    for dtype in ("uint32", "int64"):
        assert ctx.segmented_reduce(x, offsets.astype(dtype)).get().tolist() == expected
    assert ctx.segmented_reduce(x, np.array([0], np.uint32)).size == 0


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 1000), (500, 33), (7, 100003)])
def test_rows(ctx, rng, rows, columns):
    x = rng.integers(-1000, 1000, (rows, columns)).astype(np.int32)
    np.testing.assert_array_equal(ctx.reduce(x, axis=1).get(), x.sum(axis=1))
    np.testing.assert_array_equal(ctx.reduce(x, "argmax", axis=-1).get(), x.argmax(axis=1))
    np.testing.assert_array_equal(ctx.segmented_reduce(x, None, map="x * i", dtype=np.int64).get(), (x * np.arange(columns)).sum(axis=1))
    np.testing.assert_array_equal(ctx.reduce(x, axis=0).get(), x.sum(axis=0))
    np.testing.assert_array_equal(ctx.reduce(x, "argmin", axis=-2).get(), x.argmin(axis=0))
    np.testing.assert_array_equal(ctx.reduce(x, axis=0, map="x * i", dtype=np.int64).get(), (x * np.arange(rows)[:, None]).sum(axis=0))
    out = ctx.empty(rows, np.int32)
    assert ctx.reduce(x, "max", axis=1, out=out) is out
    np.testing.assert_array_equal(out.get(), x.max(axis=1))


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 1000), (500, 33), (2, 100003), (1, 7)])
def test_scans_of_rows_and_columns(ctx, rng, rows, columns):
    x = rng.integers(-1000, 1000, (rows, columns)).astype(np.int32)
    np.testing.assert_array_equal(ctx.scan(x, axis=1).get(), x.cumsum(axis=1))
    np.testing.assert_array_equal(ctx.scan(x, axis=0).get(), x.cumsum(axis=0))
    np.testing.assert_array_equal(ctx.scan(x, "max", axis=-1, reverse=True).get(), np.maximum.accumulate(x[:, ::-1], axis=1)[:, ::-1])
    before = ctx.scan(x, axis=-2, exclusive=True, initial=5).get()
    np.testing.assert_array_equal(before, x.cumsum(axis=0) - x + 5)
    np.testing.assert_array_equal(ctx.segmented_scan(x, None, map="x * i", dtype=np.int64).get(), (x * np.arange(columns)).cumsum(axis=1))
    np.testing.assert_array_equal(ctx.summed_area(x).get(), x.cumsum(axis=0).cumsum(axis=1))
    assert ctx.summed_area(x.astype(np.uint8)).dtype == np.uint64
    on_device = ctx.array(x)
    assert ctx.scan(on_device, axis=0, out=on_device) is on_device
    np.testing.assert_array_equal(on_device.get(), x.cumsum(axis=0))


def test_bad_scans_of_rows(ctx):
    x = np.zeros((3, 4), np.int32)
    with pytest.raises(ValueError, match="axis is 2 instead of 0 or 1"):
        ctx.scan(x, axis=2)
    with pytest.raises(ValueError, match="not taken with flags"):
        ctx.scan(x, axis=1, flags=x)
    with pytest.raises(ValueError, match="image has 1 dimensions"):
        ctx.summed_area(x.ravel())
    with pytest.raises(ValueError, match="1 dimensions instead of 2"):
        ctx.scan(x.ravel(), axis=1)
    assert ctx.summed_area(np.zeros((0, 3), np.float32)).shape == (0, 3)
    assert ctx.scan(np.zeros((0, 3)), axis=1).shape == (0, 3)


def test_segmented_scan(ctx, rng):
    x = numbers(rng, 100000, "int32")
    offsets = np.sort(rng.integers(0, len(x), 500))
    expected = np.zeros_like(x)
    for a, b in zip(offsets, offsets[1:]):
        expected[a:b] = x[a:b].cumsum()
    for dtype in ("uint32", "int64"):
        np.testing.assert_array_equal(ctx.segmented_scan(x, offsets.astype(dtype)).get(), expected)
    assert ctx.segmented_scan(x, np.array([0], np.uint32)).get().max() == 0
    assert ctx.segmented_scan(x[:0], np.array([0, 0], np.uint32)).size == 0


def test_bad_rows(ctx):
    x = np.zeros((3, 4), np.int32)
    with pytest.raises(ValueError, match="axis is 2 instead of 0 or 1"):
        ctx.reduce(x, axis=2)
    with pytest.raises(ValueError, match="columns have no elements"):
        ctx.reduce(np.zeros((0, 3)), axis=0)
    assert ctx.reduce(np.zeros((3, 0)), axis=0).size == 0
    with pytest.raises(ValueError, match="2, with axis=1"):
        ctx.reduce(x.ravel(), axis=1)
    with pytest.raises(ValueError, match="not taken"):
        ctx.reduce(x, y=x, axis=1)
    with pytest.raises(ValueError, match="no elements"):
        ctx.reduce(np.zeros((3, 0)), axis=1)
    assert ctx.reduce(np.zeros((0, 3)), axis=1).size == 0
    assert ctx.reduce(np.zeros((0, 0)), axis=1).size == 0


def test_reduce_by_key(ctx, rng):
    keys = np.sort(rng.integers(0, 300, 80000)).astype(np.uint32)
    x = numbers(rng, 80000, "int32")
    k, sums = ctx.reduce_by_key(keys, x)
    names, starts = np.unique(keys, return_index=True)
    np.testing.assert_array_equal(k.get(), names)
    np.testing.assert_array_equal(sums.get(), np.add.reduceat(x, starts))
    k, best = ctx.reduce_by_key(keys, x, "max", equal="x / 10 == y / 10")
    np.testing.assert_array_equal(best.get(), np.maximum.reduceat(x, np.unique(keys // 10, return_index=True)[1]))


AFFINE = gpuprim.Monoid(
    dtype=np.dtype([("a", "u4"), ("b", "u4")]),
    type="affine",
    source="typedef struct { uint a, b; } affine;"
    "affine then(affine p, affine q) { affine r = {p.a * q.a, q.a * p.b + q.b}; return r; }",
    combine="then",
    identity=(1, 0),
    exact=True,
)


def test_monoid(ctx, rng):
    x = np.empty(3000, AFFINE.dtype)
    x["a"], x["b"] = rng.integers(0, 2**32, (2, 3000))
    a, b = 1, 0
    for p, q in x.tolist():
        a, b = a * p % 2**32, (p * b + q) % 2**32
    assert ctx.reduce(x, AFFINE).tolist() == (a, b)
    assert ctx.scan(x, AFFINE).get()[-1].tolist() == (a, b)
    ctx.check_monoid(AFFINE, x)
    wrong = gpuprim.Monoid("u4", "uint", "uint minus(uint a, uint b) { return a - b; }", "minus", 0, exact=True)
    with pytest.raises(gpuprim.LawError, match="minus|law|associative|identity|neutral"):
        ctx.check_monoid(wrong)


def test_records(ctx, rng):
    particle = np.dtype([("position", "f4", 3), ("mass", "f4"), ("id", "u2"), ("alive", "?")])
    x = np.zeros(5000, particle)
    x["mass"], x["id"] = rng.integers(0, 100, 5000), np.arange(5000)
    x["position"] = rng.integers(0, 10, (5000, 3))
    assert ctx.reduce(x, "max", map="x.mass", dtype=np.float32) == x["mass"].max()
    assert ctx.reduce(x, map="x.position[2]", dtype=np.float32) == x["position"][:, 2].sum()
    kept = ctx.select(x, "x.mass > limit", args={"limit": np.float32(50)}).get()
    np.testing.assert_array_equal(kept, x[x["mass"] > 50])
    z = (rng.integers(-9, 9, 100) + 1j * rng.integers(-9, 9, 100)).astype(np.complex64)
    assert ctx.reduce(z, map="x.x * x.x + x.y * x.y", dtype=np.float32) == (abs(z) ** 2).round().sum()
    shifted = ctx.transform(z, "x + (float2)(1, 2)").get()
    np.testing.assert_array_equal(shifted, z + np.complex64(1 + 2j))
    name, source = gpuprim.record_type(np.dtype([("a", "i2"), ("b", "f8")]), "mixed")
    assert name == "mixed" and "short a; double b;" in source


def test_bad_input(ctx):
    x = np.arange(10, dtype=np.float32)
    with pytest.raises(ValueError, match="op is 'mean'"):
        ctx.reduce(x, "mean")
    with pytest.raises(gpuprim.ArgumentError, match="gp_reduce") as error:
        ctx.reduce(x, "and")
    assert isinstance(error.value, ValueError) and error.value.code == -5
    with pytest.raises(gpuprim.BuildError, match="nonsense") as error:
        ctx.reduce(x, map="nonsense + x")
    assert error.value.code == -10
    with pytest.raises(ValueError, match="differ in length: 10 and 9"):
        ctx.reduce(x, map="x * y", y=x[:9])
    with pytest.raises(ValueError, match="2 dimensions"):
        ctx.scan(x.reshape(2, 5))
    with pytest.raises(TypeError, match="<U"):
        ctx.scan(["a"])
    with pytest.raises(TypeError, match="args take numbers"):
        ctx.reduce(x, map="x", args={"t": "3"})
    with pytest.raises(TypeError, match="int64.*uint8"):
        ctx.select(np.zeros(3, np.uint8), "x > t", args={"t": 300})
    with pytest.raises(ValueError, match="out has 3"):
        ctx.scan(x, out=ctx.empty(3, np.float32))
    with pytest.raises(TypeError, match="out is an array"):
        ctx.scan(x, out=[0] * 10)
    with pytest.raises(TypeError, match="32 or 64 bits"):
        ctx.segmented_reduce(x, x)
    with pytest.raises(ValueError, match="character 0"):
        ctx.reduce(x, map="x\0")
    assert ctx.reduce(x) == 45  # and goes on working
