"""results.py - reads a results file of gpbench (bench/README.md): its rows by section, by case and size, and the
headlines."""

import collections
import json
import math
import re

# A section of the report: its address, its title, the primitives whose rows it has, and its description.
Section = collections.namedtuple("Section", "key title pattern about")
SECTIONS = [
    Section("memory", "Memory", r"read|copy|scale|add|triad", "Loops that do nothing but move 32-bit words, by their form."),
    Section("launch", "Launch", r"launch", "Calls with 1000 elements and a finish, beside empty kernels."),
    Section("reduce", "Reduce", r"reduce", "gp_reduce, beside the fastest loop that reads."),
    Section(
        "ladder",
        "The reduction ladder",
        r"ladder",
        "The steps of a reduction that GPU courses teach, each a kernel of its own, on floats.",
    ),
    Section("scan", "Scan", r"scan", "gp_scan, beside the fastest copy with ordinary stores."),
    Section("dot", "Dot product", r"dot", "gp_reduce of x * y, beside the fastest loop that reads two streams."),
    Section(
        "segmented-scan",
        "Segmented scan",
        r"segmented",
        "gp_scan in segments of 30 elements on average, beside the fastest loop that reads two streams and writes one.",
    ),
    Section(
        "affine",
        "A monoid that does not commute",
        r"affine-scan|affine-reduce",
        "gp_scan and gp_reduce of affine maps of 8 bytes.",
    ),
    Section("select", "Select", r"select .*", "gp_select, by the share that is kept, beside the fastest copy."),
    Section(
        "partition", "Partition", r"partition .*", "gp_partition, by the share of the first part, beside the fastest copy."
    ),
    Section("unique", "Unique", r"unique, .*", "gp_unique, by the length of runs, beside the fastest copy."),
    Section("rle", "Run-length encoding", r"rle, .*", "gp_run_length_encode, by the length of runs, beside the fastest copy."),
    Section(
        "rle-decode",
        "Run-length decoding",
        r"rle-decode, .*",
        "gp_run_length_decode, by the length of runs, beside the fastest way to fill the output.",
    ),
    Section(
        "by-key",
        "Reduce by key",
        r"by key, .*",
        "gp_reduce_by_key and gp_segmented_reduce, by the length of runs, beside the fastest loop that reads two streams.",
    ),
    Section(
        "group-by",
        "Group by",
        r"group by, .*",
        "Sums of the values of each key, by how many different keys there are: gp_hash_insert_or_apply, and gp_sort with "
        "gp_reduce_by_key, beside the fastest loop that reads two streams and queries of DuckDB and Polars.",
    ),
    Section(
        "join",
        "Join",
        r"join, .*",
        "A column of one table for each row of another one, by a key: gp_hash and gp_gather, beside joins of DuckDB and Polars.",
    ),
    Section("sort", "Sort", r"sort|sort pairs.*|sort records.*", "gp_sort and gp_sort_records, beside other sorts."),
    Section("entropy", "Sort by entropy", r"sort, entropy .*", "gp_sort of keys in which each bit has that much entropy."),
    Section(
        "segmented-sort", "Segmented sort", r"segments.*", "gp_segmented_sort, by the segments, beside std::sort of each; the order of rows beside std::stable_sort of indices."
    ),
    Section("strings", "Sort strings", r"strings: .*", "gp_sort_strings, by the kind of strings."),
    Section("topk", "Top k", r"topk .*", "gp_topk, by k, beside the fastest loop that reads."),
    Section("nth-element", "Order statistics", r"median.*|9 quantiles.*", "gp_nth_element, by kind of keys, beside the fastest loop that reads."),
    Section("topk-rows", "Top k of rows", r"top .*", "gp_segmented_topk, by rows and k, beside the fastest loop that reads."),
    Section("merge", "Merge", r"merge|merge pairs", "gp_merge of two sorted halves, beside the fastest copy."),
    Section("search", "Search", r"search.*", "gp_search of as many needles as keys, beside the fastest copy of the needles."),
    Section(
        "histogram", "Histogram", r"u8 .*|.* bins.*", "gp_histogram, by type and bins, beside the fastest loop that reads."
    ),
    Section(
        "brackets",
        "Brackets by shape",
        r"brackets, .*(?<!, tiles)",
        "gp_brackets, by the shape of the nest, beside stacks in C.",
    ),
    Section(
        "tiles",
        "Brackets by tile",
        r"brackets, .*, tiles",
        "gp_brackets by the size of a tile, whole and the part inside tiles.",
    ),
    Section("tree", "Tree", r"tree, .*", "gp_tree, by the shape of the nest, beside loops in C."),
    Section(
        "json",
        "Brackets of a JSON file",
        r"json",
        "Which brackets close which, those in strings aside. simdjson validates the text and parses strings and numbers, too.",
    ),
    Section("hash", "Hash table by load", r"hash", "gp_hash, by the load of the table, beside tables on the host."),
    Section(
        "host",
        "Arrays in host memory",
        r"host .*",
        "gpuprim_host.h's calls within a budget of device memory, beside the device's call on data that is there already.",
    ),
    Section("transform", "Transform", r"transform.*", "gp_transform x * 3 + 1, beside the fastest copy."),
    Section("fill", "Fill", r"fill", "gp_fill."),
    Section("random", "Random", r"random", "gp_random."),
    Section("gather", "Gather", r"gather", "gp_gather by shuffled indices, beside the fastest copy of the indices."),
    Section("columns", "Sums of columns", r"columns of .*", "gp_segmented_reduce of columns, f32, by the matrix's shape, beside the fastest loop that reads."),
    Section("row-sums", "Sums of rows", r"sums of rows .*", "gp_segmented_reduce of rows, f32, by their length, beside gp_reduce of all and the fastest loop that reads."),
    Section("row-scans", "Scans of rows", r"scans of rows .*", "gp_segmented_scan of rows, f32, by their length, beside gp_scan of all and the fastest copy."),
    Section("column-scans", "Scans of columns", r"scans of columns .*", "gp_segmented_scan of columns, f32, by the matrix's shape, beside the fastest copy."),
    Section("transpose", "Transpose", r"transpose, .*", "gp_transpose of u32, by the matrix's shape, beside the fastest copy."),
    Section("stencil", "Stencil", r"stencil.*", "gp_stencil, 3 x 3 weights on a square picture, beside the fastest copy."),
]
OTHER = Section("other", "Other", r".*", "Rows that no section above asks for.")

# The headlines, which are also in README: a label, a section, a primitive, and a type; for hash tables an operation
# instead of a type.
HEADLINES = [
    ("reduce u32", "reduce", "reduce", "u32"),
    ("scan u32", "scan", "scan", "u32"),
    ("segmented scan u32", "segmented-scan", "segmented", "u32"),
    ("dot product f32", "dot", "dot", "f32"),
    ("select half, u32", "select", "select 50 %", "u32"),
    ("partition in halves, u32", "partition", "partition 50 %", "u32"),
    ("unique, runs of 16", "unique", "unique, runs of 16", "u32"),
    ("encode runs of 16", "rle", "rle, runs of 16", "u32"),
    ("reduce by key, runs of 16", "by-key", "by key, runs of 16", "u32"),
    ("group by, 64 keys", "group-by", "group by, 64 keys", "u32"),
    ("group by, 2^20 keys", "group-by", "group by, 2^20 keys", "u32"),
    ("join with 2^20 rows", "join", "join, 2^20 rows", "u32"),
    ("sort u32", "sort", "sort", "u32"),
    ("sort f32", "sort", "sort", "f32"),
    ("sort u64", "sort", "sort", "u64"),
    ("sort u32 with values", "sort", "sort pairs", "u32"),
    ("sort segments of 1000", "segmented-sort", "segments of 1000", "u32"),
    ("sort strings: words", "strings", "strings: words", "u32"),
    ("top 1000, u32", "topk", "topk 1000", "u32"),
    ("merge u32", "merge", "merge", "u32"),
    ("search, shuffled", "search", "search", "u32"),
    ("histogram, 256 bins", "histogram", "256 bins", "u32"),
    ("brackets, random walk", "brackets", "brackets, random walk", "u8"),
    ("brackets, a real file", "brackets", "brackets, real file", "u8"),
    ("tree, random walk", "tree", "tree, index, random walk", "u32"),
    ("hash: insert, half full", "hash", "hash", "insert"),
    ("hash: find, half full", "hash", "hash", "find hit"),
    ("transform u32", "transform", "transform", "u32"),
    ("fill u32", "fill", "fill", "u32"),
    ("random u32", "random", "random", "u32"),
    ("gather, shuffled", "gather", "gather", "u32"),
    ("stencil f32", "stencil", "stencil, 3 x 3 weights", "f32"),
]
USUAL_N = 2**24


def load(path):
    """Returns the description of the run, and the rows."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.strip()]
    if not lines or "gpbench" not in lines[0]:
        raise SystemExit(f"{path}: not a results file of gpbench")
    return lines[0], lines[1:]


def by_section(rows):
    """Returns the sections that have rows, in order."""
    found = collections.OrderedDict((s, []) for s in SECTIONS + [OTHER])
    for row in rows:
        section = next(s for s in found if re.fullmatch(s.pattern, row["primitive"]))
        found[section].append(row)
    return [(section, rows) for section, rows in found.items() if rows]


def grouped(rows, *fields):
    """Returns rows by the values of these fields, in the order of the file."""
    groups = collections.OrderedDict()
    for row in rows:
        groups.setdefault(tuple(row.get(f) for f in fields), []).append(row)
    return groups


def measured(rows):
    return [r for r in rows if not r["error"] and r["median_s"] > 0]


def rate(row):
    return row.get("elements_per_s") or row["n"] / row["median_s"]


def usual_n(rows):
    """Returns the size that is closest to the usual one."""
    return min((r["n"] for r in rows), key=lambda n: (abs(math.log2(n / USUAL_N)), n), default=0)


def name_of(row):
    return row["variant"].removeprefix("peer:")


def rows_of_headline(rows, primitive, which):
    if primitive != "hash":
        rows = [r for r in rows if r["primitive"] == primitive and r.get("type") == which]
        n = usual_n(rows)
        return [r for r in rows if r["n"] == n]
    rows = [
        r
        for r in rows
        if r["primitive"] == "hash"
        and r["operation"] == which
        and r["variant"] != "gpuprim:fill"
        and (r["keys"], r["bytes"], r["load"]) == ("unique", 4, 0.5)
    ]
    most = max((r["capacity"] for r in rows), default=0)
    return [r for r in rows if r["capacity"] == most]


def headlines(rows):
    """Returns for each headline: label, section's key, n, rate, fraction of the limit (0: there is none), fastest peer,
    and how many times as fast as the peer."""
    for label, section, primitive, which in HEADLINES:
        case = measured(rows_of_headline(rows, primitive, which))
        own = next((r for r in case if r["kind"] == "gpuprim"), None)
        if own is None:
            continue
        peer = max((r for r in case if r["kind"] == "peer"), key=rate, default=None)
        yield (
            label,
            section,
            own["n"],
            rate(own),
            own.get("fraction", 0),
            name_of(peer) if peer else "",
            rate(own) / rate(peer) if peer else 0,
        )
