import gc

import numpy as np
import pytest

import gpuprim
from gpuprim._native import ffi


@pytest.mark.parametrize("key, value", [("int32", "float32"), ("uint64", "int64"), ("uint32", "uint64")])
@pytest.mark.parametrize("n", [0, 1, 50000])
def test_map(ctx, rng, key, value, n):
    keys = rng.choice(10**6, n, replace=False).astype(key)
    values = rng.integers(0, 1000, n).astype(value)
    with ctx.hash_table(key, value) as table:
        results = table.insert(keys, values, return_results=True)
        assert (results.get() == gpuprim.HashResult.INSERTED).all() and len(table) == n
        found, there = table.find(np.append(keys, keys.dtype.type(10**6 + 1)), 7, return_found=True)
        np.testing.assert_array_equal(found.get(), np.append(values, 7).astype(value))
        np.testing.assert_array_equal(there.get(), [True] * n + [False])
        table.insert_or_assign(keys, values + 1)
        k, v = table.items(sort=True)
        order = np.argsort(keys)
        np.testing.assert_array_equal(k.get(), keys[order])
        np.testing.assert_array_equal(v.get(), values[order] + 1)
        erased = table.erase(keys[: n // 2], return_results=True)
        assert (erased.get() == gpuprim.HashResult.ERASED).all()
        np.testing.assert_array_equal(table.contains(keys).get(), np.arange(n) >= n // 2)
        table.rehash()
        assert len(table) == n - n // 2 and table.counts()["dead"] == 0
        table.clear()
        assert len(table) == 0


def test_group_by(ctx, rng):
    keys = rng.integers(0, 1000, 100000).astype(np.uint32)
    values = rng.integers(0, 50, 100000).astype(np.int32)
    table = ctx.hash_table(np.uint32, np.int32, expected_count=1000)
    table.insert_or_apply(keys, values)
    k, v = table.items(sort=True)
    np.testing.assert_array_equal(v.get(), np.bincount(keys, values)[k.get()])
    words = ctx.hash_table(np.uint32, np.uint32)
    words.insert_or_apply(keys)
    np.testing.assert_array_equal(words.find(np.arange(1000)).get(), np.bincount(keys, minlength=1000))
    table.for_each(where="v > t", map="0", args={"t": np.int32(2000)})
    table.for_each(where="v == 0", erase=True)
    assert len(table) == (v.get() <= 2000).sum()
    stats = table.stats()
    assert stats["live"] == len(table) and sum(stats["depths"]) == stats["live"]


def test_set_and_full(ctx):
    keys = np.arange(100, dtype=np.uint32)
    small = ctx.hash_table(np.uint32, capacity=64, grow=False)
    (failed,) = small.insert(keys, return_failed=True)
    missing = failed.get()
    assert small.counts()["failed"] == len(missing) == 100 - len(small) > 0
    small.rehash(capacity=256)
    small.insert(missing)
    np.testing.assert_array_equal(small.items(sort=True).get(), keys)
    np.testing.assert_array_equal(small.items(descending=True).get(), keys[::-1])
    with pytest.raises(TypeError, match="is a set"):
        small.find(keys)
    duplicates = ctx.hash_table(np.uint32, np.uint32)
    duplicates.insert([5, 5, 5], [1, 2, 3], duplicates="last")
    assert duplicates.find([5])[0] == 3


def test_refused_value(ctx):
    table = ctx.hash_table(np.uint64, np.uint64, reserved=13)
    table.insert([1, 2], [13, 14])
    assert table.counts()["refused"] == 1 and table.contains([1, 2]).get().tolist() == [False, True]


@pytest.mark.parametrize("value", ["uint32", "uint64"])
def test_values_of_absent_keys(ctx, value):
    """The default; else the reserved value, as the documentation says; else all bits."""
    assert "`reserved`" in gpuprim.HashTable.find.__doc__
    for options, absent in (({}, np.iinfo(value).max), ({"reserved": 13}, 13)):
        table = ctx.hash_table(np.uint32, value, **options)
        table.insert([1], [7])
        assert table.find([1, 2]).get().tolist() == [7, absent] and table.find([2], 5).get().tolist() == [5]


def test_reserved_lives(ctx):
    """What `nbytes` passes on still points to the reserved value."""
    table = ctx.hash_table(np.uint32, np.uint64, reserved=5)
    others = [np.full(1, 7, np.uint64) for _ in range(1000)]
    assert ffi.cast("uint64_t *", table._creation.desc.reserved)[0] == 5 and table.nbytes > 0 and others


def test_share(ctx):
    table = ctx.hash_table(np.uint32, np.uint32, capacity=1024, grow=False)
    table.insert([1, 2], [10, 20])
    ctx.finish()
    with gpuprim.Context(share=ctx) as other:
        there = table.share(other)
        assert there.find([2])[0] == 20
        there.insert([3], [30])
        other.finish()
    assert table.find([3])[0] == 30
    with pytest.raises(gpuprim.Error):
        ctx.hash_table(np.uint32).share(gpuprim.Context(share=ctx))


def test_life(ctx):
    table = ctx.hash_table(np.uint32, np.uint32)
    assert table.nbytes >= 8192 and table.int_ptr
    assert "gp_hash_insert" in ctx.device_source(table=table)
    table.close()
    table.close()
    with pytest.raises(RuntimeError, match="table is closed"):
        table.insert([1], [1])
    dropped = ctx.hash_table(np.uint32)
    del dropped
    gc.collect()
    assert len(ctx._orphans) >= 1
    ctx.finish()
    assert not ctx._orphans
    with pytest.raises(gpuprim.ArgumentError):
        ctx.hash_table(np.uint8)
    with pytest.raises(TypeError, match="float64.*uint32"):
        ctx.hash_table(np.uint32).insert([1.5])
    with pytest.raises(TypeError, match="int64.*uint32"):
        ctx.hash_table(np.uint32).insert([-1])


def unmix(h):
    """The keys of 32 bits that the finaliser of MurmurHash3 mixes to h."""
    h = h.astype(np.uint32)
    h ^= h >> 16
    h = h * np.uint32(pow(0xC2B2AE35, -1, 2**32))
    h ^= (h >> 13) ^ (h >> 26)
    h = h * np.uint32(pow(0x85EBCA6B, -1, 2**32))
    return h ^ h >> 16


def test_chosen_keys(ctx):
    """Keys that all have the slot 0 under a known seed are spread under a random one."""
    keys = unmix(np.arange(2048, dtype=np.uint64) * 8192)
    assert len(np.unique(keys)) == 2048
    known = ctx.hash_table(np.uint32, capacity=8192, seed=0)
    known.insert(keys)
    assert known.stats()["max_depth"] > 500
    default = ctx.hash_table(np.uint32, capacity=8192)
    default.insert(keys)
    assert default.stats()["max_depth"] < 100
