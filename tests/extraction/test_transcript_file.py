import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction import transcript_file
from extraction.transcript_file import (
    MAX_TRANSCRIPT_BYTES,
    TranscriptMissing,
    TranscriptNotAllowed,
    TranscriptReader,
    TranscriptTooLarge,
    last_human_texts,
    require_allowed,
)
from tests.extraction.transcripts import as_bytes, said, tool_result, typed, write_transcript


def read(path, *, start=0):
    reader = TranscriptReader(str(path), start=start)
    return reader, [turn.text for turn in reader.turns()]


def test_nb045_separators_inside_a_text_do_not_split_its_line(tmp_path):
    text = "one\u2028two\u2029three\x85four\x0cfive"

    reader, texts = read(write_transcript(tmp_path / "s.jsonl", typed(text)))

    assert texts == [text]
    assert reader.lines == 1


def test_nb099_broken_lines_are_counted_and_the_others_read(tmp_path):
    good = [as_bytes(typed(f"message number {n}")) for n in range(7)]
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join([*good[:3], b"{broken\n", b'"no object"\n', b"\xff\xfe\x00\n", b"\n", *good[3:]]))

    reader, texts = read(path)

    assert len(texts) == 7
    assert (reader.lines, reader.bad_lines) == (10, 3)


def test_nb102_a_half_written_last_line_is_left_for_next_time(tmp_path):
    path = tmp_path / "s.jsonl"
    first, second = as_bytes(typed("use pnpm")), as_bytes(typed("not npm"))
    path.write_bytes(first + second[:20])

    reader, texts = read(path)
    path.write_bytes(first + second)
    next_reader, next_texts = read(path, start=reader.end)

    assert (texts, reader.end, reader.bad_lines) == (["use pnpm"], len(first), 0)
    assert (next_texts, next_reader.end) == (["not npm"], len(first + second))


def test_a_complete_last_line_without_a_line_end_is_read_once(tmp_path):
    path = tmp_path / "s.jsonl"
    whole = as_bytes(typed("use pnpm"))
    path.write_bytes(whole[:-1])

    reader, texts = read(path)
    path.write_bytes(whole + as_bytes(typed("not npm")))
    _, next_texts = read(path, start=reader.end)

    assert (texts, next_texts) == (["use pnpm"], ["not npm"])


@pytest.mark.parametrize("start", [3, 10_000], ids=["inside a line", "beyond the end"])
def test_a_file_that_was_written_anew_is_read_from_its_start(tmp_path, start):
    reader, texts = read(write_transcript(tmp_path / "s.jsonl", typed("use pnpm")), start=start)

    assert (texts, reader.start) == (["use pnpm"], 0)


def test_a_transcript_over_50_mb_is_refused_with_its_size(tmp_path):
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.truncate(MAX_TRANSCRIPT_BYTES + 1)

    with pytest.raises(TranscriptTooLarge, match="has 50 MB to read; one extraction reads 50 MB at most"):
        read(path)


def test_a_grown_transcript_over_50_mb_is_read_from_where_it_was_left(tmp_path):
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.truncate(MAX_TRANSCRIPT_BYTES)
        file.seek(MAX_TRANSCRIPT_BYTES - 1)
        file.write(b"\n" + as_bytes(typed("use pnpm")))

    _, texts = read(path, start=MAX_TRANSCRIPT_BYTES)

    assert texts == ["use pnpm"]


def test_a_line_that_is_too_long_is_counted_without_being_held(tmp_path, monkeypatch):
    monkeypatch.setattr(transcript_file, "MAX_LINE_BYTES", 1_000)
    path = write_transcript(tmp_path / "s.jsonl", typed("x" * 5_000), typed("use pnpm"))

    reader, texts = read(path)

    assert (texts, reader.bad_lines) == (["use pnpm"], 1)
    assert reader.end == Path(path).stat().st_size


def test_an_unfinished_line_that_is_too_long_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(transcript_file, "MAX_LINE_BYTES", 1_000)
    path = tmp_path / "s.jsonl"
    path.write_bytes(as_bytes(typed("use pnpm")) + b"x" * 5_000)

    reader, _ = read(path)

    assert reader.end == len(as_bytes(typed("use pnpm")))


def test_a_missing_transcript_is_a_clear_error(tmp_path):
    with pytest.raises(TranscriptMissing, match="There is no transcript at"):
        read(tmp_path / "gone.jsonl")


def test_the_reader_knows_the_folder_of_the_session(tmp_path):
    reader, _ = read(
        write_transcript(tmp_path / "s.jsonl", {"type": "summary"}, typed("use pnpm", cwd="/home/dev/project"))
    )

    assert reader.cwd == "/home/dev/project"


def test_reading_holds_only_one_line_at_a_time(tmp_path):
    path = write_transcript(tmp_path / "s.jsonl", *[tool_result("x" * 200_000) for _ in range(50)])
    tracemalloc.start()

    for _ in TranscriptReader(path).turns():
        pass

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000


class TestAllowedRoots:
    def test_a_transcript_below_a_root_is_allowed(self, tmp_path):
        path = write_transcript(tmp_path / "claude" / "projects" / "s.jsonl", typed("use pnpm"))

        assert require_allowed(path, [str(tmp_path / "claude")]) == os.path.realpath(path)

    @pytest.mark.parametrize("name", ["other/s.jsonl", "claude-evil/s.jsonl", "claude/../other/s.jsonl"])
    def test_a_file_outside_is_refused(self, tmp_path, name):
        path = write_transcript(tmp_path / name, typed("use pnpm"))

        with pytest.raises(TranscriptNotAllowed):
            require_allowed(path, [str(tmp_path / "claude"), ""])

    def test_a_link_that_leads_outside_is_refused(self, tmp_path):
        outside = write_transcript(tmp_path / "other" / "s.jsonl", typed("use pnpm"))
        (tmp_path / "claude").mkdir()
        (tmp_path / "claude" / "link.jsonl").symlink_to(outside)

        with pytest.raises(TranscriptNotAllowed):
            require_allowed(str(tmp_path / "claude" / "link.jsonl"), [str(tmp_path / "claude")])

    def test_a_root_that_is_a_link_counts_as_where_it_leads(self, tmp_path):
        path = write_transcript(tmp_path / "real" / "s.jsonl", typed("use pnpm"))
        (tmp_path / "claude").symlink_to(tmp_path / "real")

        assert require_allowed(path, [str(tmp_path / "claude")])

    def test_only_jsonl_files_are_transcripts(self, tmp_path):
        (tmp_path / "secret.txt").write_text("x")

        with pytest.raises(TranscriptNotAllowed, match=r"no \*\.jsonl"):
            require_allowed(str(tmp_path / "secret.txt"), [str(tmp_path)])


class TestTail:
    def test_the_last_messages_come_oldest_first(self, tmp_path):
        entries = [entry for n in range(5) for entry in (typed(f"message {n}"), said("ok"), tool_result("fine"))]

        assert last_human_texts(write_transcript(tmp_path / "s.jsonl", *entries), 3) == [
            "message 2",
            "message 3",
            "message 4",
        ]

    def test_a_file_with_fewer_gives_what_it_has(self, tmp_path):
        assert last_human_texts(write_transcript(tmp_path / "s.jsonl", typed("use pnpm")), 3) == ["use pnpm"]

    def test_only_what_stands_before_the_offset_counts(self, tmp_path):
        path = write_transcript(tmp_path / "s.jsonl", typed("old"), typed("new"))

        assert last_human_texts(path, 2, end=len(as_bytes(typed("old")))) == ["old"]

    def test_it_looks_further_back_until_it_has_enough(self, tmp_path):
        noise = [tool_result("x" * 100_000) for _ in range(10)]

        assert last_human_texts(write_transcript(tmp_path / "s.jsonl", typed("use pnpm"), *noise), 1) == ["use pnpm"]

    def test_it_gives_up_after_4_mb(self, tmp_path):
        noise = [tool_result("x" * 900_000) for _ in range(6)]

        assert last_human_texts(write_transcript(tmp_path / "s.jsonl", typed("use pnpm"), *noise), 1) == []


@given(st.lists(st.binary(max_size=60), max_size=8), st.integers(0, 200))
def test_no_bytes_and_no_offset_break_the_reader(tmp_path_factory, lines, start):
    path = tmp_path_factory.mktemp("any") / "s.jsonl"
    path.write_bytes(b"\n".join(lines))

    reader, _ = read(path, start=start)

    assert 0 <= reader.start <= reader.end <= path.stat().st_size


@given(st.integers(0, 3), st.data())
def test_reading_in_two_steps_gives_what_reading_at_once_gives(tmp_path_factory, extra, data):
    entries = [typed(f"message {n}") for n in range(3)] + [said("ok")] * extra
    whole = as_bytes(*entries)
    cut = data.draw(st.integers(0, len(whole)))
    path = tmp_path_factory.mktemp("two") / "s.jsonl"

    path.write_bytes(whole[:cut])
    reader, first = read(path)
    path.write_bytes(whole)
    _, second = read(path, start=reader.end)

    assert first + second == [
        json.loads(line)["message"]["content"] if b'"user"' in line else "ok" for line in whole.splitlines()
    ]
