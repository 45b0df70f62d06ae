# SPDX-License-Identifier: MIT
"""Small files that would become large ones, or would be read for ever: each is refused in one line, or is what it says
in bounded memory and time, and leaves nothing behind."""
import gzip
import io
import os
import resource
import sqlite3
import struct
import tarfile
import unittest
import zipfile

from program import ROOT, ShelfTest, sanitized
from long import long_test  # where program.py looks

MIB = 1 << 20
LOG = b"import time: self [us] | cumulative | imported package\nimport time:       5 |        5 | a\n"
TRACE = b'{"traceEvents":[%s]}'


def zstd_frame(blocks, window=0x58):
    """A frame (RFC 8878): a log, and behind it lines of one byte 131,072 times. Each line is two blocks of 4 bytes."""
    def repeated(byte, times, is_last=False):
        return (times << 3 | 1 << 1 | is_last).to_bytes(3, "little") + byte
    body = (len(LOG) << 3).to_bytes(3, "little") + LOG
    body += b"".join(repeated(b"a", 128 * 1024) + repeated(b"\n", 1, i + 1 == blocks) for i in range(blocks))
    return b"\x28\xb5\x2f\xfd\x00" + bytes([window]) + body


def tar_header(name, size, kind=b"0", **fields):
    """512 bytes; fields: offset -> bytes that stand there."""
    head = bytearray(512)
    head[0:len(name)] = name
    head[100:108] = b"0000644\0"
    head[108:124] = b"0000000\0" * 2
    head[124:136] = size if isinstance(size, bytes) else b"%011o\0" % size
    head[136:148] = b"%011o\0" % 0
    head[156:157] = kind
    head[257:265] = b"ustar  \0"
    for at, content in fields.get("more", {}).items():
        head[at:at + len(content)] = content
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


def sparse_tar(real_size):
    """An old GNU sparse member: one byte of data at the end of `real_size` bytes."""
    where = {386: b"%011o\0" % (real_size - 1) + b"%011o\0" % 1, 483: b"%011o\0" % real_size}
    return tar_header(b"a.log", 1, b"S", more=where) + b"x" + bytes(511) + bytes(1024)


def pax_sparse_tar(real_size):
    words = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "a.log", "GNU.sparse.realsize": str(real_size)}
    packed, info = io.BytesIO(), tarfile.TarInfo("a.log")
    info.pax_headers = words
    content = f"1\n{real_size - 1}\n1\n".encode().ljust(512, b"\0") + b"x"
    info.size = len(content)
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def overlapping_zip(files):
    """Every entry of the directory is the same 16 MiB member (David Fifield's bomb, in its plain form)."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.log", bytes(16 * MIB))
    whole = packed.getvalue()
    begin, end = whole.index(b"PK\1\2"), whole.index(b"PK\5\6")
    entries = b"".join(whole[begin:end].replace(b"a.log", b"%05d" % i) for i in range(files))
    tail = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, files, files, len(entries), begin, 0)
    return whole[:begin] + entries + tail


def nested_zip(depth):
    packed = LOG
    for level in range(depth):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{level}.zip", packed)
            archive.writestr(f"{level}.log", LOG.replace(b"| a", b"| a%d" % level))
        packed = out.getvalue()
    return packed


class Bomb(ShelfTest):
    def tried(self, name, content):
        """The exit status and stderr of adding it, within 600 MiB of memory."""
        done = self.run_verb("add", self.file(name, content))
        if not sanitized():
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 600 * 1024, name)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, done.stderr.decode()

    def refused(self, name, content, *words):
        status, said = self.tried(name, content)
        self.assertEqual(status, 1, said)
        for word in words:
            self.assertIn(word, said)
        self.assertEqual(self.left_over(), {"runs": [], "originals": [], "spool": []})


class Bombs(Bomb):
    def test_zstd(self):
        self.refused("blocks.zst", zstd_frame(10000), "1000 times")
        self.refused("window.zst", zstd_frame(4, window=0xf8), "zstd")

    @long_test
    def test_zstd_of_many_frames(self):
        self.refused("frames.zst", zstd_frame(500) * 20, "1000 times")

    @long_test
    def test_gzip_of_many_members(self):
        self.refused("members.gz", gzip.compress(bytes(MIB)) * 3000, "not a supported profile")
        self.refused("empty.gz", gzip.compress(b"") * 200000, "empty")

    def test_sparse_tar_files(self):
        for size in (8 << 30, (8 << 30) - 1, 1 << 32):
            self.refused("gnu.tar", sparse_tar(min(size, 0o77777777777)))
            self.refused("pax.tar", pax_sparse_tar(size << 10))

    def test_tar_sizes(self):
        self.refused("octal.tar", tar_header(b"a.log", 0o77777777777) + LOG)
        # Sizes that no tar file has, -1 and 2^63 - 1, make it a text with a log in it.
        for size in (b"\xff" * 12, b"\x80" + bytes(3) + b"\x7f" + b"\xff" * 7):
            self.tried("binary.tar", tar_header(b"a.log", size) + LOG)

    @long_test
    def test_many_tar_members(self):
        self.refused("many.tar.gz", gzip.compress(tar_header(b"a.log", 0) * 300000, 9))

    @long_test
    def test_zip_members_that_are_one(self):
        status, said = self.tried("overlap.zip", overlapping_zip(2000))
        self.assertEqual(status, 1, said)
        self.assertEqual(self.left_over(), {"runs": [], "originals": [], "spool": []})

    def test_zip_in_zip(self):
        """Of archives in archives only the outermost is opened."""
        status, said = self.tried("nested.zip", nested_zip(40))
        self.assertEqual((status, said.count("skipped")), (0, 1), said)
        self.assertEqual(len(self.json("list")), 1)

    def test_json(self):
        deep = b'{"name":"a","ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"args":{"a":%s}}'
        lists = deep % (b"[" * 100000 + b"]" * 100000)
        quoted = b'"a"'
        for _ in range(14):
            quoted = b'"' + quoted.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
        for name, event in (("lists.json", lists), ("quotes.json", deep % quoted)):
            status, said = self.tried(name, TRACE % event)
            self.assertEqual((status, said.count("\n")), (0, 0), (name, said[:300]))


class Databases(Bomb):
    """An export of Nsight Systems is SQLite: tables that are not what they say, pages that lead to themselves."""

    def nsys(self, *statements):
        with open(os.path.join(ROOT, "tests", "golden", "nsys", "ok_full.sqlite"), "rb") as file:
            path = self.file("report.sqlite", file.read())
        db = sqlite3.connect(path)
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()
        with open(path, "rb") as file:
            return bytearray(file.read())

    def test_views_without_end(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, i AS value FROM n"
        _, said = self.tried("view.sqlite", self.nsys("DROP TABLE StringIds", "CREATE VIEW StringIds AS " + endless))
        self.assertLessEqual(said.count("\n"), 1)

    def test_overflow_pages_in_a_circle(self):
        db = self.nsys("INSERT INTO StringIds VALUES (999999, replace(hex(zeroblob(100000)), '00', 'abcd'))")
        size = int.from_bytes(db[16:18], "big")
        pages = [at for at in range(0, len(db), size) if db[at + 4:at + 44] == b"abcd" * 10 or db[at + 4:at + 44] == b"cdab" * 10]
        self.assertGreater(len(pages), 10)
        for at in pages:
            db[at:at + 4] = (pages[0] // size + 1).to_bytes(4, "big")
        _, said = self.tried("circle.sqlite", bytes(db))
        self.assertLessEqual(said.count("\n"), 1)

    def test_a_page_that_is_its_own_child(self):
        db = self.nsys("CREATE TABLE filler(a)", "INSERT INTO filler SELECT hex(randomblob(400)) FROM StringIds a, StringIds b LIMIT 500",
                       "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY2(a)")
        size = int.from_bytes(db[16:18], "big")
        inner = [at for at in range(size, len(db), size) if db[at] == 5]
        self.assertTrue(inner)
        for at in inner:
            db[at + 8:at + 12] = (at // size + 1).to_bytes(4, "big")  # its right-most child
        _, said = self.tried("itself.sqlite", bytes(db))
        self.assertLessEqual(said.count("\n"), 1)

    def test_sizes_of_the_header(self):
        for at, content in ((28, b"\xff" * 4), (36, b"\xff" * 4), (16, b"\x00\x01"), (20, b"\xff"), (52, b"\xff" * 4)):
            db = self.nsys()
            db[at:at + len(content)] = content
            _, said = self.tried("header.sqlite", bytes(db))
            self.assertLessEqual(said.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
