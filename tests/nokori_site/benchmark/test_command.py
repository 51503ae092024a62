import json
from pathlib import Path

import pytest

CASES = {
    "hooks": ["pre-tool-use, no marker", "pre-tool-use, deny", "session-start", "session-end"],
    "search": ["short prompts", "45 words", "2,800 words of a log"],
    "publish": ["publish, last floors", "publish and calibrate", "edit : django.setup()"],
    "extraction": ["0 MB read and compressed", "twice the length", "jobs listed", "claimed, queries for each"],
    "embed": [
        *("light server encodes all", "prompt, no server", "light server", "prompt, server up", "prompt, server hung"),
        "sentence-transformers server",
    ],
    "web": ["/", "/rules/"],
}


def test_every_suite_measures_in_a_throwaway_folder_and_answers_in_json(run_manage, data_folder):
    done = run_manage("benchmark", "--rules", "20", "--runs", "1", "--json")

    found = json.loads(done.stdout)
    assert {suite: [row["case"] for row in rows[: len(CASES[suite])]] for suite, rows in found.items()} == CASES
    assert not Path(data_folder.root).exists()


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (["cooking"], 2, "no benchmark is called cooking"),
        (["hooks", "--rules", "0"], 2, "1 or more"),
        (["hooks", "--inside"], 1, "was not made for a benchmark"),
    ],
    ids=["unknown suite", "no rules", "somebody's own folder"],
)
def test_a_mistake_is_one_line(run_manage, arguments, exit_code, words):
    done = run_manage("benchmark", *arguments)

    assert done.returncode == exit_code
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
