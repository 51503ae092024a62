"""Questions that wait for the model: any thread puts one in and waits for its answer; one thread takes them out, together.

Whoever asked has given up at the question's deadline, so what is late is dropped without work: a busy machine catches up.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Event
from typing import Any

Answer = dict[str, Any]


class Question:
    """One prompt that waits; `deadline` is a time.monotonic()."""

    def __init__(self, prompt: str, *, project_id: str, deadline: float) -> None:
        self.prompt = prompt
        self.project_id = project_id
        self.deadline = deadline
        self._answered = Event()
        self._answer: Answer | None = None

    def answer(self, answer: Answer) -> None:
        self._answer = answer
        self._answered.set()

    def wait(self) -> Answer | None:
        """None when the deadline passed."""
        self._answered.wait(max(0.0, self.deadline - time.monotonic()))
        return self._answer


class Inbox:
    def __init__(self) -> None:
        self._waiting: deque[Question] = deque()
        self._changed = Condition()

    def put(self, question: Question) -> None:
        with self._changed:
            self._waiting.append(question)
            self._changed.notify()

    def wake(self) -> None:
        """Has the one who takes look up at once."""
        with self._changed:
            self._changed.notify_all()

    def take(self, *, most: int, wait_seconds: float) -> list[Question]:
        """The oldest ones that are not late; none when nobody asked in that time, or was woken."""
        with self._changed:
            if not self._waiting:
                self._changed.wait(wait_seconds)
            now = time.monotonic()
            taken: list[Question] = []
            while self._waiting and len(taken) < most:
                question = self._waiting.popleft()
                if question.deadline > now:
                    taken.append(question)
            return taken


class Turns:
    """Who may use the model now: a prompt waits for the batch of rules that is being encoded, and for no other."""

    def __init__(self) -> None:
        self._free = Condition()
        self._is_taken = False
        self._prompts = 0

    @contextmanager
    def for_prompts(self) -> Iterator[None]:
        with self._free:
            self._prompts += 1
            self._free.wait_for(lambda: not self._is_taken)
            self._prompts -= 1
            self._is_taken = True
        with self._giving_back():
            yield

    @contextmanager
    def for_rules(self) -> Iterator[None]:
        with self._free:
            self._free.wait_for(lambda: not self._is_taken and not self._prompts)
            self._is_taken = True
        with self._giving_back():
            yield

    @contextmanager
    def _giving_back(self) -> Iterator[None]:
        try:
            yield
        finally:
            with self._free:
                self._is_taken = False
                self._free.notify_all()
