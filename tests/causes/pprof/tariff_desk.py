"""Asks a service for the toll of each lorry, and asks it four times."""  # SPDX-License-Identifier: MIT
import socket
import subprocess
import sys
import time

DELAY_S = 0.012


def serve():
    """Answers lines, each after a while, in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        connection, _ = listener.accept()
        with connection, connection.makefile("rwb", buffering=0) as lines:
            for line in lines:
                time.sleep(DELAY_S)
                lines.write(line)


def ask_toll(connection, lorry):
    connection.sendall(b"toll %d\n" % lorry)
    return connection.recv(64)


def weigh(answer):
    total = 0
    for _ in range(60):
        for byte in answer:
            total = (total * 17 + byte) % 9973
    return total


def price(connection, lorry):
    return sum(weigh(ask_toll(connection, lorry)) for _ in range(4))


def main():
    service = subprocess.Popen([sys.executable, "-I", __file__, "serve"], stdout=subprocess.PIPE)
    with socket.create_connection(("127.0.0.1", int(service.stdout.readline()))) as connection:
        print(sum(price(connection, lorry) for lorry in range(80)))
    service.wait()


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
