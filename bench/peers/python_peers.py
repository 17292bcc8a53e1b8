"""python_peers.py - the peers of gpbench that are Python packages: DuckDB, Polars, PyOpenCL. bench/peers/python.c runs it.

usage: python_peers.py versions                           a line for each package: its name, then its version or "-"
       python_peers.py PACKAGE [PLATFORM DEVICE]          answers requests on its standard input; the OpenCL device by names

A request is a line, and an answer too: "ok", or "failed WHY". gpbench's clock runs from a request "run" to its answer. A
package may be several peers, each with data of its own.

    load PEER PRIMITIVE TYPE N K VALUE_BYTES BYTES BYTES2    and the bytes of two inputs: bench_work in bench/peers/peer.h
    run PEER                                                 the work, with the result left in the package's own memory
    fetch PEER                                               "ok BYTES", and the result as bench_work wants it
"""

import importlib.metadata
import os
import signal
import sys
import types

PACKAGES = ("duckdb", "numpy", "polars", "pyopencl")


def pairs(keys, values, work):
    """Keys, then values from out[n] on; a hash table's are fewer than n."""
    import numpy

    out = numpy.zeros(2 * work.n, dtype=work.a.dtype)
    out[: len(keys)] = keys
    out[work.n : work.n + len(values)] = values
    return out


def by_row(rows, values, work):
    import numpy

    out = numpy.zeros(work.n, dtype=numpy.uint32)
    out[rows] = values
    return out


class DuckDB:
    """Tables of a database in memory. A query's result becomes a table, as the library's becomes a buffer."""

    QUERIES = {
        "group-by": "select k, sum(v) as v from a group by k",
        "join": "select a.row, b.v from a join b on a.k = b.k",
        "sort": "select k from a order by k",
        "sort-pairs": "select k, v from a order by k",
    }

    def __init__(self, name):
        import duckdb

        self.duckdb, self.connection = duckdb, None

    def load(self, work):
        import numpy

        if self.connection:
            self.connection.close()
        self.work, self.kind = work, work.primitive + ("-pairs" if work.value_size else "")
        self.connection = self.duckdb.connect()
        # Only a sort's result has an order; the others are then written by all threads.
        self.connection.execute(f"set preserve_insertion_order = {str(work.primitive == 'sort').lower()}")
        columns = {"k": work.a}
        if self.kind == "join":
            columns["row"] = numpy.arange(work.n, dtype=numpy.uint32)
            self.table("b", {"k": work.b[: work.k], "v": work.b[work.k : 2 * work.k]})
        elif self.kind != "sort":
            columns["v"] = work.b
        self.table("a", columns)

    def table(self, name, columns):
        self.connection.register("columns", columns)
        self.connection.execute(f"create table {name} as select * from columns")
        self.connection.unregister("columns")

    def run(self):
        self.connection.execute(f"create or replace table result as {self.QUERIES[self.kind]}")

    def fetch(self):
        found = self.connection.execute("select * from result").fetchnumpy()
        if self.kind == "sort":
            return found["k"]
        return by_row(found["row"], found["v"], self.work) if self.kind == "join" else pairs(found["k"], found["v"], self.work)


class NumPy:
    """Sorts a copy by instructions of vectors, on one thread, pairs by way of the order of their keys; and what one function does."""

    def __init__(self, name):
        self.result = None

    def load(self, work):
        import numpy

        self.work = work
        if work.primitive == "rle-decode":
            self.lengths = numpy.diff(work.b[: work.segments + 1])

    def run(self):
        import numpy

        if self.work.primitive == "rle-decode":
            self.result = (numpy.repeat(self.work.a[: self.work.segments], self.lengths),)
        elif self.work.primitive == "topk-rows":
            rows, k = self.work.a.reshape(self.work.segments, -1), self.work.k
            found = numpy.argpartition(rows, -k, axis=1)[:, -k:]
            self.result = (numpy.sort(numpy.take_along_axis(rows, found, 1), axis=1)[:, ::-1].reshape(-1),)
        elif self.work.primitive == "columns":
            self.result = (self.work.a.reshape(self.work.segments, -1).sum(axis=0),)
        elif self.work.primitive in ("scan-rows", "scan-columns"):
            axis = 1 if self.work.primitive == "scan-rows" else 0
            self.result = (self.work.a.reshape(self.work.segments, -1).cumsum(axis=axis).reshape(-1),)
        elif self.work.primitive == "transpose":
            self.result = (numpy.ascontiguousarray(self.work.a.reshape(self.work.segments, -1).T).reshape(-1),)
        elif self.work.primitive == "nth-element":
            n, k = len(self.work.a), self.work.k
            ranks = [(r + 1) * (n - 1) // (k + 1) for r in range(k)]
            self.result = (numpy.partition(self.work.a, ranks)[ranks],)
        elif self.work.value_size:
            order = numpy.argsort(self.work.a)
            self.result = self.work.a[order], self.work.b[order]
        else:
            self.result = (numpy.sort(self.work.a),)

    def fetch(self):
        import numpy

        return numpy.concatenate(self.result)


class Polars:
    def __init__(self, name):
        import polars

        self.polars, self.result = polars, None

    def load(self, work):
        import numpy

        frame, self.work, self.result = self.polars.DataFrame, work, None
        if work.primitive == "join":
            self.a = frame({"k": work.a, "row": numpy.arange(work.n, dtype=numpy.uint32)})
            self.b = frame({"k": work.b[: work.k], "v": work.b[work.k : 2 * work.k]})
        elif work.primitive == "sort" and not work.value_size:
            self.a = frame({"k": work.a})
        else:
            self.a = frame({"k": work.a, "v": work.b})

    def run(self):
        column = self.polars.col
        if self.work.primitive == "group-by":
            self.result = self.a.group_by("k").agg(column("v").sum())
        elif self.work.primitive == "join":
            self.result = self.a.join(self.b, on="k").select("row", "v")
        else:
            self.result = self.a.sort("k")

    def fetch(self):
        found = {name: self.result[name].to_numpy() for name in self.result.columns}
        if self.work.primitive == "join":
            return by_row(found["row"], found["v"], self.work)
        return pairs(found["k"], found["v"], self.work) if "v" in found else found["k"]


class PyOpenCL:
    """Algorithms on arrays of the same device, in a context of their own."""

    def __init__(self, name, platform, device):
        import pyopencl.algorithm
        import pyopencl.array
        import pyopencl.bitonic_sort
        import pyopencl.reduction
        import pyopencl.scan

        self.cl, self.name = pyopencl, name
        devices = [d for p in pyopencl.get_platforms() if p.name == platform for d in p.get_devices() if d.name == device]
        if not devices:
            raise RuntimeError("it does not see the device")
        self.context = pyopencl.Context(devices[:1])
        self.queue = pyopencl.CommandQueue(self.context)

    def load(self, work):
        array, self.work = self.cl.array, work
        self.a = array.to_device(self.queue, work.a)
        self.b = array.to_device(self.queue, work.b) if len(work.b) else None
        self.call = getattr(self, self.name.removeprefix("pyopencl-") if work.primitive == "sort" else work.primitive)(work)
        self.queue.finish()

    def run(self):
        self.result = self.call()
        self.queue.finish()

    def fetch(self):
        import numpy

        return numpy.concatenate([x.get(self.queue).ravel() for x in self.result])

    def reduction(self, work, expression, arguments):
        c_type = self.cl.tools.dtype_to_ctype(work.a.dtype)
        return self.cl.reduction.ReductionKernel(
            self.context,
            work.a.dtype,
            neutral="0",
            reduce_expr="a+b",
            map_expr=expression,
            arguments=", ".join(f"__global const {c_type} *{name}" for name in arguments),
        )

    def reduce(self, work):
        kernel = self.reduction(work, "x[i]", "x")
        return lambda: (kernel(self.a, queue=self.queue),)

    def dot(self, work):
        kernel = self.reduction(work, "x[i]*y[i]", "xy")
        return lambda: (kernel(self.a, self.b, queue=self.queue),)

    def scan(self, work):
        c_type = self.cl.tools.dtype_to_ctype(work.a.dtype)
        kernel = self.cl.scan.GenericScanKernel(
            self.context,
            work.a.dtype,
            arguments=f"__global const {c_type} *x, __global {c_type} *out",
            input_expr="x[i]",
            scan_expr="a+b",
            neutral="0",
            output_statement="out[i] = item;",
        )
        out = self.cl.array.empty_like(self.a)

        def call():
            kernel(self.a, out, queue=self.queue)
            return (out,)

        return call

    def radix(self, work):
        c_type, names = self.cl.tools.dtype_to_ctype(work.a.dtype), ["keys"] + ["data"] * bool(work.value_size)
        arguments = [f"__global {c_type} *keys", "__global uint *data"][: len(names)]
        sort = self.cl.algorithm.RadixSort(
            self.context, ", ".join(arguments), key_expr="keys[i]", sort_arg_names=names, key_dtype=work.a.dtype
        )
        inputs = (self.a, self.b)[: len(names)]
        return lambda: sort(*inputs, key_bits=8 * work.a.dtype.itemsize, queue=self.queue)[0]

    def bitonic(self, work):
        sort = self.cl.bitonic_sort.BitonicSort(self.context)

        def call():
            keys = self.a.copy(self.queue)
            values = self.b.copy(self.queue) if work.value_size else None
            sort(keys, idx=values, queue=self.queue)
            return (keys,) if values is None else (keys, values)

        return call


def read_work(words, requests):
    import numpy

    primitive, kind, n, k, segments, value_size, size, size2 = words
    dtype = numpy.dtype({"u": "uint", "f": "float"}[kind[0]] + kind[1:])
    return types.SimpleNamespace(
        primitive=primitive,
        n=int(n),
        k=int(k),
        segments=int(segments),
        value_size=int(value_size),
        a=numpy.frombuffer(requests.read(int(size)), dtype=dtype),
        b=numpy.frombuffer(requests.read(int(size2)), dtype=numpy.uint32 if int(value_size) else dtype),
    )


def answer(peer, word, work):
    """What goes back, in bytes."""
    import numpy

    if word == "fetch":
        result = numpy.ascontiguousarray(peer.fetch()).tobytes()
        return f"ok {len(result)}\n".encode() + result
    if word == "load":
        peer.load(work)
    else:
        peer.run()
    return b"ok\n"


def serve(package, *device):
    if "avx512" in os.environ.get("CPU_MASK", ""):
        os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4")
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # packages may print
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # gpbench's end is its end
    make, peers = {"duckdb": DuckDB, "numpy": NumPy, "polars": Polars, "pyopencl": PyOpenCL}[package], {}
    for request in requests:
        word, name, *words = request.decode().split()
        try:
            work = read_work(words, requests) if word == "load" else None
            if name not in peers:
                peers[name] = make(name, *device)
            text = answer(peers[name], word, work)
        except Exception as error:  # whatever a package raises is gpbench's to tell
            text = f"failed {type(error).__name__}: {error}".replace("\n", " ").encode() + b"\n"
        answers.write(text)
        answers.flush()


def print_versions():
    for name in PACKAGES:
        try:
            print(name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            print(name, "-")


if __name__ == "__main__":
    if sys.argv[1:] == ["versions"]:
        print_versions()
    elif len(sys.argv) > 1 and sys.argv[1] in PACKAGES:
        package, *device = sys.argv[1:]
        serve(package, *(device if package == "pyopencl" else []))
    else:
        raise SystemExit(__doc__.split("\n\n")[1])
