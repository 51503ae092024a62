"""Rules in the API: list, add, read, edit, move one or many."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router
from ninja import Status as Answer

from rules.authoring import add_rule, edit_rule, find_rule, move_by_hand
from rules.drafts import RuleDraft
from rules.lifecycle import Mover, Status
from rules.models import Rule
from rules.paging import Page, PageWish, page_of
from rules.records import rule_record, rule_record_with_past
from rules.refusals import RuleRefused
from rules.schemas import Move, Moved, MoveMany, NewRule, RuleFilter, RuleOut, RuleWithPast, RuleWords
from rules.selection import RuleWish, select_rules

router = Router(tags=["rules"])
Record = dict[str, Any]  # Any: the columns of a schema


@router.get("/rules", response=Page[RuleOut])
def list_rules(request: HttpRequest, wish: Query[RuleFilter], page: Query[PageWish]) -> Record:
    return page_of(select_rules(RuleWish(**wish.dict())), page, rule_record)


@router.post("/rules", response={201: RuleOut})
def create_rule(request: HttpRequest, words: NewRule) -> Answer[Record]:
    rule = add_rule(RuleDraft(**words.dict()), by=Mover.PAGE, now=timezone.now())
    return Answer(201, rule_record(rule))


@router.post("/rules/move", response=Moved)
def move_rules(request: HttpRequest, wish: MoveMany) -> Record:
    """Moves each rule that can be moved."""
    moved, problems = 0, []
    for name in wish.rules:
        try:
            moved += move_by_hand(find_rule(name), Status(wish.to), by=Mover.PAGE, now=timezone.now())
        except RuleRefused as refused:
            problems.append(str(refused))
    return {"moved": moved, "problems": problems}


@router.get("/rules/{name}", response=RuleWithPast)
def show_rule(request: HttpRequest, name: str) -> Record:
    return rule_record_with_past(find_rule(name))


@router.patch("/rules/{name}", response=RuleOut)
def change_rule(request: HttpRequest, name: str, words: RuleWords) -> Record:
    rule = find_rule(name)
    edit_rule(rule, words.dict(exclude_unset=True), now=timezone.now())
    return rule_record(rule)


@router.post("/rules/{name}/move", response=RuleOut)
def move_rule(request: HttpRequest, name: str, wish: Move) -> Record:
    rule = find_rule(name)
    move_by_hand(rule, Status(wish.to), by=Mover.PAGE, now=timezone.now())
    return rule_record(Rule.objects.get(pk=rule.pk))
