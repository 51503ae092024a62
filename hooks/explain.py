"""What a prompt would meet: the ranking with every number, the text that would be injected, the gate's verdict.

The same published files and the same functions as in the hook, so the two cannot disagree; a session that was shown
nothing yet. Writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings

from extraction.transcript import human_words
from hooks.hot.arming import may_gate
from hooks.hot.dismiss import read_command, tombstones
from hooks.hot.events import NO_SESSION
from hooks.hot.injection import is_chinese, render_injection
from hooks.hot.sessions import Session
from hooks.nearness import Nearness, look_near
from retrieval.explain import rank
from retrieval.lexical.meaning import Blend
from retrieval.lexical.packed import Index
from retrieval.lexical.results import Tier
from rules.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooks.hot.injection import Injection, ShownRule
    from retrieval.explain import Ranking
    from retrieval.lexical.results import Hit
    from rules.disk import DataFolder

TIERS = (Tier.HOT, Tier.WARM, Tier.COLD)
TRIGGER_WIDTH = 80  # characters of a trigger or an action on one line


@dataclass(frozen=True, kw_only=True)
class Lens:
    """The settings that decide what an agent gets to see."""

    budget_chars: int
    verb: str
    is_gate_on: bool


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """`words` is what is searched with: the prompt without what no person typed, and without dismiss lines."""

    prompt: str
    words: str
    project_id: str
    ranking: Ranking
    injection: Injection
    gate_rule: ShownRule | None
    near: Nearness


def configured_lens() -> Lens:
    config = settings.NOKORI
    return Lens(budget_chars=config.max_injection_chars, verb=config.dismiss_phrase, is_gate_on=config.gate_enabled)


def explain(
    prompt: str, *, folder: DataFolder, project_id: str, lens: Lens, by_words_alone: bool = False
) -> Explanation:
    """by_words_alone leaves the embed server out. Raises IndexUnreadable."""
    words = read_command(human_words(prompt), verb=lens.verb).rest
    with Index.open(folder.published) as index:
        near = look_near(words, folder=folder, index=index, project_id=project_id, by_words_alone=by_words_alone)
        ranking = rank(
            words,
            index=index,
            project_id=project_id,
            hidden=tombstones(folder),
            blend=Blend(near.answer, order=settings.NOKORI.embed_fusion) if near.answer else None,
        )
    injection = render_injection(
        ranking.hits.formal,
        session=Session(NO_SESSION, now=0.0),
        budget_chars=lens.budget_chars,
        verb=lens.verb,
        is_chinese=is_chinese(words),
    )
    gate_rule = _gate_rule(injection.shown) if lens.is_gate_on else None
    return Explanation(
        prompt=prompt,
        words=words,
        project_id=project_id,
        ranking=ranking,
        injection=injection,
        gate_rule=gate_rule,
        near=near,
    )


def as_text(explanation: Explanation) -> str:
    """One line a fact, in the seed's form."""
    hits, tfidf, injected = explanation.ranking.hits, explanation.ranking.tfidf, explanation.injection.text
    return "\n\n".join(
        [
            _facts(explanation),
            *(_hits_text(tier.upper(), _of_tier(hits.formal, tier), tfidf) for tier in TIERS),
            _hits_text("shadow", hits.shadow, tfidf),
            _gate_text(explanation.gate_rule),
            f"injected text ({len(injected)} characters):\n{injected}" if injected else "injected text: none",
        ]
    )


def as_record(explanation: Explanation) -> dict[str, Any]:
    """Any: numbers, texts, lists and objects, as JSON has them."""
    ranking, rule, near = explanation.ranking, explanation.gate_rule, explanation.near
    return {
        "prompt": explanation.prompt,
        "words": explanation.words,
        "project_id": explanation.project_id,
        "formal_pool": ranking.formal_pool,
        "shadow_pool": ranking.shadow_pool,
        "bm25_matches": ranking.matches,
        "is_long": ranking.hits.is_long,
        "floor": ranking.hits.floor,
        "floors": {"short": ranking.floors.short, "long": ranking.floors.long},
        **{tier: [_hit_record(hit, ranking) for hit in _of_tier(ranking.hits.formal, tier)] for tier in TIERS},
        "shadow": [_hit_record(hit, ranking) for hit in ranking.hits.shadow],
        "embedding": {
            "model": near.answer.model_id if near.answer else "",
            "why_not": near.why_not,
            "floors": [near.answer.offset + lift for lift in near.answer.floors] if near.answer else [],
        },
        "gate": {
            "would_block": rule is not None,
            "short_id": rule.document.short_id if rule else "",
            "action": rule.document.action if rule else "",
            "tool_pattern": rule.document.tool_pattern if rule else "",
        },
        "injected_text": explanation.injection.text,
    }


def _gate_rule(shown: Iterable[ShownRule]) -> ShownRule | None:
    """The shown rule that would arm the gate."""
    return next((rule for rule in shown if rule.tier == Tier.HOT and may_gate(rule.document)), None)


def _of_tier(hits: Iterable[Hit], tier: str) -> list[Hit]:
    return [hit for hit in hits if hit.tier == tier]


def _facts(explanation: Explanation) -> str:
    ranking = explanation.ranking
    length = "long" if ranking.hits.is_long else "short"
    facts = {
        "prompt": f'"{explanation.prompt}"',
        "project_id": explanation.project_id or "(none: global rules only)",
        "formal.pool": counted(ranking.formal_pool, "rule"),
        "shadow.pool": counted(ranking.shadow_pool, "rule"),
        "bm25.matches": ranking.matches,
        "floor": f"{ranking.hits.floor:.2f} ({length}; {ranking.floors.short:.2f} short, {ranking.floors.long:.2f} long)",
    }
    if not explanation.words:
        facts["note"] = "no person typed this, so it is not searched with"
    return "\n".join(f"{name:<14}{value}" for name, value in facts.items())


def _hits_text(title: str, hits: Sequence[Hit], tfidf: Mapping[str, float]) -> str:
    texts = [_hit_text(hit, tfidf=tfidf[hit.document.rule_id]) for hit in hits]
    return "\n".join([f"{title:<4} ({len(hits)}):", *texts])


def _hit_text(hit: Hit, *, tfidf: float) -> str:
    numbers = f"bm25={hit.bm25:.2f}  evidence={hit.evidence:.2f}  coverage={hit.coverage:.2f}  tfidf={tfidf:.2f}"
    document = hit.document
    return (
        f"  {document.short_id}  {numbers}  matched={sorted(hit.words)}\n"
        f"    {_one_line(document.trigger)}\n"
        f"    {hit.tier}: {hit.reason}"
    )


def _gate_text(rule: ShownRule | None) -> str:
    if rule is None:
        return "gate.would_block  False"
    calls = f" (calls that match {rule.document.tool_pattern})" if rule.document.tool_pattern else ""
    return f"gate.would_block  True{calls}\n  {rule.document.short_id}: {_one_line(rule.document.action)}"


def _hit_record(hit: Hit, ranking: Ranking) -> dict[str, object]:
    return {
        "short_id": hit.document.short_id,
        "rule_id": hit.document.rule_id,
        "trigger": hit.document.trigger,
        "tier": hit.tier,
        "reason": hit.reason,
        "bm25": hit.bm25,
        "tfidf": ranking.tfidf[hit.document.rule_id],
        "meaning": _meaning_record(hit),
        "evidence": hit.evidence,
        "coverage": hit.coverage,
        "matched": sorted(hit.words),
        "variant_hit": hit.variant_hit,
        "reactivates": hit.reactivates,
        "status": hit.document.status,
        "project_id": hit.document.project_id,
    }


def _meaning_record(hit: Hit) -> dict[str, float | None] | None:
    if hit.meaning is None:
        return None
    return {name: getattr(hit.meaning, name) for name in ("cosine", "fused", "convex", "rrf")}


def _one_line(text: str) -> str:
    return " ".join(text.split())[:TRIGGER_WIDTH]
