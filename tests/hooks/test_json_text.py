"""Editing a JSON text in place: what an edit does not name keeps every byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.json_text import JsonUnreadable, appended, read, removed, replaced

KEYS = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)
STYLES = st.fixed_dictionaries(
    {"indent": st.sampled_from([None, 1, 2, 4, "\t"]), "ensure_ascii": st.booleans()},
)


@given(OBJECTS, STYLES, st.sampled_from(["\n", "\r\n"]))
def test_appending_a_member_and_removing_it_gives_the_first_text_again(value, style, newline):
    text = json.dumps(value, **style).replace("\n", newline) + newline

    longer = appended(text, read(text), value={"matcher": "", "hooks": [1]}, key="a new key")

    assert json.loads(longer) == {**value, "a new key": {"matcher": "", "hooks": [1]}}
    root = read(longer)
    assert removed(longer, root.children[-1], container=root) == text


@given(st.lists(VALUES, min_size=1, max_size=4), STYLES, st.integers(min_value=0, max_value=3))
def test_removing_an_item_leaves_the_others_and_valid_json(items, style, number):
    number %= len(items)
    text = json.dumps(items, **style)

    shorter = removed(text, read(text).children[number], container=read(text))

    assert json.loads(shorter) == items[:number] + items[number + 1 :]


@given(OBJECTS, STYLES)
def test_a_node_stands_where_it_says(value, style):
    text = "  " + json.dumps(value, **style)

    root = read(text)

    assert root.value == value
    assert [json.loads(text[child.start : child.end]) for child in root.children] == list(value.values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{}", '{\n  "k": [\n    1\n  ]\n}', id="empty"),
        pytest.param('{"a":1}', '{"a":1,"k":[1]}', id="one line, compact"),
        pytest.param('{"a": 1}', '{"a": 1, "k": [1]}', id="one line, spaced"),
        pytest.param('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}', id="tabs"),
        pytest.param(
            '{\r\n    "a": 1\r\n}\r\n',
            '{\r\n    "a": 1,\r\n    "k": [\r\n        1\r\n    ]\r\n}\r\n',
            id="four spaces, CRLF",
        ),
        pytest.param('{\n  "a": 1\n, "b": 2 }', '{\n  "a": 1\n, "b": 2, "k": [1] }', id="commas first"),
    ],
)
def test_what_is_added_looks_like_the_rest_of_the_text(text, expected):
    assert appended(text, read(text), value=[1], key="k") == expected


def test_a_list_on_one_line_in_a_text_of_many_lines_stays_on_its_line():
    text = '{\n  "a": [1, 2],\n  "b": []\n}'

    assert appended(text, read(text).children[0], value=3) == '{\n  "a": [1, 2, 3],\n  "b": []\n}'
    assert appended(text, read(text).children[1], value=3) == '{\n  "a": [1, 2],\n  "b": [\n    3\n  ]\n}'


def test_a_replaced_value_changes_nothing_around_it():
    text = '{ "a" : 1.50 , "b" : "\\u0041" }'

    assert replaced(text, read(text).children[0], value="x") == '{ "a" : "x" , "b" : "\\u0041" }'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('{\n  "a": 1\n  "b": 2}', "line 3 column 3: Expecting ',' delimiter", id="no comma"),
        pytest.param("", "line 1 column 1", id="nothing"),
        pytest.param('{"a": 1} x', "line 1 column 10", id="something after it"),
        pytest.param('{"a": NaN}', "NaN is not a JSON value", id="not a number"),
        pytest.param('{"a": 1,\n "b": {"c": 1,\n  "c": 2}}', "line 3 column 3: the key 'c' stands twice", id="twice"),
        pytest.param("[" * 100_000, "nested too deeply", id="deep"),
    ],
)
def test_a_text_that_cannot_be_edited_is_refused_with_its_place(text, message):
    with pytest.raises(JsonUnreadable, match=message):
        read(text)
