"""A submitted prompt: what it is searched with, what the agent is told, what is remembered and noted."""

import json
import time
from pathlib import Path

import pytest

from rules.projects import project_id
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH, LOCKFILE, LOCKFILE_PROMPT, SESSION

NOTIFICATION = (
    "<task-notification>\n<task-id>a1</task-id>\n<summary>Agent finished</summary>\n"
    + "- git push --force to the shared branch\n" * 20
    + "</task-notification>"
)


def session_file(folder):
    return json.loads(Path(folder.sessions, f"{SESSION}.json").read_bytes())


def test_nb001_the_text_stands_where_the_host_looks_for_it(run_hook, publish):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    answer = json.loads(done.stdout)
    assert list(answer) == ["hookSpecificOutput"]
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "Use --force-with-lease" in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("event", ["session-start", "user-prompt-submit", "pre-tool-use", "session-end"])
def test_nb002_no_event_answers_with_a_top_level_key_of_its_own(run_hook, publish, event):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1")

    done = run_hook(event, prompt=FORCE_PROMPT, prompt_id="1", tool_name="Bash", tool_input={"command": "ls"})

    assert set(json.loads(done.stdout or b"{}")) <= {"hookSpecificOutput"}


def test_nb003_rule_text_goes_to_the_agent_not_to_the_user(run_hook, publish):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert b"systemMessage" not in done.stdout


def test_the_answer_is_ascii_whatever_the_rule_is_written_in(run_hook, publish):
    publish(FORCE_PUSH | {"action": "改用 --force-with-lease"})

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert done.stdout.isascii()
    assert "改用" in done.context


def test_an_unrelated_prompt_gets_nothing_and_is_noted_all_the_same(run_hook, publish, notes):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt="what is the weather like")

    assert done.is_pass
    assert [note["shown"] for note in notes("prompt")] == [[]]


def test_a_note_tells_what_was_shown_and_never_the_prompt(run_hook, publish, notes, tmp_path):
    publish(FORCE_PUSH)

    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="key-1")

    (note,) = notes()
    assert note["shown"] == [{"rule_id": FORCE_PUSH["rule_id"], "short_id": "a1b2c3", "level": "hot", "full": True}]
    assert (note["session_id"], note["prompt_key"], note["armed"]) == (SESSION, "key-1", "a1b2c3")
    assert note["project_id"] == project_id(str(tmp_path))
    assert "push" not in json.dumps(note)


def test_a_rule_is_shown_in_full_once_and_then_by_its_line(run_hook, publish, notes):
    publish(FORCE_PUSH)
    first = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1")

    second = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="2")

    assert "because: a forced push" in first.context
    assert "[HOT a1b2c3] Force pushing to a shared branch — Use --force-with-lease" in second.context
    assert [note["shown"][0]["full"] for note in notes("prompt")] == [True, False]


def test_after_a_compaction_it_is_shown_in_full_again(run_hook, publish):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1")
    run_hook("session-start", source="compact")

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="2")

    assert "because: a forced push" in done.context


def test_a_resumed_session_still_has_it(run_hook, publish):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1")
    run_hook("session-start", source="resume")

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="2")

    assert "because: a forced push" not in done.context


def test_a_host_that_names_no_session_gets_the_whole_rule_each_time(run_hook, publish, data_folder):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", session_id="", prompt=FORCE_PROMPT)

    done = run_hook("user-prompt-submit", session_id="", prompt=FORCE_PROMPT)

    assert "because: a forced push" in done.context
    assert not Path(data_folder.gate_markers).exists()


def test_a_budget_of_zero_injects_nothing_and_arms_nothing(run_hook, publish, notes):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env={"NOKORI_MAX_INJECTION_CHARS": "0"})

    assert done.is_pass
    assert (notes("prompt")[0]["shown"], notes("prompt")[0]["armed"]) == ([], None)


def test_a_chinese_prompt_gets_the_chinese_texts(run_hook, publish):
    publish(FORCE_PUSH | {"trigger_zh": "强制推送到共享分支", "action_zh": "改用新分支", "variants": ("强制推送",)})

    done = run_hook("user-prompt-submit", prompt="我要强制推送到共享分支")

    assert "强制推送到共享分支" in done.context
    assert "改用新分支" in done.context
    assert "a forced push" in done.context  # the one text that has no Chinese twin


@pytest.mark.parametrize("prompt", [NOTIFICATION, "", "   ", "<command-name>/compact</command-name>"])
def test_nb025_text_that_nobody_typed_is_not_searched_with(run_hook, publish, notes, data_folder, prompt):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt=prompt)

    assert done.is_pass
    assert [(note["machine"], note["shown"], note["armed"]) for note in notes()] == [(True, [], None)]
    assert not Path(data_folder.gate_markers).exists()


def test_nb026_a_report_full_of_rule_words_matches_nothing(run_hook, publish, notes):
    publish(FORCE_PUSH, LOCKFILE)

    run_hook("user-prompt-submit", prompt=NOTIFICATION)

    assert [(note["shown"], note["shadow"]) for note in notes("prompt")] == [([], [])]


def test_a_prompt_inside_a_sub_agent_gets_nothing(run_hook, publish):
    publish(FORCE_PUSH)

    assert run_hook("user-prompt-submit", prompt=FORCE_PROMPT, agent_id="a1").is_pass


def test_a_rule_of_another_project_is_counted_and_not_shown(run_hook, publish, notes):
    publish(FORCE_PUSH | {"scope": "project", "project_id": "other-00000000"})

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert done.is_pass
    assert notes("prompt")[0]["shadow"] == [{"rule_id": FORCE_PUSH["rule_id"], "level": "hot"}]


def test_without_promotion_nothing_is_counted(run_hook, publish, notes):
    publish(FORCE_PUSH | {"scope": "project", "project_id": "other-00000000"})

    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env={"NOKORI_PROMOTION_ENABLED": "0"})

    assert notes("prompt")[0]["shadow"] == []


def test_a_dormant_rule_that_would_be_hot_is_shown_warm_and_noted_as_reactivated(run_hook, publish, notes):
    publish(FORCE_PUSH | {"status": "dormant"})

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert "[WARM a1b2c3]" in done.context
    assert notes("prompt")[0]["reactivated"] == [{"rule_id": FORCE_PUSH["rule_id"], "level": "warm"}]
    assert notes("prompt")[0]["armed"] is None


def test_nb109_each_prompt_belongs_to_the_project_of_its_own_folder(run_hook, publish, notes, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    environment = {"CLAUDE_PROJECT_DIR": str(tmp_path / "one")}
    run_hook("session-start", cwd=str(tmp_path / "one"), source="startup", env=environment)

    run_hook("user-prompt-submit", cwd=str(tmp_path / "two"), prompt="hello", env=environment)

    assert [note["project_id"].partition("-")[0] for note in notes()] == ["one", "two"]


def test_two_registrations_of_one_prompt_answer_once(run_hook, publish, notes):
    publish(FORCE_PUSH)

    answers = [run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1").context for _ in range(2)]

    assert (bool(answers[0]), answers[1]) == (True, "")
    assert len(notes("prompt")) == 1


def test_with_coalescing_off_both_answer(run_hook, publish, notes):
    publish(FORCE_PUSH)

    for _ in range(2):
        run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1", env={"NOKORI_HOOK_COALESCE": "0"})

    assert len(notes("prompt")) == 2


def test_the_same_words_a_few_seconds_later_get_their_rules_again(run_hook, publish):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT)
    time.sleep(3.1)

    assert "a1b2c3" in run_hook("user-prompt-submit", prompt=FORCE_PROMPT).context


def test_a_damaged_session_file_is_a_new_session_and_noted(run_hook, publish, data_folder, notes):
    publish(FORCE_PUSH)
    path = Path(data_folder.sessions, f"{SESSION}.json")
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"v": 1, "shown": [')

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert "a1b2c3" in done.context
    assert [note["error"] for note in notes("failure")] == ["SessionUnreadable"]
    assert "a1b2c3" in session_file(data_folder)["shown"]


@pytest.mark.parametrize(
    "content", [b"", b"damaged", b"NokoriIx" + b"\xff" * 400], ids=["empty", "short", "other version"]
)
def test_a_damaged_index_injects_nothing_and_is_noted(run_hook, data_folder, notes, content):
    Path(data_folder.published).mkdir(parents=True)
    Path(data_folder.published, "rules.idx").write_bytes(content)

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert done.is_pass
    assert [note["error"] for note in notes("failure")] == ["IndexUnreadable"]


def test_a_fresh_data_folder_is_no_failure(run_hook, notes):
    assert run_hook("user-prompt-submit", prompt=FORCE_PROMPT).is_pass
    assert notes("failure") == []


def test_nb027_a_prompt_that_was_never_submitted_does_not_stop_its_tool_call(run_hook, publish, notes):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="submitted")

    done = run_hook("pre-tool-use", tool_name="Bash", tool_input={"command": "ls"}, prompt_id="typed-in-between")

    assert done.is_pass
    assert [note["answer"] for note in notes("gate")] == ["mismatch"]


def test_a_solution_is_shown_and_arms_nothing(run_hook, publish, notes):
    publish(LOCKFILE)

    done = run_hook("user-prompt-submit", prompt=LOCKFILE_PROMPT)

    assert "[HOT d4e5f6]" in done.context
    assert notes("prompt")[0]["armed"] is None
