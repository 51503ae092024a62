"""The off-topic prompts' cosines with the rules > what a cosine says in this rule base: the offset of a prompt, two floors.

    background = mean of a prompt's BACKGROUND greatest cosines with off-topic prompts (itself left out)
    offset     = background + the mean of (cosine - background) over all off-topic prompts and rules
    lift       = cosine - offset, 0 for an ordinary prompt and rule; floors in multiples of its standard deviation
A prompt about everyday work is near many off-topic ones, so its cosines say less; and no two models have the same scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from retrieval.embeddings.protocol import Vectors

BACKGROUND = 20  # off-topic prompts
WARM_DEVIATIONS = 2.5  # as much as words at their floor; measured with the labelled prompts, two models
ALONE_DEVIATIONS = 5.0  # enough without a word; no unrelated labelled prompt but those that words let in, too
LEAST_DEVIATION = 1e-4  # one rule, or all alike


@dataclass(frozen=True)
class CosineScale:
    """What a cosine says for one model and one rule base."""

    offtopic: Vectors
    typical_lift: float
    floors: tuple[float, float]

    def offsets(self, queries: Vectors) -> list[float]:
        """For each prompt what to take off its cosines."""
        return [float(value) + self.typical_lift for value in _background(queries @ self.offtopic.T)]


def cosine_scale(offtopic: Vectors, rules: Vectors) -> CosineScale:
    """Both must have rows; off-topic prompts in a language that the model does not know tell nothing."""
    among = offtopic @ offtopic.T
    np.fill_diagonal(among, -1.0)
    lifts = offtopic @ rules.T - _background(among)[:, None]
    deviation = max(float(lifts.std()), LEAST_DEVIATION)
    return CosineScale(offtopic, float(lifts.mean()), (WARM_DEVIATIONS * deviation, ALONE_DEVIATIONS * deviation))


def _background(cosines: Vectors) -> Vectors:
    """The mean of each row's greatest."""
    count = min(BACKGROUND, cosines.shape[1])
    greatest: Vectors = np.partition(cosines, -count, axis=1)[:, -count:]
    means: Vectors = greatest.mean(axis=1)
    return means
