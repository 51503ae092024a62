"""The values that a search answers with: Document, Hit, Tier, Floors, DenseAnswer, Hits. Plain data, no behaviour of their own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Tier:
    """How close a match is; COLD is never injected."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class Document:
    """One retrievable rule as it is published: what a hook may show and what it must know to decide.

    `*_zh` are the Chinese twins, empty when there is none. `excludes` are phrases that keep the rule silent;
    `tool_pattern` is a regular expression on the tool input, empty for any call.
    """

    __slots__ = (
        "action",
        "action_zh",
        "confidence",
        "excludes",
        "project_id",
        "rationale",
        "rationale_zh",
        "rule_id",
        "scope",
        "short_id",
        "source_type",
        "status",
        "terms",
        "tool_pattern",
        "trigger",
        "trigger_zh",
        "variants",
    )

    def __init__(  # noqa: PLR0913  a plain value
        self,
        *,
        rule_id: str,
        short_id: str,
        trigger: str,
        action: str,
        status: str = "active",
        source_type: str = "correction",
        confidence: str = "high",
        scope: str = "global",
        project_id: str = "",
        rationale: str = "",
        trigger_zh: str = "",
        action_zh: str = "",
        rationale_zh: str = "",
        variants: Sequence[str] = (),
        terms: Sequence[str] = (),
        excludes: Sequence[str] = (),
        tool_pattern: str = "",
    ) -> None:
        self.rule_id = rule_id
        self.short_id = short_id
        self.trigger = trigger
        self.action = action
        self.status = status
        self.source_type = source_type
        self.confidence = confidence
        self.scope = scope
        self.project_id = project_id
        self.rationale = rationale
        self.trigger_zh = trigger_zh
        self.action_zh = action_zh
        self.rationale_zh = rationale_zh
        self.variants = variants  # both languages
        self.terms = terms  # search terms of every language
        self.excludes = excludes
        self.tool_pattern = tool_pattern


class Floors:
    """The evidence that a match must pass, calibrated on off-topic prompts: for short prompts and for long ones.

    `rule_count` is how many rules there were at the time, 0 when nothing was calibrated yet.
    """

    __slots__ = ("long", "rule_count", "short")

    def __init__(self, *, short: float, long: float, rule_count: int = 0) -> None:
        self.short = short
        self.long = long
        self.rule_count = rule_count


class Meaning:
    """What the embed server's answer adds to one match.

    `share` is the lift and `fused` the evidence of words and meaning together, both in multiples of their floor; `convex`
    and `rrf` are the scores of the two orders. `cosine` is None for a rule that is not among the nearest, or has no vector.
    """

    __slots__ = ("convex", "cosine", "fused", "rrf", "share")

    def __init__(self, *, cosine: float | None, share: float, fused: float, convex: float, rrf: float) -> None:
        self.cosine = cosine
        self.share = share
        self.fused = fused
        self.convex = convex
        self.rrf = rrf


class Hit:
    """One document that a prompt matched, with every number behind its tier.

    bm25 orders, evidence (bm25 / total idf ** 1/3) is held against the floor, coverage is the largest share of the
    idf of the trigger or of one variant that the prompt covers. `words` are the prompt's matched words, `word_count`
    how many of them are separate (two CJK pairs that share a character are one); `variant_hit`: a whole variant or
    search term is in the prompt; `is_word_for_word`: the trigger is, with its words in a row.
    `meaning` is None where only words count. `reactivates`: dormant, but would be HOT were it active. `reason` says in one sentence why the tier is what it is.
    """

    __slots__ = (
        "bm25",
        "coverage",
        "document",
        "evidence",
        "is_word_for_word",
        "meaning",
        "reactivates",
        "reason",
        "tier",
        "variant_hit",
        "word_count",
        "words",
    )

    def __init__(  # noqa: PLR0913  a plain value
        self,
        document: Document,
        *,
        bm25: float,
        evidence: float,
        coverage: float,
        words: tuple[str, ...],
        word_count: int,
        variant_hit: bool,
        is_word_for_word: bool = False,
        meaning: Meaning | None = None,
        tier: str = Tier.COLD,
        reactivates: bool = False,
        reason: str = "",
    ) -> None:
        self.document = document
        self.bm25 = bm25
        self.evidence = evidence
        self.coverage = coverage
        self.words = words
        self.word_count = word_count
        self.variant_hit = variant_hit
        self.is_word_for_word = is_word_for_word
        self.meaning = meaning
        self.tier = tier
        self.reactivates = reactivates
        self.reason = reason


class DenseAnswer:
    """What the embed server found for one prompt: rule ids with their cosines, best first, a list for each pool.

    `offset` is what of a cosine is owed to the prompt and not to the rule; the rest is the lift. `floors` are two lifts,
    calibrated for this model and these rules: one that says as much as words at their floor, and one that is enough alone.
    `languages` are the ISO codes that the model knows, None for all. `numbers` are those of the listed rules in the index
    with this `content_id`: in any other index, a rule has to be found by its id.
    """

    __slots__ = ("content_id", "floors", "formal", "languages", "model_id", "numbers", "offset", "shadow")

    def __init__(  # noqa: PLR0913  a plain value
        self,
        model_id: str,
        *,
        formal: Sequence[tuple[str, float]],
        shadow: Sequence[tuple[str, float]],
        floors: tuple[float, float],
        offset: float = 0.0,
        languages: frozenset[str] | None,
        numbers: Mapping[str, int] | None = None,
        content_id: str = "",
    ) -> None:
        self.model_id = model_id
        self.formal = formal
        self.shadow = shadow
        self.floors = floors
        self.offset = offset
        self.languages = languages
        self.numbers = numbers or {}
        self.content_id = content_id


class Hits:
    """What one search found, best first. `formal` may be injected, `shadow` is only counted.

    `floor` is the one that was applied; `is_long` tells whether the prompt was cut into segments.
    """

    __slots__ = ("floor", "formal", "is_long", "shadow")

    def __init__(
        self,
        *,
        formal: tuple[Hit, ...],
        shadow: tuple[Hit, ...],
        floor: float,
        is_long: bool,
    ) -> None:
        self.formal = formal
        self.shadow = shadow
        self.floor = floor
        self.is_long = is_long
