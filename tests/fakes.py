"""Stand-ins for what leaves the process: FakeLlm answers from a script, FakeEmbedder hashes words into vectors."""

import json
import zlib

import numpy as np

from extraction.llm_errors import LlmError
from retrieval.embeddings.vectors import unit_vectors
from retrieval.lexical.tokens import tokenize


class FakeLlm:
    """Gives its answers in turn, the last one again and again: text as it is, an error raised, anything else as JSON."""

    def __init__(self, *answers):
        self._answers = list(answers) or [{"rules": []}]
        self.questions = []

    def answer(self, question):
        self.questions.append(question)
        answer = self._answers[min(len(self.questions), len(self._answers)) - 1]
        if callable(answer):
            answer = answer(question)
        if isinstance(answer, LlmError):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)

    @property
    def sent(self):
        """All text that left."""
        return "\n".join(question.system + question.body for question in self.questions)


class FakeEmbedder:
    """A bag of hashed words: texts that share words are near each other, the same text is always the same vector."""

    def __init__(self, *, model_id="fake", dimensions=64, languages=None):
        self.model_id = model_id
        self.dimensions = dimensions
        self.languages = languages
        self.encoded = []

    def encode_query(self, texts):
        return self._encode(texts)

    def encode_document(self, texts):
        return self._encode(texts)

    def _encode(self, texts):
        self.encoded += texts
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for term, _ in tokenize(text):
                vectors[row, zlib.crc32(term.encode()) % self.dimensions] += 1
        return unit_vectors(vectors, count=len(texts), dimensions=self.dimensions, source="The fake")


def worded_rule(**changes):
    """One rule as a model words it, complete."""
    return {
        "quote": "Never force-push to main",
        "trigger": "Pushing commits to a shared branch",
        "trigger_zh": "推送到共享分支",
        "variants": ["push my branch to main"],
        "variants_zh": ["强推到主分支"],
        "search_terms": {"en": ["git push --force"], "zh": ["强推"]},
        "behavior": "Force-pushed to main",
        "behavior_zh": "",
        "action": "Use --force-with-lease on a feature branch, never on main",
        "action_zh": "只在功能分支上用 --force-with-lease",
        "rationale": "",
        "rationale_zh": "",
        "source_type": "correction",
        "confidence": "high",
    } | changes
