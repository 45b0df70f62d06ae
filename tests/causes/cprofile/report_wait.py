"""Order the night report from the report server and store it."""
import http.server
import json
import threading
import time
import urllib.request


class ReportServer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(1.6)          # the data base works on it
        body = json.dumps({"rows": list(range(2000))}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def fetch(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/night") as answer:
        return json.load(answer)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ReportServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    report = fetch(server.server_address[1])
    print(sum(report["rows"]))


main()
