import sys

import pytest

from nokori_site.benchmark.figures import process_row
from nokori_site.benchmark.processes import Process, Round, Rounds, measure, percentile


def python(code):
    return [sys.executable, "-I", "-S", "-c", code]


def rounds(*walls, exit_code=0):
    return Rounds([Round(0.01, 0.01, wall, wall, 9000, exit_code) for wall in walls], b"")


@pytest.mark.parametrize(
    ("percent", "value"), [(50, 10), (95, 19), (99, 20), (1, 1)], ids=["median", "p95", "p99", "least"]
)
def test_a_percentile_is_one_of_the_values(percent, value):
    assert percentile(list(range(1, 21)), percent) == value


def test_each_round_reads_its_own_number_from_standard_input():
    measured = measure(Process(python("print(input())"), b"round %ROUND%"), rounds=2)

    assert measured.answer == b"round 3\n"  # two rounds to warm up came before


def test_what_comes_before_a_round_is_not_measured(tmp_path):
    armed = tmp_path / "armed"
    arm = Process(python(f"open({str(armed)!r}, 'w').close()"))
    disarm = Process(python(f"import os; os.unlink({str(armed)!r})"))

    measured = measure(disarm, rounds=2, before=arm)

    assert measured.failed == 0


def test_the_peak_memory_is_that_of_the_child_alone():
    ballast = bytearray(200 * 1024 * 1024)

    measured = measure(Process(python("pass")), rounds=1)

    assert measured.peak_mb < len(ballast) / 1024 / 1024 / 4


def test_the_ratio_is_the_median_of_pairs():
    assert rounds(0.02, 0.03, 0.09).wall_ratio == pytest.approx(3)


def test_a_ratio_above_the_limit_is_missed():
    assert process_row("case", rounds(0.05), ratio=4).is_met is False


def test_a_ratio_at_the_limit_is_met():
    assert process_row("case", rounds(0.02), ratio=4, peak_mb=40).is_met is True


def test_a_case_without_a_limit_is_neither_met_nor_missed():
    assert process_row("case", rounds(0.02)).is_met is None


def test_a_failed_run_misses_its_target_and_says_so():
    row = process_row("case", rounds(0.02, exit_code=1), ratio=4)

    assert row.is_met is False
    assert "1 RUNS FAILED" in row.case
