"""The servers of the settings, asked for their models or for a vector: 2xx is well, all else is told without their words."""

import json
import socket
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.conf import settings

from nokori_site.finding import State
from nokori_site.health_endpoints import check_endpoints

KEY = "sk-secret"


class Servers:
    """Servers that answer every request with one status, and what they were asked."""

    def __init__(self):
        self.asked = []
        self.bodies = []
        self.running = []

    def __call__(self, status, location=""):
        """The base URL of a new one."""
        asked, bodies = self.asked, self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, self.headers.get("Authorization")))
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.end_headers()
                self.wfile.write(KEY.encode())

            def do_POST(self):
                bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.do_GET()

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.running.append(server)
        return f"http://127.0.0.1:{server.server_port}/v1/"


@pytest.fixture
def server():
    servers = Servers()
    yield servers
    for running in servers.running:
        running.shutdown()
        running.server_close()


def look(**changes):
    return list(check_endpoints(replace(settings.NOKORI, **changes)))


def test_nobody_is_asked_who_is_not_configured():
    assert look(llm_base_url="", embed_base_url="") == []


def test_a_server_that_answers_is_well_and_is_asked_with_the_key(server):
    (found,) = look(llm_base_url=server(200), llm_api_key=KEY)

    assert (found.name, found.state) == ("llm endpoint", State.OK)
    assert server.asked == [("/v1/models", f"Bearer {KEY}")]


def test_an_embedding_endpoint_is_asked_for_a_vector_of_the_model(server):
    (found,) = look(embed_base_url=server(200), embed_api_key=KEY, embed_model="text-4")

    assert (found.name, found.state) == ("embed endpoint", State.OK)
    assert server.asked == [("/v1/embeddings", f"Bearer {KEY}")]
    assert [body["model"] for body in server.bodies] == ["text-4"]


@pytest.mark.parametrize("status", [301, 401, 404, 500])
def test_any_other_status_is_a_failure_with_a_remedy_and_without_the_key(server, status):
    (found,) = look(embed_base_url=server(status), embed_api_key=KEY)

    assert (found.state, found.detail.split()[-1]) == (State.FAIL, str(status))
    assert "embed.base_url" in found.remedy
    assert KEY not in str(found)


def test_a_redirection_takes_the_key_nowhere_else(server):
    elsewhere = server(200)

    (found,) = look(llm_base_url=server(302, location=elsewhere), llm_api_key=KEY)

    assert found.state is State.FAIL
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_a_failure():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"

        (found,) = look(llm_base_url=url)

    assert (found.state, "cannot be reached" in found.detail) == (State.FAIL, True)
