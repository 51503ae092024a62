import os
from pathlib import Path

import pytest

from hooks.leftovers import BAD_NOTES, CLAIMS, SESSION_FILES, TEMPORARIES, markers, remove_leftovers

NOW = 1_800_000_000.0
HOUR, DAY = 3600, 86_400


def remove_all(data_folder):
    kinds = (markers(600), SESSION_FILES, CLAIMS, BAD_NOTES, TEMPORARIES)
    return sum(remove_leftovers(kind, data_folder, now=NOW) for kind in kinds)


@pytest.fixture
def leave(data_folder):
    def leave_file(name: str, *, age: float) -> Path:
        path = Path(data_folder.root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        os.utime(path, (NOW - age, NOW - age))
        return path

    return leave_file


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("gate_markers/s1.json", 660),
        ("gate_markers/s1.spent", 660),
        ("hook_coalesce/claim", DAY),
        ("sessions/s1.json", 60 * DAY),
        ("spool/bad/note.json", 60 * DAY),
        ("published/rules.idx.1f-00ff.tmp", HOUR),
        ("spool/new/note.json.1f-00ff.tmp", HOUR),
        ("config.toml.1f-00ff.tmp", HOUR),
    ],
)
def test_a_file_goes_when_it_is_older_than_its_limit(leave, data_folder, name, limit):
    old, young = leave(f"{name}", age=limit + 1), leave(f"{Path(name).parent}/x{Path(name).name}", age=limit - 1)

    deleted = remove_all(data_folder)

    assert (deleted, old.exists(), young.exists()) == (1, False, True)


def test_markers_that_never_expire_stay_as_long_as_a_session_file(leave, data_folder):
    kept, dropped = leave("gate_markers/a.json", age=59 * DAY), leave("gate_markers/b.json", age=61 * DAY)

    remove_leftovers(markers(0), data_folder, now=NOW)

    assert (kept.exists(), dropped.exists()) == (True, False)


@pytest.mark.parametrize("name", ["rules.db", "published/rules.idx", "spool/new/note.json", "tombstones/a3f2b1"])
def test_what_somebody_will_come_back_for_stays_however_old(leave, data_folder, name):
    path = leave(name, age=1000 * DAY)

    assert remove_all(data_folder) == 0
    assert path.exists()


def test_a_file_from_the_future_stays_after_the_clock_went_back(leave, data_folder):
    path = leave("hook_coalesce/claim", age=-10 * DAY)

    remove_all(data_folder)

    assert path.exists()


def test_a_data_folder_that_does_not_exist_has_no_leftovers(data_folder):
    assert remove_all(data_folder) == 0
