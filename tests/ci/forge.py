# SPDX-License-Identifier: MIT
"""The comment API of GitHub and the notes API of GitLab on 127.0.0.1, with the failures of real ones."""
import http.server
import json
import re
import threading
import time
import urllib.parse

ME = {"login": "github-actions[bot]", "id": 1}


class Forge:
    """comments: all of the pull request, oldest first. fails: [status...] of the next requests, None for one that succeeds."""

    def __init__(self):
        self.comments, self.requests, self.fails, self.delay_s = [], [], [], 0
        forge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, status, body, headers=()):
                data = json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                try:
                    self.wfile.write(data)
                except BrokenPipeError:  # a client that did not wait
                    pass

            def handle_one(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                url = urllib.parse.urlsplit(self.path)
                token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")
                forge.requests.append((self.command, url.path, token))
                time.sleep(forge.delay_s)
                if forge.fails:
                    status = forge.fails.pop(0)
                    if status:
                        headers = [("Location", "http://127.0.0.1:1/elsewhere")] if 300 <= status < 400 else []
                        self.answer(status, {"message": "no"}, headers)
                        return
                self.answer(*forge.route(self.command, url.path, dict(urllib.parse.parse_qsl(url.query)), body))

            do_GET = do_POST = do_PATCH = do_PUT = handle_one

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def add(self, body, user=ME):
        self.comments.append({"id": 1000 + len(self.comments), "body": body, "user": user, "author": user})
        return self.comments[-1]

    def route(self, method, path, query, body):
        if path == "/user":  # a job's token of GitHub may not ask
            return (200, ME) if method == "GET" and any(token == "secret-comment-token" for _, _, token in self.requests[-1:]) else (403, {})
        lists = ("/repos/team/app/issues/7/comments", "/projects/12/merge_requests/7/notes")
        if path in lists and method == "GET":
            page, size = int(query.get("page", 1)), int(query.get("per_page", 30))
            return 200, self.comments[(page - 1) * size:page * size]
        if path in lists and method == "POST":
            return 201, self.add(body["body"])
        match = re.fullmatch(r"/(?:repos/team/app/issues/comments|projects/12/merge_requests/7/notes)/(\d+)", path)
        found = [comment for comment in self.comments if match and comment["id"] == int(match[1])]
        if found and method in ("PATCH", "PUT"):
            found[0]["body"] = body["body"]
            return 200, found[0]
        return 404, {}
