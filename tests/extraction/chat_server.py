"""A real HTTP server on loopback that speaks /v1/chat/completions from a script, and keeps what it was sent."""

import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

JSON_PATHS = ("/chat/completions", "/embeddings")


class Reply:
    """One scripted answer: a status and a body, given after a delay, or a connection that breaks."""

    def __init__(self, body, *, status=200, headers=None, delay_seconds=0.0, resets=False):
        self.body = body
        self.status = status
        self.headers = headers or {}
        self.delay_seconds = delay_seconds
        self.resets = resets


def completion(content, **message):
    return Reply(
        {
            "id": "c1",
            "object": "chat.completion",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content} | message}],
        }
    )


def failure(status, *, words="no", **headers):
    return Reply(
        {"error": {"message": words}},
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


class ChatServer:
    """Answers in turn, the last reply again and again; a reply may be a function of the request."""

    def __init__(self, *replies):
        self.replies = replies
        self.requests = []
        self.keys = []
        self.times = []
        self.url = ""

    def next_reply(self, request):
        self.requests.append(request)
        self.times.append(time.monotonic())
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        return reply(request) if callable(reply) else reply

    @property
    def sent(self):
        return json.dumps(self.requests, ensure_ascii=False)


@contextmanager
def serving(*replies):
    script = ChatServer(*replies)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(script))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(script):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            script.keys.append(self.headers.get("Authorization", ""))
            reply = script.next_reply(json.loads(body) if self.path.endswith(JSON_PATHS) else {})
            time.sleep(reply.delay_seconds)
            if reply.resets:
                self.connection.close()
                return
            self._send(reply)

        def _send(self, reply):
            data = reply.body.encode() if isinstance(reply.body, str) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", "text/html" if isinstance(reply.body, str) else "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

        def handle(self):
            with suppress(ConnectionError, ValueError):  # the client went away, or the script closed the connection
                super().handle()

    return Handler
