def load_words():
    return {f"w{n * 7 % 1000}x" for n in range(900)}


def sentences(n):
    for i in range(n):
        yield " ".join(f"W{(i * k) % 1000}x" for k in range(1, 9))
