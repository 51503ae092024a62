"""Exports of the original, every version of 2 to 10, with all their fields."""

import io
import json
from datetime import UTC, date, datetime
from pathlib import Path
from uuid import UUID

import pytest
from django.utils import timezone

from rules.models import Rule
from rules.transfer.incoming import import_rules
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db

EXPORTS = Path(__file__).parent / "exports"
OLDER = [2, 3, 4, 5]
NEWER = [6, 7, 8, 9, 10]


@pytest.fixture
def rules(version):
    """The imported rules by the last digit of their id, and the report."""
    with (EXPORTS / f"version-{version:02d}.json").open("rb") as file:
        report = import_rules(file, now=NOW)
    return {str(rule.id)[-1]: rule for rule in Rule.objects.all()} | {"report": report}


def words_of(rule):
    names = ("trigger", "action", "rationale", "behavior", "trigger_zh", "action_zh", "rationale_zh", "behavior_zh")
    return {name: getattr(rule, name) for name in names}


@pytest.mark.parametrize("version", OLDER)
def test_versions_2_to_5_bring_all_words(rules):
    assert words_of(rules["a"]) == {
        "trigger": "Force pushing to a shared branch",
        "action": "Use --force-with-lease, or push to a new branch",
        "rationale": "force push overwrites peers' work",
        "behavior": "Pushed with --force",
        "trigger_zh": "强制推送到共享分支",
        "action_zh": "使用 --force-with-lease",
        "rationale_zh": "会覆盖同事的工作",
        "behavior_zh": "用了 --force",
    }
    assert rules["a"].variants == ["git push --force", "git push -f"]
    assert rules["a"].variants_zh == ["强推"]
    assert rules["a"].search_terms == {"en": ["force push"], "zh": ["强推", "覆盖代码"]}


@pytest.mark.parametrize("version", OLDER)
def test_versions_2_to_5_bring_status_counts_and_times(rules, version):
    rule = rules["a"]

    assert (rule.source_type, rule.confidence, rule.status) == ("correction", "high", "active")
    assert (rule.project_scope, rule.project_id) == ("project", "shop-33333333")
    assert (rule.hit_count, rule.shadow_hit_count, rule.evidence_score) == (7, 3, 5)
    assert rule.last_hit == datetime(2025, 4, 1, 10, 11, 12, tzinfo=UTC)
    assert rule.created_at == datetime(2025, 3, 1, 9, tzinfo=UTC)
    assert rule.updated_at == datetime(2025, 3, 2, 9, tzinfo=UTC)
    assert rule.short_id == f"{version}a3f2b1"


@pytest.mark.parametrize("version", OLDER)
def test_versions_2_to_5_bring_evidence_and_shadow_hits(rules):
    evidence = rules["a"].evidence.order_by("at")

    assert [(row.kind, row.points) for row in evidence] == [
        ("user_correction", 3),
        ("same_extraction", 1),
        ("shadow_hot", 1),
    ]
    assert [row.day for row in evidence] == [timezone.localdate(row.at) for row in evidence]
    assert set(rules["a"].shadow_hits.values_list("project_id", "day")) == {
        ("web-11111111", date(2025, 3, 5)),
        ("web-11111111", date(2025, 3, 6)),
        ("api-22222222", date(2025, 3, 6)),
    }


@pytest.mark.parametrize("version", OLDER)
def test_versions_2_to_5_keep_merged_and_archived_rules(rules):
    assert (rules["b"].status, rules["b"].superseded_by) == ("merged", rules["a"])
    assert (rules["c"].status, rules["c"].archived_reason) == ("archived", "user_dismissed_prompt")
    assert (rules["c"].project_scope, rules["c"].source_type) == ("global", "preference")


@pytest.mark.parametrize("version", OLDER)
def test_versions_2_to_5_may_leave_out_what_has_a_default(rules):
    bare = rules["d"]

    assert (bare.source_type, bare.confidence, bare.status) == ("correction", "medium", "candidate")
    assert bare.project_scope == "global"  # it names no project
    assert len(bare.short_id) >= 6
    assert bare.created_at == NOW


@pytest.mark.parametrize("version", NEWER)
def test_versions_6_to_10_bring_their_words_under_our_names(rules, version):
    rule = rules["a"]

    assert words_of(rule) == {
        "trigger": "Force pushing to a shared branch",
        "action": "Use --force-with-lease, or push to a new branch",
        "rationale": "",
        "behavior": "",
        "trigger_zh": "强制推送到共享分支",
        "action_zh": "使用 --force-with-lease",
        "rationale_zh": "",
        "behavior_zh": "",
    }
    assert rule.variants == ["git push --force", "overwrite the remote", "git push -f"]
    assert rule.variants_zh == ["强推"]
    assert rule.search_terms == {"en": ["force push"], "zh": ["强推"]}
    assert rule.excludes == ["force-with-lease", "dry run"]
    assert (rule.project_scope, rule.project_id) == ("project", "shop-33333333")
    assert rule.short_id == f"{version:02d}a3f2b1"


@pytest.mark.parametrize("version", NEWER)
def test_versions_6_to_10_map_status_and_severity(rules):
    mapped = {
        letter: (rule.status, rule.source_type, rule.confidence) for letter, rule in rules.items() if letter < "g"
    }

    assert mapped == {
        "a": ("active", "correction", "high"),
        "b": ("dormant", "solution", "medium"),
        "c": ("merged", "correction", "high"),
        "d": ("archived", "correction", "high"),
        "e": ("candidate", "correction", "high"),
        "f": ("active", "solution", "medium"),
    }
    assert rules["c"].superseded_by == rules["a"]
    assert (rules["d"].superseded_by, rules["d"].archived_reason) == (None, "replaced")


@pytest.mark.parametrize("version", NEWER)
def test_versions_6_to_10_write_local_time_and_no_hits(rules):
    rule = rules["a"]

    assert rule.created_at == timezone.make_aware(datetime(2026, 3, 1, 9))  # noqa: DTZ001  the file's own form
    assert rule.last_hit is None
    assert rule.activated_at == NOW  # so that it does not fall asleep for want of hits that nobody told


@pytest.mark.parametrize("version", NEWER)
def test_versions_6_to_10_name_what_has_no_place_here(rules):
    left_out = rules["report"].left_out

    assert {"concepts", "required_concept_groups", "domain_tags", "rule_version"} <= set(left_out)


@pytest.mark.parametrize("version", OLDER + NEWER)
def test_a_second_import_of_the_same_file_changes_nothing(rules, version):
    with (EXPORTS / f"version-{version:02d}.json").open("rb") as file:
        report = import_rules(file, now=NOW)

    assert report.imported == 0
    assert report.skipped == rules["report"].imported == len(rules) - 1


@pytest.mark.parametrize("version", OLDER + NEWER)
def test_every_imported_rule_says_in_its_history_where_it_came_from(rules):
    told = [list(rule.history.values_list("from_status", "to_status", "why")) for rule in Rule.objects.all()]

    assert all(len(changes) == 1 and "export" in changes[0][2] for changes in told)
    assert [changes[0][1] for changes in told] == [rule.status for rule in Rule.objects.all()]


@pytest.mark.parametrize("version", [5])
def test_a_merged_rule_whose_successor_is_nowhere_names_none(version):
    file = json.loads((EXPORTS / "version-05.json").read_text(encoding="utf-8"))
    file["rules"] = [{**file["rules"][1], "superseded_by": "99999999-0000-4000-8000-000000000000"}]

    import_rules(io.BytesIO(json.dumps(file).encode()), now=NOW)

    assert (Rule.objects.get().status, Rule.objects.get().superseded_by) == ("merged", None)


@pytest.mark.parametrize("version", [5])
def test_a_successor_that_is_here_already_is_found(version):
    here = make_rule(id=UUID("99999999-0000-4000-8000-000000000000"))
    file = json.loads((EXPORTS / "version-05.json").read_text(encoding="utf-8"))
    file["rules"] = [{**file["rules"][1], "superseded_by": str(here.pk)}]

    import_rules(io.BytesIO(json.dumps(file).encode()), now=NOW)

    assert here.supersedes.count() == 1
