_TILES = {}


def pattern(x, y):
    return bytes((x * 7 + y * 3 + i) % 256 for i in range(512))


@profile
def tile(x, y):
    row = pattern(x, y)
    return bytearray(row * 512)
