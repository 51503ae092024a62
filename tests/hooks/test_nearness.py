"""The page asks the embed server as the hook does, with more patience, and says in one word why it has no answer."""

import pytest

from hooks.explain import Lens, as_record, explain
from hooks.ranking import ranking_page
from retrieval.publish import publish_all
from tests.factories import make_rule
from tests.retrieval.listener import listening

pytestmark = pytest.mark.django_db(transaction=True)  # publishing reads what is committed
PROMPT = "I'll just git push --force this shared branch"
LENS = Lens(budget_chars=1500, verb="dismiss", is_gate_on=True)


@pytest.fixture
def rule(data_folder, monkeypatch):
    monkeypatch.setenv("NOKORI_EMBED_BACKEND", "light")
    monkeypatch.setenv("NOKORI_EMBED_ENABLED", "1")
    made = make_rule(variants=["git push --force"])
    publish_all(calibrate=True)
    return made


def explained(folder, **wish):
    return explain(PROMPT, folder=folder, project_id="", lens=LENS, **wish)


def answer(rule, **changes):
    near = {
        "formal": [[str(rule.pk), 0.71, 0]],
        "shadow": [],
        "floors": [0.2, 0.3],
        "offset": 0.1,
        "languages": None,
        "content": "",
    }
    return {"state": "ready", "model": "fake"} | near | changes


def test_an_answer_gives_each_rule_its_cosine_with_both_floors(data_folder, rule):
    with listening(data_folder, sends=answer(rule)):
        explanation = explained(data_folder)

    page = ranking_page(explanation, budget_chars=1500, is_gate_on=True)
    cosine = next(bar for bar in page.formal[0].bars if bar.kind == "cosine")
    assert (cosine.value, cosine.width, cosine.marks, cosine.is_passed) == (0.71, 71, (30, 40), True)
    assert {bar.kind for bar in page.formal[0].bars} >= {"fused", "convex", "rrf"}
    assert as_record(explanation)["embedding"]["floors"] == pytest.approx([0.3, 0.4])


def test_a_rule_that_is_not_among_the_nearest_has_no_cosine(data_folder, rule):
    with listening(data_folder, sends=answer(rule, formal=[])):
        [hit] = as_record(explained(data_folder))["hot"]

    assert hit["meaning"]["cosine"] is None


@pytest.mark.parametrize(
    ("variables", "wish", "why_not"),
    [
        ({}, {}, "missing"),
        ({}, {"by_words_alone": True}, "off"),
        ({"NOKORI_EMBED_ENABLED": "0"}, {}, "off"),
        ({"NOKORI_EMBED_ENABLED": ""}, {}, "few"),
        ({"NOKORI_EMBED_BACKEND": "none"}, {}, "none"),
    ],
    ids=str,
)
def test_without_an_answer_one_word_says_why(data_folder, rule, monkeypatch, variables, wish, why_not):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert explained(data_folder, **wish).near.why_not == why_not


def test_a_server_that_loads_its_model_says_so(data_folder, rule):
    with listening(data_folder, sends={"state": "starting"}):
        assert explained(data_folder).near.why_not == "starting"


def test_the_page_leaves_the_server_out_on_demand(pages, data_folder, rule):
    with listening(data_folder, sends=answer(rule)) as questions:
        page = pages.post("/retrieve/", {"prompt": PROMPT, "by_words_alone": "on"}).content.decode()

    assert questions == []
    assert "Matched by words alone." in page
