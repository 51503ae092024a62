"""The API keeps the shape that its snapshot shows, and answers whatever fits that shape without breaking."""

import json
from pathlib import Path

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from nokori_site.access import web_token
from nokori_site.api import build_api
from retrieval.publish import publish_all
from tests.extraction.making import make_job
from tests.factories import make_rule

SNAPSHOT = Path(__file__).parent / "openapi.json"  # written anew by: python -m tests.write_openapi
EXAMPLES = 20  # for each operation
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]


def document():
    return json.loads(json.dumps(build_api().get_openapi_schema()))


def operations():
    found = schemathesis.openapi.from_dict(document()).get_all_operations()
    return [result.ok() for result in found if isinstance(result, Ok)]


def routes():
    return [
        (f"{method} {path}", operation)
        for path, operations in document()["paths"].items()
        for method, operation in operations.items()
    ]


def test_the_api_has_the_shape_of_its_snapshot():
    shape = document()
    del shape["info"]["version"]

    assert shape == json.loads(SNAPSHOT.read_text(encoding="utf-8"))


@pytest.fixture
def full_folder(data_folder, db):
    """A rule and a job for the calls to meet."""
    make_rule()
    make_job()
    publish_all(calibrate=False)
    return data_folder


@pytest.mark.parametrize(("name", "operation"), routes(), ids=[name for name, _ in routes()])
def test_every_route_says_what_it_answers_and_how_it_fails(name, operation):
    answers = operation["responses"]

    assert "application/problem+json" in answers.pop("default")["content"]
    assert all("content" in answer or status == "204" for status, answer in answers.items())


@pytest.mark.parametrize("label", [operation.label for operation in operations()])
def test_no_call_that_fits_the_document_breaks_the_program(label, full_folder):
    operation = next(operation for operation in operations() if operation.label == label)
    headers = {"Authorization": f"Bearer {web_token(full_folder)}"}

    @hypothesis_settings(max_examples=EXAMPLES)
    @given(case=operation.as_strategy())
    def call(case):
        case.call_and_validate(app=WSGIHandler(), headers=headers, checks=CHECKS)

    call()
