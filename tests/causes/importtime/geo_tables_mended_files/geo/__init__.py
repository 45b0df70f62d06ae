from .tiles import tile_of
