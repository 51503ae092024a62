"""The bounds that keep the program readable and its hooks quick: sizes, layout, and who imports what."""

import ast
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("nokori_site", "hooks", "extraction", "retrieval", "rules")
MAX_MODULE_LINES = 300
MAX_FUNCTION_LINES = 50
MAX_OPENING_LINES = 5
MEDIAN_FUNCTION_LINES = 8
NINE_IN_TEN_FUNCTION_LINES = 30
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "base", "manager"}
TOP_LEVEL = {  # the customer's card, and what every project has
    *(
        "manage.py",
        "nokori_site",
        "rules",
        "retrieval",
        "extraction",
        "hooks",
        "templates",
        "tests",
        "requirements.txt",
    ),
    *("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml", "Makefile"),
    *("config.toml.example", "requirements-core.txt", "requirements-dev.txt", ".ci", ".gitignore", ".claude-plugin"),
}
# What a hook may load: cheap parts of the standard library, the stemmer, and other hot files. Each name was measured.
HOT_FILES = (
    "rules/disk.py",
    "rules/fields.py",
    "rules/plain_json.py",
    "rules/projects.py",
    "extraction/codex_transcript.py",
    "extraction/transcript.py",
    "extraction/transcript_file.py",
)
HOT_FOLDERS = ("hooks/hot", "retrieval/lexical")
HOT_LIBRARY = {
    *("__future__", "_json", "_socket", "_thread", "array", "bisect", "codecs", "collections", "errno"),
    *("hashlib", "io", "itertools", "json", "math", "mmap", "operator", "os", "re", "signal", "stat"),
    *("struct", "sys", "time", "unicodedata", "zlib", "Stemmer"),
}
HOT_PACKAGES = (
    "hooks.hot",
    "retrieval.lexical",
    "rules.disk",
    "rules.fields",
    "rules.plain_json",
    "rules.projects",
    "extraction.codex_transcript",
    "extraction.transcript",
    "extraction.transcript_file",
)
SILENT_TOOL_CALL = {  # beyond what a bare interpreter holds; each entry is paid for at every tool call of every session
    *("__future__", "gc", "os", "os.path", "posixpath", "genericpath", "stat", "_stat", "_collections_abc"),
    *("hooks", "hooks.hot", "hooks.hot.client", "hooks.hot.deadline", "hooks.hot.stamps", "rules", "rules.disk"),
}
LATE_IMPORTS = ("hooks/hot/client.py", "hooks/hot/spawn.py")  # may load more when they get there


def tracked_files() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    return listing.stdout.splitlines()


def source_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


FILES = tracked_files()
MODULES = [name for name in FILES if name.endswith(".py") and "/migrations/" not in name]
CODE = [name for name in MODULES if name.startswith(APPS)]
TESTS = [name for name in MODULES if name.startswith("tests/")]
PACKAGES = [name for name in CODE if name.endswith("__init__.py")]
HOT = [name for name in CODE if name in HOT_FILES or name.startswith(HOT_FOLDERS)]


def functions_of(path: str) -> list[tuple[str, int]]:
    """Each function's name and length in lines."""
    return [
        (f"{path}:{node.lineno} {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1)
        for node in ast.walk(ast.parse(source_of(path)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports_of(node: ast.AST) -> set[str]:
    """The dotted names that a module imports when it runs, in functions too, types aside."""
    if is_for_types(node):
        return set()
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {node.module or ""}
    return set(chain.from_iterable(imports_of(child) for child in ast.iter_child_nodes(node)))


def is_allowed_in_hooks(name: str) -> bool:
    return name.partition(".")[0] in HOT_LIBRARY or name.startswith(HOT_PACKAGES)


@pytest.fixture
def modules_after(data_folder):
    """What one whole hook call imports beyond the bare interpreter, under the flags of the registered hook line."""

    def run(event: str, payload: str) -> set[str]:
        program = (
            f"import sys; bare = set(sys.modules); sys.path.insert(0, {str(ROOT)!r}); from hooks.hot.client import run; "
            f"code = run([{event!r}]); print(code, *sorted(set(sys.modules) - bare))"
        )
        command = [sys.executable, "-I", "-S", "-c", program]
        code, *modules = subprocess.check_output(command, input=payload, text=True).split()
        assert code == "0"
        return set(modules)

    return run


def test_a_silent_tool_call_imports_next_to_nothing(modules_after):
    payload = '{"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}}'

    assert modules_after("pre-tool-use", payload) == SILENT_TOOL_CALL


def test_the_end_of_a_session_needs_no_parser(modules_after):
    payload = '{"session_id": "s1", "transcript_path": "/t.jsonl", "reason": "other"}'

    assert modules_after("session-end", payload).isdisjoint({"json", "re", "hashlib", "signal", "subprocess"})


def test_only_the_names_of_the_card_lie_at_the_top():
    assert {name.partition("/")[0] for name in FILES} <= TOP_LEVEL


@pytest.mark.parametrize("path", CODE)
def test_a_module_is_short_enough_to_read(path):
    assert source_of(path).count("\n") <= MAX_MODULE_LINES


@pytest.mark.parametrize("path", [path for path in CODE if path not in PACKAGES])
def test_a_module_opens_with_what_it_is(path):
    opening = ast.get_docstring(ast.parse(source_of(path))) or ""
    sentences = [line for line in opening.splitlines() if line and not line.startswith(" ")]  # formulas are indented

    assert 1 <= len(sentences) <= MAX_OPENING_LINES


@pytest.mark.parametrize("path", PACKAGES)
def test_a_package_file_is_empty(path):
    assert source_of(path) == ""


def test_a_file_is_a_noun_of_the_domain():
    assert {Path(name).stem for name in CODE} & NAMES_THAT_SAY_NOTHING == set()


def test_functions_read_like_a_recipe():
    lengths = sorted(length for path in CODE for _, length in functions_of(path))

    assert lengths[len(lengths) // 2] <= MEDIAN_FUNCTION_LINES
    assert lengths[len(lengths) * 9 // 10] <= NINE_IN_TEN_FUNCTION_LINES


def test_no_function_is_longer_than_a_screen():
    assert [name for path in MODULES for name, length in functions_of(path) if length > MAX_FUNCTION_LINES] == []


def test_every_folder_of_tests_is_a_package_of_its_own():
    folders = {str(Path(name).parent) for name in TESTS}

    assert {folder for folder in folders if f"{folder}/__init__.py" not in FILES} == set()


@pytest.mark.parametrize("path", [path for path in HOT if path not in LATE_IMPORTS])
def test_a_hot_module_imports_only_what_costs_little(path):
    assert {name for name in imports_of(ast.parse(source_of(path))) if not is_allowed_in_hooks(name)} == set()


@pytest.mark.parametrize("path", HOT)
def test_a_hot_module_is_imported_without_site_packages(path):
    module = path.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {module}; print('django' in sys.modules)"

    result = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)

    assert (result.stdout, result.stderr) == ("False\n", "")
