# SPDX-License-Identifier: MIT
"""Ports for servers that cannot be told to choose one themselves."""
import random
import socket

# Below the ports that Linux gives to connections (32768 and up), which other tests take and leave all the time.
LOWEST, HIGHEST = 20000, 32000


def free_port(address="127.0.0.1"):
    """One that nothing listens on now."""
    while True:
        port = random.randint(LOWEST, HIGHEST)
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((address, port))
            except OSError:
                continue
            return port
