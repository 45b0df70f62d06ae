_TILES = {}


def pattern(x, y):
    return bytes((x * 7 + y * 3 + i) % 256 for i in range(512))


@profile
def tile(x, y):
    key = (x, y)
    if key not in _TILES:
        row = pattern(x, y)
        _TILES[key] = bytearray(row * 512)
    return _TILES[key]
