import io
import json
import re
import sys

import pytest
from django.core.management import CommandError, call_command

from rules.models import PUBLISHED_FIELDS, Rule
from rules.projects import project_id
from tests.factories import make_rule

pytestmark = pytest.mark.django_db
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
WORDS = ("--trigger", "Naming a branch", "--action", "Use a short name")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(*arguments, encoding="utf-8"):
    """What the verb prints on a stream of that encoding."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    call_command(*arguments, stdout=stream)
    return stream.buffer.getvalue().decode(encoding)


def test_add_tells_that_the_rule_is_in_use_and_why():
    said = run("add", *WORDS)

    rule = Rule.objects.get()
    assert said.startswith(f"added {rule.short_id} (active)\n")
    assert "a correction of high confidence is believed at once" in said


def test_add_tells_why_a_rule_is_only_a_candidate_and_how_to_use_it():
    said = run("add", *WORDS, "--source-type", "preference")

    rule = Rule.objects.get()
    assert said.startswith(f"added {rule.short_id} (candidate)\n")
    assert "not preference of high confidence" in said
    assert f"`edit {rule.short_id} --status active`" in said


def test_add_tells_that_it_took_a_secret_out():
    said = run("add", *WORDS, "--rationale", f"the token is {SECRET}")

    rule = Rule.objects.get()
    assert SECRET not in rule.rationale
    assert f"A secret was taken out of its words, for rules are shown to models: see `show {rule.short_id}`." in said


def test_edit_tells_that_it_took_a_secret_out():
    rule = make_rule()

    assert "A secret was taken out" in run("edit", rule.short_id, "--rationale", f"the token is {SECRET}")


def test_add_refuses_what_a_rule_says_already_and_names_it():
    run("add", *WORDS)
    twin = Rule.objects.get()

    with pytest.raises(CommandError, match=rf"Rule {twin.short_id} \(active\) says the same.*--force adds another"):
        run("add", "--trigger", " naming a branch", "--action", "Use a short name")

    assert Rule.objects.count() == 1


@pytest.mark.parametrize("more", [["--force"], ["--project-id", "p-1"]], ids=["forced", "another project"])
def test_add_takes_the_same_words_when_told_to_or_for_another_project(more):
    run("add", *WORDS)

    run("add", *WORDS, *more)

    assert Rule.objects.count() == 2


def test_a_long_trigger_in_any_script_is_compared_too():
    run("add", "--trigger", "强推" * 8000, "--action", "停")

    with pytest.raises(CommandError, match="says the same"):
        run("add", "--trigger", "强推" * 8000, "--action", "停")


def test_add_takes_the_words_of_a_rule_that_was_dismissed():
    run("add", *WORDS)
    run("dismiss", Rule.objects.get().short_id)

    run("add", *WORDS)

    assert Rule.objects.count() == 2


def test_a_project_without_rules_is_told_beside_the_id_of_this_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = project_id(str(tmp_path))

    first = run("add", *WORDS, "--project-id", "shop")
    second = run("add", "--trigger", "Naming a tag", "--action", "Use a version", "--project-id", "shop")

    assert f"first rule of project shop; this folder's id is {here}" in first
    assert "first rule" not in second
    assert run("list", "--project", "other") == f"(no rules of project other; this folder's id is {here})\n"


def test_a_dot_is_the_project_of_this_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    run("add", *WORDS, "--project-id", ".")

    rule = Rule.objects.get()
    assert rule.project_id == project_id(str(tmp_path))
    assert rule.short_id in run("list", "--project", ".")


def test_add_takes_every_column():
    run(
        "add", *WORDS, "--rationale", "r", "--behavior", "b", "--variants", 'git push -f,"a, b"', "--terms-en", "push",
        "--terms-zh", "强推，覆盖", "--trigger-zh", "推", "--action-zh", "做", "--rationale-zh", "因", "--behavior-zh", "行",
        "--variants-zh", "推、压", "--excludes", "revert", "--tool-pattern", "push", "--source-type", "solution",
        "--confidence", "low", "--project-id", "p-1",
    )  # fmt: skip

    rule = Rule.objects.get()
    assert rule.variants == ["git push -f", "a, b"]
    assert rule.variants_zh == ["推", "压"]
    assert rule.search_terms == {"en": ["push"], "zh": ["强推", "覆盖"]}
    assert [name for name in sorted(PUBLISHED_FIELDS) if not getattr(rule, name)] == []
    assert (rule.behavior, rule.behavior_zh, rule.project_scope) == ("b", "行", "project")


@pytest.mark.parametrize("stdin", [io.StringIO("a pipe\n"), Terminal("")], ids=["pipe", "end of input"])
def test_add_without_words_is_refused_when_nobody_answers(monkeypatch, stdin):
    monkeypatch.setattr(sys, "stdin", stdin)

    with pytest.raises(CommandError, match="--trigger and --action must be given"):
        run("add")


def test_add_asks_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal("Naming a branch\n"))

    run("add", "--action", "Use a short name")

    assert Rule.objects.get().trigger == "Naming a branch"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("add", "--trigger", " ", "--action", "a"), "trigger is empty."),
        (("add", "--trigger", "abc", "--action", ""), "action is empty."),
        (("add", *WORDS, "--tool-pattern", "("), "tool_pattern is not a regular expression"),
        (("show", "ffffff"), "No rule has the short_id ffffff"),
        (("dismiss", "nonsense"), "'nonsense' is not a short_id"),
        (("edit", "aaa", "--action", "b"), "aaa may be aaaaaa, aaabbb; give more digits."),
        (("edit", "aaaaaa", "--status", "dormant"), "aaaaaa is archived and can only become active, not dormant."),
        (("edit", "aaabbb", "--action", ""), "action is empty."),
    ],
    ids=lambda value: " ".join(value)[:30],
)
def test_a_mistake_is_one_clear_line(arguments, sentence):
    make_rule(short_id="aaaaaa", status="archived")
    make_rule(short_id="aaabbb")

    with pytest.raises(CommandError) as stated:
        run(*arguments)

    assert sentence in str(stated.value)
    assert stated.value.returncode == 1


def test_wrong_usage_exits_with_2(run_manage):
    assert run_manage("edit", "aaaaaa", "--status", "merged").returncode == 2


def test_list_shows_rules_in_use_the_newest_first():
    old, new = make_rule(short_id="aaaaaa"), make_rule(short_id="bbbbbb", status="dormant", project_id="shop-1234abcd")
    run("edit", "bbbbbb", "--rationale", "changed")
    make_rule(status="candidate")

    lines = run("list").splitlines()

    assert len(lines) == 6
    assert lines[0].split() == ["bbbbbb", "dormant", "correction", "high", "hits=0", "scope=shop-1234abcd"]
    assert lines[3].split() == ["aaaaaa", "active", "correction", "high", "hits=0", "scope=global"]
    assert lines[4:] == [f"  trigger: {old.trigger}", f"  action : {new.action}"]


def test_list_on_a_terminal_is_a_table_as_wide_as_the_terminal(monkeypatch):
    rule = make_rule(trigger="Pushing [bold]by force[/bold] " * 5)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "90")

    call_command("list")
    call_command("list", "--no-color")

    table, plain = terminal.getvalue().split(f"\n{rule.short_id}  active", 1)
    rows = re.sub(r"\x1b\[[0-9;]*m", "", table).splitlines()
    assert rows[0].split() == ["short_id", "status", "type", "conf.", "hits", "scope", "when", "then"]
    assert rows[1].startswith(rule.short_id)
    assert max(map(len, rows)) <= 90
    assert "[bold]by" in table
    assert "\x1b" in table
    assert "\x1b" not in plain


def test_list_keeps_long_or_broken_text_on_one_line():
    make_rule(trigger="word \n" * 50)

    assert run("list").splitlines()[1] == "  trigger: " + ("word " * 12)[:57] + "..."


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ((), {"active", "dormant"}),
        (("--all",), {"active", "dormant", "candidate", "archived"}),
        (("--status", "candidate"), {"candidate"}),
        (("--status", "candidate", "--status", "archived"), {"candidate", "archived"}),
        (("--project", "here"), {"dormant"}),
        (("--project", "here", "--all"), {"dormant", "candidate"}),
        (("--project", "nowhere"), set()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_list_can_be_narrowed_and_widened(arguments, shown):
    make_rule(status="active")
    make_rule(status="archived", project_id="there")
    make_rule(status="dormant", project_id="here")
    make_rule(status="candidate", project_id="here")

    assert {rule["status"] for rule in json.loads(run("list", *arguments, "--json"))} == shown


def test_list_tells_of_rules_that_it_does_not_show():
    assert run("list") == "(no rules)\n"
    make_rule(status="candidate")
    assert run("list") == "(no rules; --all shows 1 of other statuses)\n"


def test_show_prints_every_column_evidence_and_history():
    run(
        "add",
        *WORDS,
        "--variants",
        "branch names",
        "--terms-en",
        "branch,name",
        "--excludes",
        "git tag",
        "--behavior",
        "b",
    )
    rule = Rule.objects.get()
    run("edit", rule.short_id, "--status", "dormant")

    said = run("show", rule.short_id)

    for part in (str(rule.id), rule.short_id, "dormant", "Naming a branch", "- branch names", "en: branch, name",
                 "- git tag", "+3 user_correction", "new > active", "active > dormant  by command"):  # fmt: skip
        assert part in said


def test_show_json_names_every_column():
    rule = make_rule()

    record = json.loads(run("show", rule.short_id, "--json"))

    columns = {field.name for field in Rule._meta.concrete_fields}
    assert set(record) == columns | {"evidence", "shadow_hits", "history", "waits_to_replace"}
    assert record["id"] == str(rule.id)


def test_edit_names_what_changed():
    rule = make_rule()

    assert run("edit", rule.short_id, "--action", "Ask", "--status", "dormant") == (
        f"updated {rule.short_id}: action, status\n"
    )
    assert run("edit", rule.short_id, "--action", "Ask", "--status", "dormant") == (
        f"nothing to update: {rule.short_id} is dormant already, with these very words\n"
    )
    assert run("edit", rule.short_id) == f"nothing to update: {rule.short_id} is dormant already\n"


def test_edit_replaces_the_terms_of_one_language_only():
    rule = make_rule(search_terms={"en": ["push"], "zh": ["推"], "ja": ["プッシュ"]})

    run("edit", rule.short_id, "--terms-en", "force", "--terms-zh", "")

    assert Rule.objects.get().search_terms == {"en": ["force"], "ja": ["プッシュ"]}


def test_a_refused_status_takes_the_words_back_as_well():
    rule = make_rule(short_id="aaaaaa", status="archived")

    with pytest.raises(CommandError):
        run("edit", "aaaaaa", "--action", "Ask", "--status", "dormant")

    assert Rule.objects.get().action == rule.action


def test_dismiss_needs_no_injection_and_can_be_taken_back():
    rule = make_rule(short_id="aaaaaa")

    assert run("dismiss", "aaaaaa").startswith("dismissed aaaaaa\n")
    assert run("dismiss", "aaaaaa") == "aaaaaa is archived already\n"
    assert run("edit", "aaaaaa", "--status", "active") == "updated aaaaaa: status\n"

    rule.refresh_from_db()
    assert rule.status == "active"


def test_json_of_add_edit_and_dismiss():
    added = json.loads(run("add", *WORDS, "--json"))
    edited = json.loads(run("edit", added["short_id"], "--action", "Ask", "--json"))
    dismissed = json.loads(run("dismiss", added["short_id"], "--json"))

    assert (added["status"], edited["changed"], edited["rule"]["action"]) == ("active", ["action"], "Ask")
    assert (dismissed["dismissed"], dismissed["rule"]["status"]) == (True, "archived")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_is_whole_in_every_terminal(encoding):
    make_rule(trigger="推送 🐙 é")

    (record,) = json.loads(run("list", "--json", encoding=encoding))

    assert record["trigger"] == "推送 🐙 é"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_the_characters_gets_escapes(encoding, run_manage, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    added = run_manage("add", "--trigger", "推送 🐙 branch", "--action", "問う")
    short_id = added.stdout.split()[1]

    for verb in (("list",), ("show", short_id)):
        said = run_manage(*verb)
        assert (said.returncode, said.stderr) == (0, "")
        assert "branch" in said.stdout
