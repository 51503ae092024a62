"""Whatever goes wrong on the way, what is committed gets published, and files that lag behind tell so."""

import errno
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from filelock import FileLock

from retrieval import publish
from retrieval.lexical.packed import BASE_FILE, DELTA_FILE
from retrieval.publish import is_stale, publish_all, publish_changes, published_state, tidy
from rules.models import Rule
from rules.pool import PoolChange, pool_counter
from tests.retrieval.published_rules import in_database, nobody_publishing, read

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parent.parent.parent


def test_a_change_whose_process_died_is_published_with_the_next_one(pool, published):
    with nobody_publishing():
        Rule.objects.filter(pk=pool[0].pk).update(action="orphan")
        pool[1].delete()
    assert is_stale()

    Rule.objects.filter(pk=pool[2].pk).update(action="next")

    assert read(published) == in_database()
    assert not is_stale()


def test_settle_publishes_what_nobody_did(pool, published):
    with nobody_publishing():
        Rule.objects.filter(pk=pool[0].pk).update(action="orphan")

    assert tidy()

    assert read(published) == in_database()
    assert not is_stale()


@pytest.mark.parametrize("damage", [b"", b"nonsense", None], ids=["empty", "nonsense", "cut off"])
@pytest.mark.parametrize("name", [BASE_FILE, DELTA_FILE])
def test_a_damaged_file_is_written_anew(pool, published, name, damage):
    Rule.objects.filter(pk=pool[0].pk).update(action="edited")
    path = published / name
    path.write_bytes(path.read_bytes()[:-9] if damage is None else damage)
    assert is_stale()
    assert published_state().problem

    publish_changes()

    assert read(published) == in_database()
    assert not is_stale()


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("name", [BASE_FILE, DELTA_FILE])
def test_settle_mends_damage_that_no_search_has_met_yet(pool, published, name, place):
    Rule.objects.filter(pk=pool[0].pk).update(action="edited")
    content = bytearray((published / name).read_bytes())
    content[int(len(content) * place)] ^= 0x55
    (published / name).write_bytes(content)
    assert not published_state().is_fresh

    assert tidy()

    assert published_state().is_fresh
    assert read(published) == in_database()


def test_files_of_another_database_are_replaced(pool, published):
    PoolChange.objects.update(counter=pool_counter() + 1000, calibrated_at=pool_counter() + 900)
    assert is_stale()

    publish_changes()

    assert read(published) == in_database()
    assert published_state().change_counter == pool_counter()


def test_a_database_restored_from_a_backup_is_published_again(pool, published):
    with nobody_publishing():
        Rule.objects.all().delete()
        PoolChange.objects.update(counter=5, calibrated_at=1)

    assert tidy()

    assert read(published) == {}


def test_a_delta_of_the_same_rules_as_they_once_were_stays_out(pool, published):
    Rule.objects.filter(pk=pool[0].pk).update(action="between")
    stale_delta = (published / DELTA_FILE).read_bytes()
    Rule.objects.filter(pk=pool[0].pk).update(action=pool[0].action)
    publish_all(calibrate=False)

    (published / DELTA_FILE).write_bytes(stale_delta)  # as if its removal had been cut short

    assert read(published) == in_database()


def test_leftovers_of_killed_publishers_are_removed(pool, published):
    leftovers = [published / f"{name}.1f-0a0b0c0d.tmp" for name in (BASE_FILE, DELTA_FILE)]
    others = published / "config.json.1f-0a0b0c0d.tmp"
    for path in (*leftovers, others):
        path.write_bytes(b"half")

    publish_all(calibrate=False)

    assert [path.exists() for path in (*leftovers, others)] == [False, False, True]


def test_a_folder_that_cannot_be_written_leaves_the_change_and_one_warning(pool, published, caplog, data_folder):
    for path in published.iterdir():
        path.unlink()
    published.rmdir()
    published.write_text("not a folder")

    Rule.objects.filter(pk=pool[0].pk).update(action="edited")

    assert Rule.objects.get(pk=pool[0].pk).action == "edited"
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "after the next `settle`" in caplog.text
    assert is_stale()


def test_a_full_disk_leaves_the_old_files_and_the_change(pool, published, monkeypatch, caplog):
    before = read(published)

    def no_space(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        Rule.objects.filter(pk=pool[0].pk).update(action="edited")

    assert "No space left" in caplog.text
    assert read(published) == before
    assert sorted(path.name for path in published.iterdir()) == [BASE_FILE]
    publish_changes()
    assert read(published) == in_database()


def test_a_lock_that_stays_taken_costs_a_little_patience_and_a_warning(pool, data_folder, monkeypatch, caplog):
    monkeypatch.setattr(publish, "LOCK_SECONDS", 0.05)

    with FileLock(data_folder.path("publish.lock")):
        Rule.objects.filter(pk=pool[0].pk).update(action="edited")

    assert "after the next `settle`" in caplog.text
    assert is_stale()


def test_who_holds_the_lock_publishes_what_was_committed_meanwhile(pool, published, monkeypatch):
    replace = os.replace

    def replace_while_another_commits(*paths):
        replace(*paths)
        monkeypatch.setattr(os, "replace", replace)
        with nobody_publishing():
            Rule.objects.filter(pk=pool[1].pk).update(action="late")

    monkeypatch.setattr(os, "replace", replace_while_another_commits)
    Rule.objects.filter(pk=pool[0].pk).update(action="edited")

    assert read(published) == in_database()
    assert read(published)[str(pool[1].pk)] == "late"


PREPARED = """
    import json, os, signal, sys
    sys.path.insert(0, {root!r})
    os.environ["DJANGO_SETTINGS_MODULE"] = "nokori_site.settings"
    import django
    django.setup()
    from django.db import connections
    from nokori_site.database import prepare_database
    from retrieval import publish
    from rules.models import Rule
    from tests.factories import make_rule
    from tests.retrieval.published_rules import read

    prepare_database()
    rules = [make_rule(action=f"Do {{number}}") for number in range({count})]
    folder = os.path.join(os.environ["NOKORI_DATA_DIR"], "published")
"""
KILLED = """
    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    connections.close_all()
    child = os.fork()
    if not child:
        os.{call} = die
        {deed}
        os._exit(0)
    os.waitpid(child, 0)
    after_kill = list(read(folder).values())
    was_stale = publish.is_stale()
    publish.publish_changes()
    print(json.dumps([after_kill, was_stale, list(read(folder).values()), os.listdir(folder)]))
"""


def run_script(script, **values):
    """Runs a script that begins with PREPARED in a process of its own, and returns what it prints as JSON."""
    source = textwrap.dedent(PREPARED + script).format(root=str(ROOT), **values)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no SIGKILL there")
@pytest.mark.parametrize(
    ("deed", "call", "is_unchanged"),
    [
        pytest.param("Rule.objects.update(action='edited')", "fsync", False, id="delta before it is on disk"),
        pytest.param("Rule.objects.update(action='edited')", "replace", False, id="delta before it is in place"),
        pytest.param("publish.publish_all(calibrate=True)", "fsync", True, id="base before it is on disk"),
        pytest.param("publish.publish_all(calibrate=True)", "unlink", True, id="base before the old delta is gone"),
    ],
)
def test_a_kill_at_any_point_leaves_readable_files_that_tell_their_age(data_folder, deed, call, is_unchanged):
    wanted = "Do 0" if is_unchanged else "edited"

    after_kill, was_stale, after_repair, names = run_script(KILLED, count=1, call=call, deed=deed)

    assert after_kill == ["Do 0"]
    assert was_stale is not is_unchanged
    assert after_repair == [wanted]
    assert BASE_FILE in names


def test_many_processes_at_once_lose_no_change(data_folder):
    ids = run_script("    print(json.dumps([rule.short_id for rule in rules]))", count=4)
    edit = [sys.executable, "-I", str(ROOT / "manage.py"), "edit"]

    running = [subprocess.Popen([*edit, short_id, "--action", f"edited {short_id}"]) for short_id in ids]

    assert [process.wait(60) for process in running] == [0] * 4
    assert set(read(data_folder.published).values()) == {f"edited {short_id}" for short_id in ids}
