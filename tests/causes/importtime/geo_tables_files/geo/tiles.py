from math import floor

from . import distortion


def tile_of(lat, lon):
    return floor(lat), floor(lon)


def area_of(lat, lon):
    return distortion.factor(floor(lat * 10)) * 111.2 ** 2
