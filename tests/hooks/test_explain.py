"""`retrieve` shows what the hook would do with a prompt, number by number, and changes nothing."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from hooks.explain import Lens, as_record, as_text, explain
from hooks.models import HookCall
from retrieval.lexical.segment import IndexUnreadable
from retrieval.publish import publish_all
from rules.models import Injection, ShadowHit
from tests.factories import make_rule
from tests.hooks.spooled import NOON

pytestmark = pytest.mark.django_db(transaction=True)  # publishing reads what is committed

PROMPT = "I'll just git push --force this shared branch"
LENS = Lens(budget_chars=1500, verb="dismiss", is_gate_on=True)


@pytest.fixture
def pool(data_folder):
    """A gating rule, a resting one, one of another project, and one about something else."""
    rules = {
        "push": make_rule(variants=["git push --force"]),
        "dormant": make_rule(trigger="Renaming a public column", action="Do it in two steps", status="dormant"),
        "away": make_rule(
            trigger="Deleting a remote branch", action="Ask first", project_id="other-11111111", created_at=NOON
        ),
        "editor": make_rule(trigger="Choosing an editor theme", action="Keep the dark one", source_type="preference"),
    }
    publish_all(calibrate=True)
    return rules


@pytest.fixture
def explained(data_folder, pool):
    def explained(prompt=PROMPT, *, project_id="here-22222222", lens=LENS):
        return explain(prompt, folder=data_folder, project_id=project_id, lens=lens)

    return explained


def contents(folder):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def test_a_close_match_is_hot_with_its_numbers_and_reason(explained, pool):
    [hit] = as_record(explained())["hot"]

    assert hit["short_id"] == pool["push"].short_id
    assert hit["matched"] == ["branch", "force", "git", "push", "shared"]
    assert hit["bm25"] > hit["evidence"] > as_record(explained())["floor"]
    assert hit["coverage"] == pytest.approx(1)
    assert "clearly the best" in hit["reason"]


def test_the_pools_are_counted_apart(explained):
    record = as_record(explained())

    assert (record["formal_pool"], record["shadow_pool"], record["bm25_matches"]) == (3, 1, 1)


def test_a_rule_of_another_project_is_listed_as_shadow_only(explained, pool):
    record = as_record(explained("deleting a remote branch"))

    assert [hit["short_id"] for hit in record["shadow"]] == [pool["away"].short_id]
    assert pool["away"].short_id not in record["injected_text"]


def test_its_own_project_meets_it_in_the_formal_pool(explained, pool):
    record = as_record(explained("deleting a remote branch", project_id="other-11111111"))

    assert [hit["short_id"] for hit in record["hot"]] == [pool["away"].short_id]
    assert record["formal_pool"] == 4


def test_the_gate_would_block_for_a_hot_correction_and_names_its_action(explained, pool):
    gate = as_record(explained())["gate"]

    assert gate == {
        "would_block": True,
        "short_id": pool["push"].short_id,
        "action": pool["push"].action,
        "tool_pattern": "",
    }


@pytest.mark.parametrize(
    ("prompt", "lens"),
    [
        pytest.param("choosing an editor theme", LENS, id="a preference"),
        pytest.param(PROMPT, Lens(budget_chars=1500, verb="dismiss", is_gate_on=False), id="the gate is off"),
        pytest.param(PROMPT, Lens(budget_chars=0, verb="dismiss", is_gate_on=True), id="nothing is injected"),
    ],
)
def test_the_gate_would_not_block_otherwise(explained, prompt, lens):
    assert as_record(explained(prompt, lens=lens))["gate"]["would_block"] is False


def test_a_dormant_rule_is_warm_and_wakes_up(explained, pool):
    [hit] = as_record(explained("renaming a public column"))["warm"]

    assert (hit["short_id"], hit["reactivates"]) == (pool["dormant"].short_id, True)


def test_a_prompt_that_no_person_typed_is_not_searched_with(explained):
    explanation = explained(f"<task-notification>{PROMPT}</task-notification>")

    assert as_record(explanation)["bm25_matches"] == 0
    assert "no person typed this" in as_text(explanation)


def test_a_rule_that_was_dismissed_a_moment_ago_is_cold(explained, pool, data_folder):
    tombstone = Path(data_folder.tombstones, pool["push"].short_id)
    tombstone.parent.mkdir()
    tombstone.touch()

    [hit] = as_record(explained())["cold"]

    assert hit["reason"] == "dismissed a moment ago"


def test_the_text_has_the_form_of_the_seed(explained, pool):
    lines = as_text(explained()).splitlines()

    assert lines[0] == f'prompt        "{PROMPT}"'
    assert lines[1] == "project_id    here-22222222"
    assert lines[2:5] == ["formal.pool   3 rules", "shadow.pool   1 rule", "bm25.matches  1"]
    assert "HOT  (1):" in lines
    assert "WARM (0):" in lines
    assert "gate.would_block  True" in lines
    assert f"  {pool['push'].short_id}: {pool['push'].action}" in lines


def test_the_injected_text_is_what_the_hook_prints(pool, run_manage, data_folder, capsys):
    run_manage("add", "--trigger", "Force pushing to a shared branch", "--action", "Use a lease instead")
    payload = {"session_id": "s1", "cwd": str(Path.cwd()), "prompt": PROMPT}

    hook = run_manage("hook", "user-prompt-submit", stdin=json.dumps(payload))
    retrieved = json.loads(run_manage("retrieve", PROMPT, "--json").stdout)

    assert retrieved["injected_text"]
    assert json.loads(hook.stdout)["hookSpecificOutput"]["additionalContext"] == retrieved["injected_text"]


def test_it_writes_nothing(data_folder, pool, capsys):
    before = contents(data_folder.root)

    call_command("retrieve", PROMPT)

    assert contents(data_folder.root) == before
    assert not any(model.objects.exists() for model in (Injection, ShadowHit, HookCall))


def test_the_project_is_this_folders_unless_it_is_named(pool, capsys):
    call_command("retrieve", PROMPT)
    here = capsys.readouterr().out
    call_command("retrieve", PROMPT, "--project", "other-11111111")
    named = capsys.readouterr().out

    assert "shadow.pool   1 rule" in here
    assert "project_id    other-11111111\nformal.pool   4 rules" in named


def test_without_a_published_index_it_says_so(data_folder):
    with pytest.raises(CommandError, match="no published index"):
        call_command("retrieve", PROMPT)


def test_a_damaged_index_is_one_line_as_well(data_folder, pool):
    Path(data_folder.published, "rules.idx").write_bytes(b"\0" * 500)

    with pytest.raises(IndexUnreadable):
        explain(PROMPT, folder=data_folder, project_id="", lens=LENS)


def test_a_project_that_has_no_rule_is_told_beside_the_id_of_this_folder(run_manage):
    told = run_manage("retrieve", PROMPT, "--project", "shop")

    assert told.returncode == 0
    assert "(no rule belongs to project shop; this folder's id is " in told.stderr


def test_an_empty_prompt_is_refused_with_one_line(run_manage):
    told = run_manage("retrieve", " ")

    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == "nokori: The prompt is empty: say what to look up.\n"
