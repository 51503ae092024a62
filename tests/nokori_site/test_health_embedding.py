"""What `health` and `status` say of matching by meaning."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from filelock import FileLock

from nokori_site.embed_standing import look_at_embedding
from nokori_site.finding import State
from nokori_site.health_embedding import check_embedding
from nokori_site.version import VERSION
from retrieval.embeddings.record import update_record
from retrieval.lexical.embed_client import read_address
from retrieval.models import RuleEmbedding
from tests.factories import make_rule
from tests.retrieval.listener import listening, write_address

pytestmark = pytest.mark.django_db
READY = {"state": "ready", "model": "fake", "rules": 3, "missing": 0, "problem": ""}


def config_with(**changes):
    return replace(settings.NOKORI, **{"embed_backend": "light", "embed_enabled": "on", **changes})


@pytest.fixture
def rows(data_folder):
    """rows(**settings): state, detail and remedy of each finding, by its name."""

    def look(**changes):
        found = check_embedding(data_folder, config=config_with(**changes))
        return {finding.name: (finding.state, finding.detail, finding.remedy) for finding in found}

    return look


@pytest.mark.parametrize(
    ("changes", "state", "words"),
    [
        pytest.param({"embed_enabled": "off"}, State.NOTE, "switched off", id="switched off"),
        pytest.param({"embed_enabled": "auto"}, State.NOTE, "0 rules; from 20 on", id="few rules"),
        pytest.param({"embed_enabled": "auto", "embed_backend": "none"}, State.NOTE, "no embedding", id="no backend"),
        pytest.param({"embed_backend": "none"}, State.WARN, "no embedding", id="no backend though switched on"),
    ],
)
def test_why_it_is_off_is_one_row(rows, changes, state, words):
    (found,) = rows(**changes).values()

    assert found[0] is state
    assert words in found[1]


def test_a_server_that_is_ready_and_rules_that_all_have_their_vector(rows, data_folder):
    with listening(data_folder, sends=READY):
        write_more(data_folder, pid=7, version=VERSION)
        found = rows()

    assert found["embed server"][:2] == (State.OK, f"ready with fake, process 7, at {place(data_folder)}")
    assert found["embed index"][:2] == (State.OK, "all 3 rules have a vector of fake")


def test_rules_without_a_vector_are_counted_with_the_way_out(rows, data_folder):
    with listening(data_folder, sends=READY | {"missing": 2}):
        state, detail, remedy = rows()["embed index"]

    assert (state, "2 of 3 rules have no vector" in detail) == (State.WARN, True)
    assert "embed reindex" in remedy


def test_rules_that_are_being_encoded_are_no_warning(rows, data_folder):
    with listening(data_folder, sends=READY | {"missing": 2, "is_indexing": True}):
        assert rows()["embed index"][0] is State.NOTE


def test_a_server_that_loads_its_model_says_so(rows, data_folder):
    with listening(data_folder, sends={"state": "starting", "up_seconds": 4.2}):
        assert rows()["embed server"][:2] == (State.OK, "loads its model since 4 s")


def test_one_of_another_version_is_replaced(rows, data_folder):
    with listening(data_folder, sends=READY):
        write_more(data_folder, version="0.0.9")

        assert "0.0.9; the next prompt replaces it" in rows()["embed server"][1]


def test_one_that_does_not_answer_is_a_failure_with_the_way_out(rows, data_folder):
    Path(data_folder.root).mkdir(exist_ok=True)
    write_address(data_folder, unix=data_folder.embed_socket, pid=7)
    with FileLock(data_folder.embed_lock):
        state, detail, remedy = rows()["embed server"]

    assert (state, detail) == (State.FAIL, "process 7 does not answer; prompts are matched by their words")
    assert "embed stop" in remedy


def test_one_that_could_not_load_its_model_is_a_failure_with_the_way_out(rows, data_folder):
    update_record(data_folder, problem="The model x is not at /m: it has no weights; run `embed prefetch`.")

    state, detail, remedy = rows()["embed server"]

    assert (state, remedy) == (State.FAIL, "Run `embed prefetch`.")
    assert detail == "The model x is not at /m: it has no weights; prompts are matched by their words"


def test_one_that_runs_but_cannot_encode_rules_is_a_failure(rows, data_folder):
    with listening(data_folder, sends=READY | {"problem": "The endpoint failed; it is asked again later."}):
        assert rows()["embed server"][0] is State.FAIL


def test_one_that_does_not_run_is_started_by_the_next_prompt(rows):
    assert rows()["embed server"][:2] == (State.OK, "does not run; the next prompt or session starts it")


def test_one_that_nothing_starts_is_a_warning(rows):
    state, _, remedy = rows(embed_server_auto_start=False)["embed server"]

    assert (state, remedy) == (State.WARN, "Run: manage.py embed start")


def test_without_a_server_the_vectors_of_its_last_model_are_counted(rows, data_folder):
    encoded, _ = make_rule(), make_rule()
    for chunk, model in enumerate(["fake", "fake", "other"]):
        RuleEmbedding.objects.create(
            rule=encoded, chunk=chunk, model_id=model, dimensions=1, fingerprint="f", vector=b"\0\0\0\0"
        )
    update_record(data_folder, model_id="fake")

    assert rows()["embed index"][1].startswith("1 of 2 rules have no vector")


def test_the_status_tells_it_in_one_line(data_folder):
    with listening(data_folder, sends=READY | {"missing": 1}):
        on = str(look_at_embedding(data_folder, config=config_with()))

    assert on == "on (light), server ready; 2 of 3 rules with a vector"


def write_more(folder, **more):
    write_address(folder, **read_address(folder), **more)


def place(folder):
    return f"127.0.0.1:{read_address(folder)['port']}"
