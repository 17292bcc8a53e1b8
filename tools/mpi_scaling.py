#!/usr/bin/env python3
"""Shows how gpuprim_mpi.h's calls scale over ranks: measured results, and predictions from counts of messages and bytes.

usage: tools/mpi_scaling.py table FILE     the rows of bench/mpi (make mpi-bench), as tables
       tools/mpi_scaling.py check FILE checks calls of MPI, and bytes, against the formulas here. Exit status 1: they
       differ tools/mpi_scaling.py predict times of 64 to 4096 devices by the formulas (docs/scaling.md)

The formulas count the data that a call passes to MPI, not the data on the network: MPI chooses the algorithms of
collectives.
"""
import functools
import json
import math
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
CALLS = ("reduce", "scan", "histogram", "select", "sort", "group-by", "join", "brackets")

# Sizes of the benchmark's calls: bytes of an element; bins; distinct keys, all of which occur in each 2^16 elements;
# bytes of a sum.
WORD, BINS, KEYS, SUM = 4, 256, 1 << 16, 8
# A join has n build keys and n keys to be found, which are distinct in each part; values are indices. Brackets are
# consecutive nests of DEPTH openers and as many closers.
INDEX, FOUND, DEPTH = 8, 1, 1009
ROW = 2 * WORD + 2 * INDEX + FOUND  # keys that are sent to another rank, of both sides

# ---------------------------------------------------------------------------------------------- the calls of MPI

# The messages with which ranks agree on a failure and on its rank. At the beginning, ranks also compare their calls.
AGREE, SAME = ("allreduce", 8), ("allreduce", 168)
ROUNDS, CANDIDATES = 2 * WORD, 15


def part(n, ranks, rank):
    return n // ranks + (rank < n % ranks)


def groups(n, ranks):
    """Returns the groups of all ranks, before equal keys of different ranks are combined."""
    return sum(min(part(n, ranks, rank), KEYS) for rank in range(ranks))


def selected(n):
    return n // 2  # for random words; the benchmark prints the exact number


def cut(ranks):
    """Returns the messages that find where sorted parts are cut: each rank's first element; rounds of counts; the counts before
    and equal to the cuts."""
    bounds = 8 * (ranks - 1)
    rounds = [("allreduce", CANDIDATES * bounds + 8)] * (ROUNDS if ranks > 1 else 0)
    return [("allgather", 8), *rounds, AGREE, ("allreduce", bounds), ("exscan", bounds), *tell(ranks)]


def tell(ranks):
    return [("alltoall", 4 * ranks), AGREE]


def exchange(others, ranks):
    """Returns the messages that exchange so many bytes, of all ranks, with other ranks: lower ranks first, then higher ranks."""
    return [AGREE, ("alltoallv", others / ranks), ("alltoallv", 0), AGREE]


@functools.lru_cache(maxsize=None)
def nest(n, ranks):
    """Returns for all ranks together: openers that their part leaves open; openers sent to later parts; of these,
    openers closed there; ranks with openers that are never closed."""
    def height(i):
        return min(i % (2 * DEPTH), 2 * DEPTH - i % (2 * DEPTH))

    first, before, openers, seen, closed = 0, 0, 0, 0, 0
    left = []  # of the earlier parts, if it is not 0
    for rank in range(ranks):
        count = part(n, ranks, rank)
        end = first + count
        low = 0 if first // (2 * DEPTH) != end // (2 * DEPTH) else min(height(first), height(end))
        close = pop = height(first) - low
        seen += min(close + (close < count), before)  # one more if an element follows the closers
        closed += close
        while pop:
            last = min(left[-1], pop)
            pop -= last
            left[-1] -= last
            if left[-1] == 0:
                left.pop()
        opened = height(end) - low
        if opened:
            left.append(opened)
        openers += opened
        before += opened - close
        first = end
    return openers, seen, closed, len(left)


def to_others(call, n, ranks):
    """Returns the bytes that all ranks send to other ranks. Of random words, selected ones stay close to their
    positions, others move to any rank."""
    others = 1 - 1 / ranks
    if call == "brackets":
        _, seen, closed, _ = nest(n, ranks)
        return WORD * (2 * seen + closed)
    return {"select": WORD * selected(n) * (min(1, ranks / math.sqrt(max(n, 1))) if ranks > 1 else 0),
            "sort": WORD * n * others, "group-by": (WORD + SUM) * groups(n, ranks) * others,
            "join": ROW * n * others}.get(call, 0)


def asked(call, n, ranks, others=None):
    """Returns the calls of MPI that a rank makes, and the bytes that it passes to MPI, on average over ranks. `others`:
    see to_others."""
    begin = [AGREE, SAME]
    others = to_others(call, n, ranks) if others is None else others
    if call == "reduce":
        return begin + [AGREE, AGREE, ("allgather", SUM), AGREE, ("bcast", SUM)]
    if call == "scan":
        return begin + [AGREE, AGREE, ("allgather", WORD), AGREE]
    if call == "histogram":
        return begin + [AGREE, ("allreduce", BINS * 4), AGREE]
    if call == "select":
        place = [("allreduce", 8), ("exscan", 8)]
        return begin + [AGREE, *place, *tell(ranks), AGREE, *exchange(others, ranks), AGREE]
    if call == "sort":
        return begin + [AGREE, ("allreduce", 8), AGREE, *cut(ranks), AGREE, *exchange(others, ranks), AGREE]
    if call == "join":
        def new(size):  # a buffer for received elements
            return [AGREE, *exchange(others * size / ROW, ranks)]
        keys = [AGREE, AGREE, *tell(ranks), *new(WORD)]
        return begin + [("allreduce", 8), ("exscan", 8), *keys, AGREE, *new(INDEX), AGREE,
                        *keys, AGREE, AGREE, *new(INDEX), *new(FOUND), AGREE]
    if call == "brackets":
        _, seen, closed, _ = nest(n, ranks)
        up, back = [AGREE, *exchange(seen * WORD, ranks)], [AGREE, *exchange(closed * WORD, ranks)]
        errors = [AGREE, *up, AGREE, ("allreduce", 24), ("allreduce", 24), ("allreduce", 8)]
        return begin + [("allreduce", 8), ("exscan", 8), AGREE, AGREE, ("allgather", 40), AGREE, AGREE, *up, AGREE, *back,
                        AGREE, AGREE, *errors, AGREE]
    return begin + [AGREE, ("allreduce", 8), *cut(ranks), AGREE, *exchange(others * WORD / (WORD + SUM), ranks),
                    *exchange(others * SUM / (WORD + SUM), ranks), AGREE, ("allreduce", 8), ("exscan", 8), AGREE]


def copied(call, n, ranks, others=None):
    """Returns the bytes copied between device and host memory, on all ranks. `others`: see to_others."""
    others = to_others(call, n, ranks) if others is None else others
    if call == "join":
        ends = 2 * ranks * ranks * 8  # of the elements sent to each rank
        return ends + ranks * INDEX + 2 * others
    if call == "brackets":
        openers, seen, closed, unmatched = nest(n, ranks)
        return 2 * WORD * (openers + seen) + 2 * WORD * closed + WORD * unmatched
    bounds = ranks - 1
    rounds = ROUNDS * CANDIDATES * bounds + 2 * bounds  # keys to be searched, and their positions
    search = ranks * rounds * (WORD + 8)
    return {"reduce": 0, "scan": ranks * WORD, "histogram": ranks * 2 * BINS * 4,
            "select": 2 * others, "sort": 2 * others + search, "group-by": 2 * others + search}[call]


# ---------------------------------------------------------------------------------------------- measured

def load(path):
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if "gpbench" in row], [row for row in rows if "primitive" in row]


def call_of(row):
    return row["primitive"][len("mpi-"):]


def differences(row):
    """Returns the differences between a row's counts and the formulas."""
    call, ranks, n = call_of(row), row["ranks"], row["n"]
    expected = {}
    others = row["others_bytes"]
    for kind, size in asked(call, n, ranks, others):
        calls, total = expected.get(kind, (0, 0))
        expected[kind] = (calls + ranks, total + size * ranks)
    for kind in sorted(set(expected) | set(row["mpi"])):
        calls, total = expected.get(kind, (0, 0))
        got = row["mpi"].get(kind, {"calls": 0, "bytes": 0})
        if (got["calls"], got["bytes"]) != (calls, round(total)):
            yield f"{kind}: {got['calls']} calls, {got['bytes']} bytes; expected {calls}, {round(total)}"
    if row["copied_bytes"] != copied(call, n, ranks, others):
        yield f"copies: {row['copied_bytes']} bytes; expected {copied(call, n, ranks, others)}"
    expected = others if call == "select" else to_others(call, n, ranks)  # the number that stay is random
    if abs(others - expected) > .02 * expected:
        yield f"to other ranks: {others} bytes; expected about {expected:.0f}"
    if row["error"]:
        yield row["error"]


def check(path):
    _, rows = load(path)
    wrong = [(row, text) for row in rows for text in differences(row)]
    for row, text in wrong:
        print(f"{row['primitive']}, {row['ranks']} ranks, n = {row['n']}: {text}")
    ranks = sorted({row["ranks"] for row in rows})
    print(f"mpi-scaling: {len(rows)} rows, ranks {', '.join(map(str, ranks))}: "
          + (f"{len(wrong)} differences" if wrong else "calls and bytes as predicted"))
    return 1 if wrong or not rows else 0


def count_text(n):
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else str(n)


def bytes_text(count):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f}"


def table(path):
    heads, rows = load(path)
    for head in heads[:1]:
        print(f"{head['device']}, {head['platform']}, {head['mpi']}, {head['date']}, `{head['command']}`\n")
    print("ms; bytes of a rank on average; `to others` of all ranks\n")
    print("| call | | ranks | n | time | spread | device | copies | MPI | waiting | MPI calls | handed over | to others | copied |")
    print("|" + " --- |" * 14)
    for call in CALLS:
        for scaling in ("weak", "strong"):
            for row in rows:
                if call_of(row) != call or row["scaling"] != scaling:
                    continue
                ranks, mpi = row["ranks"], row["mpi"].values()
                times = " | ".join(f"{row[name] * 1e3:.2f}" for name in ("device_s", "copy_s", "mpi_s", "waiting_s"))
                print(f"| {call} | {scaling} | {ranks} | {count_text(row['n'])} | {row['median_s'] * 1e3:.2f} "
                      f"| {row['spread'] * 100:.0f} % | {times} | {sum(kind['calls'] for kind in mpi) // ranks} "
                      f"| {bytes_text(sum(kind['bytes'] for kind in mpi) / ranks)} "
                      f"| {bytes_text(row['others_bytes'])} | {bytes_text(row['copied_bytes'] / ranks)} |")
    return 0


# ---------------------------------------------------------------------------------------------- predicted

class System:
    """A system: bytes per second, and seconds. `alpha`: for a message from host to host; `launch`: for a kernel and the
    wait for it."""

    def __init__(self, device, memory, link, network, alpha=2e-6, launch=10e-6):
        self.device, self.memory, self.link, self.beta = device, .91 * memory, link, 1 / network
        self.alpha, self.launch, self.gamma = alpha, launch, 1 / 10e9  # gamma: to add up a byte


# The sources of the figures are in docs/scaling.md.
SYSTEMS = {"A100, PCIe 4.0, 25 GB/s a device": System("a100", 1555e9, 25e9, 25e9),
           "H200, PCIe 5.0, 50 GB/s a device": System("h200", 4800e9, 50e9, 50e9)}
# Bytes of global memory for each element (tools/gpu_cost/model.py), and the work whose fraction of a copy's bandwidth
# is used.
BYTES = {"reduce": (4, "reduce-u32"), "scan": (8, "scan-u32"), "histogram": (4, "reduce-u32"), "select": (6, "select-u32"),
         "sort": (36, "sort-u32"), "sort pairs": (68, "sort-u32"), "by key": (8, "scan-u32"),
         # Joins: a sector of 32 bytes for each random access, and the accesses with it; tables have 3 slots for a key.
         "insert": (72, "transform-u32"), "find": (41, "transform-u32"), "gather": (40, "transform-u32"),
         "distinct": (32, "transform-u32"), "owners": (32, "sort-u32"),
         # Brackets, with match and errors; for a part also depth.
         "brackets": (12, "scan-u32"), "own": (20, "scan-u32"), "unmatched": (8, "select-u32"), "passed": (12, "scan-u32"),
         "shift": (8, "transform-u32"), "around": (12, "transform-u32")}


def fractions(device):
    """Returns the fractions of a copy's bandwidth by work, as estimated in bench/gpu_cost.json."""
    with open(os.path.join(ROOT, "bench", "gpu_cost.json"), encoding="utf-8") as file:
        return {row["work"]: row["value"] for row in json.load(file) if row["counter"] == f"copy_fraction_{device}"}


def on_device(system, *works):
    """Returns the time on the device of calls, each with its elements."""
    shares = fractions(system.device)
    return sum(n * BYTES[work][0] / (system.memory * shares[BYTES[work][1]]) + system.launch for work, n in works)


def alone(system, call, n):
    """Returns the time of the same work in one call of gpuprim.h on one device."""
    if call == "group-by":
        return on_device(system, ("sort pairs", n), ("by key", n))
    if call == "join":
        return on_device(system, ("insert", n), ("find", n))
    return on_device(system, (call, n))


def device_time(system, call, n, ranks):
    """Returns the time on the device. n: elements of a rank."""
    if call in ("histogram", "select"):
        return alone(system, call, n)
    if call == "reduce":
        return on_device(system, ("reduce", n), ("reduce", ranks))
    if call == "scan":
        return on_device(system, ("reduce", n), ("scan", ranks), ("scan", n))
    if call == "join":
        side = ("insert", "distinct", "owners", "gather")
        build = (*side, "gather", "shift", "insert")
        probe = (*side, "insert", "find", "find", "gather", "gather", "gather")
        return on_device(system, *((work, n) for work in build + probe))
    if call == "brackets":
        return on_device(system, *((work, n) for work in ("own", "unmatched", "unmatched", "passed", "shift", "around", "reduce")))
    needles = (ROUNDS * CANDIDATES + 2) * (ranks - 1) * math.log2(max(n, 2))  # a sector of 32 bytes for each step
    search = (ROUNDS + 2) * system.launch * (ranks > 1) + needles * 32 / system.memory
    if call == "sort":
        return search + on_device(system, ("sort", n), ("sort", n))
    come = min(n, KEYS)
    return search + alone(system, call, n) + alone(system, call, come)


def message(system, kind, size, ranks):
    """Returns the lowest cost of the usual algorithms: Thakur, Rabenseifner and Gropp 2005; Bruck's for small
    all-to-alls."""
    steps, alpha, beta, gamma = math.ceil(math.log2(ranks)), system.alpha, system.beta, system.gamma
    share = (ranks - 1) / ranks
    if kind == "allreduce":
        return min(steps * (alpha + size * (beta + gamma)), 2 * steps * alpha + share * size * (2 * beta + gamma))
    if kind == "allgather":
        return steps * alpha + (ranks - 1) * size * beta
    if kind == "bcast":
        return steps * (alpha + size * beta)
    if kind == "exscan":
        return steps * (alpha + size * (beta + gamma))
    if kind == "alltoall":
        return min(steps * (alpha + size / 2 * beta), (ranks - 1) * alpha + size * share * beta)
    # The two calls of an exchange together send p - 1 messages.
    return (ranks - 1) * alpha / 2 + size * beta


def mpi_time(system, call, n, ranks):
    return sum(message(system, kind, size, ranks) for kind, size in asked(call, n, ranks))


def times(system, call, n, ranks):
    """Returns the seconds on the device, for copies, and in MPI. n: elements of all ranks."""
    return (device_time(system, call, n / ranks, ranks), copied(call, n, ranks) / ranks / system.link,
            mpi_time(system, call, n, ranks))


def efficiency(system, call, n, ranks):
    """Returns the time of one device for its share of the work, divided by the call's time."""
    return alone(system, call, n / ranks) / sum(times(system, call, n, ranks))


def last(system, call, n_of):
    """Returns the most ranks, a power of two up to 2^16, with at least half of the efficiency of two ranks."""
    wanted = efficiency(system, call, n_of(2), 2) / 2
    good = [1 << bits for bits in range(1, 17) if efficiency(system, call, n_of(1 << bits), 1 << bits) >= wanted]
    return max(good)


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}" if seconds >= 1e-6 else "0"


def predict():
    scalings = (("weak", "2^28 words a device", lambda ranks: ranks << 28), ("strong", "2^34 words", lambda ranks: 1 << 34))
    for name, system in SYSTEMS.items():
        for scaling, what, n_of in scalings:
            print(f"\n{name}; {scaling}, {what}: ms = device + copies + MPI (efficiency)\n")
            print("| call | 64 | 256 | 1024 | 4096 | half of two ranks' efficiency |")
            print("|" + " --- |" * 6)
            for call in CALLS:
                cells = []
                for ranks in (64, 256, 1024, 4096):
                    parts = times(system, call, n_of(ranks), ranks)
                    cells.append(f"{milliseconds(sum(parts))} = {' + '.join(map(milliseconds, parts))} "
                                 f"({efficiency(system, call, n_of(ranks), ranks):.2f})")
                most = last(system, call, n_of)
                print(f"| {call} | {' | '.join(cells)} | " + (f"to {most}" if most < 1 << 16 else "beyond 65536") + " |")
    return 0


def main(arguments):
    if len(arguments) == 2 and arguments[0] in ("table", "check"):
        return {"table": table, "check": check}[arguments[0]](arguments[1])
    if arguments == ["predict"]:
        return predict()
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
