"""The API's own page: every route, rendered here, so that it needs neither a script nor a file from elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from django.shortcuts import render

from nokori_site.api import api
from nokori_site.api_reference import routes_by_tag

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def api_reference(request: HttpRequest) -> HttpResponse:
    document = json.loads(json.dumps(api.get_openapi_schema()))
    address = f"{request.scheme}://{request.get_host()}"
    return render(request, "nokori_site/api.html", {"tags": routes_by_tag(document), "address": address})
