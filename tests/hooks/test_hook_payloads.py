"""Every payload that a real Claude Code sent goes through the hook, and nothing is wrong with it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from hooks.filing import file_notes
from hooks.hot.hosts.claude import EVENT_NAMES
from hooks.models import HookFailure
from hooks.platforms import CLAUDE
from nokori_site.config import publish_config
from retrieval.publish import publish_all
from tests.factories import make_rule

PAYLOADS = settings.BASE_DIR.parent / "shared" / "data" / "hook-payloads.json"
EVENT_OF = {name: event for event, name in EVENT_NAMES.items()}


def seen_payloads():
    """One case for each payload of an event that Nokori knows."""
    if not PAYLOADS.exists():
        skip = pytest.mark.skip(reason="../shared/data/hook-payloads.json is not beside this checkout")
        return [pytest.param("", {}, marks=skip)]
    clients = json.loads(PAYLOADS.read_text())["clients"]
    return [
        pytest.param(EVENT_OF[seen["event"]], seen["stdin"], id=f"{client.split()[1]}-{seen['event']}-{number}")
        for client, payloads in clients.items()
        if client.startswith("claude-code")
        for number, seen in enumerate(payloads)
        if seen["event"] in EVENT_OF
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("event", "payload"), seen_payloads())
def test_a_payload_of_a_real_client_leaves_no_failure(data_folder, event, payload):
    make_rule()
    publish_all(calibrate=False)
    publish_config(data_folder)

    done = subprocess.run(
        [sys.executable, "-I", "-S", str(settings.BASE_DIR / "manage.py"), "hook", event],
        input=json.dumps(payload).encode(),
        capture_output=True,
        timeout=30,
        check=False,
    )

    report = file_notes(data_folder, now=timezone.now())
    assert (done.returncode, done.stderr) == (0, b"")
    assert report.bad == 0
    assert not HookFailure.objects.exists()


def test_every_registered_event_is_known_to_the_hook():
    assert {(entry.key, entry.event) for entry in CLAUDE.entries} <= EVENT_OF.items()


def test_this_checkout_lies_where_the_payloads_are_looked_for():
    assert Path(__file__).is_relative_to(settings.BASE_DIR)
