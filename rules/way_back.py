"""After a form was sent: back to the page of ours that it names, for a form must not lead to another site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponseRedirect


def way_back(request: HttpRequest, *, otherwise: str) -> HttpResponseRedirect:
    """`otherwise`: the name of the page for a form that names none, or one that is not ours."""
    target = request.POST.get("next", "")
    return redirect(target if url_has_allowed_host_and_scheme(target, allowed_hosts=None) else otherwise)
