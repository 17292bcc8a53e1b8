import numpy as np
import pytest
from conftest import SIZES, numbers

import gpuprim


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 1000), (517, 33), (0, 4), (100, 0)])
def test_transpose(ctx, rng, shape, dtype):
    x = rng.integers(0, 100, shape).astype(dtype)
    y = ctx.transpose(x)
    assert y.shape == shape[::-1] and y.dtype == x.dtype
    np.testing.assert_array_equal(y.get(), x.T)
    out = ctx.empty(shape[::-1], dtype)
    assert ctx.transpose(ctx.array(x), out=out) is out
    with pytest.raises(ValueError, match="dimensions instead of 2"):
        ctx.transpose(x.ravel())


@pytest.mark.parametrize("n", SIZES)
def test_transform(ctx, rng, n):
    x, y, z = (numbers(rng, n, "float32") for _ in range(3))
    np.testing.assert_array_equal(ctx.transform(x, "x * y + z", y=y, z=z).get(), x * y + z)
    np.testing.assert_array_equal(ctx.transform(x, "x > 0", dtype=bool).get(), x > 0)
    np.testing.assert_array_equal(ctx.transform(None, "2 * i", count=n, dtype=np.uint64).get(), 2 * np.arange(n))


def test_arguments(ctx, rng):
    x = numbers(rng, 1000, "int32")
    table = numbers(rng, 8, "float64")
    found = ctx.transform(x, "table[i % 8] + f * x", args={"table": table, "f": np.int64(3)}, dtype=np.float64)
    np.testing.assert_array_equal(found.get(), table[np.arange(1000) % 8] + 3 * x)
    built = ctx.stats()["programs_built"]
    ctx.transform(x, "table[i % 8] + f * x", args={"table": table[:5], "f": np.int64(4)}, dtype=np.float64)
    assert ctx.stats()["programs_built"] == built
    np.testing.assert_array_equal(ctx.transform(x, "x * f", args={"f": 0.5}, dtype=np.float64).get(), x * 0.5)
    out = ctx.empty(1000, np.int32)  # an argument without elements overlaps nothing
    np.testing.assert_array_equal(ctx.transform(x, "x + 1", args={"t": out[3:3]}, out=out).get(), x + 1)


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_sequences(ctx, n):
    np.testing.assert_array_equal(ctx.fill(n, 7, np.int16).get(), np.full(n, 7, np.int16))
    np.testing.assert_array_equal(ctx.fill((2, n), 1.5).get(), np.full((2, n), 1.5))
    np.testing.assert_array_equal(ctx.iota(n).get(), np.arange(n))
    np.testing.assert_array_equal(ctx.iota(n, 5, -2, np.int8).get(), (5 - 2 * np.arange(n)).astype(np.int8))
    np.testing.assert_array_equal(ctx.iota(n, 1, 0.5, np.float16).get(), (1 + 0.5 * np.arange(n)).astype(np.float16))
    x = ctx.iota(n, dtype=np.int32)
    np.testing.assert_array_equal(ctx.adjacent_difference(x).get(), np.diff(np.arange(n), prepend=0))
    assert ctx.adjacent_difference(x, "x * y", out=x) is x
    assert ctx.fill(None, 3, out=x) is x and (x.get() == 3).all()
    with pytest.raises(ValueError, match="step is 0"):
        ctx.iota(3, 0, 0)


def test_random(ctx):
    x = ctx.random(100000, seed=1).get()
    assert x.dtype == np.float32 and 0 <= x.min() and x.max() < 1 and abs(x.mean() - 0.5) < 0.01
    np.testing.assert_array_equal(ctx.random(1000, seed=1, first_element=500).get(), x[500:1500])
    assert (ctx.random(1000, seed=1, stream=1).get() != x[:1000]).mean() > 0.99
    dice = ctx.random(60000, np.int8, seed=2, low=1, high=7).get()
    assert np.unique(dice).tolist() == [1, 2, 3, 4, 5, 6]
    normal = ctx.random(100000, np.float64, kind="normal", seed=3, mean=10, deviation=2).get()
    assert abs(normal.mean() - 10) < 0.05 and abs(normal.std() - 2) < 0.05
    # The first words of Philox4x32-10 with key and counter 0, from the paper's known answers.
    bits = ctx.random(4, np.uint32, seed=0).get()
    assert bits.tolist() == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
def test_gather_scatter(ctx, rng, dtype):
    x = numbers(rng, 3000, dtype)
    order = rng.permutation(3000)
    np.testing.assert_array_equal(ctx.gather(x, order).get(), x[order])
    back = ctx.scatter(x[order], order, size=3000)
    np.testing.assert_array_equal(back.get(), x)
    assert ctx.gather(x, np.array([1, -1, 3000])).get().tolist() == [x[1], 0, 0]
    out = ctx.array(x)
    ctx.scatter(np.ones(2, dtype), np.array([0, 5000], np.uint32), out=out)
    assert out[0] == 1 and (out.get()[1:] == x[1:]).all()
    flags = rng.random(3000) < 0.3
    packed = ctx.select(x, flags=flags)
    np.testing.assert_array_equal(ctx.unpack(packed, flags).get(), np.where(flags, x, 0))


def test_stencil(ctx, rng):
    line = numbers(rng, 1000, "float32")
    padded = np.pad(line, 1, mode="edge")
    np.testing.assert_array_equal(ctx.stencil(line, [1, 0, 2]).get(), padded[:-2] + 2 * padded[2:])
    picture = rng.integers(0, 99, (50, 70)).astype(np.float32)
    weights = rng.integers(-3, 4, (3, 5)).astype(np.float32)
    for border, mode in (("clamp", "edge"), ("wrap", "wrap"), ("constant", "constant")):
        padded = np.pad(picture, ((1, 1), (2, 2)), mode=mode)
        expected = sum(w * padded[j : j + 50, i : i + 70] for (j, i), w in np.ndenumerate(weights))
        np.testing.assert_array_equal(ctx.stencil(picture, weights, border=border).get(), expected)
    pixels = rng.integers(0, 256, (20, 30, 3)).astype(np.uint8)
    swapped = ctx.stencil(pixels, map="at(1, 0)", radius=(1, 0), border="wrap").get()
    np.testing.assert_array_equal(swapped, np.roll(pixels, -1, axis=1))
    assert ctx.stencil(np.zeros(0, np.float32), [1, 1, 1]).size == 0
    with pytest.raises(ValueError, match="odd number"):
        ctx.stencil(line, [1, 2])
    with pytest.raises(ValueError, match="weights, or a map"):
        ctx.stencil(line, map="x")


@pytest.mark.parametrize("n", SIZES)
def test_histogram(ctx, rng, n):
    x = rng.integers(0, 256, n).astype(np.uint8)
    np.testing.assert_array_equal(ctx.histogram(x).get(), np.bincount(x, minlength=256))
    y = rng.random(n).astype(np.float32)
    found = ctx.histogram(y, 10, (0, 1)).get()
    assert found.sum() == n and abs(found - np.histogram(y, 10, (0, 1))[0]).max() <= 2
    edges = np.array([0, 0.25, 0.3, 1], np.float32)
    np.testing.assert_array_equal(ctx.histogram(y, edges).get(), np.histogram(y, edges)[0])


def test_histogram_options(ctx, rng):
    x = rng.integers(-50, 50, 10000).astype(np.int32)
    weights = rng.integers(0, 9, 10000).astype(np.uint16)
    found = ctx.histogram(x, 20, (-50, 50), weights=weights, dtype=np.uint64)
    np.testing.assert_array_equal(found.get(), np.histogram(x, 20, (-50, 50), weights=weights)[0])
    twice = ctx.histogram(x, 20, (-50, 50), weights=weights, dtype=np.uint64, accumulate=True, out=found)
    assert twice is found and found.get().sum() == 2 * weights.sum()
    pixels = rng.integers(0, 256, (1000, 4)).astype(np.uint8)
    counts = ctx.histogram(pixels, channels=3).get()
    np.testing.assert_array_equal(counts, [np.bincount(pixels[:, c], minlength=256) for c in range(3)])
    mapped = ctx.histogram(x, 2, (0, 2), map="x > t", args={"t": 10}, map_dtype=np.uint32)
    assert mapped.get().tolist() == [(x <= 10).sum(), (x > 10).sum()]
    for bad, words in (({"bins": 0}, "bins is 0"), ({"range": (1, 1), "bins": 2}, "nothing"), ({}, "bins is required")):
        with pytest.raises(ValueError, match=words):
            ctx.histogram(x, **bad)
    with pytest.raises(ValueError, match="range is required"):
        ctx.histogram(x.astype(np.float32), 5)
    with pytest.raises(gpuprim.ArgumentError):
        ctx.histogram(rng.random((10, 3)).astype(np.float32), 5, (0, 1))


def test_weights_without_samples(ctx):
    """A slice of an array: what lies behind it is not read."""
    weights = ctx.array(np.full(200, 7, "u4"))[:100]
    with pytest.raises(ValueError, match="count and weights differ in length"):
        ctx.histogram(None, 4, map="i % 4u", map_dtype="u4", range=(0, 4), weights=weights, count=200)
    sums = ctx.histogram(None, 4, map="i % 4u", map_dtype="u4", range=(0, 4), weights=weights, count=100)
    np.testing.assert_array_equal(sums.get(), [175] * 4)


@pytest.mark.parametrize("dtype", ["u4", "i4", "u8", "i8", "u1", "i1", "?"])
def test_sums_of_weights(ctx, dtype):
    """Sums have 64 bits, and a sign where weights have one."""
    top = 1 if dtype == "?" else np.iinfo(dtype).max // (4 if dtype[1] == "8" else 1)
    bottom = 0 if dtype == "?" else np.iinfo(dtype).min // 4
    x, weights = np.array([0, 0, 0, 1, 1, 2] * 300) % 3, np.array([top, top, 1, bottom, bottom, 1] + [0] * 1794).astype(dtype)
    expected = [sum(int(w) for w in weights[x == k]) for k in range(3)]
    assert ctx.histogram(x, 3, (0, 3), weights=weights).get().tolist() == expected
    out = np.array([5, 5, 5], "i8" if dtype[0] == "i" else "u8")
    ctx.histogram(x, 3, (0, 3), weights=weights, out=out, accumulate=True)
    assert out.tolist() == [n + 5 for n in expected]
    narrow = ctx.histogram(x, 3, (0, 3), weights=weights, dtype=np.uint32).get()
    assert narrow.tolist() == [n % 2**32 for n in expected]
    assert ctx.histogram(x, 3, (0, 3), out=np.zeros(3, "u4")).tolist() == [900, 600, 300]
