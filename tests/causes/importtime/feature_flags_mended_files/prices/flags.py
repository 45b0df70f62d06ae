"""Feature flags of the group, from the flag server."""
import functools
import json

from .transport import ask

@functools.cache
def flags():
    return json.loads(ask("flags"))


def enabled(name):
    return flags().get(name, False)
