import gc
import logging
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from test_select import BESIDE

import gpuprim
from gpuprim._native import ffi


def test_devices(ctx):
    assert ctx.device.name in [device.name for device in gpuprim.devices()]
    assert gpuprim.Context(ctx.device).device == ctx.device
    assert ctx.device.name in repr(ctx)
    with pytest.raises(gpuprim.Error) as error:
        gpuprim.Context("no such device")
    assert error.value.code in (-8, -9) and "no such device" in str(error.value)
    again = pickle.loads(pickle.dumps(error.value))
    assert again.code == error.value.code and str(again) == str(error.value)


def test_addresses_are_no_devices():
    """A number is no device, nor is one that another process has found: its address means nothing here."""
    program = """
        import dataclasses, pickle
        import gpuprim
        device = pickle.loads(pickle.dumps(gpuprim.devices()[0]))
        assert gpuprim.Context(device).device.name == device.name

        class Device:
            int_ptr = 4096

        class CommandQueue(Device):
            pass

        class Event(Device):
            pass

        ctx = gpuprim.Context()
        calls = [lambda: ctx.wait_for([Event()]), lambda: gpuprim.Context(dataclasses.replace(device, int_ptr=4096))]
        for wrong in (0, 1, True, Device(), CommandQueue()):
            calls += [lambda wrong=wrong: gpuprim.Context(wrong), lambda wrong=wrong: gpuprim.Context(queue=wrong)]
            calls += [lambda wrong=wrong: gpuprim.Context(cl_context=wrong)]
        for call in calls:
            try:
                call()
            except (TypeError, ValueError) as error:
                assert "PyOpenCL" in str(error) or "process" in str(error), error
            else:
                raise AssertionError
    """
    command = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(program)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_options(ctx, tmp_path):
    with pytest.raises(ValueError, match="strategy"):
        gpuprim.Context(strategy="fast")
    with pytest.raises(ValueError, match="tuning has no 'speed'"):
        gpuprim.Context(tuning={"speed": 1})
    with gpuprim.Context(profile=True, scratch_limit=1 << 20, tuning={"tile": 1024}, strategy="multi_pass") as own:
        x = np.arange(10**5, dtype=np.uint32)
        assert own.scan(x).get()[-1] == x.sum() % 2**32
        assert sum(times["launches"] for times in own.kernel_times().values()) == own.stats()["launches"] > 0
        own.reset_stats()
        assert own.stats()["launches"] == 0 and own.kernel_times() == {}
        with pytest.raises(MemoryError) as error:
            own.sort(np.zeros(10**6, np.uint64))
        assert isinstance(error.value, gpuprim.OutOfMemoryError) and error.value.code == -12


def test_closed():
    own = gpuprim.Context()
    array = own.iota(10)
    table = own.hash_table(np.uint32)
    own.close()
    own.close()
    for call in (own.finish, array.get, table.clear, table.close, lambda: own.scan([1]), own.stats):
        with pytest.raises(RuntimeError, match="closed"):
            call()
    assert "closed" in repr(own)


def test_a_closed_context_keeps_no_pointers():
    """What they pointed to went with the context."""
    own = gpuprim.Context()
    own.close()
    kept = {name: value for name, value in vars(own).items() if isinstance(value, ffi.CData) and value}
    assert set(kept) == {"_log_user"}  # our own


@pytest.mark.parametrize("name", BESIDE)
def test_calls_of_a_closed_context(name):
    own = gpuprim.Context()
    k = own.array(np.arange(7, dtype=np.int32))
    own.close()
    with pytest.raises(RuntimeError, match="the context is closed"):
        BESIDE[name](own, k)


def test_threads(ctx):
    """One context per thread, on the same OpenCL context; the lock is not held while a call waits."""
    x = np.random.default_rng(5).integers(0, 100, 2**20).astype(np.int32)
    shared = ctx.array(x)
    ctx.finish()
    others = []

    def work(number):
        try:
            with pytest.raises(RuntimeError, match="another thread"):
                ctx.scan(x)
            with gpuprim.Context(share=ctx) as own:
                for _ in range(5):
                    np.testing.assert_array_equal(own.scan(shared).get(), np.cumsum(x, dtype=np.int32))
                    assert own.reduce(shared, map="x * f", args={"f": number}) == number * x.sum()
        except BaseException as error:
            others.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        ctx.scan(x)
    for thread in threads:
        thread.join()
    assert others == []


def test_lock_is_released(ctx):
    """Another thread counts while a call blocks."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    keys = ctx.random(2**22, np.uint32, seed=1)
    ctx.sort(keys)
    ctx.finish()
    thread = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)  # so that the interpreter does not switch threads by itself
    try:
        thread.start()
        before = counted[0]
        ctx.sort(keys)
        ctx.finish()
        assert counted[0] > before
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        thread.join()


def test_nothing_leaks(ctx):
    """Buffers go with their arrays, and OpenCL's objects with the context."""
    from gpuprim._native import ffi, lib

    released, made = [], []
    real = gpuprim._session._release

    class Counting:
        def __getattr__(self, name):
            return getattr(lib, name)

    def count(process, mem):
        released.append(mem)
        real(process, mem)

    gpuprim._session._release = count
    original = gpuprim._session.Buffer.__init__

    def init(self, mem, *args, **kwargs):
        made.append(int(ffi.cast("uintptr_t", mem)))
        original(self, mem, *args, **kwargs)

    gpuprim._session.Buffer.__init__ = init
    try:
        for _ in range(3):
            kept = ctx.select(np.arange(1000), "x % 3 == 0")
            len(kept)
            ctx.sort(kept, kept)
            ctx.group_by(np.arange(10) % 3, np.arange(10))
            ctx.join([1, 2], [2, 3])
            with pytest.raises(gpuprim.BuildError):
                ctx.transform(kept, "x +* 2")
            with pytest.raises(ValueError):
                ctx.scan(kept, out=ctx.empty(1))
        del kept
        gc.collect()
        assert len(made) == len(released) > 30
    finally:
        gpuprim._session._release = real
        gpuprim._session.Buffer.__init__ = original
    scratch = ctx.stats()["scratch_bytes"]
    for _ in range(20):
        ctx.sort(np.arange(1000))
    assert ctx.stats()["scratch_bytes"] == scratch


def test_memory_does_not_grow(ctx):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    x = np.arange(2**18, dtype=np.uint32)

    def calls(count):
        for _ in range(count):
            ctx.scan(x).get()
            len(ctx.select(x, "x > t", args={"t": 5}))
            ctx.sort(x, x)
        ctx.finish()
        gc.collect()

    calls(30)
    before = resident()
    calls(200)  # of 4 MiB each
    assert resident() - before < 32 << 20


@pytest.mark.parametrize(
    "end",
    [
        "del ctx; del array; del table",
        "del array; del table; del ctx",
        "ctx.close()",
        "sys.exit(3)",
        "raise KeyError",
        "import threading; threading.Thread(target=lambda: array).start()",
        "sys.modules.clear()",
        "keep = [ctx, array, table]; keep.append(keep)",
        "host = array.map(); pending = ctx.sort(array)",
        "import atexit; atexit.register(lambda: array.get())",
    ],
)
def test_exit(end):
    """The interpreter ends without a sound, whatever is left."""
    program = f"""
        import os, sys, gc
        import numpy as np
        import gpuprim
        ctx = gpuprim.Context()
        array = ctx.scan(np.arange(10**5))
        table = ctx.hash_table(np.uint32)
        table.insert(np.arange(10))
        {end}
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], stderr=subprocess.PIPE, text=True)
    expected = {"sys.exit(3)": 3, "raise KeyError": 1}.get(end, 0)
    assert run.returncode == expected, run.stderr
    assert run.stderr == "" or end == "raise KeyError" and run.stderr.strip().endswith("KeyError")


def test_scratch_and_warmup(ctx):
    x = np.zeros(2**20, np.uint32)
    assert ctx.scratch_size(ctx.sort, x) >= x.nbytes and ctx.scratch_size(ctx.transform, x, "x") == 0
    with gpuprim.Context() as own:
        one = np.zeros(1, np.float32)
        own.warmup(own.scan, one, "max")
        own.warmup(own.argsort, one)
        own.warmup(own.unique, one, one)
        own.warmup(own.scatter, one, np.zeros(1, np.uint32), out=own.array(one))
        own.warmup(own.hash_table, np.uint32, np.uint32)
        own.warmup(own.reduce, one)
        built = own.stats()["programs_built"]
        assert built > 0
        own.scan(np.ones(1000, np.float32), "max")
        own.reduce(np.ones(1000, np.float32))
        assert own.stats()["programs_built"] == built


def test_warmup_of_tables():
    keys, values = np.arange(5, dtype=np.uint32), np.arange(5, dtype=np.uint64)
    with gpuprim.Context() as own:
        table = own.hash_table(keys.dtype, values.dtype, reserved=9)
        uses = {
            table.insert: (keys, values),
            table.insert_or_assign: (keys, values),
            table.insert_or_apply: (keys, values),
            table.find: (keys,),
            table.contains: (keys,),
            table.erase: (keys,),
            table.items: (),
            table.rehash: (),
            table.clear: (),
        }
        for use, args in uses.items():
            own.warmup(use, *args)
        assert len(table) == 0
        built = own.stats()["programs_built"]
        for use, args in uses.items():
            use(*args)
        assert own.stats()["programs_built"] == built > 0


def test_no_warmup(ctx):
    table = ctx.hash_table(np.uint32, np.uint32)
    add = gpuprim.Monoid(dtype=np.float32, type="float", combine="a + b", identity=0, source="")
    for method, args in ((table.for_each, ()), (ctx.check_monoid, (add,)), (ctx.device_source, ()), (ctx.self_test, ())):
        with pytest.raises(TypeError, match=f"{method.__name__} cannot be warmed up"):
            ctx.warmup(method, *args)
    with gpuprim.Context() as own:
        with pytest.raises(TypeError, match="clear is a method of another context"):
            own.warmup(table.clear)
        with pytest.raises(TypeError, match="scan is a method of another context"):
            own.scratch_size(ctx.scan, [1])


def test_programs():
    """What one context exports another imports, and builds nothing."""
    x = np.ones(1000, np.float32)
    with gpuprim.Context(disk_cache=False) as own:
        own.scan(x, "max")
        programs = own.export_programs()
    with gpuprim.Context(disk_cache=False) as own:
        own.import_programs(programs)
        own.scan(x, "max")
        stats = own.stats()
        assert stats["programs_built"] == 0 and stats["programs_loaded"] > 0
        with pytest.raises(gpuprim.ArgumentError, match="damaged"):
            own.import_programs(programs[:-1])


def test_self_test(ctx):
    cases = ctx.self_test("scan", 5000)
    assert {case.name for case in cases} and all(case.code == 0 and case.text == "" for case in cases)
    with pytest.raises(gpuprim.ArgumentError):
        ctx.self_test(count=1)


def test_device_source(ctx):
    text = ctx.device_source(ops={"add": ("sum", np.uint32)}, group=64)
    assert "#define GP_GROUP_SIZE 64" in text and text.isascii()


class Timer:
    """A threading.Timer whose time is up at once, or never."""

    up = False

    def __init__(self, seconds, function):
        assert seconds == 1
        self.function = function

    def start(self):
        if self.up:
            self.function()

    def cancel(self):
        pass


def test_log_of_builds(monkeypatch, caplog):
    """Whose programs are built is logged once, when a call has waited for them for a second."""
    monkeypatch.setattr("threading.Timer", Timer)
    caplog.set_level(logging.INFO, "gpuprim")
    with gpuprim.Context() as own:
        x = own.array(np.arange(1000))
        caplog.clear()

        def logged(expression, up):
            monkeypatch.setattr(Timer, "up", up)
            own.transform(x, expression)
            own.scan(x)
            monkeypatch.setattr(Timer, "up", True)
            own.finish()
            messages = [record.message for record in caplog.records]
            caplog.clear()
            return messages

        begin, end = "building the programs of ", " (first call of its kind; cached afterwards)"
        assert logged("x", False) == [f"{begin}transform, scan{end}"]
        assert logged("x", True) == []
        assert logged("x + 1", False) == [f"{begin}transform{end}"]  # built already, but it may not have run
        assert logged("x + 2", True) == [f"{begin}transform{end}"]
        monkeypatch.setattr(Timer, "up", False)
        own.warmup(own.transform, x, "x + 3")
        assert logged("x + 3", True) == []


def test_log(tmp_path, caplog):
    """What the library has to say goes to Python's logging."""
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    with caplog.at_level(logging.INFO, "gpuprim"):
        with gpuprim.Context(cache_dir=str(blocked)) as own:
            own.scan([1, 2])
            own.finish()
    assert any("cache" in record.message or "file" in record.message for record in caplog.records)
