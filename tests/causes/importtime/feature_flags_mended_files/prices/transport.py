import socket
import threading
import time


def _server(sock):
    conn, _ = sock.accept()
    conn.recv(100)
    time.sleep(0.7)
    conn.sendall(b'{"discount": true}')
    conn.close()


def ask(topic):
    sock = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_server, args=(sock,), daemon=True).start()
    with socket.create_connection(sock.getsockname()) as conn:
        conn.sendall(topic.encode())
        return conn.recv(1000)
