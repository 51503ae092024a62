"""The API's page lists every route with what goes in and comes out, and loads nothing from elsewhere."""

import json
import re

import pytest

from nokori_site.api import build_api
from nokori_site.api_reference import routes_by_tag

pytestmark = pytest.mark.django_db


def routes():
    document = json.loads(json.dumps(build_api().get_openapi_schema()))
    return {f"{route.method} {route.path}": route for found in routes_by_tag(document).values() for route in found}


def test_every_route_of_the_document_is_listed(pages):
    page = pages.get("/api/").content.decode()

    assert len(routes()) > 25
    assert [name for name, route in routes().items() if f'id="{route.anchor}"' not in page] == []


def test_a_route_tells_its_parameters_body_and_answers():
    listing, adding = routes()["GET /api/rules"], routes()["POST /api/rules"]

    assert {"status", "text", "page"} <= {given.name for given in listing.inputs}
    assert [given.kind for given in adding.inputs if given.name == "variants"] == ["list of string"]
    assert [given.name for given in adding.inputs if given.is_required] == ["trigger", "action"]
    assert adding.answers == ["201 RuleOut"]


def test_the_page_loads_nothing_from_elsewhere(pages):
    page = pages.get("/api/").content.decode()

    assert re.findall(r'(?:src|href)="(?:https?:)?//', page) == []
