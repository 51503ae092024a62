"""Stand-ins for what leaves the process: FakeLlm answers from a script and remembers what it was asked."""

import json

from extraction.llm_errors import LlmError


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
