"""plain_json: whatever comes, the answer of `json`."""

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import plain_json
from rules.plain_json import dumps, loads, real

TEXT = st.text(st.characters())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(VALUES, st.booleans(), st.booleans())
def test_it_writes_what_json_writes(value, is_compact, is_ascii):
    separators = (",", ":") if is_compact else None
    expected = json.dumps(value, separators=separators, ensure_ascii=is_ascii)

    assert dumps(value, is_compact=is_compact, is_ascii=is_ascii) == expected


@given(VALUES, st.sampled_from(["", " ", "\r\n\t "]), st.sampled_from([None, 2]))
def test_it_reads_what_json_writes(value, space, indent):
    text = f"{space}{json.dumps(value, indent=indent)}{space}"

    assert loads(text) == loads(text.encode()) == value


def outcome(read, data):
    try:
        return read(data)
    except (ValueError, RecursionError) as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"  ", id="space"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b'{"a": 1} {}', id="two values"),
        pytest.param(b'{"a": 1}\x00', id="zero byte after it"),
        pytest.param(b"\x0c{}", id="another space"),
        pytest.param(b"{'a': 1}", id="single quotes"),
        pytest.param(b'"\xff"', id="no UTF-8"),
        pytest.param(b'"\n"', id="a line break in a text"),
        pytest.param(b'"\\ud800"', id="half a character"),
        pytest.param(b'\xef\xbb\xbf{"a": 1}', id="byte order mark"),
        pytest.param('{"a": "强"}'.encode("utf-16"), id="UTF-16"),
        pytest.param('{"a": "强"}'.encode("utf-32-le"), id="UTF-32"),
        pytest.param("\ufeff{}", id="a text with a byte order mark"),
        pytest.param(b'{"a": 1, "a": 2}', id="a key twice"),
        pytest.param(b"[1e400, -Infinity, 1.0, 12345678901234567890]", id="numbers"),
        pytest.param(b"9" * 5_000, id="a number of 5,000 digits"),
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_whatever_comes_ends_as_with_json(data):
    assert outcome(loads, data) == outcome(json.loads, data)


def test_a_number_that_is_none_is_read():
    assert math.isnan(loads("NaN"))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({7: 2, None: 3, True: 4, 1.5: 6}, id="keys that are no texts"),
        pytest.param(math.inf, id="infinite"),
        pytest.param((1, "a"), id="tuple"),
        pytest.param(-0.0, id="minus zero"),
    ],
)
def test_python_values_become_the_same_json(value):
    assert dumps(value) == json.dumps(value)


@pytest.mark.parametrize("value", [{1}, b"bytes", {(1, 2): 3}], ids=["set", "bytes", "tuple as a key"])
def test_what_is_no_json_is_refused(value):
    with pytest.raises(TypeError):
        dumps(value)


def test_a_value_that_holds_itself_is_refused():
    value: list[object] = []
    value.append(value)

    with pytest.raises(ValueError, match="Circular"):
        dumps(value)


def test_without_the_c_code_json_answers(monkeypatch):
    monkeypatch.setattr(plain_json, "_scan", None)
    monkeypatch.setattr(plain_json, "c_code", None)

    assert loads(b'{"a": [1, "\xc3\xa9"]}') == {"a": [1, "é"]}
    assert dumps({"a": [1, "é"]}, is_compact=True) == '{"a":[1,"\\u00e9"]}'


@pytest.mark.parametrize("text", ["{", "[1", '{"a"', '"abc', "", "nope"])
def test_what_is_no_json_is_a_value_error_where_json_was_never_loaded(text):
    program = f"""
from rules.plain_json import loads
try:
    loads({text!r})
except ValueError as error:
    print(type(error).__name__)
"""

    assert subprocess.check_output([sys.executable, "-S", "-c", program], text=True).strip() == "JSONDecodeError"


def test_it_brings_along_neither_json_nor_re():
    program = "import sys; from rules.plain_json import dumps, loads; loads(dumps({'a': 1})); print(*sys.modules)"

    modules = subprocess.check_output([sys.executable, "-S", "-c", program], text=True).split()

    assert {"json", "re", "enum"}.isdisjoint(modules)


@pytest.mark.parametrize(("value", "number"), [(3, 3.0), (-0.5, -0.5), (sys.float_info.max, sys.float_info.max)])
def test_a_number_is_a_float(value, number):
    assert real(value) == number


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, -(10**400), int(sys.float_info.max) * 2])
def test_what_is_not_finite_or_no_float_holds_is_a_value_error(value):
    with pytest.raises(ValueError, match="finite"):
        real(value)


@pytest.mark.parametrize("value", ["1", None, [1], {}])
def test_what_is_no_number_is_a_type_error(value):
    with pytest.raises(TypeError):
        real(value)
