"""Our entries in a settings text: added, found and removed without a change to anything else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.platforms import CLAUDE
from hooks.registration import (
    SettingsRefused,
    hook_line,
    is_own,
    registrations,
    with_entries,
    without_entries,
)
from rules.fields import TOOL_MATCHER


def commands(python="/venv/bin/python", manage="/opt/nokori/manage.py"):
    return {entry.key: hook_line(python, manage, event=entry.event, is_windows=False) for entry in CLAUDE.entries}


FOREIGN = """{
    "model": "opus",
    "permissions": {"allow": ["Bash(ls:*)"], "n": 1.50, "s": "\\u00e9"},
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [
                {"type": "command", "command": "/home/me/nokori-notes/check.sh"},
                {"type": "command", "command": "python manage.py hook pre-tool-use --of-another-project"}
            ]}
        ],
        "PostToolUse": [{"hooks": [{"type": "http", "url": "http://localhost/x"}]}],
        "SessionStart": [
            {
                "hooks": [
                    {"type": "command", "command": "first"},
                    {"type": "command", "command": "second"},
                    {"type": "command", "command": "third"}
                ]
            }
        ]
    },
    "zzz": null
}
"""


def test_an_empty_file_gets_exactly_the_four_entries_each_with_a_timeout_in_seconds():
    text = with_entries(CLAUDE.new_file, commands())

    found = {row.key: (row.matcher, row.timeout) for row in registrations(text)}
    assert found == {
        "SessionStart": ("", 10),
        "UserPromptSubmit": ("", 10),
        "PreToolUse": (TOOL_MATCHER, 5),
        "SessionEnd": ("", 20),
    }
    assert list(json.loads(text)["hooks"]) == list(found)


def test_nb051_timeouts_are_seconds_not_milliseconds():
    assert all(5 <= entry.timeout_seconds <= 20 for entry in CLAUDE.entries)


def test_nb121_other_hooks_and_settings_stay_byte_for_byte():
    text = with_entries(FOREIGN, commands())

    added = iter(text)
    assert all(character in added for character in FOREIGN)  # FOREIGN is what is left when additions are taken away
    before, after = json.loads(FOREIGN), json.loads(text)
    assert {**after, "hooks": None} == {**before, "hooks": None}
    assert after["hooks"]["PreToolUse"][:1] == before["hooks"]["PreToolUse"]
    assert after["hooks"]["SessionStart"][:1] == before["hooks"]["SessionStart"]
    assert after["hooks"]["PostToolUse"] == before["hooks"]["PostToolUse"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CLAUDE.new_file, id="empty object"),
        pytest.param(FOREIGN, id="foreign hooks"),
        pytest.param('{"model":"opus"}', id="one line"),
        pytest.param('{\r\n\t"model": "opus"\r\n}', id="tabs, CRLF, no last line end"),
        pytest.param('{"hooks": {"Stop": []}, "a": 1}\n', id="hooks first"),
    ],
)
def test_removing_our_entries_gives_the_text_from_before_them(text):
    assert without_entries(with_entries(text, commands())) == text


GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(st.fixed_dictionaries({"command": st.text(), "type": st.just("command")}), max_size=2)},
    optional={"matcher": st.text(max_size=5), "_tag": st.none() | st.integers()},
)
EVENT_KEYS = st.sampled_from(["SessionStart", "PreToolUse", "SessionEnd", "Stop", ""])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.text(),
        "hooks": st.dictionaries(EVENT_KEYS, st.lists(GROUPS | st.none(), min_size=1, max_size=2), min_size=1),
        "permissions": st.dictionaries(st.text(), st.lists(st.text(), max_size=2), max_size=2),
    },
)


@given(SETTINGS, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_whatever_others_have_there_it_is_whole_with_our_entries_and_as_before_without_them(
    settings, indent, is_spaced
):
    separators = (",", ": ") if indent else (", ", ": ") if is_spaced else (",", ":")
    text = json.dumps(settings, indent=indent, separators=separators)

    registered = with_entries(text, commands())

    assert len(registrations(registered)) == 4
    assert without_entries(registered) == text


@pytest.mark.parametrize("text", [CLAUDE.new_file, FOREIGN, '{"model":"opus"}'], ids=["empty", "foreign", "one line"])
def test_adding_twice_is_adding_once(text):
    once = with_entries(text, commands())

    assert with_entries(once, commands()) == once


def test_nb022_entries_of_older_paths_collapse_to_one_in_the_place_of_the_first():
    first = with_entries(FOREIGN, commands(manage="/first/manage.py"))
    stacked = json.loads(first)
    for path in ("/second/manage.py", "/third place/manage.py"):
        for key, command in commands(python=r"C:\py 3\python.exe", manage=path).items():
            stacked["hooks"][key].append({"hooks": [{"type": "command", "command": command}]})

    text = with_entries(json.dumps(stacked, indent=4), commands())

    assert [row.command for row in registrations(text)] == [
        commands()[key] for key in ("PreToolUse", "SessionStart", "UserPromptSubmit", "SessionEnd")
    ]
    assert json.loads(text) == json.loads(with_entries(FOREIGN, commands()))


def test_one_of_ours_in_a_group_of_others_is_updated_and_removed_alone():
    ours = json.dumps(commands(manage="/old/manage.py")["PreToolUse"])
    text = f'{{"hooks": {{"PreToolUse": [{{"matcher": "*", "hooks": [{{"command": {ours}}}, {{"command": "a"}}]}}]}}}}'

    updated = with_entries(text, commands())
    cleaned = without_entries(text)

    row = registrations(updated)[0]
    assert (row.command, row.matcher, row.timeout) == (commands()["PreToolUse"], "*", 5)
    assert cleaned == '{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"command": "a"}]}]}}'


def test_a_matcher_and_a_timeout_that_the_user_changed_are_kept():
    theirs = json.loads(with_entries(CLAUDE.new_file, commands()))
    theirs["hooks"]["PreToolUse"][0]["matcher"] = "*"
    theirs["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 30

    text = with_entries(json.dumps(theirs), commands(manage="/new/manage.py"))

    row = next(row for row in registrations(text) if row.key == "PreToolUse")
    assert (row.matcher, row.timeout) == ("*", 30)


def test_one_of_ours_under_an_event_that_is_not_registered_any_more_goes():
    text = json.dumps({"hooks": {"PostToolUse": [{"hooks": [{"command": commands()["PreToolUse"]}]}], "Stop": []}})

    assert [row.key for row in registrations(with_entries(text, commands()))] == list(commands())
    assert json.loads(without_entries(text)) == {"hooks": {"Stop": []}}


@pytest.mark.parametrize(
    "command",
    [
        '"/v/bin/python" -I -S "/x/manage.py" hook session-start',
        '"/a b/python3.11" -I -S "/c \\"d\\"/manage.py" hook pre-tool-use',
        "/v/bin/python3 -I -S /x/manage.py hook session-end",
        '"/v/bin/python" -I -S "/x/manage.py" hook session-end off || exit 1',
        '"C:\\Program Files\\py\\python.exe" -I -S "D:\\n\\manage.py" hook user-prompt-submit',
    ],
)
def test_a_command_of_our_form_is_ours(command):
    assert is_own(command)


@pytest.mark.parametrize(
    "command",
    [
        "/home/me/nokori-notes/check.sh",
        "nokori-lint hook session-start",
        '"/v/bin/python" -I -S "/x/manage.py" hook session-start; rm -rf x',
        '"/v/bin/python" -I -S "/x/manage.py" hook session-start && other',
        '"/v/bin/python" -I -S "/x/manage.py" hook session-start || exit 1; other',
        'echo "/v/bin/python" -I -S "/x/manage.py" hook session-start',
        '"/v/bin/python" "/x/manage.py" hook session-start',
        '"/v/bin/python" -I -S "/x/not-manage.py" hook session-start',
        '"/bin/sh" -I -S "/x/manage.py" hook session-start',
        "python -I -m nokori hook session-start",
        "",
        None,
        ["python"],
    ],
)
def test_a_command_of_any_other_form_is_not_ours(command):
    assert not is_own(command)


def test_a_hook_line_is_read_by_a_shell_as_the_paths_it_was_made_of():
    line = hook_line('/a "b" $HOME/`x`/python', "/c\\d/manage.py", event="session-end", is_windows=False)

    assert line == r'"/a \"b\" \$HOME/\`x\`/python" -I -S "/c\\d/manage.py" hook session-end || exit 1'
    assert is_own(line)


def test_a_hook_line_for_windows_keeps_its_backslashes():
    line = hook_line(r"C:\Users\me & you\python.exe", r"D:\n\manage.py", event="session-end", is_windows=True)

    assert line == r'"C:\Users\me & you\python.exe" -I -S "D:\n\manage.py" hook session-end'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('{"hooks": {},}', r"is not valid JSON: line 1 column 14", id="broken"),
        pytest.param('{"a": 1, "a": 2}', r"line 1 column 10: the key 'a' stands twice", id="a key twice"),
        pytest.param("[]", "does not hold a JSON object", id="a list"),
        pytest.param('{"hooks": []}', "`hooks` that is not an object", id="hooks a list"),
        pytest.param('{"hooks": null}', "`hooks` that is not an object", id="hooks null"),
        pytest.param('{"hooks": {"SessionEnd": {}}}', "`hooks.SessionEnd` that is not an array", id="event an object"),
    ],
)
def test_a_settings_text_that_cannot_be_edited_is_refused(text, message):
    with pytest.raises(SettingsRefused, match=message):
        with_entries(text, commands())


@pytest.mark.parametrize("odd", [[1], ["x"], [{"hooks": 3}], [{"hooks": [None, "x"]}], [{}], [{"hooks": {}}]])
def test_odd_groups_of_others_are_left_alone(odd):
    text = json.dumps({"hooks": {"SessionStart": odd, "Other": odd}})

    after = json.loads(with_entries(text, commands()))

    assert after["hooks"]["SessionStart"][:-1] == odd
    assert after["hooks"]["Other"] == odd
