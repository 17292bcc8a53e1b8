import numpy as np
import pytest

import gpuprim


def test_bloom_filter(ctx, rng):
    keys = rng.permutation(1 << 20)[:60000].astype(np.uint64)
    known = ctx.bloom_filter(40000, 0.02)
    assert repr(known) == f"<BloomFilter of {32 * known.bits.shape[0]} bytes>"
    known.add(keys[:40000])
    found = known.contains(keys).get()
    assert found.dtype == bool and found[:40000].all() and 0.015 < found[40000:].mean() < 0.025
    saved = ctx.bloom_filter(bits=known.bits.get())
    np.testing.assert_array_equal(saved.contains(keys).get(), found)
    halves = [ctx.bloom_filter(40000, 0.02) for _ in range(2)]
    halves[0].add(keys[:20000])
    halves[1].add(keys[20000:40000])
    both = ctx.transform(halves[0].bits, "x | y", y=halves[1].bits)
    np.testing.assert_array_equal(both.get(), known.bits.get())
    other = ctx.bloom_filter(40000, 0.02, seed=1)
    other.add(keys[:40000])
    assert (other.bits.get() != known.bits.get()).any()


def test_bloom_filter_of_columns(ctx):
    known = ctx.bloom_filter(100, 1e-6)
    known.add(["a", "b", ""], np.array([1, 2, 3], np.int16))
    assert known.contains(["a", "b", "", "a"], np.array([1, 2, 3, 2], np.int16)).get().tolist() == [True] * 3 + [False]
    assert known.contains([], np.zeros(0, np.int16)).size == 0
    with pytest.raises(TypeError):
        known.add()


@pytest.mark.parametrize("distinct", [0, 1, 50, 30000])
def test_hyperloglog(ctx, rng, distinct):
    keys = rng.integers(0, distinct, 200000) if distinct else np.zeros(0, np.int64)
    counter = ctx.hyperloglog(12)
    assert repr(counter) == "<HyperLogLog of precision 12>"
    counter.add(keys[::2])
    counter.add(keys[1::2])
    exact = len(np.unique(keys))
    assert abs(counter.estimate() - exact) <= 4 * 1.04 / 64 * exact
    again = ctx.hyperloglog(registers=counter.registers.get())
    assert again.estimate() == counter.estimate()
    again.add(keys)
    assert again.estimate() == counter.estimate()


def test_sketches_refuse(ctx):
    for count, rate in [(10, 0), (10, 1), (10, -1), (10, float("nan")), (1 << 40, 0.01)]:
        with pytest.raises(ValueError, match="no filter has"):
            ctx.bloom_filter(count, rate)
    with pytest.raises(ValueError, match="bits are"):
        ctx.bloom_filter(bits=np.zeros(8, np.uint32))
    for precision in (3, 19):
        with pytest.raises(ValueError, match="4 to 18"):
            ctx.hyperloglog(precision)
    with pytest.raises(ValueError, match="registers are"):
        ctx.hyperloglog(registers=np.zeros(17, np.uint32))
    assert gpuprim.BloomFilter and gpuprim.HyperLogLog
