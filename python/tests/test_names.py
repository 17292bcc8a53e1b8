"""Names in data are data: none of their text reaches a program."""

import io
import keyword
import zlib

import numpy as np
import pytest

import gpuprim

HOSTILE = [
    "a; } zz; int hacked(int v) { return 42; }\n#define price q + hacked(0)\nstruct { int r",
    "a[2]", "a b", "a;", "a\n", "a,b", "a\\", "*a", "", "1a", "a-b", "a.b", "/*", "a//", '"', "??/", "<:", "$a", "a\0b", "\u2028",
]  # fmt: skip
IDENTIFIERS = [
    "x", "y", "i", "int", "double", "float4", "half", "uchar", "struct", "kernel", "__global", "local",
    "gp_sum", "gpi_x", "GPI_TYPE", "pad_0", "field_int", "field_field_int", "INFINITY", "NULL", "min", "size_t", "image2d_t",
    "größe", "价格", "_", "__", "_Bool", "bool", "true", "inline", "restrict", "unsigned", "typeof", "asm", "half16",
    "a" * 3000, *keyword.kwlist,
]  # fmt: skip


def saved(array):
    """The array as np.load gives it, which no pickle could have changed."""
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    return np.load(file, allow_pickle=False)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_field(ctx, name):
    if name in ("", "\u2028"):  # NumPy itself names the first one f0
        rows = np.zeros(3, np.dtype({"names": ["f0 " + name, "price"], "formats": ["u4", "f4"]}))
    else:
        rows = saved(np.zeros(3, [(name, "u4"), ("price", "f4")]))
    for call in (
        lambda: ctx.transform(rows, "x.price + 1", dtype=np.float32),
        lambda: ctx.sort_records(rows, ["price"]),
        lambda: ctx.select(rows, "x.price > 0"),
        lambda: ctx.transform(np.zeros(3), "x + r[0].price", args={"r": rows}),
        lambda: gpuprim.record_type(rows.dtype),
        lambda: gpuprim.record_type(np.dtype([("inner", rows.dtype)])),
    ):
        with pytest.raises(TypeError, match="no identifier"):
            call()
    assert len(ctx.gather(rows, [0, 1])) == 2  # moves bytes, without a program that knows them


def test_hostile_title(ctx):
    rows = np.zeros(3, [(("price; } evil", "price"), "f4"), ("b", "u4")])
    with pytest.raises(ValueError, match="no field"):
        ctx.sort_records(rows, ["price; } evil"])
    assert len(ctx.sort_records(rows, ["price"])) == 3
    assert rows.tobytes() == ctx.array(rows).map().tobytes()


def test_any_identifier(ctx):
    """One record with a field for each name: expressions read and sort by every one."""
    rows = np.zeros(20, [(name, "u2") for name in IDENTIFIERS])
    for k, name in enumerate(IDENTIFIERS):
        rows[name] = (np.arange(20) * 7 + k) % 20
    expected = sum(rows[name].astype(np.uint32) for name in IDENTIFIERS if len(name) < 256)
    total = " + ".join(f"x . {name}" for name in IDENTIFIERS if len(name) < 256)
    np.testing.assert_array_equal(ctx.transform(rows, total, dtype=np.uint32).get(), expected)
    for name in ("int", "x", "价格", "GPI_TYPE", "a" * 3000):
        order = np.argsort(-rows[name].astype(int), kind="stable")
        np.testing.assert_array_equal(ctx.sort_records(rows, ["-" + name]).get(), rows[order])


def test_names_in_nested_records(ctx):
    inner = np.dtype([("int", "f4"), ("x", "f4")])
    rows = np.zeros(10, [("float", inner), ("double", inner, 2), ("point", [("x", "f4"), ("y", "f4")])])
    rows["float"]["int"] = np.arange(10)
    rows["double"]["x"][:, 1] = 100
    rows["point"]["y"] = 0.5
    found = ctx.transform(rows, "x.float.int + x.double[1].x + x.point.y", dtype=np.float32)
    np.testing.assert_array_equal(found.get(), np.arange(10) + 100.5)


def test_numbers_and_literals_stay(ctx):
    """What looks like a field in a number is none."""
    rows = np.zeros(1, [("f", "f4"), ("e1", "f4"), ("float", "f4")])
    rows["float"] = 3
    assert ctx.transform(rows, "1.f + 2.e1f + (float)x.float + .5f", dtype=np.float32)[0] == 24.5


def test_vectors_by_layout(ctx):
    """x and y are a vector only if they are where a vector has them."""
    swapped = np.dtype({"names": ["x", "y"], "formats": ["f4", "f4"], "offsets": [4, 0], "itemsize": 8})
    rows = np.zeros(3, swapped)
    rows["x"], rows["y"] = 1, 2
    assert gpuprim.record_type(swapped)[0] != "float2"
    assert ctx.transform(rows, "x.x - x.y", dtype=np.float32).get().tolist() == [-1] * 3
    overlapping = np.dtype({"names": ["x", "y"], "formats": ["f4", "f4"], "offsets": [0, 0], "itemsize": 8})
    with pytest.raises(TypeError, match="overlap"):
        ctx.transform(np.zeros(3, overlapping), "x.x", dtype=np.float32)


def test_exact_types(ctx):
    """Layouts that an attacker made collide in a short hash are two types."""
    one, two = "ad8f0983e", "aa67f0968"
    assert zlib.crc32(f"float {one}; ".encode()) == zlib.crc32(f"uint {two}; ".encode())
    rows, more = np.zeros(1, [(one, "f4")]), np.zeros(1, [(two, "u4")])
    rows[one], more[two] = 7, 5
    assert gpuprim.record_type(rows.dtype)[0] != gpuprim.record_type(more.dtype)[0]
    assert ctx.transform(rows, f"x.{one} + y.{two}", y=more, dtype=np.float64)[0] == 12


@pytest.mark.parametrize("name", [*HOSTILE, "x", "i", "int", "double", "gp_a", "größe", "for", "a" * 300, 3, None, b"t"])
def test_arguments(ctx, name):
    with pytest.raises((TypeError, ValueError), match="argument|args"):
        ctx.transform(np.arange(3), "x + 1", args={name: 1})


def test_nul(ctx):
    """Text with a character 0, which C would cut there, is refused wherever it is given."""
    x, evil = np.arange(3), "x\0y"
    monoid = gpuprim.Monoid("u4", "uint", "uint f(uint a, uint b) { return a + b; }", "f", 0)
    rows = np.zeros(2, [("a", "u4")])
    calls = [
        lambda: ctx.sort_records(rows, [gpuprim.Column("x.a\0", "u4")]),
        lambda: ctx.device_source(ops={"a\0b": ("sum", "u4")}),
        lambda: ctx.brackets("()", pairs="()\0"),
        lambda: gpuprim.record_type(rows.dtype, evil),
        lambda: ctx.self_test(evil),
        *(
            lambda field=field: ctx.reduce(
                x.astype("u4"), gpuprim.Monoid(**{**vars(monoid), field: getattr(monoid, field) + "\0"})
            )
            for field in ("type", "source", "combine")
        ),
        *(
            lambda field=field: gpuprim.Context(**{field: evil})
            for field in ("device", "cache_dir", "dump_dir", "build_options", "tuning_file")
        ),
    ]
    for call in calls:
        with pytest.raises((TypeError, ValueError), match="character 0|identifier"):
            call()


@pytest.mark.parametrize("name", ["a; }", "int", "", "größe", 7])
def test_name_of_a_record(name):
    with pytest.raises(TypeError, match="identifier"):
        gpuprim.record_type(np.dtype([("a", "i2")]), name)


def test_keys_of_types_are_bounded():
    for k in range(5000):
        gpuprim.record_type(np.dtype([(f"a{k}", "i2"), ("b", "u1")]))
    caches = [value for value in vars(gpuprim._types).values() if hasattr(value, "cache_info")]
    assert caches and all(cache.cache_info().maxsize is not None for cache in caches)
