import http.server  # SPDX-License-Identifier: MIT
import socketserver
import threading
import time

import requests


class Slow(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(0.015)
        body = b"x" * 200
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def weather(session, url, station):
    return len(session.get(f"{url}/{station}").content)


def all_stations(url, n):
    session = requests.Session()
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(12) as pool:
        return sum(pool.map(lambda i: weather(session, url, i), range(n)))


def main():
    server = Server(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(all_stations(f"http://127.0.0.1:{server.server_port}", 120))


main()
