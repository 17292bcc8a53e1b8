import numpy as np
import pytest

import gpuprim

HOWS = ["inner", "left", "full", "outer", "semi", "anti"]


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


@pytest.mark.parametrize("n", [0, 1, 3000])
def test_group_rows(ctx, rng, n):
    numbers = rng.integers(0, 20, n).astype(np.int16)
    floats = rng.choice(np.array([0.0, -0.0, np.nan, 1.5], np.float32), n)
    pairs = np.zeros(n, [("a", "i4"), ("b", "u2"), ("c", "u2")])
    pairs["b"] = rng.integers(0, 3, n)
    names = [["", "x", "xy", "\u00e9"][k] for k in rng.integers(0, 4, n)] or np.zeros(0, np.uint8)
    rows = {}
    expected = []
    for i in range(n):
        f = floats[i]
        key = (numbers[i], "nan" if f != f else f + 0.0, pairs["b"][i], names[i])
        expected.append(rows.setdefault(key, len(rows)))
    first = [expected.index(g) for g in range(len(rows))]
    groups, firsts, order, offsets = ctx.group_rows(numbers, floats, pairs, names, return_order=True)
    assert groups.get().tolist() == expected and firsts.get().tolist() == first
    np.testing.assert_array_equal(order.get(), np.argsort(expected, kind="stable"))
    np.testing.assert_array_equal(offsets.get(), np.append(0, np.cumsum(np.bincount(expected, minlength=len(rows)))))
    values = rng.integers(-100, 100, n).astype(np.int32)
    results = ctx.group_by((numbers, floats, pairs, names), values, ["sum", "count", "mean", "max"])
    of = [values[np.array(expected) == g] for g in range(len(rows))]
    assert results[0].get().tolist() == first
    assert results[1].get().tolist() == [x.sum() for x in of] and results[1].dtype == np.int64
    assert results[2].get().tolist() == [len(x) for x in of]
    np.testing.assert_array_equal(results[3].get(), [x.mean() for x in of])
    assert results[4].get().tolist() == [x.max() for x in of] and results[4].dtype == np.int32


def test_group_rows_on_the_device(ctx):
    """Columns whose length only the device knows, and views."""
    x = ctx.array(np.array([5, 1, 5, 2, 1], np.uint8))
    kept = ctx.select(x, "x != 2")
    assert ctx.group_rows(kept)[0].get().tolist() == [0, 1, 0, 1]
    assert ctx.group_rows(x[1:], x[:-1])[1].get().tolist() == [0, 1, 2, 3]
    assert ctx.group_rows(x)[1].get().tolist() == [0, 1, 3]


def test_group_by_named_columns(ctx, rng):
    n = 5000
    city = [["Oslo", "Rome", "Bergen"][k] for k in rng.integers(0, 3, n)]
    product = rng.integers(0, 5, n).astype(np.uint8)
    price, half = rng.integers(1, 50, n).astype(np.float32), rng.integers(1, 9, n).astype(np.float16)
    count = rng.integers(-3, 9, n).astype(np.int32)
    rows, found = ctx.group_by(
        (city, product),
        {"price": price, "count": count, "h": half},
        {
            "revenue": ("price * count", "sum"),
            "sales": "count",
            "most": ("count", "max"),
            "total": ("count", "sum"),
            "mean": ("price /* price */ + h", "mean"),
            "wide": ("price", "sum", np.float64),
        },
    )
    keys = list(zip(city, product.tolist()))
    names = list(dict.fromkeys(keys))
    assert [keys[r] for r in rows.get()] == names and list(found) == ["revenue", "sales", "most", "total", "mean", "wide"]
    for g, name in enumerate(names):
        of = np.array([key == name for key in keys])
        assert found["revenue"].get()[g] == (price * count)[of].sum() and found["sales"].get()[g] == of.sum()
        assert found["most"].get()[g] == count[of].max() and found["total"].get()[g] == count[of].sum()
        np.testing.assert_allclose(found["mean"].get()[g], (price + half)[of].mean(dtype=np.float64), rtol=1e-12)
        assert found["wide"].get()[g] == price[of].sum(dtype=np.float64)
    assert found["total"].dtype == np.int64 and found["revenue"].dtype == np.float32 and found["mean"].dtype == np.float64
    assert ctx.group_by((product,), None, {"n": "count"})[1]["n"].get().sum() == n


def test_group_by_places(ctx, rng):
    n = 3000
    keys, v = rng.integers(0, 40, n).astype(np.uint8), rng.normal(size=n).astype(np.float32)
    half = rng.integers(-9, 9, n).astype(np.float16)
    aggs = ["var", "first", "last", "argmin", "argmax"]
    rows, *found = ctx.group_by((keys,), v, aggs)
    _, halves = ctx.group_by((keys,), {"h": half}, {"least": ("h", "min"), "last": ("h", "last", np.float64), "row": ("i", "last")})
    for g, row in enumerate(rows.get()):
        of = np.flatnonzero(keys == keys[row])
        assert of[0] == row
        got = dict(zip(aggs, (a.get()[g] for a in found)))
        np.testing.assert_allclose(got["var"], v[of].var(dtype=np.float64), rtol=1e-9)
        assert got["first"] == v[of[0]] and got["last"] == v[of[-1]]
        assert got["argmin"] == of[v[of].argmin()] and got["argmax"] == of[v[of].argmax()]
        assert halves["least"].get()[g] == half[of].min() and halves["last"].get()[g] == half[of[-1]]
        assert halves["row"].get()[g] == of[-1]
    assert halves["least"].dtype == np.float16 and halves["last"].dtype == np.float64 and halves["row"].dtype == np.int64
    small, row = {"u": np.array([100, 200, 3, 1], np.uint8), "a": np.arange(1, 5, dtype=np.int32)}, {
        "twice": ("u * 2", "max"), "where": ("u * 2", "argmax"), "near": ("fabs(a * 0.3f - 0.8f)", "argmin"), "less": ("-u", "sum"),
        "halves": ("a * 0.5f", "sum", np.float32), "row": ("i", "last", np.uint32),
    }  # fmt: skip
    got = {name: x.get().tolist() for name, x in ctx.group_by(([7, 7, 7, 7],), small, row)[1].items()}
    assert got == {"twice": [400], "where": [1], "near": [2], "less": [-304], "halves": [5], "row": [3]}
    n = {"few": ("", "count", None, "u < 50"), "sum": ("a", "sum", None, "u >= 100"), "least": ("a * 0.5f", "min", np.float64, "a > 2")}
    got = {name: x.get().tolist() for name, x in ctx.group_by(([7, 7, 7, 7],), small, n)[1].items()}
    assert got == {"few": [2], "sum": [3], "least": [1.5]}
    with pytest.raises(ValueError, match="i is the row"):
        ctx.group_by(([7],), {"i": [1]}, {"s": ("i", "sum")})
    assert ctx.group_by(([7, 7],), None, {"row": ("i", "last", np.uint32)})[1]["row"].get().tolist() == [1]
    assert np.isnan(ctx.group_by(([1, 2, 3, 3],), np.array([np.nan, np.inf, 1, np.inf], np.float32), "var")[1].get()).all()
    with pytest.raises(ValueError, match="agg is 'var'"):
        ctx.group_by(keys, v, "var")
    with pytest.raises(gpuprim.Error, match="result_count = 33, at most 32"):
        ctx.group_by((keys,), v, ["sum"] * 33)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32])
@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (1, 1), (3000, 200), (1000, 70001)])
def test_sets(ctx, rng, dtype, sizes):
    a, b = (rng.integers(0, 250, n).astype(dtype) for n in sizes)
    if dtype == np.float32 and a.size and b.size:
        a[0], b[0] = -0.0, 0.0
    for name in ("isin", "union1d", "intersect1d", "setdiff1d"):
        np.testing.assert_array_equal(getattr(ctx, name)(a, b).get(), getattr(np, name)(a, b), name)
    assert ctx.nunique(a) == np.unique(a).size and ctx.isin(a, b).dtype == bool
    assert ctx.isin((a, a), (b, b)).get().tolist() == np.isin(a, b).tolist()


def test_sets_of_odd_input(ctx):
    nan = np.array([np.nan, 1, np.nan], np.float32)
    for dtype in ("f2", "f4", "f8"):
        assert ctx.isin(nan.astype(dtype), nan.astype(dtype)).get().tolist() == [False, True, False]
    assert ctx.isin((nan,), (nan,)).get().all() and ctx.nunique(nan) == 2
    assert ctx.nunique(["a", "b", "a"], [1, 1, 1]) == 2
    few = ctx.select(np.arange(9), "x < 4")
    assert ctx.isin(few, [3, 0]).get().tolist() == [True, False, False, True]
    assert ctx.union1d(few, few).get().tolist() == [0, 1, 2, 3] and ctx.setdiff1d(few, [1]).get().tolist() == [0, 2, 3]
    for name in ("isin", "union1d", "intersect1d", "setdiff1d"):
        with pytest.raises(TypeError, match="of one dtype"):
            getattr(ctx, name)(np.zeros(2, np.int32), np.zeros(2, np.int64))


@pytest.mark.parametrize("dtype", ["u1", "f4", "S"])
def test_join_table(ctx, rng, dtype):
    values = np.array(["a", "b", "", "abc"]) if dtype == "S" else np.array([0, 1, 2, 200], dtype)
    left, right = (values[rng.integers(0, 4, n)] for n in (500, 90))
    table = ctx.join_table(right)
    assert repr(table) == "<JoinTable of 90 rows>"
    for how in HOWS:
        assert on_host(ctx.join(left, table, how)) == on_host(ctx.join(left, right, how))
    assert ctx.isin(left, table).get().tolist() == ctx.isin(left, right).get().tolist()
    assert on_host(ctx.join(left[:0], table, "full")) == [(-1, j) for j in range(90)]
    pair = ctx.join_table((right, right))
    assert on_host(ctx.join((left, left), pair)) == on_host(ctx.join(left, right))
    with pytest.raises(TypeError, match="tuples of as many columns"):
        ctx.join(left, pair)
    with pytest.raises(TypeError, match="tuples of as many columns"):
        ctx.join((left, left), table)
    if dtype != "S":
        with pytest.raises(TypeError, match="one dtype"):
            ctx.join(left.astype("i8"), table)
    with gpuprim.Context(share=ctx) as other, pytest.raises(ValueError, match="another context"):
        other.join(left, table)
    assert ctx.join(left, ctx.join_table(left[:0]))[0].size == 0


def one_key(value):
    """A value that is equal for equal keys: the zeros, and all NaNs, are one key."""
    return "nan" if value != value else value + 0 if isinstance(value, float) else value


def joined(left, right, how):
    """What `join` is to find for rows that Python compares."""
    left, right = ([tuple(map(one_key, row)) for row in side] for side in (left, right))
    places = {}
    for j, key in enumerate(right):
        places.setdefault(key, []).append(j)
    if how in ("semi", "anti"):
        return [i for i, key in enumerate(left) if (key in places) == (how == "semi")]
    found = [(i, j) for i, key in enumerate(left) for j in places.get(key, [] if how == "inner" else [-1])]
    alone = set(right) - set(left) if how in ("full", "outer") else ()
    return found + [(-1, j) for j, key in enumerate(right) if key in alone]


def on_host(found):
    for side in found if isinstance(found, tuple) else (found,):
        assert side.dtype == np.int64
    return list(zip(*(side.get().tolist() for side in found))) if isinstance(found, tuple) else found.get().tolist()


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (3, 0), (300, 200)])
def test_join_of_tables(ctx, rng, how, sizes):
    tables, rows = [], []
    for n in sizes:
        number = rng.integers(0, 4, n).astype(np.int16)
        pair = np.zeros(n, [("a", "u1"), ("b", "u1")])
        pair["b"] = rng.integers(0, 3, n)
        names = [["a", "", "ab", "\u00e9"][k] for k in rng.integers(0, 4, n)]
        floats = rng.choice(np.array([0.0, -0.0, np.nan, -np.nan, 1.5], np.float32), n)
        tables.append((number, ctx.array(pair), names, floats))
        rows.append(list(zip(number.tolist(), pair["b"].tolist(), names, floats.tolist())))
    assert on_host(ctx.join(*tables, how)) == joined(*rows, how)
    for k in range(4):
        left, right = (table[k] for table in tables)
        expected = joined(*([(row[k],) for row in side] for side in rows), how)
        assert on_host(ctx.join(left, right, how)) == expected
        assert on_host(ctx.join((left,), (right,), how)) == expected
    if how == "inner" and min(sizes) > 3:
        assert len(expected) > sum(sizes)  # more than there is room for at first
    if how == "semi":
        flags = ctx.isin(*tables).get()
        assert flags.dtype == bool and np.flatnonzero(flags).tolist() == joined(*rows, how) and flags.size == sizes[0]


def test_join_of_strings(ctx):
    """Also NumPy's, and bytes, and beside a table without rows."""
    left, right = ["b", "", "a", "b"], ["b", "c", "b"]
    expected = [(0, 0), (0, 2), (1, -1), (2, -1), (3, 0), (3, 2), (-1, 1)]
    for a, b in ((left, right), (np.array(left), [s.encode() for s in right]), (np.array(left, "S"), np.array(right))):
        assert on_host(ctx.join(a, b, "full")) == expected
    assert on_host(ctx.join([], right, "full")) == [(-1, 0), (-1, 1), (-1, 2)]
    assert on_host(ctx.join(left, [], "anti")) == [0, 1, 2, 3]
    assert ctx.isin(left, right).get().tolist() == [True, False, False, True] and ctx.isin([], right).size == 0
    with pytest.raises(TypeError, match="a string is str or bytes, not int"):
        ctx.join(left, [1])


def test_join_logs_no_error(ctx, caplog):
    """Pairs for which there is no room at first are no failure."""
    pairs = ctx.join(np.zeros(100, np.uint8), np.zeros(100, np.uint8))
    assert len(pairs[0]) == 10000 and not caplog.records


def test_join_on_the_device(ctx):
    """Columns whose length only the device knows, and views."""
    x = ctx.array(np.array([5, 1, 5, 2, 1], np.uint8))
    kept = ctx.select(x, "x != 2")
    assert on_host(ctx.join(kept, x[3:], "full")) == [(0, -1), (1, 1), (2, -1), (3, 1), (-1, 0)]
    kept = ctx.select(x, "x != 2")
    assert on_host(ctx.join(x, kept, "anti")) == [3]
    names = ctx.gather(np.array([7, 8], np.uint8), ctx.join(x, np.array([1, 5], np.uint8), "left")[1])
    assert names.get().tolist() == [8, 7, 8, 0, 7]
    assert ctx.gather(x, ctx.join(x, x[3:], "semi")).get().tolist() == [1, 2, 1]


def test_group_by_bool(ctx):
    keys, values = np.array([5, 5, 7], np.int32), np.array([True, False, True])
    for agg in ("sum", "min", "max", "and", "or", "xor", "mean"):
        plain, rows = ctx.group_by(keys, values, agg)[1], ctx.group_by((keys,), values, agg)[1]
        assert plain.dtype == rows.dtype and plain.get().tolist() == rows.get().tolist()


def test_bad_columns(ctx):
    with pytest.raises(TypeError, match="column 1 is complex"):
        ctx.group_rows([1], np.zeros(1, np.complex64))
    with pytest.raises(TypeError, match="agg is None"):
        ctx.group_by([1], [1], None)
    assert ctx.group_rows(np.array(["b", "a", "b"]))[0].get().tolist() == [0, 1, 0]
    assert ctx.group_rows(np.array([b"b", b"", b"b"]))[0].get().tolist() == [0, 1, 0]
    with pytest.raises(TypeError, match="at least one column"):
        ctx.group_rows()
    with pytest.raises(ValueError, match="columns have 2, 3 rows"):
        ctx.group_rows([1, 2], ["a", "b", "c"])
    with pytest.raises(gpuprim.Error, match="column_count = 9"):
        ctx.group_rows(*[[1, 2]] * 9)
    with pytest.raises(ValueError, match="values has 3 elements, and the columns have 2 rows"):
        ctx.group_by(([1, 2], ["a", "b"]), [1, 2, 3])


def test_mean_of_floats(ctx):
    names, means = ctx.group_by([3.0, 1.0, 3.0], np.array([1, 5, 2], np.float32), "mean")
    assert names.get().tolist() == [1, 3] and means.get().tolist() == [5, 1.5] and means.dtype == np.float64


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("left, right", [(0, 0), (0, 5), (5, 0), (1, 1), (2000, 3000), (300, 70001)])
def test_join(ctx, rng, how, left, right):
    a = rng.integers(0, 1000, left).astype(np.uint32)
    b = rng.integers(0, 1500, right).astype(np.uint32)
    assert on_host(ctx.join(a, b, how)) == joined(*([(key,) for key in side.tolist()] for side in (a, b)), how)


def test_bad_input(ctx):
    with pytest.raises(ValueError, match="how is"):
        ctx.join([1], [1], "right")
    with pytest.raises(TypeError, match="one dtype"):
        ctx.join(np.zeros(1, np.int32), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="values is required"):
        ctx.group_by([1, 2])
    for agg in ("median", "argmax"):
        with pytest.raises(ValueError, match=f"agg is '{agg}', not one of sum"):
            ctx.group_by([1, 2], [1, 2], agg)
    for values, agg in (([1, 2], {"s": ("x", "sum")}), ({"v": [1, 2]}, "sum")):
        with pytest.raises(TypeError, match="takes a tuple of key columns"):
            ctx.group_by([1, 2], values, agg)
        with pytest.raises(TypeError, match="columns and results, or neither"):
            ctx.group_by(([1, 2],), values, agg)
    keys, columns = ([1, 2],), {"v": [1, 2]}
    for agg, text in (({"s": "sum"}, "takes an expression"), ({"s": ("v", "median")}, "agg is 'median'"), ({"s": ("v",)}, "is \\(expression")):
        with pytest.raises(ValueError, match=text):
            ctx.group_by(keys, columns, agg)
    with pytest.raises(ValueError, match="v has 3 elements, and the columns have 2 rows"):
        ctx.group_by(keys, {"v": [1, 2, 3]}, {"s": ("v", "sum")})
    with pytest.raises(gpuprim.Error):
        ctx.group_by(keys, columns, {"s": ("v + nothing", "sum")})
    with pytest.raises(TypeError, match="needs another name"):
        ctx.group_by(keys, {"gp_v": [1, 2]}, {"s": ("gp_v", "sum")})
    for left, right in ((([1, 2],), [1, 2]), (([1], [2]), ([1],))):
        with pytest.raises(TypeError, match="tuples of as many columns"):
            ctx.join(left, right)
    with pytest.raises(TypeError, match="column 1 of right is complex"):
        ctx.join(([1], [1]), ([1], [1j]))
    with pytest.raises(ValueError, match="columns of left have 2, 1 rows"):
        ctx.join(([1, 2], [1]), ([1], [1]))
    for call in (ctx.join, ctx.group_by):
        with pytest.raises(TypeError, match="at least one column"):
            call((), ())


@pytest.mark.parametrize("dtype", ["i8", "u8", "i4", "u1", "f4", "f8"])
def test_means_of_large_values(ctx, dtype):
    """Sums that 64 bits do not hold have a mean all the same."""
    top = np.finfo(dtype).max / 8 if dtype[0] == "f" else np.iinfo(dtype).max
    values = np.array([top, top, top, 0, top - 1, top], dtype)
    means = ctx.group_by(np.zeros(6, int), values, "mean")[1].get()
    np.testing.assert_allclose(means, [values.astype("f8").mean()], rtol=1e-15)
