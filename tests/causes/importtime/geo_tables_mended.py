"""Print the tile of a coordinate."""
import sys

from geo import tile_of

print(tile_of(float(sys.argv[1]), float(sys.argv[2])))
