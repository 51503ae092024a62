"""Questions that wait together, and who may use the model."""

import time
from threading import Event, Thread

from retrieval.embeddings.inbox import Inbox, Question, Turns


def question(prompt="push", seconds=60.0):
    return Question(prompt, project_id="", deadline=time.monotonic() + seconds)


def prompts(questions):
    return [question.prompt for question in questions]


def test_those_who_wait_are_taken_together_the_oldest_first():
    inbox = Inbox()
    for prompt in ("a", "b", "c"):
        inbox.put(question(prompt))

    assert prompts(inbox.take(most=2, wait_seconds=0)) == ["a", "b"]
    assert prompts(inbox.take(most=2, wait_seconds=0)) == ["c"]


def test_a_question_whose_time_is_over_is_dropped():
    inbox = Inbox()
    inbox.put(question("late", seconds=-1))
    inbox.put(question("in time"))

    assert prompts(inbox.take(most=1, wait_seconds=0)) == ["in time"]


def test_nobody_asked():
    assert Inbox().take(most=1, wait_seconds=0) == []


def test_who_takes_can_be_woken():
    inbox, taken = Inbox(), []
    thread = Thread(target=lambda: taken.append(inbox.take(most=1, wait_seconds=60)))
    thread.start()
    while thread.is_alive():
        inbox.wake()
        thread.join(0.01)

    assert taken == [[]]


def test_an_answer_reaches_who_asked():
    asked = question()

    asked.answer({"state": "ready"})

    assert asked.wait() == {"state": "ready"}


def test_without_an_answer_the_wait_ends_at_the_deadline():
    assert question(seconds=0.01).wait() is None


def test_a_prompt_goes_before_the_next_batch_of_rules():
    turns, order, prompt_waits = Turns(), [], Event()

    def ask():
        prompt_waits.set()
        with turns.for_prompts():
            order.append("prompt")

    with turns.for_rules():
        thread = Thread(target=ask)
        thread.start()
        prompt_waits.wait()
        time.sleep(0.05)  # it stands in line by now
        order.append("rules")
    with turns.for_rules():
        order.append("more rules")
    thread.join()

    assert order == ["rules", "prompt", "more rules"]


def test_the_model_is_free_again_after_an_error():
    turns = Turns()
    try:
        with turns.for_rules():
            raise ValueError
    except ValueError:
        pass

    with turns.for_prompts():
        pass
