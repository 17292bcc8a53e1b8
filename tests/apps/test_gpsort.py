#!/usr/bin/env python3
"""test_gpsort.py - build/gpsort against sort(1) and Python: lines and records of all kinds, in one run and in several, every
option, errors, and what is left when it is killed.

GPSORT names another program than build/gpsort."""

import os
import pathlib
import pty
import random
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GPSORT = os.environ.get("GPSORT", str(ROOT / "build/gpsort"))
FAULTS = ROOT / "build/apps/faults.so"
SMALL = "1M"  # -S: as little memory as there can be
LINES = {
    "empty": b"",
    "one newline": b"\n",
    "one line": b"x\n",
    "no final newline": b"b\nc\na",
    "zeros": b"a\0b\na\0\na\na\0a\n\0\n\0\0\n\n",
    "low bytes": b"a\tb\na\na\x01\na\x0b\na\t\n\x09\n\x0b\n\x0a\n\n\x01\n",
    "empty lines": b"\n\nb\n\n\na\n\n",
    "equal lines": b"same\n" * 3000 + b"sam\n" + b"samea\n" * 10,
    "carriage returns": b"b\r\na\r\n\r\nab\r\n",
    "prefixes": b"".join(b"a" * (n * 7919 % 300) + b"\n" for n in range(2000)),
    "tiny lines": bytes(random.Random(1).choices(b"ab\n", k=100000)),
    "long lines": b"".join(b"x" * 5000 + bytes([n * 37 % 256 or 1]) + b"y" * 3000 + b"\n" for n in range(256) if n != 10),
    "one huge line": b"b\n" + b"a" * 3000000 + b"\na\n",
    "all bytes": random.Random(2).randbytes(200000),
}


def environment():
    there = subprocess.run([ROOT / "build/list_devices"], capture_output=True, text=True, check=False).stdout
    pocl = {"GPUPRIM_DEVICE": "Portable"} if "Portable Computing Language: " in there else {}
    return {**pocl, **os.environ, "LC_ALL": "C"}


ENVIRONMENT = environment()


def run(*arguments, given=b"", limit=None, **options):
    """The exit status, what was written, and what was said. `limit`: bytes that a file may have."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run([GPSORT, *map(str, arguments)], input=given, capture_output=True, env=ENVIRONMENT, check=False,
                          timeout=300, preexec_fn=limited if limit else None, **options)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def expected(given, *options):
    """As sort(1) sorts it."""
    return subprocess.run(["sort", *options], input=given, capture_output=True, env=ENVIRONMENT, check=True).stdout


def random_lines(count, length, seed=3):
    chance = random.Random(seed)
    return b"".join(chance.randbytes(length).replace(b"\n", b"\t") + b"\n" for _ in range(count))


class Case(unittest.TestCase):
    maxDiff = 400

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content, name="file"):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def same(self, got, wanted, *about):
        """Without a page of bytes."""
        if got != wanted:
            at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
            self.fail(f"{about}: {len(got)} bytes, not {len(wanted)}, differ at {at}: "
                      f"{got[at - 20 if at > 20 else 0:at + 20]} {wanted[at - 20 if at > 20 else 0:at + 20]}")

    def sorts(self, given, *options, memory=()):
        status, got, said = run(*options, *memory, given=given)
        self.assertEqual((status, said), (0, ""), options)
        self.same(got, expected(given, *options), options)

    def fails(self, *arguments, text, **options):
        """With one line, and nothing left but what was there."""
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        status, _, said = run(*arguments, **options)
        self.assertEqual(status, 2, said)
        self.assertRegex(said, f"^gpsort: .*{text}.*\n$")
        self.assertEqual(said.count("\n"), 1, said)
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)


class Lines(Case):
    def test_kinds(self):
        for name, given in LINES.items():
            with self.subTest(name):
                self.sorts(given)

    def test_kinds_with_little_memory(self):
        for name in ("tiny lines", "all bytes", "equal lines", "prefixes"):
            with self.subTest(name):
                self.sorts(LINES[name] * 20, memory=("-S", SMALL))

    def test_options(self):
        everything = b"".join(LINES[name] for name in LINES if name != "one huge line")
        for options in (("-r",), ("-u",), ("-r", "-u"), ("-z",), ("-z", "-r"), ("-s", "--parallel=2")):
            with self.subTest(options):
                self.sorts(everything, *options)

    def test_several_runs(self):
        """And passes: as many bytes as make hundreds of runs."""
        given = random_lines(300000, 20) + LINES["all bytes"]
        path = self.file(given)
        for options in ((), ("-r",), ("-u",), ("-z",), ("-r", "-u")):
            with self.subTest(options):
                status, got, said = run(*options, "-S", SMALL, "--verbose", "-T", self.folder, path)
                self.assertEqual(status, 0, said)
                self.assertRegex(said, r"\d\d runs, of which 16 are merged at once\n.* runs, of which")
                self.same(got, expected(given, *options), options)
        self.assertEqual(os.listdir(self.folder), ["file"])

    def test_lines_shorter_than_expected(self):
        """So many at the end that one batch does not hold them."""
        for length in (500, 1000, 3000):
            self.sorts((b"b" * length + b"\n") * 50 + b"c\na\n" * 20000, memory=("-S", SMALL))

    def test_little_memory(self):
        given = random_lines(2000, 2000) + random_lines(30, 90000)
        for kibibytes in range(1024, 5000, 480):
            self.same(run("-S", kibibytes, given=given)[1], expected(given))

    def test_line_across_runs(self):
        """A line longer than what is left of one batch."""
        given = random_lines(20000, 20) + b"m" * 40000 + b"\n" + random_lines(20000, 20, 4)
        self.sorts(given, memory=("-S", SMALL))


TYPES = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q", "f32": "f", "f64": "d"}


def column_key(letter, value):
    """Floats as their bits are ordered: -NaN first, +NaN last, -0 before +0."""
    if letter not in "fd":
        return value
    size = struct.calcsize(letter)
    bits = int.from_bytes(value, sys.byteorder)
    sign = 1 << (8 * size - 1)
    return -(bits - sign) - 1 if bits & sign else bits


def sorted_records(given, size, keys, reverse=False, unique=False):
    def key(record):
        found = []
        for text in keys:
            offset, kind, *descending = text.split(":")
            letter = TYPES[kind]
            part = record[int(offset):][:struct.calcsize(letter)]
            number = column_key(letter, part if letter in "fd" else struct.unpack("=" + letter, part)[0])
            found.append(-number if bool(descending) != reverse else number)
        return found

    records = sorted((given[i:i + size] for i in range(0, len(given), size)), key=key)
    if unique:
        records = [r for i, r in enumerate(records) if i == 0 or key(r) != key(records[i - 1])]
    return b"".join(records)


class Records(Case):
    def sorts_records(self, given, size, *keys, reverse=False, unique=False, memory=()):
        options = [f"--record-size={size}", *(f"--key={key}" for key in keys), *memory]
        options += ["-r"] * reverse + ["-u"] * unique
        status, got, said = run(*options, given=given)
        self.assertEqual((status, said), (0, ""), options)
        self.same(got, sorted_records(given, size, keys, reverse, unique), options)

    def test_types(self):
        given = random.Random(5).randbytes(13 * 4000)
        for kind in TYPES:
            with self.subTest(kind):
                self.sorts_records(given, 13, f"3:{kind}")
                self.sorts_records(given, 13, f"5:{kind}:desc")

    def test_special_floats(self):
        values = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-45, -1e-45, 1.5, -1.5]
        self.sorts_records(b"".join(struct.pack("=f", v) for v in values * 3) + b"\xff" * 4, 4, "0:f32")
        self.sorts_records(b"".join(struct.pack("=d", v) for v in values * 3) + b"\xff" * 8, 8, "0:f64")

    def test_keys(self):
        chance = random.Random(6)
        given = b"".join(bytes(chance.choices(range(3), k=8)) + chance.randbytes(4) for _ in range(20000))
        for keys in (("0:u8", "3:i16:desc"), ("7:u8:desc", "0:u8", "1:u8", "2:u32"), ("0:u64", "8:u32:desc")):
            for reverse in (False, True):
                with self.subTest(keys=keys, reverse=reverse):
                    self.sorts_records(given, 12, *keys, reverse=reverse)
        self.sorts_records(given, 12, "0:u16:desc", unique=True)

    def test_several_runs(self):
        """Stable across them: records differ where the keys are equal."""
        chance = random.Random(7)
        given = b"".join(bytes(chance.choices(range(9), k=2)) + struct.pack("<I", n) for n in range(300000))
        for options in ({}, {"reverse": True}, {"unique": True}):
            self.sorts_records(given, 6, "0:u8", "1:u8:desc", memory=("-S", SMALL), **options)
        status, _, said = run("--record-size=6", "--key=0:u8", "-S", SMALL, "--verbose", given=given)
        self.assertEqual(status, 0)
        self.assertRegex(said, r"\d+ runs, of which")

    def test_sizes(self):
        for size in (1, 255, 256, 257, 5000):
            given = random.Random(size).randbytes(size * 700)
            self.sorts_records(given, size, f"{size - 1}:u8")

    def test_part_of_a_record(self):
        self.fails("--record-size=8", "--key=0:u64", self.file(b"123456789", "part"), text="part ends within a record: 9 bytes")


class Files(Case):
    def test_several(self):
        first, second = self.file(b"c\na", "first"), self.file(b"d\nb", "second")
        self.assertEqual(run(first, "-", second, given=b"e\n\n")[:2], (0, b"\na\nb\nc\nd\ne\n"))

    def test_output_is_input(self):
        given = LINES["tiny lines"] + b"\n"
        path = self.file(given)
        path.chmod(0o640)
        link = self.folder / "link"
        link.symlink_to("file")
        self.assertEqual(run("-o", link, path, link)[0], 0)
        self.same(path.read_bytes(), expected(given * 2))
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.assertTrue(link.is_symlink())
        self.assertEqual(sorted(os.listdir(self.folder)), ["file", "link"])

    def test_new_output(self):
        mask = os.umask(0o27)
        self.assertEqual(run("-o", "new", given=b"b\na\n", cwd=self.folder)[0], 0)
        os.umask(mask)
        self.assertEqual((self.folder / "new").read_bytes(), b"a\nb\n")
        self.assertEqual((self.folder / "new").stat().st_mode & 0o777, 0o640)

    def test_output_that_is_no_file(self):
        self.assertEqual(run("-o", "/dev/null", given=b"b\na\n"), (0, b"", ""))
        self.assertTrue(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"))

    def sorts_into(self, path, given, replaced, *options, **more):
        """Into a file that is there: a new one takes its place, or the old one is written."""
        before = path.stat()
        status, _, said = run("-o", path, *options, given=given, **more)
        self.assertEqual((status, said), (0, ""), path)
        self.same(path.read_bytes(), expected(given), path)
        self.assertEqual(path.stat().st_ino != before.st_ino, replaced, path)
        self.assertEqual((path.stat().st_mode, path.stat().st_uid, path.stat().st_gid), (before.st_mode, before.st_uid, before.st_gid))

    def test_written_in_place(self):
        """What a new file could not be."""
        given, longer = b"b\nc\na\n", b"old\n" * 1000
        hard = self.file(longer, "hard")
        os.link(hard, self.folder / "other")
        self.sorts_into(hard, given, False)
        self.assertEqual((self.folder / "other").read_bytes(), b"a\nb\nc\n")
        self.sorts_into(self.file(longer, "plain"), given, True)
        attributed = self.file(longer, "attributed")
        try:
            os.setxattr(attributed, "user.kind", b"kept")
        except OSError:
            return
        self.sorts_into(attributed, given, False)
        self.assertEqual(os.getxattr(attributed, "user.kind"), b"kept")
        self.sorts_into(attributed, b"", False)
        several = self.file(random_lines(200000, 20), "several")
        os.setxattr(several, "user.kind", b"kept")
        wanted = expected(several.read_bytes())
        self.assertEqual(run("-S", SMALL, "-T", self.folder, "-o", several, several)[0], 0)
        self.same(several.read_bytes(), wanted)

    def changed_meanwhile(self, path, change):
        """FILE is changed when gpsort has opened it and waits for its input. Returns what FILE was then."""
        sorting = subprocess.Popen([GPSORT, "-o", path], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
        self.addCleanup(sorting.kill)
        opened = time.time() + 60
        while not any(os.path.realpath(link).startswith(str(path.parent)) for link in pathlib.Path(f"/proc/{sorting.pid}/fd").glob("*")):
            self.assertTrue(time.time() < opened and sorting.poll() is None)
            time.sleep(.01)
        time.sleep(.1)  # between the old file and the new one
        change()
        changed = path.stat()
        said = sorting.communicate(b"b\nc\na\n")[1]
        self.assertEqual((sorting.returncode, said), (0, b""))
        self.assertEqual(path.read_bytes(), b"a\nb\nc\n")
        return changed

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "no /proc")
    def test_changed_meanwhile(self):
        """What belongs to FILE in the end is kept, also if it was given to it while gpsort read."""
        path = self.file(b"old\n").resolve()
        path.chmod(0o644)
        self.changed_meanwhile(path, lambda: path.chmod(0o600))
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        if os.geteuid() == 0:
            self.changed_meanwhile(path, lambda: os.chown(path, 65534, 65533))
            self.assertEqual((path.stat().st_uid, path.stat().st_gid), (65534, 65533))
        other = self.folder / "other"
        changed = self.changed_meanwhile(path, lambda: os.link(path, other))
        self.assertEqual((path.stat().st_ino, other.read_bytes()), (changed.st_ino, b"a\nb\nc\n"))
        other.unlink()
        try:
            os.setxattr(path, "user.kind", b"kept")
            os.removexattr(path, "user.kind")
        except OSError:
            return
        self.changed_meanwhile(path, lambda: os.setxattr(path, "user.kind", b"kept"))
        self.assertEqual(os.getxattr(path, "user.kind"), b"kept")
        self.assertEqual(os.listdir(self.folder), ["file"])

    def made(self, path, mode, content=b"theirs\n"):
        """Another file under that name; what was there keeps its inode."""
        new = path.with_name("made")
        new.write_bytes(content)
        new.chmod(mode)
        new.rename(path)

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "no /proc")
    def test_made_meanwhile(self):
        """What has FILE's name in the end is FILE, also if it was made, or took another one's place, while gpsort read."""
        path, other = self.folder.resolve() / "file", self.folder.resolve() / "other"

        def mode():
            return path.stat().st_mode & 0o777

        self.changed_meanwhile(path, lambda: self.made(path, 0o600))
        self.assertEqual(mode(), 0o600)
        path.chmod(0o644)
        self.changed_meanwhile(path, lambda: self.made(path, 0o600))
        self.assertEqual(mode(), 0o600)
        self.changed_meanwhile(path, lambda: self.made(path, 0o666))
        self.assertEqual(mode(), 0o666)
        if os.geteuid() == 0:
            self.changed_meanwhile(path, lambda: (self.made(path, 0o640), os.chown(path, 65534, 65533)))
            self.assertEqual((mode(), path.stat().st_uid, path.stat().st_gid), (0o640, 65534, 65533))
        path.unlink()
        for before in (path.touch, lambda: None):
            before()
            other.write_bytes(b"theirs\n")
            changed = self.changed_meanwhile(path, lambda: (path.unlink(missing_ok=True), os.link(other, path)))
            self.assertEqual((path.stat().st_ino, other.read_bytes()), (changed.st_ino, b"a\nb\nc\n"))
            path.unlink()
        other.write_bytes(b"theirs\n")
        self.changed_meanwhile(path, lambda: path.symlink_to(other))
        self.assertEqual((path.is_symlink(), other.read_bytes()), (True, b"a\nb\nc\n"))
        path.unlink()
        self.assertEqual(os.listdir(self.folder), ["other"])

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "no /proc")
    def test_made_meanwhile_in_a_shared_folder(self):
        """A stranger may have put it there: no file is written by its new name, and FILE allows no more than without it."""
        shared = self.folder.resolve() / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        path, other = shared / "file", self.folder.resolve() / "other"
        other.write_bytes(b"theirs\n")
        for change in (lambda: os.link(other, path), lambda: path.symlink_to(other)):
            self.changed_meanwhile(path, change)
            self.assertEqual((path.is_symlink(), path.stat().st_nlink, other.read_bytes()), (False, 1, b"theirs\n"))
            path.unlink()
        mask = os.umask(0o22)
        try:
            for given, left in ((0o600, 0o600), (0o666, 0o644), (0o440, 0o440)):
                if given & 0o200 or os.geteuid() == 0:
                    self.changed_meanwhile(path, lambda: self.made(path, given))
                    self.assertEqual(path.stat().st_mode & 0o777, left)
                    path.unlink()
            if os.geteuid() == 0:
                self.changed_meanwhile(path, lambda: (self.made(path, 0o666), os.chown(path, 65534, 65534)))
                self.assertEqual((path.stat().st_mode & 0o777, path.stat().st_uid), (0o644, 0))
        finally:
            os.umask(mask)
        self.assertEqual(os.listdir(shared), ["file"] if os.geteuid() == 0 else [])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("chattr"), "not root")
    def test_append_only_folder(self):
        """Nothing is replaced or removed there."""
        folder = self.folder / "append"
        folder.mkdir()
        path = folder / "file"
        path.write_bytes(b"old\n")
        if subprocess.run(["chattr", "+a", folder], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("no such attribute here")
        try:
            self.sorts_into(path, b"b\na\n", False)
            self.assertEqual(os.listdir(folder), ["file"])
        finally:
            subprocess.run(["chattr", "-a", folder], check=True)

    def test_beside_sort(self):
        """300 generated files, options and ways to name the output: what is there afterwards, as after sort(1)."""
        chance = random.Random(45)
        memory = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)  # there fsync takes no time
        self.addCleanup(memory.cleanup)

        def made(folder, content, kind, mode):
            path = folder / "file"
            path.write_bytes(content)
            path.chmod(mode)
            if kind == "hard link":
                os.link(path, folder / "name")
            elif kind == "link":
                (folder / "name").symlink_to("file")
            elif kind == "links":
                (folder / "name").symlink_to("between")
                (folder / "between").symlink_to(path)
            elif kind == "dangling":
                (folder / "name").symlink_to("new")
            elif kind == "list" and shutil.which("setfacl"):
                subprocess.run(["setfacl", "-m", "u:1234:rw", path], check=False)
            elif kind == "folder's list" and shutil.which("setfacl"):
                subprocess.run(["setfacl", "-d", "-m", "u:1234:rwx", folder], check=False)
            return path if kind in ("plain", "list", "folder's list") else folder / "name"

        def there(folder):
            lists = subprocess.run(["getfacl", "-cn", *sorted(os.listdir(folder))], capture_output=True, cwd=folder, check=False).stdout \
                if shutil.which("getfacl") else b""
            return lists, {path.name: (path.is_symlink(), path.read_bytes(), path.stat().st_mode, path.stat().st_nlink)
                           for path in folder.iterdir() if path.exists()}

        for turn in range(300):
            letters = chance.choice((b"ab\n", b"a\0\n", bytes(range(256))))
            content = bytes(chance.choices(letters, k=chance.choice((0, 1, 2, 30, 3000, 30000))))
            kind = chance.choice(("plain", "hard link", "link", "links", "dangling", "new", "list", "folder's list"))
            options = [option for option in ("-r", "-u", "-z", "-s") if chance.random() < .3]
            mode, odd = chance.choice((0o600, 0o644, 0o664, 0o640)), chance.choice(("folder", "a b", "-r", "\u00e9\n", "*"))
            left = []
            for program in (GPSORT, "sort"):
                folder = pathlib.Path(memory.name) / f"{turn}{'g' if program == GPSORT else 's'}" / odd
                folder.mkdir(parents=True)
                name = made(folder, content, kind, mode)
                done = subprocess.run([program, *options, "-o", name, folder / "file"], stdin=subprocess.DEVNULL, env=ENVIRONMENT,
                                      capture_output=True, check=False)
                left.append((done.returncode, done.stderr, *there(folder)))
            self.assertTrue(left[0] == left[1], (turn, kind, options, oct(mode), odd, len(content), left[0][:3], left[1][:3]))

    @unittest.skipUnless(shutil.which("setfacl"), "no setfacl")
    def test_access_lists(self):
        def access(path):
            return subprocess.run(["getfacl", "-cn", path], capture_output=True, check=True).stdout

        listed = self.file(b"old\n", "listed")
        listed.chmod(0o640)
        if subprocess.run(["setfacl", "-m", "u:1234:rw,g::-", listed], check=False).returncode:
            self.skipTest("no access lists here")
        before = access(listed)
        self.sorts_into(listed, b"b\na\n", False)
        self.assertEqual(access(listed), before)
        plain = self.file(b"old\n", "plain")
        plain.chmod(0o600)
        subprocess.run(["setfacl", "-d", "-m", "u:1234:rwx,g::rwx", self.folder], check=True)
        before = access(plain)
        self.sorts_into(plain, b"b\na\n", False)
        self.assertEqual(access(plain), before)
        for name, program in (("ours", GPSORT), ("theirs", "sort")):
            subprocess.run([program, "-o", name], input=b"a\n", cwd=self.folder, env=ENVIRONMENT, check=True)
        self.assertEqual(access(self.folder / "ours"), access(self.folder / "theirs"))

    def test_standard_output_by_name(self):
        """Also of files without a name."""
        with tempfile.TemporaryFile(dir=self.folder) as unlinked, open(os.memfd_create("memory"), "w+b") as memory, \
                open(self.folder / "named", "w+b") as named:
            for file in (unlinked, memory, named):
                done = subprocess.run([GPSORT, "-o", "/dev/stdout"], input=b"b\na\n", stdout=file, env=ENVIRONMENT, check=False)
                file.seek(0)
                self.assertEqual((done.returncode, file.read()), (0, b"a\nb\n"))
        self.assertEqual(os.listdir(self.folder), ["named"])

    @unittest.skipUnless(os.geteuid() == 0 and hasattr(os, "setresuid"), "not root")
    def test_others_files(self):
        """As user 65534, in folders of root's."""
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        os.chmod(cache.name, 0o777)

        def somebody(*arguments, given=b"b\na\n"):
            done = subprocess.run(arguments, input=given, capture_output=True, check=False, user=65534, group=65534, extra_groups=[],
                                  env={**ENVIRONMENT, "HOME": cache.name, "XDG_CACHE_HOME": cache.name, "POCL_CACHE_DIR": cache.name})
            return done.returncode, done.stderr.decode()

        self.folder.chmod(0o755)
        if not os.access(GPSORT, os.X_OK) or somebody(GPSORT, "--version")[0] != 0:
            self.skipTest("user 65534 cannot run gpsort")
        ours = self.file(b"old\n", "ours")
        os.chown(ours, 65534, 65534)
        self.assertEqual(somebody(GPSORT, "-o", ours), (0, ""))  # no new file can be made
        self.assertEqual(ours.read_bytes(), b"a\nb\n")
        status, said = somebody(GPSORT, "-o", self.folder / "new")
        self.assertEqual((status, said), (2, f"gpsort: cannot write {self.folder}/new: Permission denied\n"))
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        theirs = shared / "theirs"
        theirs.write_bytes(b"old\n")
        theirs.chmod(0o666)
        before = theirs.stat()
        self.assertEqual(somebody(GPSORT, "-o", theirs), (0, ""))
        self.assertEqual((theirs.read_bytes(), theirs.stat().st_uid, theirs.stat().st_mode), (b"a\nb\n", 0, before.st_mode))
        closed = self.folder / "closed"  # what is in there cannot be asked
        closed.mkdir()
        secret = closed / "secret"
        secret.write_bytes(b"old\n")
        closed.chmod(0o700)
        (shared / "link").symlink_to(secret)
        self.assertEqual(somebody(GPSORT, "-o", shared / "link")[0], 2)
        self.assertEqual(secret.read_bytes(), b"old\n")
        self.assertEqual(sorted(os.listdir(shared)), ["link", "theirs"])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "not root")
    def test_mounted_file(self):
        """A file that is mounted on another one: no other can take its place."""
        target, source = self.file(b"under\n", "target"), self.file(b"over\n", "source")
        if subprocess.run(["mount", "--bind", source, target], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("no mounts here")
        try:
            self.sorts_into(target, b"b\na\n", False)
            self.assertEqual(source.read_bytes(), b"a\nb\n")
        finally:
            subprocess.run(["umount", target], check=True)

    def test_errors(self):
        old = self.file(b"old\n", "old")
        self.fails("-o", old, self.folder / "none", text="none: No such file")
        self.fails("-o", old, self.folder, text="Is a directory")
        self.fails("-o", self.folder / "none" / "x", old, text="No such file")
        self.fails("-o", "", old, text="cannot open '': No such file")
        self.fails("-o", "", self.folder / "none", text="(cannot open ''|none): No such file")
        self.fails("-o", old, "", text="cannot read '': No such file")
        self.fails("-S", SMALL, "-T", "/nowhere", given=random_lines(200000, 10), text="/nowhere .*-T.*: No such file")
        self.fails("-S", SMALL, "-o", old, given=b"a\n" * 9 + b"x" * 3000000, text="(too long|longer)")
        self.fails("--device", "nothing at all", given=b"a\n", text="nothing at all")

    def test_full(self):
        old = self.file(b"old\n", "old")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([GPSORT], input=b"b\na\n", stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, b"gpsort: cannot write standard output: No space left on device\n"))
        self.fails("-o", "/dev/full", given=b"b\na\n", text="/dev/full: No space left")
        given = random_lines(200000, 10)
        self.fails("-o", old, given=given, limit=1 << 20, text="old: File too large")
        self.fails("-o", old, "-S", SMALL, "-T", self.folder, given=given, limit=1 << 20, text=": File too large")

    def test_closed(self):
        """A file that is opened must not become the standard output, or where errors are told."""
        path, out = self.file(random_lines(100000, 20)), self.folder / "out"

        def status_of(shell, *arguments):
            return subprocess.run(["sh", "-c", f'exec "$0" "$@" {shell}', GPSORT, *arguments], env=ENVIRONMENT, check=False).returncode

        self.assertEqual(status_of("2>&-", "--verbose", "-S", SMALL, "-o", out, path), 0)
        self.same(out.read_bytes(), expected(path.read_bytes()))
        self.assertEqual(status_of(">&- 2>/dev/null", "-S", SMALL, path), 2)
        self.assertEqual(status_of("<&- 2>/dev/null", "-S", SMALL, "-o", out), 2)

    def test_usage(self):
        for wrong in ("--nonsense", "-S x", "-S 5X", "-S -1", "--key=0:u8", "--record-size=8", "--record-size=0", "--record-size=4 --key=1:u32",
                      "--record-size=4 --key=0:u33", "--record-size=4 --key=0", "--record-size=4 --key=0:u8:up",
                      "--record-size=9 " + "--key=0:u8 " * 9, "--check=x", "-z --record-size=1 --key=0:u8", "-c a b", "-c -o a b"):
            status, got, said = run(*wrong.split())
            self.assertEqual((status, got), (2, b""), wrong)
            self.assertRegex(said, r"gpsort\S*: ", wrong)
        for same in ("1m", "1k", "1g", "1t", "1P", "1E", "100b", "1%"):
            self.assertEqual(run("-S", same, given=b"b\na\n"), (0, b"a\nb\n", ""), same)
        for wrong in ("-cC", "-Cc", "-C --check", "-S 99999999999999999999", "-S 99999999999T", "-S 1p", "-S 1p5"):
            self.assertEqual(subprocess.run(["sort", *wrong.split()], input=b"", stderr=subprocess.DEVNULL, check=False).returncode, 2)
            self.assertEqual(run(*wrong.split(), given=b"")[0], 2, wrong)
        for option in ("--help", "--version"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([GPSORT, option], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr), (2, b"gpsort: cannot write standard output: No space left on device\n"))
        self.assertIn(b"exit status", run("--help")[1])
        self.assertRegex(run("--version")[1], rb"^gpsort \(gpuprim\) \d+\.\d+\.\d+\n$")


class Check(Case):
    def test_lines(self):
        for given, options, status in ((b"", "-c", 0), (b"a\nb\nb\n", "-c", 0), (b"a\nb\nb", "-cu", 1), (b"b\n\na\n", "-c", 1),
                                       (b"b\na\n", "-cr", 0), (b"b\0a", "-cz", 1), (b"a\na\x01\na\t\nb", "-c", 0), (b"b\na\n", "-C", 1),
                                       (b"the same, 2\nthe same, 1\n", "-c", 1)):
            got, _, said = run(options, given=given)
            wanted = subprocess.run(["sort", options], input=given, capture_output=True, env=ENVIRONMENT, check=False)
            self.assertEqual((got, wanted.returncode), (status, status), (given, options))
            self.assertEqual(said, wanted.stderr.decode().replace("sort: -:", "gpsort: standard input:").replace("\0", "\n"))

    def test_records(self):
        given = struct.pack("<4i", -2, 3, 3, 1)
        key = ("--record-size=4", "--key=0:i32")
        self.assertEqual(run(*key, "-c", given=given), (1, b"", "gpsort: standard input:4: disorder\n"))
        self.assertEqual(run(*key, "-c", given=given[:12])[0], 0)
        self.assertEqual(run(*key, "-c", "-u", given=given[:12])[0], 1)

    def test_long_lines(self):
        given = b"a" * 3000000 + b"\n" + b"a" * 3000001 + b"\n"
        self.assertEqual(run("-c", given=given)[0], 0)
        self.assertEqual(run("-c", given=given + b"a")[0], 1)
        self.fails("-c", "-S", "1M", given=given, text="longer than")


class Faults(Case):
    """What tests/apps/faults.c, preloaded, lets calls do."""

    def fault(self, fault, path):
        given = path.read_bytes()
        done = subprocess.run([GPSORT, "-S", SMALL, "-T", self.folder, "-o", path, path], capture_output=True, check=False, timeout=300,
                              env={**ENVIRONMENT, "LD_PRELOAD": str(FAULTS), "FAULT": fault, "FAULT_FOLDER": str(self.folder)})
        self.assertEqual(os.listdir(self.folder), ["file"], fault)
        return given, path.read_bytes(), done.returncode, done.stderr.decode()

    @unittest.skipUnless(FAULTS.exists(), "no build/apps/faults.so")
    def test_faults(self):
        path = self.file(random_lines(200000, 20))
        for fault in ("write", "pread", "fsync", "close", "linkat", "rename"):
            given, left, status, said = self.fault(fault, path)
            self.assertEqual((status, left == given), (2, True), (fault, said))
            self.assertRegex(said, r"^gpsort: cannot (read|write) [^\n]*: Input/output error\n$", fault)
        given, left, status, said = self.fault("signal", path)
        self.assertEqual((status, left == given, said), (-signal.SIGTERM, True, ""))
        given, left, status, said = self.fault("short", path)
        self.assertEqual((status, said), (0, ""))
        self.same(left, expected(given))


class Killed(Case):
    def start(self, path, *more):
        def ended_by_signals():  # also where the tests run in the background, which ignores SIGINT
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

        return subprocess.Popen([GPSORT, "-S", SMALL, "-T", self.folder, "-o", path, path, *more], env=ENVIRONMENT,
                                stdin=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=ended_by_signals)

    def test_at_ten_moments(self):
        """The file is whole, whether it was killed before or after the new one took its place."""
        given = random_lines(300000, 20)
        path = self.file(given)
        begin = time.monotonic()
        with self.start(path) as process:
            self.assertEqual(process.wait(), 0)
        whole = time.monotonic() - begin
        wanted = path.read_bytes()
        self.same(wanted, expected(given))
        chance = random.Random()
        for moment in [chance.uniform(0, 1.1) * whole for _ in range(10)]:
            path.write_bytes(given)
            with self.start(path) as process:
                time.sleep(moment)
                process.send_signal(signal.SIGKILL)
            self.assertIn(path.read_bytes(), (given, wanted), moment)
            for name in os.listdir(self.folder):
                if name != "file" and hasattr(os, "O_TMPFILE"):  # in the moment between link and rename
                    self.assertRegex(name, r"^\.gpsort-")
                    self.same((self.folder / name).read_bytes(), wanted)

    def test_signals(self):
        given = random_lines(300000, 20)
        path = self.file(given)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.start(path, "-") as process:  # waits for its standard input
                time.sleep(.5)
                process.send_signal(number)
                said = process.stderr.read()
            self.assertEqual((process.returncode, said), (-number, b""))
            self.assertEqual(os.listdir(self.folder), ["file"])
            self.same(path.read_bytes(), given)


class Progress(Case):
    def test_time_left(self):
        """On a terminal; elsewhere nothing, as all other tests see. Its output is read slowly."""
        path = self.file(random_lines(400000, 20))
        ours, theirs = pty.openpty()
        said = b""
        with subprocess.Popen([GPSORT, "-S", SMALL, "-T", self.folder, path], env=ENVIRONMENT, stdout=subprocess.PIPE,
                              stderr=theirs) as process:
            while process.stdout.read(1 << 20):
                time.sleep(.2)
        while select.select([ours], [], [], 0)[0]:
            said += os.read(ours, 4096)
        os.close(theirs)
        os.close(ours)
        self.assertRegex(said, rb"gpsort: \[#*\.*\] \d+ %, about \d+ (s|min) left")
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
