"""Compress the text archive of one year."""
import lzma
import random


def archive(n):
    rng = random.Random(4)
    words = [str(rng.random())[2:10] for _ in range(5000)]
    return " ".join(rng.choices(words, k=n)).encode()


def main():
    text = archive(190_000)
    packed = lzma.compress(text)
    print(len(text), len(packed))


main()
