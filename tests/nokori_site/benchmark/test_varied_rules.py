from nokori_site.benchmark.varied_rules import varied_log, varied_prompt, varied_rules
from retrieval.lexical.tokens import tokenize


def texts_of(rule):
    terms = [term for language in rule.search_terms.values() for term in language]
    return " ".join([rule.trigger, *rule.variants, rule.action, *terms])


def test_the_rules_are_the_same_on_every_run():
    assert list(varied_rules(50)) == list(varied_rules(50))


def test_a_longer_list_begins_with_the_shorter_one():
    assert list(varied_rules(50))[:20] == list(varied_rules(20))


def test_hardly_two_rules_of_a_thousand_share_a_trigger():
    triggers = {rule.trigger for rule in varied_rules(1000)}

    assert len(triggers) >= 998


def test_the_rules_speak_three_languages():
    languages = {language for rule in varied_rules(200) for language in rule.search_terms}

    assert languages == {"en", "zh", "ja"}


def test_a_rule_has_about_forty_five_tokens():
    rules = list(varied_rules(300))

    tokens = sum(len(tokenize(texts_of(rule))) for rule in rules)

    assert 35 <= tokens / len(rules) <= 55


def test_a_prompt_has_as_many_words_as_asked_in_lines_of_pasted_text():
    prompt = varied_prompt(45, seed=1)

    assert len(prompt.split()) == 45
    assert len(prompt.splitlines()) == 4


def test_a_log_has_about_as_many_words_as_asked_and_says_the_same_again_and_again():
    lines = varied_log(2_800, seed=1).splitlines()

    assert 2_300 <= sum(len(line.split()) for line in lines) <= 3_300
    assert len({tuple(line.split()[4:8]) for line in lines}) <= 40
