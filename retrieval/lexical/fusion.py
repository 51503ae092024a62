"""Words and meaning together: how strong both are as one number, and in which order rules come.

    lift           = cosine - offset; the offset is what a prompt of this kind has in common with any rule
    fused evidence = S * evidence / floor + (1 - S) * lift / warm, S = WORDS_SHARE; a rule passes at 1
    convex         = W * bm25 / top + (1 - W) * (cosine - least) / (best - least), W by the model; top is the best bm25, but
                     at least IDEAL_SHARE of what holding every word of the prompt would give: a chance word is no match
    rrf            = sum over both lists of 1 / (RRF_K + place), of the first RRF_PLACES of each
The order is by convex or by rrf, as the setting embed.fusion says; whether a rule is shown at all is not a matter of order.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping
    from typing import TypeVar

    Rule = TypeVar("Rule", bound=Hashable)  # by its number or by its id

CONVEX, RRF = "convex", "rrf"
WORDS_SHARE = 0.7  # from .6 to .75 the labelled sets change by one prompt
WORDS_WEIGHT = 0.5  # of the words in the order, by `evaluate`; see MODEL_WEIGHTS
MODEL_WEIGHTS = {"universal-sentence-encoder-multilingual-3": 0.8}
IDEAL_SHARE = 0.3
RRF_K = 60
RRF_PLACES = 10


def fused_evidence(word_share: float, meaning_share: float) -> float:
    """Both in multiples of their floor, and so is the sum."""
    return WORDS_SHARE * word_share + (1 - WORDS_SHARE) * meaning_share


def least_word_share(best_meaning_share: float) -> float:
    """The share of its floor below which no rule can pass, if this is the most that meaning adds."""
    return (1 - (1 - WORDS_SHARE) * best_meaning_share) / WORDS_SHARE


def words_weight(model_id: str) -> float:
    return MODEL_WEIGHTS.get(model_id, WORDS_WEIGHT)


def top_bm25(values: Iterable[float], *, ideal: float = 0.0) -> float:
    """What counts as the best match by words; `ideal` is what holding every word would give."""
    return max([*values, IDEAL_SHARE * ideal], default=0.0) or 1.0


def convex_scores(
    words: Mapping[Rule, float], meaning: Mapping[Rule, float], *, weight: float, top: float
) -> dict[Rule, float]:
    """bm25 and cosine of the rules that have one > the order's scores: from 0 to 1, where no bm25 is above the top."""
    least = min(meaning.values(), default=0.0)
    spread = max(meaning.values(), default=0.0) - least or 1.0
    scores = {key: weight * value / top for key, value in words.items()}
    for key, cosine in meaning.items():
        scores[key] = scores.get(key, 0.0) + (1 - weight) * (cosine - least) / spread
    return scores


def rrf_scores(words: Mapping[Rule, float], meaning: Mapping[Rule, float]) -> dict[Rule, float]:
    scores = dict.fromkeys((*words, *meaning), 0.0)
    for listed in (words, meaning):
        best_first = sorted(listed, key=lambda key: -listed[key])
        for place, key in enumerate(best_first[:RRF_PLACES], start=1):
            scores[key] += 1 / (RRF_K + place)
    return scores
