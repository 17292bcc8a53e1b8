import numpy as np
import pytest


@pytest.mark.parametrize("n", [0, 1, 99991])
def test_group_by(ctx, rng, n):
    keys = rng.integers(0, 500, n).astype(np.int16)
    values = rng.integers(-100, 100, n).astype(np.int32)
    names, starts = np.unique(keys, return_index=True)
    order = np.argsort(keys, kind="stable")
    grouped = values[order]
    begin = np.searchsorted(keys[order], names)
    found = ctx.group_by(keys, values, ["sum", "min", "max", "count", "mean"])
    counts = np.diff(np.append(begin, n))
    np.testing.assert_array_equal(found[0].get(), names)
    if n:
        sums = np.add.reduceat(grouped, begin, dtype=np.int64)
        for result, expected in zip(
            found[1:],
            (sums, np.minimum.reduceat(grouped, begin), np.maximum.reduceat(grouped, begin), counts, sums / counts),
        ):
            np.testing.assert_array_equal(result.get(), expected)
    np.testing.assert_array_equal(ctx.group_by(keys, agg="count")[1].get(), counts)


def test_mean_of_floats(ctx):
    names, means = ctx.group_by([3.0, 1.0, 3.0], np.array([1, 5, 2], np.float32), "mean")
    assert names.get().tolist() == [1, 3] and means.get().tolist() == [5, 1.5] and means.dtype == np.float64


@pytest.mark.parametrize("how", ["inner", "left"])
@pytest.mark.parametrize("left, right", [(0, 0), (0, 5), (5, 0), (1, 1), (2000, 3000)])
def test_join(ctx, rng, how, left, right):
    a = rng.integers(0, 1000, left).astype(np.uint32)
    b = rng.integers(0, 1000, right).astype(np.uint32)
    expected = []
    for i, key in enumerate(a):
        partners = np.flatnonzero(b == key)
        expected += [(i, j) for j in partners] or ([(i, -1)] if how == "left" else [])
    lefts, rights = ctx.join(a, b, how)
    assert list(zip(lefts.get().tolist(), rights.get().tolist())) == expected


def test_bad_input(ctx):
    with pytest.raises(ValueError, match="how is"):
        ctx.join([1], [1], "outer")
    with pytest.raises(TypeError, match="one dtype"):
        ctx.join(np.zeros(1, np.int32), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="values is required"):
        ctx.group_by([1, 2])
    for agg in ("median", "argmax"):
        with pytest.raises(ValueError, match=f"agg is '{agg}', not one of sum"):
            ctx.group_by([1, 2], [1, 2], agg)
    with pytest.raises(TypeError, match="dict"):
        ctx.group_by([1, 2], [1, 2], {"sum": "x"})


@pytest.mark.parametrize("dtype", ["i8", "u8", "i4", "u1", "f4", "f8"])
def test_means_of_large_values(ctx, dtype):
    """Sums that 64 bits do not hold have a mean all the same."""
    top = np.finfo(dtype).max / 8 if dtype[0] == "f" else np.iinfo(dtype).max
    values = np.array([top, top, top, 0, top - 1, top], dtype)
    means = ctx.group_by(np.zeros(6, int), values, "mean")[1].get()
    np.testing.assert_allclose(means, [values.astype("f8").mean()], rtol=1e-15)
