"""When a prompt asks the embed server, how long it waits, and what it does when nobody answers."""

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from hooks.hot.embedding import ask_for_meaning, wait_ms
from hooks.hot.published import load_published
from hooks.hot.stamps import EMBED_ASKED, EMBED_BEGUN, count_stamps
from retrieval.lexical.packed import Index
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH, NOW
from tests.retrieval.listener import listening

ON = {"NOKORI_EMBED_ENABLED": "1", "NOKORI_EMBED_BACKEND": "light"}
AUTOMATIC = {"NOKORI_EMBED_BACKEND": "light"}
ANSWER = {
    "state": "ready",
    "model": "fake",
    "formal": [["r1", 0.9, 0]],
    "shadow": [],
    "floors": [0.3, 0.4],
    "offset": 0.1,
    "languages": None,
    "content": "c0ffee",
}
PATIENT = {"NOKORI_HOOK_EMBED_WAIT_MS": "10000"}


@dataclass(frozen=True)
class Asked:
    """What came of one prompt."""

    answer: object
    questions: list[dict[str, object]]
    told: dict[str, object]


@pytest.fixture
def ask(data_folder, publish, make_call):
    """ask(*rules, environ=..., sends=...): a prompt with these rules published and this server; sends="" is none."""

    def run(*rules, environ, sends=ANSWER, project_id="", now=NOW, prompt="push"):
        publish(*rules)
        call = make_call(environ={**PATIENT, **environ}, now=now)
        call.project_id = project_id
        with Index.open(data_folder.published) as index:
            if sends == "":
                return Asked(answer(call, prompt, index=index), [], call.told)
            with listening(data_folder, sends=sends) as questions:
                return Asked(answer(call, prompt, index=index), questions, call.told)

    return run


def answer(call, prompt, *, index):
    asked = ask_for_meaning(call, prompt)
    return None if asked is None else asked.answer(index)


def rules(count, *, first=0, **changes):
    return [
        FORCE_PUSH | {"rule_id": f"rule-{number}", "short_id": f"{number:06x}"} | changes
        for number in range(first, first + count)
    ]


def wishes(folder):
    return count_stamps(folder, EMBED_ASKED)


def test_switched_on_it_asks_however_few_the_rules(ask):
    asked = ask(*rules(1), environ=ON)

    assert [question["prompt"] for question in asked.questions] == ["push"]
    assert asked.answer.formal == [("r1", 0.9)]
    assert asked.told["embed"] == "fake"


def test_a_long_paste_is_matched_by_its_words_alone(ask):
    asked = ask(*rules(1), environ=ON, prompt="push " * 401)

    assert (asked.answer, asked.questions) == (None, [])


@pytest.mark.parametrize(("environ", "least"), [(ON, 0), (AUTOMATIC, 20)], ids=["switched on", "by itself"])
def test_it_tells_the_server_how_many_rules_it_takes(ask, environ, least):
    assert [question["least_rules"] for question in ask(*rules(1), environ=environ).questions] == [least]


def test_where_the_server_finds_too_few_rules_words_alone_count_and_nothing_is_told(ask, data_folder):
    asked = ask(*rules(1), environ=AUTOMATIC, sends={"state": "few"})

    assert (asked.answer, asked.told) == (None, {})
    assert wishes(data_folder) == 0


@pytest.mark.parametrize(("count", "times"), [(19, 0), (20, 1), (21, 1)])
def test_by_itself_it_wants_a_server_from_twenty_rules_on(ask, data_folder, count, times):
    ask(*rules(count), environ=AUTOMATIC, sends="")

    assert wishes(data_folder) == times


def test_only_the_rules_that_this_prompt_is_matched_with_count_towards_the_twenty(ask, data_folder):
    own = rules(10, scope="project", project_id="shop")
    others = rules(9, first=10, scope="project", project_id="blog")
    asleep = rules(30, first=50, scope="project", project_id="blog", status="dormant")
    one_more = rules(1, first=99, scope="project", project_id="blog")

    ask(*own, *others, *asleep, environ=AUTOMATIC, project_id="shop", sends="")
    assert wishes(data_folder) == 0

    ask(*own, *others, *asleep, *one_more, environ=AUTOMATIC, project_id="shop", sends="")
    assert wishes(data_folder) == 1


def test_a_rule_that_became_global_counts_in_every_project(ask, data_folder):
    others = rules(20, scope="project", project_id="blog", status="dormant")
    promoted = rules(20, scope="global", project_id="blog", status="dormant")

    ask(*others, environ=AUTOMATIC, project_id="shop", sends="")
    assert wishes(data_folder) == 0

    ask(*promoted, environ=AUTOMATIC, project_id="shop", sends="")
    assert wishes(data_folder) == 1


@pytest.mark.parametrize(
    "environ",
    [
        pytest.param({**AUTOMATIC, "NOKORI_EMBED_ENABLED": "0"}, id="switched off"),
        pytest.param({"NOKORI_EMBED_BACKEND": "none", "NOKORI_EMBED_ENABLED": "1"}, id="no backend"),
        pytest.param({"NOKORI_EMBED_ENABLED": "1"}, id="nothing published of a backend"),
    ],
)
def test_it_does_not_ask_when_embeddings_are_off(ask, data_folder, environ):
    asked = ask(*rules(30), environ=environ)

    assert (asked.answer, asked.questions, asked.told) == (None, [], {})
    assert wishes(data_folder) == 0


def test_an_endpoint_in_the_environment_counts_as_a_backend(ask):
    asked = ask(*rules(1), environ={"NOKORI_EMBED_ENABLED": "1", "NOKORI_EMBED_BASE_URL": "http://127.0.0.1:1/v1"})

    assert len(asked.questions) == 1


def test_without_a_server_it_wants_one_once_a_minute(ask, data_folder):
    now = time.time()
    for seconds in (0, 30):
        assert ask(*rules(1), environ=ON, sends="", now=now + seconds).told["embed"] == "ServerMissing"
    assert wishes(data_folder) == 1

    ask(*rules(1), environ=ON, sends="", now=now + 70)

    assert wishes(data_folder) == 2


@pytest.mark.parametrize(
    ("sends", "environ", "reason", "count"),
    [
        pytest.param("", {}, "ServerMissing", 1, id="none"),
        pytest.param({"state": "stale"}, {}, "ServerStale", 1, id="another version"),
        pytest.param(None, {"NOKORI_HOOK_EMBED_WAIT_MS": "50"}, "ServerLate", 1, id="hung"),
        pytest.param({"state": "starting"}, {}, "ServerStarting", 0, id="starting"),
        pytest.param({"state": "failed"}, {}, "ServerFailed", 0, id="failed"),
        pytest.param("", {"NOKORI_EMBED_SERVER_AUTO_START": "0"}, "ServerMissing", 0, id="not to be started"),
    ],
)
def test_who_does_not_answer_is_wanted_anew_unless_it_is_there(ask, data_folder, sends, environ, reason, count):
    asked = ask(*rules(1), environ={**ON, **environ}, sends=sends)

    assert (asked.answer, asked.told["embed"]) == (None, reason)
    assert wishes(data_folder) == count


@pytest.mark.parametrize(
    ("environ", "milliseconds"),
    [
        pytest.param({"NOKORI_EMBED_BACKEND": "light"}, 120, id="local"),
        pytest.param({"NOKORI_EMBED_BACKEND": "remote"}, 350, id="remote"),
        pytest.param({"NOKORI_EMBED_BACKEND": "remote", "NOKORI_HOOK_EMBED_WAIT_MS": "90"}, 90, id="set"),
    ],
)
def test_how_long_it_waits(data_folder, environ, milliseconds):
    assert wait_ms(load_published(data_folder, environ=environ)) == milliseconds


def test_a_hung_server_costs_the_wait_and_the_words_still_find_the_rule(run_hook, publish, data_folder):
    publish(FORCE_PUSH)
    environ = ON | {"NOKORI_HOOK_EMBED_WAIT_MS": "300", "NOKORI_LOG_LEVEL": "info"}

    with listening(data_folder, sends=None):
        done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env=environ)

    assert "Use --force-with-lease" in done.context
    assert "embed=ServerLate" in Path(data_folder.logs, "hook.log").read_text()


def test_the_session_start_tells_settle_of_a_session(run_hook, data_folder):
    run_hook("session-start", source="startup", env=ON)

    assert count_stamps(data_folder, EMBED_BEGUN) == 1


def test_without_a_backend_a_session_start_tells_nothing(run_hook, data_folder):
    run_hook("session-start", source="startup")

    assert count_stamps(data_folder, EMBED_BEGUN) == 0
