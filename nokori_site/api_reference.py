"""The OpenAPI document > what its page lists: routes by tag, each with its parameters, the fields of its body, its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Node = Mapping[str, Any]  # JSON


@dataclass(frozen=True, kw_only=True)
class Input:
    """A parameter or a field of the body. place: path, query or body."""

    name: str
    place: str
    kind: str
    is_required: bool
    description: str


@dataclass(frozen=True, kw_only=True)
class Route:
    method: str
    path: str
    description: str
    inputs: list[Input]
    answers: list[str]

    @property
    def anchor(self) -> str:
        return f"{self.method}{self.path}".replace("/", "-").replace("{", "").replace("}", "").lower()


def routes_by_tag(document: Node) -> dict[str, list[Route]]:
    found: dict[str, list[Route]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            route = _route(method.upper(), path, operation, document)
            found.setdefault(operation.get("tags", [""])[0], []).append(route)
    return found


def _route(method: str, path: str, operation: Node, document: Node) -> Route:
    parameters = [_parameter(parameter) for parameter in operation.get("parameters", [])]
    answers = [f"{status} {_answer(answer)}".strip() for status, answer in operation["responses"].items()]
    return Route(
        method=method,
        path=path,
        description=operation.get("description") or operation.get("summary", ""),
        inputs=[*parameters, *_body(operation, document)],
        answers=[answer for answer in answers if not answer.startswith("default")],
    )


def _parameter(parameter: Node) -> Input:
    return Input(
        name=parameter["name"],
        place=parameter["in"],
        kind=_kind(parameter["schema"]),
        is_required=parameter.get("required", False),
        description=parameter.get("description", ""),
    )


def _body(operation: Node, document: Node) -> Iterable[Input]:
    content = operation.get("requestBody", {}).get("content", {})
    for media in content.values():
        schema = _resolved(media["schema"], document)
        for name, field in schema.get("properties", {}).items():
            yield Input(
                name=name,
                place="body",
                kind=_kind(field),
                is_required=name in schema.get("required", []),
                description=field.get("description", ""),
            )


def _answer(answer: Node) -> str:
    return ", ".join(_kind(media["schema"]) for media in answer.get("content", {}).values())


def _resolved(schema: Node, document: Node) -> Node:
    if "$ref" not in schema:
        return schema
    found: Node = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _kind(schema: Node) -> str:
    """In a few words: a type, the words to choose from, or the name of a schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2].strip("_")
    if "enum" in schema:
        return " | ".join(word or '""' for word in map(str, schema["enum"]))
    if "anyOf" in schema:
        return " | ".join(_kind(choice) for choice in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", schema.get("const", "any")) or '""')
