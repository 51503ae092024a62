"""The embed server as a process: what it answers, when it ends, and what is left when it is killed or hangs."""

import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from retrieval.embeddings import control
from retrieval.lexical.embed_client import (
    ServerLate,
    ServerMissing,
    ServerStale,
    ServerStarting,
    exchange,
    read_address,
)
from tests.retrieval.embeddings.conftest import rule_id, until
from tests.retrieval.listener import write_address

PUSH, LOCKFILE, BACKUP = "Force pushing to a shared branch", "Editing the lockfile by hand", "Restoring a backup"


def names(pairs):
    return [name for name, _ in pairs]


def kept_vectors(folder):
    with sqlite3.connect(folder.database) as database:
        return dict(database.execute("select rule_id, vector from retrieval_ruleembedding"))


def test_the_nearest_rules_of_each_pool_come_with_floors_and_model(servers, add_rules):
    add_rules({"trigger": PUSH}, {"trigger": LOCKFILE, "project_id": "shop"}, {"trigger": BACKUP, "project_id": "blog"})
    servers.run_indexed()

    answer = servers.ask("editing the lockfile", project_id="shop")

    assert names(answer.formal) == [rule_id(LOCKFILE, "shop"), rule_id(PUSH)]
    assert names(answer.shadow) == [rule_id(BACKUP, "blog")]
    assert answer.model_id == "fake"
    assert answer.languages is None
    warm, hot = answer.floors
    assert 0 < warm <= hot < 1


def test_a_rule_that_is_added_or_edited_later_is_found_without_a_word_to_the_server(servers, add_rules, run_manage):
    add_rules({"trigger": PUSH})
    servers.run_indexed()

    add_rules({"trigger": LOCKFILE})

    until(lambda: rule_id(LOCKFILE) in names(servers.ask("lockfile").formal))
    until(lambda: servers.status().missing == 0)


@pytest.mark.parametrize(("least", "state"), [(1, "ready"), (2, "few")])
def test_it_answers_where_there_are_as_many_rules_as_it_takes(servers, add_rules, data_folder, least, state):
    add_rules({"trigger": PUSH})
    servers.run_indexed()
    question = {"ask": "near", "prompt": "push", "project": "", "version": "", "wait_ms": 2_000, "least_rules": least}

    assert exchange(question, folder=data_folder, wait_ms=2_000)["state"] == state


def test_a_hundred_prompts_at_once_are_all_answered(servers, add_rules):
    triggers = [f"Working on module number {number}" for number in range(100, 200)]
    add_rules(*({"trigger": trigger} for trigger in triggers))
    servers.run_indexed(dimensions=8192)

    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(servers.ask, triggers))

    assert [rule_id(trigger) in names(found.formal)[:3] for trigger, found in zip(triggers, answers, strict=True)] == [
        True
    ] * 100
    assert all(len(answer.formal) == 50 for answer in answers)


def test_a_prompt_of_a_megabyte_is_answered(servers, add_rules):
    add_rules({"trigger": PUSH})
    servers.run_indexed()

    answer = servers.ask("push to a shared branch\n" * 45_000)

    assert names(answer.formal) == [rule_id(PUSH)]


def test_it_says_that_it_is_starting_while_the_model_is_loaded(servers, data_folder):
    servers.start(load=60)
    until(lambda: Path(data_folder.embed_address).exists())

    with pytest.raises(ServerStarting):
        servers.ask("push")
    assert servers.status().state == "starting"


def test_there_is_never_a_second_one(servers):
    first = servers.run()

    second = servers.start()

    assert second.wait(timeout=60) == 2
    assert first.poll() is None
    assert servers.status().pid == first.pid


def test_a_killed_one_loses_nothing_and_the_next_goes_on_where_it_was(servers, add_rules, data_folder):
    add_rules(*({"trigger": f"Working on module number {number}"} for number in range(40)))
    killed = servers.run(slow=0.05)
    until(lambda: kept_vectors(data_folder))
    killed.send_signal(signal.SIGKILL)
    killed.wait(timeout=60)
    kept = kept_vectors(data_folder)
    with pytest.raises(ServerMissing):
        servers.ask("module")

    servers.run_indexed()

    assert 0 < len(kept) < 40
    later = kept_vectors(data_folder)
    assert len(later) == 40
    assert {key: later[key] for key in kept} == kept
    assert len(servers.ask("module").formal) == 40


def test_a_prompt_is_answered_while_rules_are_encoded(servers, add_rules):
    add_rules(*({"trigger": f"Working on module number {number}"} for number in range(40)))
    servers.run(slow=0.2)

    servers.ask("module")

    assert servers.status().missing > 0


def test_a_hung_one_costs_the_wait_and_is_ended_by_force(servers, data_folder):
    hung = servers.run()
    hung.send_signal(signal.SIGSTOP)

    start = time.monotonic()
    with pytest.raises(ServerLate):
        servers.ask("push", wait_ms=120)
    waited = time.monotonic() - start

    assert 0.1 < waited < 2
    assert servers.status().state == "hung"
    assert control.stop(data_folder)
    assert hung.wait(timeout=60) == -signal.SIGKILL
    assert servers.status().state == "absent"


def test_a_caller_of_another_version_makes_it_end(servers):
    server = servers.run(version="0.0.9")

    with pytest.raises(ServerStale):
        servers.ask("push", version="0.1.0")

    assert server.wait(timeout=60) == 0


def test_it_ends_when_nobody_asks(servers, data_folder):
    server = servers.run(idle=0.5)

    assert server.wait(timeout=60) == 0
    assert not Path(data_folder.embed_address).exists()
    assert not Path(data_folder.embed_socket).exists()


def test_it_stays_while_rules_are_encoded_though_nobody_asks(servers, add_rules):
    add_rules({"trigger": PUSH}, {"trigger": LOCKFILE}, {"trigger": BACKUP})

    server = servers.run(idle=0.1, slow=1)

    assert server.wait(timeout=60) == 0
    assert len(kept_vectors(servers.folder)) == 3


def test_it_ends_when_its_address_is_another_ones(servers, data_folder):
    server = servers.run()

    write_address(data_folder, port=1)

    assert server.wait(timeout=60) == 0


def test_it_ends_when_it_is_told_to(servers, data_folder):
    server = servers.run()

    assert control.stop(data_folder)

    assert server.wait(timeout=60) == 0
    assert not control.stop(data_folder)


def test_nonsense_is_hung_up_on_and_harms_nobody(servers, data_folder):
    servers.run()

    with pytest.raises(ServerLate):
        servers.ask("push", wait_ms=0.001)
    for asked in ("", "near", 7):
        question: dict[str, object] = {"ask": asked, "prompt": {}, "project": 7, "wait_ms": "x", "version": ""}
        exchange(question, folder=data_folder, wait_ms=10_000)

    assert servers.status().state == "ready"


def test_a_model_that_cannot_be_loaded_leaves_one_sentence(servers, data_folder):
    server = servers.start(broken="The model is not there; run `embed prefetch`.")
    server.wait(timeout=60)

    found = servers.status()

    assert (found.state, found.problem) == ("absent", "The model is not there; run `embed prefetch`.")


def test_what_kept_it_from_starting_is_forgotten_once_it_starts(servers, data_folder):
    servers.start(broken="The model is not there.").wait(timeout=60)

    servers.run()

    assert servers.status().problem == ""


def test_without_the_token_nobody_gets_an_answer(servers, data_folder, monkeypatch, tmp_path):
    servers.run(sockets=False)
    address = read_address(data_folder)

    write_address(data_folder, **{**address, "token": "guessed"})

    assert servers.status().state == "hung"
    write_address(data_folder, **address)
    assert servers.status().state == "ready"
