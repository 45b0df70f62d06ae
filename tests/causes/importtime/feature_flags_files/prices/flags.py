"""Feature flags of the group, from the flag server."""
import json

from .transport import ask

FLAGS = json.loads(ask("flags"))


def enabled(name):
    return FLAGS.get(name, False)
