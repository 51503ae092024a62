"""What the documents say, held against the program: the layout, links, and the output of every example."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
OUR_APPS = {"rules", "retrieval", "extraction", "hooks", "nokori_site"}
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHORT_ID = re.compile(r"\b[0-9a-f]{6,32}\b")
MEASURED = re.compile(r"\b\d+\.\d\d\b")
LINK = re.compile(r"\]\((?!http)([^)#]+)")


def read(name):
    return (REPOSITORY / name).read_text(encoding="utf-8")


def test_every_command_of_ours_is_in_the_readme():
    ours = {verb for verb, app in get_commands().items() if app in OUR_APPS}

    assert {verb for verb in ours if not re.search(rf"`{verb}\b", read("README.md"))} == set()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_in_a_document_leads_to_a_file(name):
    missing = [target for target in LINK.findall(read(name)) if not (REPOSITORY / target).exists()]

    assert missing == []


def test_every_path_in_the_layout_of_the_architecture_exists():
    layout = re.search(r"^## Layout$.*?```text\n(.*?)```", read("ARCHITECTURE.md"), re.MULTILINE | re.DOTALL)
    assert layout

    paths = list(listed_paths(layout.group(1)))

    assert len(paths) > 50
    assert [path for path in paths if not (REPOSITORY / path).exists()] == []


def listed_paths(layout):
    """A line at the margin names a folder or a file, an indented one a file of that folder; words come after it."""
    folder = ""
    for line in filter(str.strip, layout.splitlines()):
        name = line.split()[0]
        if line.startswith(" "):
            yield folder + name
        else:
            folder = name
            yield name


def test_the_examples_of_the_readme_print_what_it_says(data_folder, tmp_path, monkeypatch):
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)

    said, promised = [], []
    renamed: dict[str, str] = {}
    for command, output in examples():
        said.append(printed(with_names(command, renamed)))
        promised.append(output)
        renamed |= dict(zip(SHORT_ID.findall(output), SHORT_ID.findall(said[-1]), strict=False))

    assert len(said) >= 3
    assert [plain(text) for text in said] == [plain(text) for text in promised]


def examples():
    """The (command, output) pairs of the console blocks; a command goes on after a backslash."""
    for block in CONSOLE.findall(read("README.md")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = re.sub(r"\\\n\s*", "", part).partition("\n")
            yield command, output


def with_names(command, renamed):
    """The command with the short_ids of this run in place of the README's."""
    return SHORT_ID.sub(lambda name: renamed.get(name.group(), name.group()), command)


def printed(command):
    program, *arguments = shlex.split(command)
    assert program == "manage.py"
    line = [sys.executable, str(REPOSITORY / program), *arguments]
    done = subprocess.run(line, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)
    return done.stdout + done.stderr


def plain(text):
    """Without what another run or another set of off-topic prompts changes: ids and measured numbers."""
    text = MEASURED.sub("N", SHORT_ID.sub("ID", text))
    return [line.rstrip() for line in text.strip().splitlines()]
