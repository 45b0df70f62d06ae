import http.server
import json
import threading
import time


class Supplier(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.22)
        body = json.dumps({"price": len(self.path) * 1.5}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64


def start_server():
    server = Server(("127.0.0.1", 0), Supplier)
    threading.Thread(target=server.serve_forever, daemon=True, name="suppliers").start()
    return "http://127.0.0.1:%d" % server.server_address[1]
