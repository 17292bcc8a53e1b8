import numpy as np
import pytest
from conftest import FLOATS, INTEGERS, SIZES, numbers

import gpuprim


@pytest.mark.parametrize("n", SIZES)
def test_sizes(ctx, rng, n):
    keys = rng.integers(0, 2**32, n, dtype=np.uint32)
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(ctx.sort(keys).get(), keys[order])
    np.testing.assert_array_equal(ctx.argsort(keys).get(), order)
    ordered, values = ctx.sort(keys, np.arange(n))
    np.testing.assert_array_equal(ordered.get(), keys[order])
    np.testing.assert_array_equal(values.get(), order)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_dtypes(ctx, rng, dtype):
    keys = numbers(rng, 5000, dtype)
    np.testing.assert_array_equal(ctx.sort(keys).get(), np.sort(keys))
    indices, ordered = ctx.argsort(keys, descending=True, return_keys=True)
    np.testing.assert_array_equal(indices.get(), np.argsort(-keys.astype(float), kind="stable"))
    np.testing.assert_array_equal(ordered.get(), np.sort(keys)[::-1])


def test_sort_options(ctx, rng):
    keys = rng.integers(0, 2**16, 3000, dtype=np.uint16)
    np.testing.assert_array_equal(ctx.sort(keys, bits=(4, 12)).get(), keys[np.argsort(keys >> 4 & 255, kind="stable")])
    on_device, values = ctx.array(keys), ctx.array(np.arange(3000, dtype=np.float64))
    assert ctx.sort(on_device, values, inplace=True)[0] is on_device
    np.testing.assert_array_equal(values.get(), np.argsort(keys, kind="stable"))
    host = keys.copy()
    assert ctx.sort(host, out=host) is host and (np.diff(host.astype(int)) >= 0).all()
    nan = np.array([np.nan, 1, -np.inf, -0.0, 0.0, -np.nan], np.float32)
    np.testing.assert_array_equal(np.isnan(ctx.sort(nan).get()), [True, False, False, False, False, True])


def test_segmented_sort(ctx, rng):
    keys = rng.integers(0, 1000, 50000).astype(np.int32)
    offsets = np.sort(rng.integers(0, len(keys), 200)).astype(np.uint32)
    expected, order = keys.copy(), np.arange(len(keys))
    for a, b in zip(offsets, offsets[1:]):
        order[a:b] = a + np.argsort(keys[a:b], kind="stable")
    expected = keys[order]
    found, values = ctx.segmented_sort(keys, offsets, np.arange(len(keys)))
    np.testing.assert_array_equal(found.get(), expected)
    np.testing.assert_array_equal(values.get(), order)
    on_device = ctx.array(keys)
    np.testing.assert_array_equal(ctx.segmented_sort(on_device, offsets).get(), expected)
    np.testing.assert_array_equal(on_device.get(), keys)
    assert ctx.segmented_sort(on_device, offsets, inplace=True) is on_device
    np.testing.assert_array_equal(on_device.get(), expected)
    with pytest.raises(ValueError, match="1 offsets are bad, the first one at 2"):
        ctx.segmented_sort(keys, np.array([0, 10, 5, 20], np.uint32), check_offsets=True)


def test_sort_records(ctx, rng):
    orders = np.zeros(4000, [("price", "f4"), ("customer", "u2"), ("id", "u8")])
    orders["price"], orders["customer"] = rng.integers(0, 20, 4000), rng.integers(0, 50, 4000)
    orders["id"] = np.arange(4000)
    order = np.lexsort((orders["customer"], -orders["price"]))
    found, where = ctx.sort_records(orders, ["-price", "customer"], return_indices=True)
    np.testing.assert_array_equal(found.get(), orders[order])
    np.testing.assert_array_equal(where.get(), order)
    ages = rng.integers(0, 9, 100).astype(np.uint16)
    age = gpuprim.Column("age[i]", np.uint16)
    np.testing.assert_array_equal(
        ctx.sort_records(None, [age], args={"age": ages}, count=100).get(), np.argsort(ages, kind="stable")
    )
    with pytest.raises(ValueError, match="no field 'size'"):
        ctx.sort_records(orders, ["size"])


def test_sort_strings(ctx):
    words = ["pear", "apple", "", "Äpfel", "apple", "app", "pear\0"]
    order = sorted(range(len(words)), key=lambda i: words[i].encode())
    assert ctx.sort_strings(words).get().tolist() == order
    assert ctx.sort_strings([]).get().tolist() == []
    data = np.frombuffer(b"cab", np.uint8)
    assert ctx.sort_strings(data, np.array([0, 1, 2, 3], np.uint32), descending=True).get().tolist() == [0, 2, 1]
    with pytest.raises(gpuprim.ArgumentError, match="string"):
        ctx.sort_strings(data, np.array([0, 9, 2], np.uint32))


@pytest.mark.parametrize("n, k", [(0, 0), (1, 1), (5000, 7), (2**20 + 123, 1000)])
def test_topk(ctx, rng, n, k):
    keys = rng.integers(0, 10**6, n).astype(np.int32)
    order = np.argsort(-keys, kind="stable")[:k]
    best, where = ctx.topk(keys, k)
    np.testing.assert_array_equal(best.get(), keys[order])
    np.testing.assert_array_equal(where.get(), order)
    least, _ = ctx.topk(keys, k, smallest=True)
    np.testing.assert_array_equal(least.get(), np.sort(keys)[:k])
    with pytest.raises(ValueError, match="k is"):
        ctx.topk(keys, n + 1)


@pytest.mark.parametrize("rows, columns, k", [(1, 1, 1), (100, 500, 10), (3, 70000, 1000), (4, 5, 0), (0, 5, 2), (3, 0, 0)])
def test_topk_of_rows(ctx, rng, rows, columns, k):
    keys = rng.integers(-1000, 1000, (rows, columns)).astype(np.float32)
    order = np.argsort(-keys, axis=1, kind="stable")[:, :k]
    best, where = ctx.topk(keys, k, axis=1)
    np.testing.assert_array_equal(where.get(), order)
    np.testing.assert_array_equal(best.get(), np.take_along_axis(keys, order, 1))
    least, _ = ctx.topk(keys, k, axis=-1, smallest=True)
    np.testing.assert_array_equal(least.get(), np.sort(keys, axis=1)[:, :k])
    with pytest.raises(ValueError, match="k is"):
        ctx.topk(keys, columns + 1, axis=1)
    with pytest.raises(ValueError, match="axis is 0"):
        ctx.topk(keys, k, axis=0)
    with pytest.raises(ValueError, match="dimensions instead of 2"):
        ctx.topk(keys.ravel(), k, axis=1)


@pytest.mark.parametrize("rows, columns", [(1, 1), (40, 500), (2, 70000), (0, 3), (3, 0)])
def test_sort_of_rows(ctx, rng, rows, columns):
    keys = rng.integers(-1000, 1000, (rows, columns)).astype(np.int32)
    np.testing.assert_array_equal(ctx.segmented_sort(keys, None).get(), np.sort(keys, axis=1))
    order = np.argsort(-keys, axis=1, kind="stable")
    values = np.arange(keys.size, dtype=np.int32).reshape(keys.shape)
    found = ctx.segmented_sort(keys, None, values, descending=True)
    np.testing.assert_array_equal(found[1].get(), np.take_along_axis(values, order, 1))
    with pytest.raises(ValueError, match="dimensions instead of 2"):
        ctx.segmented_sort(keys.ravel(), None)
    with pytest.raises(ValueError, match="shape"):
        ctx.segmented_sort(np.zeros((2, 6)), None, np.zeros((3, 4)))


@pytest.mark.parametrize("rows, columns", [(1, 1), (40, 500), (2, 70000), (0, 3), (3, 0)])
def test_argsort_of_rows(ctx, rng, rows, columns):
    keys = rng.integers(-1000, 1000, (rows, columns)).astype(np.float32)
    np.testing.assert_array_equal(ctx.argsort(keys, axis=1).get(), np.argsort(keys, axis=1, kind="stable"))
    order, found = ctx.argsort(keys, axis=-1, descending=True, return_keys=True)
    np.testing.assert_array_equal(order.get(), np.argsort(-keys, axis=1, kind="stable"))
    np.testing.assert_array_equal(found.get(), np.take_along_axis(keys, order.get().astype(np.int64), 1))
    with pytest.raises(ValueError, match="axis is 0"):
        ctx.argsort(keys, axis=0)


def test_segmented_argsort(ctx, rng):
    keys = rng.integers(0, 100, 1000).astype(np.uint16)
    order, found = ctx.segmented_argsort(keys, [5, 7, 7, 900], return_keys=True)
    expected = np.zeros(1000, np.uint32)
    expected[5:7] = np.argsort(keys[5:7], kind="stable")
    expected[7:900] = np.argsort(keys[7:900], kind="stable")
    np.testing.assert_array_equal(order.get(), expected)
    np.testing.assert_array_equal(found.get()[7:900], np.sort(keys[7:900]))
    assert not found.get()[:5].any() and not found.get()[900:].any()


def test_segmented_topk(ctx, rng):
    keys = rng.integers(0, 100, 1000).astype(np.int32)
    best, where = ctx.segmented_topk(keys, [0, 2, 2, 1000], 3)
    order = np.argsort(-keys[2:], kind="stable")[:3]
    assert best.get().tolist() == [[*sorted(keys[:2], reverse=True), 0], [0, 0, 0], keys[2:][order].tolist()]
    none = 2**32 - 1
    assert where.get()[1:].tolist() == [[none] * 3, order.tolist()] and where.get()[0, 2] == none
    with pytest.raises(gpuprim.Error, match="at most 1024"):
        ctx.segmented_topk(keys, [0, 1000], 1025)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint32, np.int64])
def test_segmented_topk_with_a_k_each(ctx, rng, dtype):
    keys = rng.integers(0, 100, 1000).astype(np.float32)
    ks = np.array([0, 3, 9, 2], dtype)
    ends = [0, 500, 505, 510, 1000]
    for k in [ks, ctx.array(ks)] if ks.itemsize > 1 else [ks]:
        best, where = ctx.segmented_topk(keys, ends, k)
        for s in range(4):
            part = keys[ends[s] : ends[s + 1]]
            order = np.argsort(-part, kind="stable")[: ks[s]]
            assert best.get()[s].tolist() == part[order].tolist() + [0] * (9 - len(order))
            assert where.get()[s].tolist() == order.tolist() + [2**32 - 1] * (9 - len(order))
    assert ctx.segmented_topk(keys, [0], [])[0].shape == (0, 0)
    for wrong, text in [([1, 2], "2 numbers"), ([1, -1, 1, 1], "k has"), ([1025] * 4, "at most 1024")]:
        with pytest.raises((ValueError, gpuprim.Error), match=text):
            ctx.segmented_topk(keys, ends, wrong)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8])
def test_order_statistics(ctx, rng, dtype):
    for n in [1, 2, 1001, 70000]:
        keys = (rng.standard_normal(n) * 50 + 100).astype(dtype)
        ranks = np.array([[n - 1, 0], [n // 2, -1]])
        np.testing.assert_array_equal(ctx.nth_element(keys, ranks).get(), np.sort(keys)[ranks])
        q = [0.9, 0.1, 0, 1, 1 / 3]
        np.testing.assert_allclose(ctx.quantile(keys, q), np.quantile(keys, q), rtol=1e-6)
        np.testing.assert_allclose(ctx.median(keys), np.median(keys), rtol=1e-6)
    assert np.isscalar(ctx.median(keys))
    if np.dtype(dtype).kind == "f":
        keys[7] = np.nan
        assert np.isnan(ctx.median(keys))
    for wrong in [[70000], [-70001]]:
        with pytest.raises(ValueError, match="not below"):
            ctx.nth_element(keys, wrong)
    with pytest.raises(ValueError, match="from 0 to 1"):
        ctx.quantile(keys, 1.5)
    many = np.linspace(0, 1, 101)
    np.testing.assert_allclose(ctx.quantile(keys, many), np.quantile(keys, many), rtol=1e-6)
    with pytest.raises(gpuprim.Error, match="at most 64"):
        ctx.nth_element(keys, np.arange(65))


Q = [0.9, 0.1, 0, 1, 1 / 3, 0.5]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("rows, columns", [(1, 1), (7, 2), (40, 501), (3, 70000)])
def test_order_statistics_of_rows(ctx, rng, dtype, rows, columns):
    keys = (rng.standard_normal((rows, columns)) * 50 + 100).astype(dtype)
    close = {"rtol": 2e-3, "atol": 0.1} if dtype == np.float16 else {"rtol": 1e-6, "atol": 1e-4}
    for axis in [0, 1, -1, -2]:
        found = ctx.median(keys, axis=axis)
        assert found.dtype == np.median(keys, axis=axis).dtype
        np.testing.assert_allclose(found, np.median(keys, axis=axis), **close)
        for q in [Q, np.reshape(Q, (2, 3)), 0.25]:
            np.testing.assert_allclose(ctx.quantile(keys, q, axis=axis), np.quantile(keys, q, axis=axis), **close)
        np.testing.assert_array_equal(ctx.percentile(keys, 30, axis=axis), ctx.quantile(keys, 0.3, axis=axis))
        length = keys.shape[axis]
        for ranks in [0, -1, [length - 1, 0], [[length // 2], [-1]], []]:
            wanted = np.take(np.sort(keys, axis), np.asarray(ranks, int), axis)
            np.testing.assert_array_equal(ctx.nth_element(ctx.array(keys), ranks, axis=axis).get(), wanted)
        with pytest.raises(ValueError, match="not below"):
            ctx.nth_element(keys, length, axis=axis)
    assert ctx.array(keys).get().tobytes() == keys.tobytes()


@pytest.mark.parametrize("axis", [0, 1])
def test_order_statistics_of_no_rows(ctx, axis):
    for shape in [(0, 3), (3, 0)]:
        keys = np.zeros(shape, np.float32)
        lines = shape[1 - axis]
        assert ctx.median(keys, axis=axis).tolist() == ([] if lines == 0 else pytest.approx([np.nan] * lines, nan_ok=True))
        assert ctx.quantile(keys, [0, 1], axis=axis).shape == (2, lines)
    with pytest.raises(ValueError, match="axis is 2"):
        ctx.median(keys, axis=2)
    with pytest.raises(ValueError, match="axis or offsets"):
        ctx.median(keys, axis=1, offsets=[0])


def test_order_statistics_of_segments(ctx, rng):
    keys = rng.standard_normal(100000).astype(np.float32)
    ends = np.cumsum([5, 0, 1, 2, 70000, 0, 11])
    parts = [keys[a:b] for a, b in zip(ends, ends[1:])]
    for offsets in [ends, ends.astype(np.uint32), ctx.array(ends)]:
        found = ctx.quantile(keys, Q, offsets=offsets)
        assert found.shape == (6, 6) and found.dtype == np.float32
        for s, part in enumerate(parts):
            wanted = np.quantile(part, Q) if len(part) else np.full(6, np.nan)
            np.testing.assert_allclose(found[:, s], wanted, rtol=1e-6)
    full = [0, 10, 11, 500]
    wanted = [np.sort(keys[a:b])[[0, -1]] for a, b in zip(full, full[1:])]
    np.testing.assert_array_equal(ctx.nth_element(keys, [0, -1], offsets=full).get(), wanted)
    np.testing.assert_array_equal(ctx.nth_element(keys, 0, offsets=full).get(), np.array(wanted)[:, 0])
    assert ctx.median(keys, offsets=[0]).shape == (0,)
    with pytest.raises(ValueError, match="not below"):
        ctx.nth_element(keys, 1, offsets=full)
    for wrong in [[0, 5, 3, 9], [0, 100001], [-1, 5]]:
        with pytest.raises(ValueError, match="offsets fall"):
            ctx.median(keys, offsets=wrong)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quantiles_of_special_floats(ctx, dtype):
    inf, nan, big = np.inf, np.nan, np.finfo(dtype).max
    rows = np.array([[1, nan, 3, 2], [-nan, 1, 1, 1], [inf, inf, inf, inf], [-inf, 0, 1, inf], [-big, -big, big, big], [-0.0] * 4], dtype)
    np.testing.assert_array_equal(ctx.median(rows, axis=1), [nan, nan, inf, 0.5, 0, -0.0])
    np.testing.assert_array_equal(ctx.quantile(rows, [0, 1], axis=1), [[nan, nan, inf, -inf, -big, 0], [nan, nan, inf, inf, big, 0]])
    for row in rows:
        np.testing.assert_array_equal(ctx.quantile(row, Q), ctx.quantile(row[None], Q, axis=1)[:, 0])
    np.testing.assert_array_equal(ctx.quantile(np.array([-inf, inf, 5], dtype), [0.25, 0.75]), [-inf, inf])
    assert np.isnan(ctx.median(np.array([-inf, inf], dtype)))


@pytest.mark.parametrize("n", SIZES)
def test_merge_and_search(ctx, rng, n):
    a = np.sort(rng.integers(0, 10**6, n)).astype(np.int32)
    b = np.sort(rng.integers(0, 10**6, n // 2 + 1)).astype(np.int32)
    both = np.concatenate([a, b])
    order = np.argsort(both, kind="stable")
    keys, values = ctx.merge(a, b, np.arange(n), n + np.arange(len(b)))
    np.testing.assert_array_equal(keys.get(), both[order])
    np.testing.assert_array_equal(values.get(), order)
    for side in ("left", "right"):
        np.testing.assert_array_equal(ctx.search(a, b, side=side).get(), np.searchsorted(a, b, side))


def test_search_maps(ctx):
    rows = np.zeros(100, [("cell", "u4"), ("x", "f4")])
    rows["cell"] = np.sort(np.random.default_rng(3).integers(0, 10, 100))
    starts = ctx.search(rows, 11, map="x.cell", key_dtype=np.uint32, dtype=np.uint32)
    np.testing.assert_array_equal(starts.get(), np.searchsorted(rows["cell"], np.arange(11)))
    squares = np.arange(20, dtype=np.uint8)
    found = ctx.search(squares, np.array([7, 50], np.float32), map="x * x", key_dtype=np.uint32, needle_map="x")
    assert found.get().tolist() == [3, 8]


def test_bad_input(ctx):
    x = np.arange(8)
    with pytest.raises(TypeError, match="no array on the device"):
        ctx.sort(x, inplace=True)
    with pytest.raises(ValueError, match="bits"):
        ctx.sort(x, bits=(4, 70))
    with pytest.raises(TypeError, match="complex"):
        ctx.sort(x.astype(complex))
    with pytest.raises(gpuprim.ArgumentError, match="value_size|values"):
        ctx.sort(x, np.zeros(8, "V3"))
    with pytest.raises(TypeError, match="one dtype"):
        ctx.merge(x, x.astype(float))
    with pytest.raises(ValueError, match="side is"):
        ctx.search(x, x, side="middle")
