import numpy as np
import pytest
from conftest import SIZES, numbers


@pytest.mark.parametrize("n", SIZES)
def test_select(ctx, rng, n):
    x = numbers(rng, n, "float32")
    mask = x > 3
    np.testing.assert_array_equal(ctx.select(x, "x > t", args={"t": 3}).get(), x[mask])
    kept, where = ctx.select(x, flags=mask, return_indices=True)
    np.testing.assert_array_equal(kept.get(), x[mask])
    np.testing.assert_array_equal(where.get(), np.flatnonzero(mask))


def test_select_by_indices(ctx):
    x = np.arange(100, 200, dtype=np.int16)
    kept = ctx.select(x, indices=np.array([5, -1, 99, 100, 0]))
    assert kept.get().tolist() == [105, 199, 100]


def test_length_on_the_device(ctx, rng):
    """Calls take a length that only the device knows, and the host does not wait."""
    x = numbers(rng, 50000, "int32")
    kept = ctx.select(x, "x > 0")
    total = ctx.scan(ctx.transform(kept, "2 * x"))
    ordered = ctx.sort(kept, kept)
    assert "at most 50000" in repr(kept) and "at most 50000" in repr(total)
    positive = x[x > 0]
    assert ctx.reduce(kept) == positive.sum()
    np.testing.assert_array_equal(total.get(), np.cumsum(2 * positive))
    np.testing.assert_array_equal(ordered[1].get(), np.sort(positive))
    assert len(kept) == len(positive) == kept.shape[0] and kept[-1] == positive[-1]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint32", "float64"])
def test_partition(ctx, rng, dtype):
    x = numbers(rng, 66000, dtype)
    low, rest = ctx.partition(x, "x < 10")
    np.testing.assert_array_equal(low.get(), x[x < 10])
    np.testing.assert_array_equal(rest.get(), x[x >= 10])
    parts = ctx.partition(x, "x < 10", "x < 50")
    for part, mask in zip(parts, (x < 10, (x >= 10) & (x < 50), x >= 50)):
        np.testing.assert_array_equal(part.get(), x[mask])
    set_, unset = ctx.partition(x, flags=x % 2)
    assert len(set_) + len(unset) == len(x)


@pytest.mark.parametrize("n", SIZES)
def test_runs(ctx, rng, n):
    x = np.sort(rng.integers(0, 1000, n)).astype(np.uint32)
    values, places, lengths = np.unique(x, return_index=True, return_counts=True)
    np.testing.assert_array_equal(ctx.unique(x).get(), values)
    keys, moved, where = ctx.unique(x, np.arange(n), return_indices=True)
    for found, expected in ((keys, values), (moved, places), (where, places)):
        np.testing.assert_array_equal(found.get(), expected)
    runs = ctx.run_length_encode(x)
    for found, expected in zip(runs, (values, lengths, places)):
        np.testing.assert_array_equal(found.get(), expected)
    segments = ctx.run_length_encode(x, offsets_end=True)
    for found, expected in zip(segments, (values, lengths, np.append(places, n))):
        np.testing.assert_array_equal(found.get(), expected)
    numbers = rng.integers(0, 1000, n).astype(np.int32)
    sums = np.bincount(x, numbers, 1000)[values]
    np.testing.assert_array_equal(ctx.segmented_reduce(numbers, segments[2]).get(), sums)
    repeated = ctx.run_length_encode(x, repeated_only=True)
    np.testing.assert_array_equal(repeated[0].get(), values[lengths > 1])
    assert len(ctx.unique(x, equal="x / 100 == y / 100")) == len(np.unique(x // 100))


def test_bad_input(ctx):
    x = np.arange(5)
    for kwargs in ({}, {"predicate": "x", "flags": x}):
        with pytest.raises(ValueError, match="predicate, flags or indices"):
            ctx.select(x, **kwargs)
    with pytest.raises(ValueError, match="predicate or flags"):
        ctx.partition(x)
    with pytest.raises(ValueError, match="x and flags differ in length"):
        ctx.select(x, flags=x[:4])
    with pytest.raises(ValueError, match="offsets_end and repeated_only"):
        ctx.run_length_encode(x, repeated_only=True, offsets_end=True)
    with pytest.raises(ValueError, match="strategy is 'quick'"):
        ctx.select(x, "x", strategy="quick")


def test_halves_as_flags(ctx):
    """-0 is 0, and so no flag, and no other key than 0."""
    flags = np.array([0, -0.0, 1, -1, np.nan, -0.0, 6e-8], np.float16)
    x, put = np.arange(7), np.array([False, False, True, True, True, False, True])
    for given in (flags, ctx.array(flags), flags.astype(">f2")):
        assert ctx.select(x, flags=given).get().tolist() == x[put].tolist()
        assert [part.get().tolist() for part in ctx.partition(x, flags=given)] == [x[put].tolist(), x[~put].tolist()]
        assert ctx.unpack(x[:4] + 1, given).get().tolist() == [0, 0, 1, 2, 3, 0, 4]
        assert ctx.scan(np.ones(7, int), flags=given).get().tolist() == [1, 2, 1, 1, 1, 2, 1]
        assert ctx.scan(np.ones(7, int), keys=given).get().tolist() == [1, 2, 1, 1, 1, 1, 1]
