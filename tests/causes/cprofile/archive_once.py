"""Writes one compressed archive with a checksum; nothing is to mend."""  # SPDX-License-Identifier: MIT
import hashlib
import io
import lzma
import random
import tarfile


def make_members():
    random.seed(11)
    words = [bytes(random.choices(b"abcdefghij ", k=6)) for _ in range(3000)]
    return {f"day{n}.log": b" ".join(random.choices(words, k=60_000)) for n in range(6)}


def write_archive(members):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return lzma.compress(plain.getvalue(), preset=6)


def main():
    packed = write_archive(make_members())
    print(len(packed), hashlib.sha256(packed).hexdigest()[:8])


main()
