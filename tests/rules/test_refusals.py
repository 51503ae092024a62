"""A refusal as an exception says it, and as a page says it in another language."""

import pytest
from django.utils.translation import gettext, override

from rules.drafts import clean_columns
from rules.lifecycle import Mover, Status
from rules.refusals import MoveRefused, RuleRefused
from tests.factories import make_rule


def refused(**columns):
    with pytest.raises(RuleRefused) as refusal:
        clean_columns(columns)
    return refusal.value


def test_a_command_says_it_in_english():
    assert str(refused(action="")) == "action is empty."


def test_a_page_says_it_in_its_language_with_its_facts():
    with override("ja"):
        assert refused(variants=[f"v{number}" for number in range(41)]).said(gettext) == (
            "ほかの言い方 は 41 項目です。許されるのは 32 項目までです。"
        )


def test_a_percent_sign_in_a_fact_stays_one():
    assert "'%s%'" in str(refused(confidence="%s%"))


@pytest.mark.django_db
def test_the_words_of_a_choice_are_translated_too():
    rule = make_rule(status=Status.CANDIDATE)

    with pytest.raises(MoveRefused) as refusal:
        rule.move_to(Status.DORMANT, why="", by=Mover.PAGE, now=rule.created_at)

    with override("zh-hans"):
        assert (
            refusal.value.said(gettext) == f"{rule.short_id} 的状态是“候选”，只能变为“启用 或 已归档”，不能变为“休眠”。"
        )
