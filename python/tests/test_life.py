"""Memory lives as long as commands use it; calls keep their order; processes, callbacks and the interpreter's end."""

import copy
import gc
import logging
import mmap
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest

import gpuprim

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")


class Memory:
    """Memory that is filled with other numbers when its last user has let it go, as an allocator may do."""

    def __init__(self, n):
        self.bytes = np.arange(n, dtype=np.uint32)

    def array(self):
        array = np.frombuffer(memoryview(self.bytes), np.uint32)
        weakref.finalize(array, self.bytes.fill, 0xDEAD)
        return array


def exported(array):
    """The array by DLPack alone."""

    class Exported:
        __dlpack__ = lambda self, **kwargs: array.__dlpack__(**kwargs)  # noqa: E731
        __dlpack_device__ = lambda self: (1, 0)  # noqa: E731

    return Exported()


N = 1000
EXPECTED = np.arange(N) + 1


def by_dlpack(own, array):
    return own.from_dlpack(exported(array), copy=False)


def by_buffer(own, array):
    return own.from_dlpack(array, copy=False)


def by_pyopencl(own, array):
    flags = cl.mem_flags.USE_HOST_PTR | cl.mem_flags.READ_ONLY
    buffer = cl.Buffer(own.cl_context, flags, hostbuf=array)
    return cl_array.Array(None, array.shape, array.dtype, data=buffer)


USES = {
    "input": lambda own, x: own.transform(x, "x + 1"),
    "second input": lambda own, x: own.transform(own.iota(N, dtype=np.uint32), "y + 1", y=x),
    "argument": lambda own, x: own.transform(None, "t[i] + 1", args={"t": x}, count=N, dtype=np.uint32),
    "copy": lambda own, x: own.transform(own.array(x) if hasattr(x, "base_data") else x.copy(), "x + 1"),
    "slice": lambda own, x: own.transform(own.transform(x, "x")[:], "x + 1"),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("way", [by_dlpack, by_buffer, by_pyopencl])
def test_memory_lives_until_commands_end(own, way, use):
    """Commands wait for an event, while all that the caller has of their input goes."""
    memory = Memory(N)
    USES[use](own, own.array(memory.bytes))  # builds
    own.finish()
    gate = cl.UserEvent(own.cl_context)
    own.wait_for([gate])
    try:
        out = USES[use](own, way(own, memory.array()))
        gc.collect()
        assert memory.bytes[1] == 1
    finally:
        gate.set_status(0)
    np.testing.assert_array_equal(out.get(), EXPECTED)
    gc.collect()
    assert memory.bytes[1] == 0xDEAD  # and is kept no longer


@pytest.mark.parametrize("way", [by_dlpack, by_buffer, by_pyopencl])
def test_memory_lives_in_other_contexts(own, way):
    """A call of another context on the array keeps it as well."""
    memory = Memory(N)
    with gpuprim.Context(share=own) as other:
        USES["input"](other, own.array(memory.bytes))
        other.finish()
        gate = cl.UserEvent(own.cl_context)
        other.wait_for([gate])
        out = USES["input"](other, way(own, memory.array()))
        own.finish()
        gc.collect()
        assert memory.bytes[1] == 1
        gate.set_status(0)
        np.testing.assert_array_equal(out.get(), EXPECTED)
    gc.collect()
    assert memory.bytes[1] == 0xDEAD


def test_memory_lives_while_mapped(own):
    memory = Memory(N)
    host = own.from_dlpack(memory.array(), copy=False).map()
    gc.collect()
    np.testing.assert_array_equal(host + 1, EXPECTED)
    assert not host.flags.writeable
    del host
    gc.collect()
    assert memory.bytes[1] == 0xDEAD


def test_memory_lives_when_a_context_goes(ctx):
    memory = Memory(N)
    own = gpuprim.Context()
    out = own.transform(own.from_dlpack(memory.array(), copy=False), "x + 1")
    host = out.map()
    del own, out
    gc.collect()
    np.testing.assert_array_equal(host, EXPECTED)


def test_failed_calls_keep_memory(own):
    memory = Memory(N)
    gate = cl.UserEvent(own.cl_context)
    own.wait_for([gate])
    with pytest.raises(gpuprim.BuildError):
        own.transform(own.from_dlpack(memory.array(), copy=False), "x +* 1")
    gate.set_status(0)
    own.finish()
    gc.collect()
    assert memory.bytes[1] == 0xDEAD


def test_mapped_file():
    """The issue's program, with files: memory that is gone would be SIGSEGV."""
    program = """
        import mmap
        import numpy as np
        import gpuprim
        ctx = gpuprim.Context()

        def numbers():
            memory = mmap.mmap(-1, 4 << 20)
            array = np.frombuffer(memory, np.uint32)
            array[:] = np.arange(len(array))
            return array

        outs = [ctx.transform(ctx.from_dlpack(numbers(), copy=False), "x + 1") for k in range(8)]
        for out in outs:
            assert (out.get() == np.arange(1 << 20) + 1).all()
    """
    subprocess.run([sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(program)], check=True)


def test_shared_memory_is_not_written(own):
    """Not even by what is no call: the file may be mapped to be read only."""
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ)
    shared = own.from_dlpack(np.frombuffer(memory, np.uint32), copy=False)
    with pytest.raises(ValueError, match="shared"):
        shared.set(np.ones(1024, np.uint32))
    with pytest.raises(ValueError, match="copy"):
        shared.to_pyopencl()
    assert own.scan(shared).get()[-1] == 0
    with pytest.raises(TypeError, match="object"):
        own.from_dlpack(np.array([None]), copy=False)


def test_objects_that_pretend(ctx):
    """What only looks like an array of PyOpenCL's has no cl_mem."""

    class Pretended:
        strides, dtype, shape, offset, queue = (4,), np.dtype("u4"), (3,), 0, None
        flags = np.zeros(3).flags

        class base_data:
            int_ptr = 12345

    with pytest.raises(TypeError, match="PyOpenCL"):
        ctx.reduce(Pretended())


@pytest.mark.parametrize("dtype, offset", [("u4", 1), ("u8", 4), ("c16", 8), ("f8", 1)])
def test_alignment(own, dtype, offset):
    """Memory that is not aligned is copied, never shared."""
    whole = np.zeros(4096, np.uint8)
    begin = -whole.ctypes.data % 64 + offset
    x = whole[begin : begin + 1600].view(dtype)
    x[:] = np.arange(len(x))
    if dtype == "c16":
        assert own.reduce(own.from_dlpack(x), map="x.x", dtype=np.float64) == x.sum().real
    else:
        assert own.reduce(own.from_dlpack(x)) == x.sum()
    with pytest.raises(ValueError, match="copy=True"):
        own.from_dlpack(x, copy=False)


@pytest.mark.parametrize("size", [4, 8, 16, 32])
def test_alignment_of_records(size):
    """Elements without an alignment of their own are copied, too, where calls that move them would need one."""
    ended = run(f"""
        import gpuprim
        import numpy as np
        ctx = gpuprim.Context()
        size, whole = {size}, np.random.default_rng(1).integers(0, 256, 1 << 16).astype(np.uint8)
        for offset in (1, 2, size // 2, size):
            begin = -whole.ctypes.data % 64 + offset
            x = whole[begin : begin + 1000 * size].view(f"V{{size}}")
            shared, order, back = ctx.from_dlpack(x), np.arange(1000)[::-1], x[::-1].tobytes()
            assert shared.get().tobytes() == x.tobytes()
            if size <= 16:
                assert ctx.gather(shared, order).get().tobytes() == back
                assert ctx.scatter(shared, order, size=1000).get().tobytes() == back
                assert ctx.sort(order, shared)[1].get().tobytes() == back
                assert ctx.unpack(shared, np.ones(1000, np.uint8)).get().tobytes() == x.tobytes()
                assert ctx.unique(order, shared)[1].get().tobytes() == x.tobytes()
            if size <= 8:
                numbers = shared.view(f"u{size}")
                assert ctx.sort(numbers)[0] == x.view(numbers.dtype).min()
                continue
            vector = np.dtype([(name, "f8") for name in ("xy" if size == 16 else "xyzw")])
            try:
                assert ctx.transform(shared.view(vector), "x").get().tobytes() == x.tobytes()
            except ValueError as error:
                assert "aligned" in str(error) and size == 32
    """)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("dtype", ["V16", "c16", "u4"])
def test_alignment_of_pyopencl(dtype):
    """Buffers of PyOpenCL's are the caller's memory, aligned or not."""
    ended = run(f"""
        import gpuprim
        import numpy as np
        import pyopencl as cl
        import pyopencl.array
        own = gpuprim.Context()
        whole = np.zeros(1 << 16, np.uint8)
        flags = cl.mem_flags.USE_HOST_PTR | cl.mem_flags.READ_ONLY
        for offset in (1, 2, 0):
            begin = -whole.ctypes.data % 64 + offset
            x = whole[begin : begin + 16000].view("{dtype}")
            data = cl.Buffer(own.cl_context, flags, hostbuf=x)
            try:
                own.gather(cl.array.Array(None, x.shape, x.dtype, data=data), np.arange(1000)).get()
            except ValueError as error:
                assert offset and "aligned" in str(error), error
            else:
                assert offset == 0
    """)
    assert (ended.returncode, ended.stderr) == (0, "")


# ---- order


def test_out_of_order_queue(ctx):
    context = cl.Context([cl.Device.from_int_ptr(ctx.device.int_ptr)])
    properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    with pytest.raises(ValueError, match="out of order"):
        gpuprim.Context(queue=cl.CommandQueue(context, properties=properties))
    for wrong in (context, context.devices[0], "queue"):
        with pytest.raises(TypeError, match="CommandQueue"):
            gpuprim.Context(queue=wrong)


def test_events(own):
    """Calls of two contexts in an order, without the host."""
    with gpuprim.Context(share=own) as other:
        gate = cl.UserEvent(own.cl_context)
        own.wait_for([gate])
        x = own.fill(N, 7, np.int32)
        written = own.done()
        other.wait_for([written])
        y = other.transform(x, "x + 1")
        last = other.done()
        assert not written.is_done and not last.is_done
        gate.set_status(0)
        last.wait()
        assert written.is_done and last.is_done
        assert y.get().tolist() == [8] * N
    own.wait_for([])
    for wrong in (3, None, [3], [own]):
        with pytest.raises(TypeError):
            own.wait_for(wrong)


def test_events_of_a_generator(own):
    """Events that only the iteration holds live until the queue waits for them."""
    ended = run("""
        import gpuprim
        ctx = gpuprim.Context()
        other = gpuprim.Context(share=ctx)
        for k in range(1000):
            ctx.wait_for(other.done() for _ in range(8))
            junk = [other.done() for _ in range(8)]
        assert ctx.reduce([1, 2]) == 3
    """)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_failed_event(own):
    gate = cl.UserEvent(own.cl_context)
    gate.set_status(-5)
    with pytest.raises(ValueError, match="failed"):
        own.wait_for([gate])
    assert own.reduce([1, 2]) == 3


@pytest.mark.parametrize("call", ["ctx.wait_for([gate])", "ctx.wait_for([gate]); ctx.done()"])
def test_event_that_fails_later(own, call):
    """Nobody but the context holds the events."""
    ended = run(f"""
        import gpuprim, pyopencl as cl
        ctx = gpuprim.Context()
        gate = cl.UserEvent(ctx.cl_context)
        {call}
        gate.set_status(-5)
        ctx.queue.finish()
        ctx.close()
        assert gpuprim.Context().reduce([1, 2]) == 3
    """)
    assert (ended.returncode, ended.stderr) == (0, "")


# ---- processes


def use_in_a_child(results):
    try:
        with gpuprim.Context() as ctx:
            results.put(int(ctx.reduce(np.arange(1000))))
    except BaseException as error:
        results.put(repr(error))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes(ctx, method):
    ctx.finish()
    context = multiprocessing.get_context(method)
    results = context.Queue()
    process = context.Process(target=use_in_a_child, args=(results,))
    process.start()
    assert results.get(timeout=60) == 499500
    process.join(60)
    assert process.exitcode == 0


def run(program, **options):
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore", "-c", textwrap.dedent(program)]
    return subprocess.run(command, timeout=60, capture_output=True, text=True, **options)


FORKED = [
    "gpuprim.Context()", "gpuprim.devices()", "ctx.finish()", "ctx.scan([1, 2])", "array.get()", "array.map()", "array.copy()",
    "array.set(np.zeros(10))", "ctx.empty(3)", "ctx.array([1])", "np.asarray(array)", "np.from_dlpack(array)", "array[3]",
    "table.insert([1])", "table.items()", "len(table)", "table.clear()", "table.close()", "ctx.close()", "ctx.done()",
    "ctx.wait_for([event])", "event.wait()", "event.is_done", "gpuprim.Context(share=ctx)", "ctx.queue", "ctx.cl_context",
    "ctx.cl_device", "array.to_pyopencl()", "ctx.stats()", "ctx.self_test()", "ctx.export_programs()", "ctx.from_dlpack(x)",
    "ctx.reduce(pyopencl_array)", "table.int_ptr", "table.share(ctx)", "ctx.warmup(ctx.scan, x)", "ctx.scratch_size(ctx.scan, x)",
]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork():
    """In a child, every call that would touch OpenCL is refused in words, and none hangs."""
    ended = run(f"""
        import faulthandler, os, sys
        import numpy as np
        import pyopencl.array
        import gpuprim
        ctx = gpuprim.Context()
        x = np.arange(10)
        array, table, event = ctx.array(x), ctx.hash_table(np.uint32), ctx.done()
        pyopencl_array = array.to_pyopencl()
        ctx.finish()
        child = os.fork()
        if child == 0:
            faulthandler.dump_traceback_later(30, exit=True)
            for call in {FORKED!r}:
                try:
                    eval(call)
                except RuntimeError as error:
                    assert "fork" in str(error) and "spawn" in str(error), (call, error)
                else:
                    print("not refused:", call)
            class Untouched:
                def __getattr__(self, name):
                    os.write(2, name.encode())
                    os._exit(7)

            for module in list(sys.modules.values()):
                if module.__name__.startswith("gpuprim") and hasattr(module, "lib"):
                    module.lib = Untouched()
            del array, event, table, ctx
            sys.stdout.flush()
            sys.exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert array[9] == 9 and ctx.reduce(x) == 45
    """)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork_before_the_first_use():
    ended = run("""
        import os
        import gpuprim
        child = os.fork()
        if child == 0:
            assert gpuprim.Context().reduce([1, 2]) == 3
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert gpuprim.Context().reduce([1, 2]) == 3
    """)
    assert (ended.returncode, ended.stderr) == (0, "")


# ---- callbacks


class Handler(logging.Handler):
    def __init__(self, action):
        super().__init__()
        self.action, self.calls = action, 0

    def emit(self, record):
        self.calls += 1
        self.action()


@pytest.fixture
def logger():
    logger = logging.getLogger("gpuprim")
    before = list(logger.handlers), logger.level
    logger.setLevel(logging.DEBUG)
    yield logger
    logger.handlers, level = before
    logger.setLevel(level)


def test_calls_in_a_handler(own, logger):
    """A handler runs within a call, and cannot make another; it would wait for itself."""
    refused = []

    def act():
        for call in (
            gpuprim.Context, gpuprim.devices, own.finish, lambda: gpuprim.Context(share=own), lambda: own.reduce([1, 2]),
            own.close,
        ):  # fmt: skip
            with pytest.raises(RuntimeError, match="callback"):
                call()
            refused.append(call)

    handler = Handler(act)
    logger.addHandler(handler)
    with gpuprim.Context() as other:
        assert other.transform([1, 2], "x + 12345").get().tolist() == [12346, 12347]
    assert own.transform([1, 2], "x + 23456").get().tolist() == [23457, 23458]
    assert handler.calls > 1 and len(refused) == 6 * handler.calls


@pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="no signals")
@pytest.mark.parametrize("command", ["x.get()", "x.set(np.arange(9))", "x.map()", "x.copy()", "own.done()", "own.wait_for([event])"])
def test_calls_in_a_signals_handler(command):
    """Python runs a signal's handler between any two lines, of the package's own commands too: its calls are refused."""
    done = run(
        f"""
        import contextlib, signal
        import numpy as np, gpuprim
        own = gpuprim.Context()
        event = gpuprim.Context(share=own).done()
        x = own.array(np.arange(9))
        texts = []

        def handler(*about):
            for call in (own.finish, own.close, x.get, lambda: own.scan(x)):
                try:
                    call()
                except RuntimeError as error:
                    texts.append(str(error))

        signal.signal(signal.SIGTERM, handler)
        enqueuing = own._enqueuing

        @contextlib.contextmanager
        def interrupted():
            with enqueuing() as queue:
                yield queue
                signal.raise_signal(signal.SIGTERM)

        own._enqueuing = interrupted
        {command}
        assert len(texts) == 4 and all("in a call" in text for text in texts), texts
        own._enqueuing = enqueuing
        assert (x.get() == np.arange(9)).all()
        own.close()
        """
    )
    assert done.returncode == 0, done.stderr


def test_exceptions_in_a_handler(own, logger, capfd):
    """What a handler raises, the call raises, and leaves everything whole."""
    x = own.array([1, 2])

    class Unusual(BaseException):
        pass

    def act():
        raise Unusual("from the handler")

    handler = Handler(act)
    logger.addHandler(handler)
    with pytest.raises(Unusual, match="from the handler"):
        own.transform(x, "x + 34567")
    with pytest.raises(Unusual):
        gpuprim.Context()
    gc.collect()
    logger.removeHandler(handler)
    assert own.transform(x, "x + 34567").get().tolist() == [34568, 34569]
    assert capfd.readouterr() == ("", "")


def test_handlers_while_a_call_is_measured(own, logger):
    """What a handler raises while scratch_size builds a program, scratch_size raises, and no later call."""
    refused = []

    def act():
        with pytest.raises(RuntimeError, match="callback"):
            gpuprim.Context()
        refused.append(1)
        raise KeyError("from the handler")

    handler = Handler(act)
    logger.addHandler(handler)
    with pytest.raises(KeyError, match="from the handler"):
        own.scratch_size(own.sort_records, None, [gpuprim.Column("(i * 7) % 13", np.uint16)], count=1000)
    logger.removeHandler(handler)
    own.finish()
    assert handler.calls > 0 and len(refused) == handler.calls


def test_no_more_threads(own, monkeypatch):
    """A message about builds that no thread can send is left out."""

    def start(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        assert own.transform([1, 2], "x + 56789").get().tolist() == [56790, 56791]
        assert own.transform([1, 2], "x + 67891").get().tolist() == [67892, 67893]


def test_interrupted_notes_keep_memory(own, monkeypatch):
    """Ctrl+C between a call and the note that it uses memory: the memory lives until the queue is empty."""
    memory = Memory(N)
    USES["input"](own, own.array(memory.bytes))
    own.finish()

    def interrupted(*args):
        raise KeyboardInterrupt

    gate = cl.UserEvent(own.cl_context)
    own.wait_for([gate])
    try:
        with monkeypatch.context() as patch:
            patch.setattr(own, "_mark", interrupted)
            with pytest.raises(KeyboardInterrupt):
                USES["input"](own, by_buffer(own, memory.array()))
        gc.collect()
        assert memory.bytes[1] == 1
        out = USES["input"](own, by_buffer(own, memory.array()))
        gc.collect()
        assert memory.bytes[1] == 1
    finally:
        gate.set_status(0)
    np.testing.assert_array_equal(out.get(), EXPECTED)
    gc.collect()
    assert memory.bytes[1] == 0xDEAD


def test_objects_that_go_in_a_handler(own, logger):
    """The end of a context within a callback waits for the call's end."""
    others = [gpuprim.Context(), gpuprim.Context(share=own)]
    handles = [weakref.ref(other) for other in others]
    logger.addHandler(Handler(others.clear))
    own.transform([1, 2], "x + 45678")
    gc.collect()
    assert [handle() for handle in handles] == [None, None]
    assert own.reduce([1, 2]) == 3


# ---- copies, the interpreter's end


def test_copies(own):
    array, table, event = own.iota(10), own.hash_table(np.uint32), own.done()
    for thing in (own, table, event, array._buffer):
        for action in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be"):
                action(thing)
    with pytest.raises(TypeError, match="get()"):
        pickle.dumps(array)
    for action in (copy.copy, copy.deepcopy):
        other = action(array)
        other.set(np.zeros(10))
        assert array[1] == 1 and other[1] == 0


@pytest.mark.parametrize(
    "end",
    [
        "host = array.map(); use = lambda: print(int(host.sum()))",
        "use = lambda: print(int(array.map().sum()))",
        "use = lambda: print(ctx.reduce(array))",
        "use = lambda: print(len(table))",
        "use = lambda: print(copy.copy(ctx).reduce([1]))",
        "use = lambda: gpuprim.Context()",
        "use = ctx.close",
        "use = lambda: print(gpuprim.Context().reduce([1, 2]))",
        "use = lambda: ctx.from_dlpack(np.arange(10), copy=False)",
        "host = np.from_dlpack(array); use = lambda: print(int(host.sum()))",
        "event = ctx.done(); use = lambda: event.wait()",
        "use = lambda: array.to_pyopencl().get()",
        "shared = ctx.from_dlpack(np.arange(1 << 22), copy=False); out = ctx.scan(shared); del shared; use = lambda: 0",
        "logging.getLogger('gpuprim').addHandler(logging.StreamHandler(open(os.devnull, 'w'))); use = lambda: 0",
    ],
)
def test_exit(end):
    """After all else at the interpreter's end: calls are refused, and memory that is mapped is still there."""
    ended = run(f"""
        import atexit, copy, logging, os, sys
        def last():
            try:
                use()
            except (RuntimeError, TypeError) as error:
                print(type(error).__name__)
        atexit.register(last)
        import numpy as np
        import gpuprim
        ctx = gpuprim.Context()
        array = ctx.scan(np.arange(1 << 20))
        table = ctx.hash_table(np.uint32)
        {end}
    """)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    "step",
    [
        "own.sort(own.scan(x))", "own.scan(x).get()", "x.map().sum()", "table.insert(x)", "own.done().wait()", "x.copy()",
        "gpuprim.Context(share=ctx)", "own.from_dlpack(np.arange(1 << 20), copy=False).get()", "own.empty(5)",
    ],
)  # fmt: skip
def test_exit_while_threads_work(step):
    """The interpreter's end waits for a call, and takes nothing from the threads that it leaves behind."""
    ended = run(f"""
        import sys, threading
        import numpy as np
        import gpuprim
        ctx = gpuprim.Context()
        begun = threading.Barrier(4)

        def work():
            own = gpuprim.Context(share=ctx)
            x, table = own.array(np.arange(1 << 20)), own.hash_table(np.int64)
            {step}
            begun.wait()
            while True:
                try:
                    {step}
                except RuntimeError:
                    return

        for k in range(3):
            threading.Thread(target=work, daemon=True).start()
        begun.wait()
    """)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_threads_and_the_collector(ctx):
    """Arrays, mappings and contexts that other threads let go."""
    errors = []

    def work():
        try:
            with gpuprim.Context(share=ctx) as own:
                for k in range(20):
                    cycle = [own.from_dlpack(np.arange(5000) + k, copy=False)]
                    cycle += [cycle, own.scan(cycle[0]), cycle[0].map()]
                    assert cycle[2][-1] == np.sum(np.arange(5000) + k)
                    own.hash_table(np.uint32).insert([k])
                    del cycle
                    gc.collect()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
