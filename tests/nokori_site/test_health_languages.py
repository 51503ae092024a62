"""What `health` finds, in the reader's language: nothing that a check says is English alone."""

import ast
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext, override

from nokori_site.health import examine

pytestmark = pytest.mark.django_db

CHECKS = sorted((Path(settings.BASE_DIR) / "nokori_site").glob("health*.py"))
ENGLISH = re.compile(r"(^| )(the|and|of|not|are|is|to|has|no) ")
NAMES = {"config.json", "rules.idx"}  # of files


def findings_made_in(path):
    """The calls that make a finding: Finding(name, state, detail, remedy) and place.find(state, detail, remedy)."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    for call in calls:
        if isinstance(call.func, ast.Name) and call.func.id == "Finding":
            yield call, call.args[2:]
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "find":
            yield call, call.args[1:]


def own_text(said):
    """What stands in the source itself, outside of any call."""
    parts = said.values if isinstance(said, ast.JoinedStr) else [said]
    return "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))


@pytest.mark.parametrize("path", CHECKS, ids=lambda path: path.stem)
def test_no_check_says_a_sentence_that_nobody_can_translate(path):
    plain = [
        ast.unparse(said)
        for _, words in findings_made_in(path)
        for said in words
        if any(character.isalpha() for character in own_text(said))
    ]

    assert plain == []


@pytest.mark.parametrize("language", ["zh-hans", "zh-hant", "ja"])
def test_every_row_is_in_the_readers_language(data_folder, language):
    Path(data_folder.root).mkdir(mode=0o700, exist_ok=True)

    with override(language):
        findings = examine(data_folder, config=settings.NOKORI, now=timezone.now())
        names = {finding.name for finding in findings if gettext(finding.name) == finding.name}

    said = [text for finding in findings for text in (finding.detail, finding.remedy)]
    assert len(findings) > 10
    assert [text for text in said if ENGLISH.search(text)] == []
    assert names <= NAMES
