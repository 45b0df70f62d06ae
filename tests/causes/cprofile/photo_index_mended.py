"""Index photo files: checksum and type of each file."""
import pathlib
import hashlib


def checksum(path):
    return hashlib.sha1(path.read_bytes()).hexdigest()


def kind(path):
    head = path.read_bytes()[:4]
    return {b"\xff\xd8\xff\xe0": "jpeg", b"\x89PNG": "png"}.get(head, "other")


def scan(folder):
    for path in sorted(pathlib.Path(folder).iterdir()):
        yield {"name": path.name, "size": path.stat().st_size,
               "kind": kind(path), "sha1": checksum(path)}


def main():
    index = list(scan("inbox"))
    twins = len(index) - len({e["sha1"] for e in index})
    print(len(index), "files,", twins, "twins")


main()
