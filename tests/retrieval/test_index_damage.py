"""A damaged, foreign or half-written index: one clear sentence, never another error, never a hang."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.lexical.packed import BASE_FILE, DELTA_FILE, Index
from retrieval.lexical.packing import pack_delta
from retrieval.lexical.results import Hits
from retrieval.lexical.search import search
from retrieval.lexical.segment import FORMAT, HEADER, IndexUnreadable
from tests.retrieval.indexes import FORCE_PUSH, LOCKFILE, make_document, make_index, pack_plainly

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = ("git push --force this branch", "强推这个分支", "edit the lockfile by hand", "x " * 60)
RULES = (
    FORCE_PUSH,
    LOCKFILE,
    *(make_document(f"rule about thing{number} and git", number=number) for number in range(40)),
)
BASE = pack_plainly(*RULES)
DELTA = pack_delta([LOCKFILE], base=Index.from_bytes(BASE), removed=frozenset({"rule-0007"}), change_counter=2)


def search_all(base: bytes, delta: bytes | None = None) -> list[Hits]:
    index = Index.from_bytes(base, delta)
    return [search(prompt, index=index, project_id="p", floor=0.0) for prompt in PROMPTS]


def survives(base: bytes, delta: bytes | None = None) -> bool:
    """Whether it is read; True or False, but no error other than IndexUnreadable."""
    try:
        search_all(base, delta)
    except IndexUnreadable:
        return False
    return True


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bytes_give_hits_or_one_clear_error(seed):
    draw = random.Random(seed)  # noqa: S311  places to flip, not secrets

    for _ in range(60):
        data = bytearray(BASE)
        for _ in range(draw.choice((1, 1, 5, 50))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        survives(bytes(data))


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes_of_a_delta_give_hits_or_one_clear_error(seed):
    draw = random.Random(seed)  # noqa: S311  places to flip, not secrets

    for _ in range(60):
        data = bytearray(DELTA)
        data[draw.randrange(len(data))] = draw.randrange(256)
        survives(BASE, bytes(data))


def test_flipped_header_bytes_give_hits_or_one_clear_error():
    for place in range(HEADER.size + 40):
        for value in (0x00, 0x7F, 0xFF):
            survives(BASE[:place] + bytes([value]) + BASE[place + 1 :])


def test_a_cut_file_is_unreadable_wherever_it_was_cut():
    lengths = [*range(0, 400, 7), *range(400, len(BASE), 211), len(BASE) - 1]

    assert [length for length in lengths if survives(BASE[:length])] == []


def test_bytes_behind_the_end_are_damage():
    assert not survives(BASE + b"\0" * 8)


@pytest.mark.parametrize("content", [b"", b"{}", os.urandom(3_000), b"\0" * 5_000, b"NokoriIx"])
def test_another_file_in_its_place_is_unreadable(tmp_path, content):
    (tmp_path / BASE_FILE).write_bytes(content)

    with pytest.raises(IndexUnreadable):
        Index.open(str(tmp_path))


def test_a_damaged_delta_is_not_passed_over(tmp_path):
    (tmp_path / BASE_FILE).write_bytes(BASE)
    (tmp_path / DELTA_FILE).write_bytes(DELTA[:-9])

    with pytest.raises(IndexUnreadable, match="damaged"):
        Index.open(str(tmp_path))


def test_a_folder_in_its_place_is_unreadable(tmp_path):
    (tmp_path / BASE_FILE).mkdir()

    with pytest.raises(IndexUnreadable, match="cannot be opened"):
        Index.open(str(tmp_path))


def test_another_format_is_named(tmp_path):
    values = list(HEADER.unpack_from(BASE))
    values[2] = FORMAT + 1
    (tmp_path / BASE_FILE).write_bytes(HEADER.pack(*values) + BASE[HEADER.size :])

    with pytest.raises(IndexUnreadable, match="another version"):
        Index.open(str(tmp_path))


def test_an_index_made_with_a_stemmer_is_refused_without_one(tmp_path):
    (tmp_path / BASE_FILE).write_bytes(BASE)
    program = (
        "import sys; sys.modules['Stemmer'] = None\n"
        "from retrieval.lexical.packed import Index\nfrom retrieval.lexical.segment import IndexUnreadable\n"
        "try: Index.open(sys.argv[1])\n"
        "except IndexUnreadable as error: print(error)\n"
    )

    answer = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert "another tokenizer or stemmer" in answer.stdout


def test_a_damaged_file_is_told_from_an_intact_one():
    damaged = bytearray(BASE)
    damaged[-5] ^= 1

    assert make_index(*RULES).is_intact()
    assert not Index.from_bytes(bytes(damaged)).is_intact()
