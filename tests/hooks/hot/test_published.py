"""What a hook takes for its settings: published values, the environment over them, and defaults for all that is bad."""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from hooks.hot.published import Settings, config_edited_at, load_published
from nokori_site.config import publish_config
from rules.fields import BY_NAME
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH


def write_config(folder, **changes):
    publish_config(folder)
    path = Path(folder.published, "config.json")
    tree = json.loads(path.read_text())
    path.write_text(json.dumps(tree | changes))


def test_without_a_published_file_the_defaults_hold(data_folder):
    published = load_published(data_folder, environ={})

    assert published.is_missing
    assert published.settings.max_injection_chars == 1500
    assert published.settings.gate_matcher == BY_NAME["gate_matcher"].default


def test_a_value_of_the_file_holds(data_folder):
    Path(data_folder.root).mkdir(parents=True)
    Path(data_folder.config_toml).write_text('dismiss_phrase = "forget"\n[gate]\nttl_seconds = 5\n')
    publish_config(data_folder)

    settings = load_published(data_folder, environ={}).settings

    assert (settings.dismiss_phrase, settings.gate_ttl_seconds) == ("forget", 5)


def test_the_environment_goes_before_the_file(data_folder):
    write_config(data_folder, values={"dismiss_phrase": "forget"})

    settings = load_published(data_folder, environ={"NOKORI_DISMISS_PHRASE": "drop"}).settings

    assert settings.dismiss_phrase == "drop"


def test_a_bad_variable_leaves_the_files_value_and_is_a_problem(data_folder):
    write_config(data_folder, values={"gate_ttl_seconds": 7})

    published = load_published(data_folder, environ={"NOKORI_GATE_TTL_SECONDS": "soon"})

    assert published.settings.gate_ttl_seconds == 7
    assert "NOKORI_GATE_TTL_SECONDS" in str(published.problems[0])


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b'{"format": 99}', b"\xff", b'{"format": 1', b"[" * 100_000])
def test_a_damaged_file_means_defaults_and_a_problem(data_folder, content):
    Path(data_folder.published).mkdir(parents=True)
    Path(data_folder.published, "config.json").write_bytes(content)

    published = load_published(data_folder, environ={})

    assert published.is_missing
    assert published.settings.max_injection_chars == 1500
    assert [type(problem).__name__ for problem in published.problems] == ["ConfigUnreadable"]


@pytest.mark.parametrize("name", Settings.__slots__)
@pytest.mark.parametrize("bad", [None, [], {}, "\x00", -1.5])
def test_a_value_of_the_wrong_kind_is_the_default(data_folder, name, bad):
    field = BY_NAME[name.removeprefix("is_") if name in ("is_disabled", "is_strict") else name]
    wrong = bad if not isinstance(field.default, str) or not isinstance(bad, str) else []
    write_config(data_folder, values={field.name: wrong})

    settings = load_published(data_folder, environ={}).settings

    assert getattr(settings, name) == field.default


def test_an_edit_of_the_file_is_noticed(data_folder):
    publish_config(data_folder)
    fresh = load_published(data_folder, environ={}).is_stale
    Path(data_folder.config_toml).write_text("[gate]\nenabled = false\n")

    assert (fresh, load_published(data_folder, environ={}).is_stale) == (False, True)


def test_an_edit_that_cannot_be_published_is_asked_for_once_a_minute(make_call, data_folder, monkeypatch):
    asked = []
    monkeypatch.setattr("hooks.hot.call.Call.settle", lambda call: asked.append(call.now))
    Path(data_folder.root).mkdir()
    Path(data_folder.config_toml).write_text("[gate]\nenabled = false\n")
    edited_at = config_edited_at(data_folder)
    now = time.time()

    for moment in (now, now + 1, now + 2):
        make_call(now=moment).settle_if_not_asked(since=edited_at)
    os.utime(data_folder.config_toml, (now + 3, now + 3))
    make_call(now=now + 5).settle_if_not_asked(since=config_edited_at(data_folder))
    make_call(now=now + 90).settle_if_not_asked(since=config_edited_at(data_folder))

    assert asked == [now, now + 5, now + 90]


def test_the_stemmer_is_taken_from_where_it_was_published_for_this_interpreter(data_folder):
    write_config(data_folder, stemmer={"folder": "/there", "cache_tag": sys.implementation.cache_tag})

    assert load_published(data_folder, environ={}).stemmer_folder == "/there"


def test_for_another_interpreter_it_is_looked_for_beside_it(data_folder):
    write_config(data_folder, stemmer={"folder": "/there", "cache_tag": "cpython-27"})

    folder = load_published(data_folder, environ={}).stemmer_folder

    assert folder == "" or folder.endswith("site-packages")


def test_a_damaged_file_is_noted_and_the_prompt_answered(run_hook, publish, data_folder, notes):
    publish(FORCE_PUSH)
    Path(data_folder.published, "config.json").write_bytes(b"damaged")

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert "a1b2c3" in done.context
    assert [note["error"] for note in notes("failure")] == ["ConfigUnreadable"]


def test_a_bad_setting_is_noted_once_a_minute(run_hook, notes):
    for number in ("1", "2"):
        run_hook("user-prompt-submit", prompt="hello", prompt_id=number, env={"NOKORI_GATE_TTL_SECONDS": "soon"})

    (note,) = notes("failure")
    assert note["error"] == "SettingIgnored"
    assert "NOKORI_GATE_TTL_SECONDS = 'soon' is not allowed" in note["message"]


def test_disabled_in_the_file_is_silence(run_hook, publish, data_folder, notes):
    publish(FORCE_PUSH)
    write_config(data_folder, values={"disabled": True})

    assert run_hook("user-prompt-submit", prompt=FORCE_PROMPT).is_pass
    assert notes() == []


def test_strict_in_the_file_shows_errors(run_hook, data_folder):
    write_config(data_folder, values={"strict": True})

    assert run_hook("user-prompt-submit", raw=b"nonsense").exit_code == 1


def test_a_hook_that_asked_for_a_settle_does_not_ask_again_within_a_minute(run_hook, data_folder):
    for number in ("1", "2"):
        run_hook("user-prompt-submit", prompt="hello", prompt_id=number)

    assert Path(data_folder.stamps, "settle-asked").stat().st_size == 1


def test_an_index_that_is_still_missing_a_minute_later_is_a_failure(run_hook, data_folder, notes):
    run_hook("user-prompt-submit", prompt="hello", prompt_id="1")
    asked = Path(data_folder.stamps, "settle-asked")
    os.utime(asked, (asked.stat().st_atime, asked.stat().st_mtime - 61))

    run_hook("user-prompt-submit", prompt="hello", prompt_id="2")

    assert [note["error"] for note in notes("failure")] == ["IndexMissing"]


def test_an_edit_by_hand_is_published_by_the_first_prompt_that_notices_it(run_hook, data_folder, monkeypatch):
    """The one test here that starts the real settle."""
    publish_config(data_folder)
    Path(data_folder.config_toml).write_text('dismiss_phrase = "forget"\n')
    monkeypatch.delenv("NOKORI_NO_SPAWN")

    run_hook("user-prompt-submit", prompt="hello")

    published = Path(data_folder.published, "config.json")
    wait_until(lambda: json.loads(published.read_text())["values"]["dismiss_phrase"] == "forget", seconds=60)
    wait_until(lambda: not is_locked(data_folder.settle_lock), seconds=60)


def is_locked(path):
    try:
        with FileLock(path, timeout=0):
            return False
    except Timeout:
        return True


def wait_until(is_so, *, seconds):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.1)
