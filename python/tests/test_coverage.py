"""Every function of gpuprim.h is reachable from Python."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import gpuprim

HEADER = Path(__file__).parents[2] / "gpuprim.h"

#: A call with a count that is read back: here the length of its result.
READ_AS_LENGTH = {
    "gp_select_read", "gp_partition_read", "gp_unique_read", "gp_unique_by_key_read", "gp_run_length_encode_read",
    "gp_reduce_by_key_read", "gp_group_by_read", "gp_join_read",
}  # fmt: skip


def functions():
    text = HEADER.read_text()
    return set(re.findall(r"^GP_API [^;(]*?\b(gp_\w+)\(", text[: text.index("#ifdef GP_IMPLEMENTATION")], re.M))


def test_every_function():
    files = Path(gpuprim.__file__).parent.glob("_*.py")
    source = "".join(path.read_text() for path in files if path.name != "_cdef.py")
    wrapped = set(re.findall(r"gp_\w+", source)) | READ_AS_LENGTH
    wrapped |= {name + "_read" for name in ("gp_hash_counts", "gp_hash_stats")}  # HashTable._read
    wrapped |= {name for name in functions() if name.endswith("_scratch_size")}  # test_scratch_sizes
    wrapped |= {"gp_set_error", "gp_set_callback", "gp_cl_error_string"}  # for code in C that stands on the library
    assert len(functions()) > 90 and functions() - wrapped == set()


X = np.arange(100, dtype=np.uint32)
CALLS = {
    "reduce": lambda c: (c.reduce, X),
    "segmented_reduce": lambda c: (c.segmented_reduce, X, X),
    "segmented_scan": lambda c: (c.segmented_scan, X, X),
    "reduce_by_key": lambda c: (c.reduce_by_key, X, X),
    "scan": lambda c: (c.scan, X),
    "select": lambda c: (c.select, X, "x"),
    "partition": lambda c: (c.partition, X, "x"),
    "unique": lambda c: (c.unique, X),
    "run_length_encode": lambda c: (c.run_length_encode, X),
    "sort": lambda c: (c.sort, X),
    "argsort": lambda c: (c.argsort, X),
    "segmented_sort": lambda c: (c.segmented_sort, X, X),
    "segmented_argsort": lambda c: (c.segmented_argsort, X, X),
    "sort_records": lambda c: (c.sort_records, X, [gpuprim.Column("x", np.uint32)]),
    "sort_strings": lambda c: (c.sort_strings, ["a", "b"]),
    "topk": lambda c: (c.topk, X, 3),
    "segmented_topk": lambda c: (c.segmented_topk, X, X, 3),
    "nth_element": lambda c: (c.nth_element, X, [1, 0]),
    "histogram": lambda c: (c.histogram, X, 10, (0, 100)),
    "brackets": lambda c: (c.brackets, "()"),
    "stack_scan": lambda c: (c.stack_scan, "()", X[:2]),
    "tree": lambda c: (c.tree, np.array([-1, 0])),
    "hash_insert": lambda c: (c.hash_table(np.uint32).insert, X),
    "hash_erase": lambda c: (c.hash_table(np.uint32).erase, X),
    "hash_retrieve": lambda c: (c.hash_table(np.uint32).items,),
    "adjacent_difference": lambda c: (c.adjacent_difference, X),
    "unpack": lambda c: (c.unpack, X, X),
    "group_by": lambda c: (c.group_rows, X),
    "join": lambda c: (c.join, X, X),
    "stencil": lambda c: (c.stencil, X, [1, 1, 1]),
}


@pytest.mark.parametrize("name", CALLS)
def test_scratch_sizes(ctx, name):
    assert ctx.scratch_size(*CALLS[name](ctx)) >= 0


def test_all_scratch_sizes():
    assert {name for name in functions() if name.endswith("_scratch_size")} == {f"gp_{n}_scratch_size" for n in CALLS}


def test_docstrings():
    for name in dir(gpuprim.Context):
        method = getattr(gpuprim.Context, name)
        if not name.startswith("_") and callable(method):
            doc = method.__doc__ or ""
            takes_some = len(inspect.signature(method).parameters) > 1
            assert doc and (not takes_some or "Parameters" in doc or "Examples" in doc), name
