"""A process of another version may know other fields, or the same ones in another form."""

from dataclasses import dataclass

from retrieval.embeddings.known_fields import known_fields


@dataclass(frozen=True)
class Told:
    state: str
    seconds: float = 0.0
    rules: int = -1


def test_only_known_fields_of_their_kind_are_taken():
    content = {"state": "ready", "seconds": 3, "rules": "many", "colour": "red"}

    assert known_fields(Told, content) == {"state": "ready", "seconds": 3}


def test_a_field_without_a_default_is_a_text():
    assert known_fields(Told, {"state": 7}) == {}
