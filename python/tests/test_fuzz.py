"""Calls of random dtypes, names and operands against NumPy: equal, or refused in words. GPUPRIM_FUZZ_CALLS says how many."""

import keyword
import os
import warnings

import numpy as np
import pytest

import gpuprim

CALLS = int(os.environ.get("GPUPRIM_FUZZ_CALLS", "900"))
ALL = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
KINDS = ALL if CALLS >= 10000 else ["?", "u1", "i4", "u8", "f4"]  # each new combination builds a program
ORDERED = KINDS[1:]
REFUSED = (TypeError, gpuprim.ArgumentError, gpuprim.UnsupportedError)
SPECIAL = [0, 1, -1, 0.5, -0.5, 2.5, -0.0, 127, 128, 255, 256, 2**15, 2**16, 2**24 + 1, 2**31, 2**32, 2**53 + 1, 2**63, 2**64 - 1]
SPECIAL += [-128, -129, -(2**31), -(2**63), 0.1, 1e300, -1e300, 65504.0, 70000.0, float("inf"), float("-inf"), 1 / 3]


def values(rng, n, kind):
    """Numbers of a dtype, many of them where dtypes end."""
    dtype = np.dtype(kind)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dtype.kind == "f":
            x = np.array([float(SPECIAL[k]) for k in rng.integers(0, len(SPECIAL), n)]).astype(dtype)
            return np.where(rng.random(n) < 0.5, rng.integers(-5, 5, n).astype(dtype) / 2, x).astype(dtype)
    info = np.iinfo(dtype)
    fitting = [int(v) for v in SPECIAL if abs(v) != float("inf") and v == v and info.min <= int(v) <= info.max]
    x = np.array([fitting[k] for k in rng.integers(0, len(fitting), n)], dtype)
    return np.where(rng.random(n) < 0.5, rng.integers(0, 6, n).astype(dtype), x)


def exactly(x, y):
    """The same numbers, NaN for NaN."""
    assert x.shape == y.shape
    np.testing.assert_array_equal(np.asarray(x), np.asarray(y))


def search(ctx, rng):
    keys = np.sort(values(rng, rng.integers(0, 20), rng.choice(ORDERED)))
    needles = values(rng, rng.integers(0, 20), rng.choice(KINDS))
    side = str(rng.choice(["left", "right"]))
    given = needles.tolist() if rng.random() < 0.2 and needles.dtype.kind != "b" else needles
    found = ctx.search(keys, given, side=side).get()
    # NumPy compares uint64 and int64 as float64; Python's numbers are exact.
    before = (lambda k, v: k < v) if side == "left" else (lambda k, v: k <= v)
    expected = [sum(before(k, v) for k in keys.tolist()) for v in needles.tolist()]
    assert found.tolist() == expected, (keys, needles, side)


def histogram(ctx, rng):
    x = values(rng, rng.integers(0, 50), rng.choice(ORDERED))
    edges = np.unique(values(rng, rng.integers(2, 8), rng.choice(ORDERED)))
    if len(edges) < 2:
        return
    found = ctx.histogram(x, edges).get()
    samples, bounds = x.tolist(), edges.tolist()
    expected = [sum(a <= v < b for v in samples) for a, b in zip(bounds, bounds[1:])]
    assert found.tolist() == expected, (x, edges)


def scalar(rng):
    """A number of Python's or NumPy's, and the number that it is."""
    if rng.random() < 0.5:
        value = SPECIAL[rng.integers(0, len(SPECIAL))]
        return value, value
    value = values(rng, 1, rng.choice(KINDS))[0]
    return value, value.item()


def holds(dtype, value, given):
    """What a dtype makes of a number that it can hold; None if it cannot. Python's floats are rounded to floats."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dtype.kind == "f":
            try:
                cast = dtype.type(value)
            except OverflowError:
                return None
            if type(given) is float:
                return cast if np.isfinite(cast) or not np.isfinite(value) else None
            return cast if np.isnan(cast) or cast.item() == value else None
        if value != value or abs(value) == float("inf") or value != int(value):
            return None
        low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return dtype.type(int(value)) if low <= value <= high else None


def taken(call, dtype, given, value):
    """The result of a call, or None: refused, as it must be if the dtype does not hold the number."""
    cast = holds(dtype, value, given)
    try:
        found = call()
    except TypeError as error:
        assert cast is None and str(dtype) in str(error), (dtype, given, error)
        return None, None
    assert cast is not None, (dtype, given, found)
    return found, cast


def fill(ctx, rng):
    dtype, (given, value) = np.dtype(rng.choice(KINDS)), scalar(rng)
    found, cast = taken(lambda: ctx.fill(3, given, dtype), dtype, given, value)
    if found is not None:
        exactly(found.get(), np.full(3, cast, dtype))


def initial(ctx, rng):
    x = values(rng, 5, rng.choice(ORDERED))
    given, value = scalar(rng)
    found, cast = taken(lambda: ctx.scan(x, "max", initial=given), x.dtype, given, value)
    if found is not None and not np.isnan(cast):
        exactly(found.get(), np.maximum(np.maximum.accumulate(x), cast))


def default(ctx, rng):
    table, (given, value) = TABLES[rng.integers(0, len(TABLES))], scalar(rng)
    found, cast = taken(lambda: table.find([3], given), table.value_dtype, given, value)
    if found is not None:
        exactly(found.get(), np.full(1, cast, table.value_dtype))


def keys(ctx, rng):
    table, given = TABLES[rng.integers(0, len(TABLES))], values(rng, 4, rng.choice(KINDS))
    hold = [holds(table.key_dtype, v.item(), v) is not None for v in given]
    try:
        found = table.contains(given)
        assert all(hold) and not found.get().any()
    except TypeError as error:
        assert not all(hold) and str(table.key_dtype) in str(error) and str(given.dtype) in str(error)


def argument(ctx, rng):
    x = values(rng, 5, rng.choice([kind for kind in ORDERED if kind[0] != "f"]))
    given, value = scalar(rng)
    if type(given) is float or isinstance(given, np.generic):
        return
    found, cast = taken(lambda: ctx.select(x, "x == t", args={"t": given}), x.dtype, given, value)
    if found is not None:
        exactly(found.get(), x[x == cast])


def join(ctx, rng):
    kind = rng.choice(ORDERED)
    a, b = values(rng, rng.integers(0, 12), kind), values(rng, rng.integers(0, 12), kind)
    if np.dtype(kind).kind == "f":
        for part in (a, b):
            part[rng.random(len(part)) < 0.1] = np.nan
    pairs = ctx.join(a, b)
    expected = [(i, j) for i, x in enumerate(a) for j, y in enumerate(b) if x == y or (x != x and y != y)]
    assert list(zip(*(part.get().tolist() for part in pairs))) == expected
    names, counts = ctx.group_by(a, agg="count")
    assert sorted(counts.get().tolist()) == sorted(np.unique(a, return_counts=True, equal_nan=False)[1].tolist())


ALPHABET = ["a", "Z", "_", "0", "9", "x", "é", "价", "ﬁ", " ", ";", "{", "}", "\n", "#", '"', "\\", "\0", "(", "*", "/", ".", "'", "[", "$", "\u200b", "\ud800"]
WORDS = [*keyword.kwlist, "int", "float4", "double", "gp_a", "GPI_b", "field_int", "pad_3", "x", "y", "INT_MAX", "CL_X", "record_a"]


def name(rng):
    if rng.random() < 0.3:
        return WORDS[rng.integers(0, len(WORDS))]
    return "".join(ALPHABET[k] for k in rng.integers(0, len(ALPHABET) if rng.random() < 0.5 else 9, rng.integers(1, 9)))


def names(ctx, rng):
    """Whatever the names, a program has ASCII identifiers alone, each field its own; or the record is refused."""
    fields = list(dict.fromkeys(name(rng) for _ in range(rng.integers(1, 5))))
    kinds = [rng.choice([kind for kind in ALL if kind != "f2"]) for _ in fields]
    dtype = np.dtype({"names": fields, "formats": kinds})
    try:
        type_name, source = gpuprim.record_type(dtype)
    except TypeError as error:
        assert not all(field.isidentifier() for field in fields), (fields, error)
        return
    assert all(field.isidentifier() for field in fields)
    if not source:
        return
    assert source.isascii() and type_name.isidentifier() and source.count(";") == len(fields) + 1
    members = [part.split() for part in source[source.index("{ ") + 2 : source.index("}")].split(";") if part.strip()]
    assert all(len(member) == 2 and member[1].isidentifier() for member in members)
    assert len({member[1] for member in members}) == len(fields)
    assert not {member[1] for member in members} & {"int", "double", "for", "if", "while", "float4"}
    try:
        ctx.transform(np.zeros(1), "x", args={name(rng): 1})
    except (TypeError, gpuprim.ArgumentError):
        pass


FUZZED = [search, histogram, fill, initial, default, keys, argument, join, names]
TABLES = []


@pytest.mark.parametrize("what", FUZZED, ids=lambda what: what.__name__)
def test_fuzz(ctx, what):
    rng = np.random.default_rng([27, FUZZED.index(what)])
    TABLES[:] = [ctx.hash_table(k, v) for k, v in (("i4", "f4"), ("u8", "i8"), ("u4", "i4"), ("f4", "u8"), ("i8", "u4"))]
    refused = 0
    for _ in range(CALLS // len(FUZZED)):
        try:
            what(ctx, rng)
        except REFUSED as error:
            assert what in (search, histogram), error
            assert str(error), error
            refused += 1
    assert refused < 0.7 * max(CALLS // len(FUZZED), 20)
