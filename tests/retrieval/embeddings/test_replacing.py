"""What `settle` does about a server that hangs or was killed: it starts another one, once the old one is surely gone."""

import signal
from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from hooks.hot.stamps import EMBED_ASKED, add_stamp
from nokori_site.embed_start import start_embed_server
from retrieval.embeddings.singleton import is_server_there


@pytest.fixture
def settle_starts(servers, data_folder):
    """settle_starts(): a prompt missed the server, and `settle` runs two minutes after it was started; the new process."""

    def run():
        started = []

        def spawn(_):
            started.append(servers.start())
            return True

        add_stamp(data_folder, EMBED_ASKED)
        config = replace(settings.NOKORI, embed_backend="light", embed_enabled="on")
        later = timezone.now() + timedelta(seconds=120)
        start_embed_server(data_folder, config=config, now=later, spawn=spawn)
        return started

    return run


def test_a_hung_one_is_ended_and_another_one_started(servers, settle_starts):
    hung = servers.run()
    hung.send_signal(signal.SIGSTOP)

    (fresh,) = settle_starts()

    assert hung.wait(timeout=60) == -signal.SIGKILL
    servers.wait_until_ready()
    assert servers.status().pid == fresh.pid


def test_a_killed_one_is_replaced(servers, settle_starts):
    killed = servers.run()
    killed.kill()
    killed.wait(timeout=60)

    (fresh,) = settle_starts()

    servers.wait_until_ready()
    assert servers.status().pid == fresh.pid


def test_one_that_answers_is_left_alone(servers, settle_starts, data_folder):
    server = servers.run()

    assert settle_starts() == []

    assert server.poll() is None
    assert is_server_there(data_folder)
