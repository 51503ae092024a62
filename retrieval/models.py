"""The vectors of rules as they are kept: what of them is missing or old is worked out by comparing fingerprints."""

from __future__ import annotations

from django.db import models

from rules.models import Rule

MAX_MODEL_ID = 255


class RuleEmbedding(models.Model):
    """One chunk of one rule's text as one model sees it.

    `vector` holds `dimensions` float32 numbers, little-endian; `fingerprint` is that of all of the rule's chunks, so that a
    rule whose text changed is told by any of its rows.
    """

    rule = models.ForeignKey(Rule, models.CASCADE, related_name="embeddings")
    chunk = models.PositiveSmallIntegerField()
    model_id = models.CharField(max_length=MAX_MODEL_ID)
    dimensions = models.PositiveIntegerField()
    fingerprint = models.CharField(max_length=32)
    vector = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rule", "chunk", "model_id"], name="embedding_of_a_chunk_is_one"),
            models.CheckConstraint(condition=models.Q(dimensions__gt=0), name="embedding_has_dimensions"),
        ]
        indexes = [models.Index(fields=["model_id", "dimensions"], name="embedding_model")]

    def __str__(self) -> str:
        return f"{self.rule_id}/{self.chunk} by {self.model_id}"
