import logging
import os
import stat
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path

import pytest

from extraction import llm_errors
from extraction.llm import ClaudeCli, choose_llm
from extraction.llm_errors import (
    LlmBusy,
    LlmCommandFailed,
    LlmError,
    LlmKeyRefused,
    LlmNotConfigured,
    LlmReplyEmpty,
    LlmReplyUnreadable,
    LlmRequestRefused,
    LlmServerFailed,
    LlmTimeout,
    LlmUnreachable,
)
from extraction.llm_http import HttpLlm
from extraction.prompts import BEGIN_FENCE, END_FENCE, extract_question
from tests.conftest import MANAGE
from tests.extraction.chat_server import Reply, completion, failure, serving

KEY = "sk-test-0123456789abcdef0123456789"
QUESTION = extract_question("[User] use pnpm", limit=3)


def ask(server, *, retries=0, question=QUESTION):
    return HttpLlm(base_url=server.url, model="small", api_key=KEY, retries=retries).answer(question)


def only(kind, reply):
    """A server that answers a request for this response format and refuses every other."""

    def answer(request):
        asked = request.get("response_format", {"type": "text"})["type"]
        return reply if asked == kind else failure(400, words=f"response_format {asked} is not supported")

    return answer


def test_the_answer_of_an_endpoint_is_its_text():
    with serving(completion('{"rules": []}')) as server:
        assert ask(server) == '{"rules": []}'

    [request] = server.requests
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert (request["model"], request["max_tokens"]) == ("small", 3000)
    assert request["response_format"]["json_schema"]["schema"]["required"] == ["rules"]
    assert server.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize(("kind", "requests"), [("json_schema", 1), ("json_object", 2), ("text", 3)])
def test_structured_output_is_asked_for_as_strictly_as_the_server_takes_it(kind, requests):
    with serving(only(kind, completion("{}"))) as server:
        assert ask(server) == "{}"

    assert len(server.requests) == requests


def test_the_way_that_worked_is_remembered():
    with serving(only("text", completion("{}"))) as server:
        llm = HttpLlm(base_url=server.url, model="small", retries=0)
        llm.answer(QUESTION)
        llm.answer(QUESTION)

    assert len(server.requests) == 4


def test_a_server_that_wants_the_limit_under_its_newer_name_gets_it():
    def answer(request):
        return (
            completion("{}")
            if "max_completion_tokens" in request
            else failure(400, words="use max_completion_tokens instead")
        )

    with serving(answer) as server:
        assert ask(server) == "{}"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (failure(401, words=f"Incorrect API key provided: {KEY}"), LlmKeyRefused),
        (failure(403), LlmKeyRefused),
        (failure(404), LlmRequestRefused),
        (failure(400), LlmRequestRefused),
        (failure(429), LlmBusy),
        (failure(500, words=f"crash with {KEY}"), LlmServerFailed),
        (failure(503), LlmServerFailed),
        (Reply({}, resets=True), LlmUnreachable),
        (completion(None), LlmReplyEmpty),
        (completion("  \n"), LlmReplyEmpty),
        (completion(None, reasoning_content="hm"), LlmReplyEmpty),
        (Reply("<html>a proxy's page</html>"), LlmReplyUnreadable),
        (Reply({"choices": []}), LlmReplyUnreadable),
        (Reply({"choices": None}), LlmReplyUnreadable),
        (Reply({"error": {"message": "no"}}), LlmReplyUnreadable),
        (completion([{"type": "text", "text": "{}"}]), LlmReplyUnreadable),
    ],
    ids=["401", "403", "404", "400", "429", "500", "503", "reset", "null content", "blank", "only reasoning", "html", "no choice", "null choices",
         "error in 200", "content is a list"],
)  # fmt: skip
def test_each_failure_has_its_class_and_one_sentence_without_the_key(reply, error, caplog):
    caplog.set_level(logging.DEBUG)

    with serving(reply) as server, pytest.raises(error) as caught:
        ask(server)

    assert KEY not in f"{caught.value} {caught.value!r} {caplog.text}"
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert str(caught.value).count(". ") == 0


def test_a_slow_server_is_a_timeout():
    slow = Reply({}, delay_seconds=1.0)

    with serving(slow) as server, pytest.raises(LlmTimeout):
        ask(server, question=replace(QUESTION, timeout_seconds=0.2))


def test_nobody_listening_is_unreachable():
    with serving(completion("{}")) as server:
        pass

    with pytest.raises(LlmUnreachable):
        ask(server)


@pytest.mark.parametrize("first", [failure(500), failure(429), Reply({}, resets=True)], ids=["500", "429", "reset"])
def test_what_passes_is_tried_again(first):
    with serving(first, completion("{}")) as server:
        assert ask(server, retries=2) == "{}"

    assert len(server.requests) == 2


def test_retry_after_is_waited_for():
    with serving(failure(429, Retry_After="1"), completion("{}")) as server:
        ask(server, retries=1)

    assert server.times[1] - server.times[0] >= 1.0


def test_what_will_not_pass_is_not_tried_again():
    with serving(failure(401)) as server, pytest.raises(LlmKeyRefused):
        ask(server, retries=3)

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "error", [value for value in vars(llm_errors).values() if isinstance(value, type)], ids=lambda error: error.__name__
)
def test_every_error_is_explained_in_one_sentence(error):
    assert issubclass(error, LlmError)
    assert error.__doc__.endswith(".")
    assert error.__doc__.count(".") == 1


def command(folder, script):
    path = folder / "claude"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def cli(tmp_path, script, **environ):
    return ClaudeCli(
        command=command(tmp_path, script), environ={"PATH": os.environ["PATH"]} | environ, folder=str(tmp_path)
    )


class TestClaudeCommand:
    def test_the_body_goes_in_on_stdin_and_the_flags_keep_it_alone(self, tmp_path):
        answer = cli(tmp_path, 'printf "%s|" "$@"; cat; echo "|$NOKORI_EXTRACTING|$CLAUDECODE"', CLAUDECODE="1").answer(
            QUESTION
        )

        flags, _, rest = answer.partition(QUESTION.system)
        assert flags == "-p|--model|haiku|--system-prompt|"
        assert rest == f"|--no-session-persistence|--setting-sources||--tools||{QUESTION.body}|1|"

    def test_a_failing_command_is_a_clear_error_without_its_words(self, tmp_path):
        with pytest.raises(LlmCommandFailed, match="exit code 3") as caught:
            cli(tmp_path, f"echo {KEY}; echo {KEY} >&2; exit 3").answer(QUESTION)

        assert KEY not in str(caught.value)

    def test_silence_is_an_empty_reply(self, tmp_path):
        with pytest.raises(LlmReplyEmpty):
            cli(tmp_path, "cat > /dev/null").answer(QUESTION)

    def test_a_command_that_cannot_start_is_a_clear_error(self, tmp_path):
        with pytest.raises(LlmCommandFailed):
            ClaudeCli(command=str(tmp_path / "gone"), environ={}, folder=str(tmp_path)).answer(QUESTION)

    def test_nb059_a_hanging_command_is_ended_with_all_that_it_started(self, tmp_path, monkeypatch):
        monkeypatch.setattr("extraction.llm.CLI_TIMEOUT_SECONDS", 0.5)
        llm = cli(tmp_path, f"sleep 60 & echo $! > {tmp_path}/child; cat > /dev/null; wait")

        with pytest.raises(LlmTimeout):
            llm.answer(replace(QUESTION, timeout_seconds=0.1))

        assert is_gone(int((tmp_path / "child").read_text()))

    def test_a_command_that_does_not_read_its_input_is_no_crash(self, tmp_path):
        question = replace(QUESTION, body="x" * 300_000)

        assert cli(tmp_path, "echo '{}'").answer(question) == "{}"

    def test_a_body_that_is_too_long_loses_its_middle_and_keeps_both_delimiters(self, tmp_path):
        question = extract_question("界" * 200_000, limit=3)

        answer = cli(tmp_path, "cat").answer(question)

        assert len(answer.encode()) <= 400_000
        assert (answer.splitlines()[0], answer.splitlines()[-1]) == (BEGIN_FENCE, END_FENCE)
        assert set("".join(answer.splitlines()[1:-1])) == set("界[.]")


def is_gone(pid):
    """Whether the process has ended within two seconds, reaped or not."""
    for _ in range(100):
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return True
        time.sleep(0.02)
    return False


class TestChoice:
    def choose(self, *, base_url="", model="", environ=None):
        return choose_llm(base_url=base_url, model=model, api_key="", environ=environ or {"PATH": ""}, folder=".")

    def test_an_endpoint_comes_first(self):
        assert isinstance(self.choose(base_url="http://127.0.0.1:1/v1", model="small"), HttpLlm)

    def test_without_one_it_is_the_command(self, tmp_path):
        command(tmp_path, "cat")

        assert isinstance(self.choose(environ={"PATH": str(tmp_path)}), ClaudeCli)

    def test_without_either_there_is_nothing_to_ask(self):
        with pytest.raises(LlmNotConfigured, match=r"set llm\.base_url"):
            self.choose()

    def test_an_endpoint_without_a_model_is_said(self):
        with pytest.raises(LlmNotConfigured, match=r"llm\.model is not"):
            self.choose(base_url="http://127.0.0.1:1/v1")

    def test_nb062_an_extraction_never_starts_another(self):
        with pytest.raises(LlmNotConfigured, match="must not start another"):
            self.choose(base_url="http://127.0.0.1:1/v1", model="small", environ={"NOKORI_EXTRACTING": "1"})


def test_nb062_a_client_that_calls_its_hooks_all_the_same_starts_nothing(tmp_path, data_folder):
    """The depth is 1: the hooks of a child of an extraction pass and leave no note, so nothing follows from it."""
    hook = f"{sys.executable} -I -S {MANAGE} hook session-end"
    payload = '{"session_id": "s1", "transcript_path": "/t.jsonl"}'
    llm = cli(tmp_path, f"cat > /dev/null; echo '{payload}' | {hook}; echo '{{}}'", NOKORI_DATA_DIR=data_folder.root)

    assert llm.answer(QUESTION) == "{}"

    assert not list(Path(data_folder.spool_new).glob("*"))
