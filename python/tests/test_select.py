import numpy as np
import pytest
from conftest import SIZES, numbers

import gpuprim


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


EVEN = np.array([0, 1, 0, 1, 0, 1, 0], np.int32)
SEVEN = np.arange(7, dtype=np.int32)


def table_of(ctx, keys, values):
    table = ctx.hash_table(np.int32, np.int32)
    table.insert(keys, values)
    return table


def sketched(sketch, keys):
    sketch.add(keys)
    return sketch.contains(keys) if hasattr(sketch, "contains") else sketch.registers


def filled(ctx, use):
    """What a table holds after its use."""
    table = ctx.hash_table(np.int32, np.int32)
    results = use(table)
    return (*table.items(sort=True), *(results if isinstance(results, tuple) else (results,)))


def host(dtype, n=7):
    return np.zeros(n, dtype)


#: Calls of k, 7 keys that rise from 0, and others beside it.
BESIDE = {
    "reduce y": lambda c, k: c.reduce(k, map="x * y", y=SEVEN),
    "reduce x": lambda c, k: c.reduce(SEVEN, map="x * y", y=k),
    "reduce several": lambda c, k: c.reduce(k, ["sum", "max"], args={"q": k}, map="x + q[i]"),
    "reduce out": lambda c, k: c.reduce(k, out=host(np.int64, 1)),
    "segmented_reduce": lambda c, k: c.segmented_reduce(k, k),
    "segmented_scan": lambda c, k: c.segmented_scan(k, k),
    "scan axis": lambda c, k: c.scan(c.array(k).reshape(1, 7), axis=1),
    "summed_area": lambda c, k: c.summed_area(c.array(k).reshape(1, 7)),
    "reduce_by_key keys": lambda c, k: c.reduce_by_key(k, SEVEN),
    "reduce_by_key x": lambda c, k: c.reduce_by_key(SEVEN, k, map="x + q[x]", args={"q": k}),
    "scan flags": lambda c, k: c.scan(k, flags=EVEN),
    "scan keys": lambda c, k: c.scan(SEVEN, keys=k),
    "scan x, keys": lambda c, k: c.scan(k, keys=EVEN),
    "scan out": lambda c, k: c.scan(k, out=host(np.int32)),
    "scan into": lambda c, k: c.scan(SEVEN, out=k),
    "select flags": lambda c, k: c.select(k, flags=EVEN),
    "select flagged": lambda c, k: c.select(SEVEN, flags=k),
    "select indices": lambda c, k: c.select(k, indices=k),
    "partition flags": lambda c, k: c.partition(k, flags=EVEN),
    "partition flagged": lambda c, k: c.partition(SEVEN, flags=k),
    "unique values": lambda c, k: c.unique(k, SEVEN),
    "unique keys": lambda c, k: c.unique(SEVEN, k, return_indices=True),
    "unique args": lambda c, k: c.unique(k, equal="q[1] == x", args={"q": k}),
    "run_length_encode args": lambda c, k: c.run_length_encode(k, equal="q[1] == x", args={"q": k}),
    "run_length_encode end": lambda c, k: c.run_length_encode(k, offsets_end=True),
    "sort values": lambda c, k: c.sort(k, SEVEN),
    "sort keys": lambda c, k: c.sort(SEVEN, k),
    "sort out": lambda c, k: c.sort(k, out=host(np.int32)),
    "sort out pair": lambda c, k: c.sort(k, SEVEN, out=(host(np.int32), host(np.int32))),
    "sort inplace": lambda c, k: c.sort(k, c.array(SEVEN), inplace=True),
    "argsort": lambda c, k: c.argsort(k, return_keys=True),
    "segmented_sort": lambda c, k: c.segmented_sort(k, k, SEVEN, check_offsets=True),
    "segmented_argsort": lambda c, k: c.segmented_argsort(k, SEVEN),
    "sort_records args": lambda c, k: c.sort_records(k, [gpuprim.Column("q[i]", np.int32)], args={"q": k}),
    "sort_strings": lambda c, k: c.sort_strings(np.arange(9, dtype=np.uint8), k),
    "topk": lambda c, k: c.topk(k, 3),
    "run_length_decode": lambda c, k: c.run_length_decode(k, np.arange(8)),
    "run_length_decode offsets": lambda c, k: c.run_length_decode(SEVEN[1:], k),
    "repeat": lambda c, k: c.repeat(k, SEVEN),
    "repeat counts": lambda c, k: c.repeat(SEVEN, k),
    "segmented_topk": lambda c, k: c.segmented_topk(k, [0, 2], 3),
    "nth_element": lambda c, k: c.nth_element(k, 1),
    "quantile": lambda c, k: c.quantile(k, [0.3, 1]),
    "percentile": lambda c, k: c.percentile(k, 30),
    "median": lambda c, k: c.median(k),
    "median offsets": lambda c, k: c.median(SEVEN, offsets=c.sort(k)),
    "segmented_topk ks": lambda c, k: c.segmented_topk(SEVEN, np.zeros(8, np.int32), k),
    "merge": lambda c, k: c.merge(k, k, SEVEN, k),
    "search keys": lambda c, k: c.search(k, SEVEN),
    "search both": lambda c, k: c.search(k, k, needle_map="x + q[0]", args={"q": k}),
    "search out": lambda c, k: c.search(SEVEN, k, out=host(np.uint64)),
    "search out of keys": lambda c, k: c.search(k, SEVEN, out=host(np.uint64)),
    "transform y": lambda c, k: c.transform(k, "x + y", y=SEVEN),
    "transform x": lambda c, k: c.transform(SEVEN, "x + y + z", y=k, z=k),
    "transform out": lambda c, k: c.transform(k, "x", out=host(np.int32)),
    "transform args": lambda c, k: c.transform(k, "q[i] + x", args={"q": k}),
    "transform indices": lambda c, k: c.transform(None, "q[i]", args={"q": k}, count=7, dtype=np.int32),
    "fill out": lambda c, k: c.fill(None, 3, out=k),
    "iota out": lambda c, k: c.iota(7, dtype=np.int32, out=k),
    "random out": lambda c, k: c.random(7, np.int32, seed=1, out=k),
    "adjacent_difference out": lambda c, k: c.adjacent_difference(k, out=host(np.int32)),
    "gather": lambda c, k: c.gather(k, k),
    "gather x": lambda c, k: c.gather(SEVEN, k, out=host(np.int32)),
    "scatter": lambda c, k: c.scatter(k, SEVEN, size=9),
    "scatter out": lambda c, k: c.scatter(SEVEN, SEVEN, out=k),
    "transpose": lambda c, k: c.transpose(c.array(k).reshape(1, 7)),
    "unpack": lambda c, k: c.unpack(k, np.ones(7, bool)),
    "group_rows": lambda c, k: c.group_rows(k, return_order=True),
    "group_rows columns": lambda c, k: c.group_rows(SEVEN, k),
    "unpack flags": lambda c, k: c.unpack(k, k),
    "stencil": lambda c, k: c.stencil(k, map="at(-1, 0) + q[0]", radius=1, args={"q": k}),
    "histogram weights": lambda c, k: c.histogram(k, 3, (0, 7), weights=SEVEN),
    "histogram of": lambda c, k: c.histogram(SEVEN, 3, (0, 7), weights=k),
    "histogram edges": lambda c, k: c.histogram(k, k),
    "brackets": lambda c, k: [c.brackets(k, map="q[i] < 3 ? 1 : -1", args={"q": k}).match],
    "stack_scan": lambda c, k: c.stack_scan(k, SEVEN, map="1"),
    "stack_scan values": lambda c, k: c.stack_scan(SEVEN, k, map="1"),
    "tree x": lambda c, k: [c.tree(c.transform(k, "x - 1"), SEVEN).children],
    "tree parent": lambda c, k: [c.tree(SEVEN - 1, k).children],
    "group_by": lambda c, k: c.group_by(k, SEVEN, "mean"),
    "join": lambda c, k: c.join(k, SEVEN, "left"),
    "join right": lambda c, k: c.join((SEVEN, k), (k, SEVEN), "full"),
    "join semi": lambda c, k: c.join(k, k, "semi"),
    "isin": lambda c, k: c.isin(k, SEVEN),
    "nunique": lambda c, k: c.array([c.nunique(k)]),
    "union1d": lambda c, k: c.union1d(k, SEVEN),
    "intersect1d": lambda c, k: c.intersect1d(k, SEVEN),
    "setdiff1d": lambda c, k: c.setdiff1d(SEVEN, k),
    "insert": lambda c, k: filled(c, lambda t: t.insert(k, SEVEN, return_results=True)),
    "insert values": lambda c, k: filled(c, lambda t: t.insert(SEVEN, k, duplicates="last")),
    "insert_or_assign": lambda c, k: filled(c, lambda t: t.insert_or_assign(k, SEVEN, duplicates="first")),
    "insert_or_apply": lambda c, k: filled(c, lambda t: t.insert_or_apply(k, SEVEN, return_failed=True)),
    "find": lambda c, k: table_of(c, SEVEN, SEVEN).find(k, return_found=True),
    "contains": lambda c, k: table_of(c, SEVEN, SEVEN).contains(k),
    "erase": lambda c, k: table_of(c, SEVEN, SEVEN).erase(k, return_results=True),
    "for_each": lambda c, k: filled(c, lambda t: (t.insert(SEVEN, SEVEN), t.for_each(map="v + q[k]", args={"q": k}))),
    "bloom_filter": lambda c, k: sketched(c.bloom_filter(10), k),
    "hyperloglog": lambda c, k: sketched(c.hyperloglog(6), k),
    "join_table": lambda c, k: c.join(SEVEN, c.join_table(k)),
    "array": lambda c, k: c.array(k),
}
NOT_BESIDE = {
    "close", "finish", "done", "wait_for", "empty", "from_dlpack", "scratch_size", "warmup", "export_programs",
    "import_programs", "stats", "kernel_times", "reset_stats", "self_test", "check_monoid", "device_source", "hash_table",
    "share", "counts", "items", "clear", "rehash",
}  # fmt: skip


def on_host(results):
    many = results if isinstance(results, (tuple, list)) else [results]
    return [np.asarray(r).tolist() if isinstance(r, (gpuprim.Array, np.ndarray, np.generic)) else r for r in many]


@pytest.mark.parametrize("name", BESIDE)
def test_length_on_the_device_beside_others(ctx, name):
    """An array whose length the host learns while a call is prepared is as any other; at the first call, too."""
    kept = ctx.select(np.arange(10, dtype=np.int32), "x < 7")
    known = ctx.array(SEVEN)
    assert on_host(BESIDE[name](ctx, kept)) == on_host(BESIDE[name](ctx, known))


def test_all_calls_take_a_length_on_the_device():
    methods = {name for kind in (gpuprim.Context, gpuprim.HashTable) for name in dir(kind) if name[0] != "_"}
    methods = {n for n in methods if callable(getattr(gpuprim.Context, n, None) or getattr(gpuprim.HashTable, n, None))}
    assert methods - NOT_BESIDE == {name.split()[0] for name in BESIDE}


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


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
@pytest.mark.parametrize("n", SIZES)
def test_decode(ctx, rng, n, dtype):
    keys = rng.integers(0, 200, n).astype(dtype)
    counts = rng.integers(0, 7, n)
    expected = np.repeat(keys, counts)
    offsets = np.append(0, np.cumsum(counts))
    out, runs, places = ctx.run_length_decode(keys, offsets, return_runs=True, return_positions=True)
    np.testing.assert_array_equal(out.get(), expected)
    np.testing.assert_array_equal(runs.get(), np.repeat(np.arange(n), counts))
    np.testing.assert_array_equal(places.get(), np.arange(len(expected)) - np.repeat(offsets[:-1], counts))
    np.testing.assert_array_equal(ctx.repeat(keys, counts).get(), expected)
    np.testing.assert_array_equal(ctx.repeat(keys, ctx.array(counts)).get(), expected)
    np.testing.assert_array_equal(ctx.repeat(keys, 3).get(), np.repeat(keys, 3))
    assert ctx.repeat(keys, 0).size == 0
    later = ctx.run_length_decode(keys, offsets + 2, size=len(expected) + 3).get()
    np.testing.assert_array_equal(later, np.concatenate([np.zeros(2, dtype), expected, np.zeros(1, dtype)]))


def test_bad_runs(ctx):
    x = np.arange(3)
    with pytest.raises(ValueError, match="x has 3 elements, and offsets have 2 runs"):
        ctx.run_length_decode(x, [0, 1, 2])
    with pytest.raises(ValueError, match="give return_runs or return_positions"):
        ctx.run_length_decode(None, [0, 1, 2])
    with pytest.raises(ValueError, match="one element more"):
        ctx.run_length_decode(x, [])
    with pytest.raises(ValueError, match="x and counts differ in length"):
        ctx.repeat(x, [1, 2])
    with pytest.raises(ValueError, match="counts"):
        ctx.repeat(x, [1, 2, -1])
    with pytest.raises(ValueError, match="counts is -1"):
        ctx.repeat(x, -1)


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
