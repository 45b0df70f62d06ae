TILES = {}  # SPDX-License-Identifier: MIT
def draw(x, y):
    pixels = bytearray(256 * 256 * 3)
    pixels[x] = y & 255
    return pixels
def tile(x, y):
    if (x, y) not in TILES:
        TILES[x, y] = draw(x, y)
    return TILES[x, y]
def render(width):
    return sum(len(tile(x, y)) for x in range(width) for y in range(width))
def main():
    total = render(15)
    big = bytearray(20_000_000)
    print(total + len(big))
main()
