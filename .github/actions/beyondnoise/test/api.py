"""A stand-in for the parts of GitHub that the action talks to: comments of one pull request, and a release.

python3 api.py FOLDER  serves FOLDER as the assets of a release, prints its port and keeps the comments in
FOLDER/comments.json. Only the token `may-write` may write.
"""

import json
import pathlib
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

FOLDER = pathlib.Path(sys.argv[1])
STATE = FOLDER / "comments.json"


class Api(BaseHTTPRequestHandler):
    def answer(self, status, body):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def body(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def may_write(self):
        allowed = self.headers["Authorization"] == "Bearer may-write"
        if not allowed:
            self.answer(403, {"message": "Resource not accessible by integration"})
        return allowed

    def do_GET(self):
        url = urlparse(self.path)
        if url.path == "/api/repos/owner/project/issues/7/comments":
            query = parse_qs(url.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            self.answer(200, json.loads(STATE.read_text())[size * (page - 1) : size * page])
        elif asset := re.fullmatch(r"/owner/beyondnoise/releases/(?:download/v9\.9\.9|latest/download)/([\w.-]+)", url.path):
            file = FOLDER / asset[1]
            self.answer(200, file.read_bytes()) if file.is_file() else self.answer(404, {})
        else:
            self.answer(404, {})

    def do_POST(self):
        if self.path == "/api/repos/owner/project/issues/7/comments" and self.may_write():
            comments = json.loads(STATE.read_text())
            bot = {"user": {"type": "Bot"}, "author_association": "NONE"}
            new = {"id": 1000 + len(comments), **bot, "body": self.body(), "html_url": "posted"}
            STATE.write_text(json.dumps([*comments, new]))
            self.answer(201, new)

    def do_PATCH(self):
        if self.may_write():
            comments = json.loads(STATE.read_text())
            number = int(re.fullmatch(r"/api/repos/owner/project/issues/comments/(\d+)", self.path)[1])
            [comment] = [c for c in comments if c["id"] == number]
            comment.update(body=self.body(), html_url="updated")
            STATE.write_text(json.dumps(comments))
            self.answer(200, comment)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Api)
print(server.server_port, flush=True)
server.serve_forever()
