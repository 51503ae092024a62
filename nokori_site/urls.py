"""HTTP routes: the pages, the API, the Django admin."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.i18n import set_language

from nokori_site.api import api, no_route
from nokori_site.views.api_reference import api_reference
from nokori_site.views.config import config, health
from nokori_site.views.dashboard import dashboard
from nokori_site.views.embed_server import control_embed_server
from nokori_site.views.entrance import choose_theme, enter
from nokori_site.views.extract_run import run_extraction
from nokori_site.views.lifecycle import lifecycle, run_now
from nokori_site.views.logs import logs
from nokori_site.views.review import decide, review

admin.autodiscover()  # settings install the admin without it, so that commands start quickly

urlpatterns = [
    path("", dashboard, name="dashboard"),
    path("config/", config, name="config"),
    path("config/health/", health, name="config-health"),
    path("logs/", logs, name="logs"),
    path("enter/", enter, name="enter"),
    path("theme/", choose_theme, name="theme"),
    path("language/", set_language, name="language"),
    path("", include("hooks.urls")),
    path("rules/", include("rules.urls")),
    path("review/", review, name="review"),
    path("review/<str:name>/", review, name="review-one"),
    path("review/<str:name>/decide/", decide, name="review-decide"),
    path("embed-server/", control_embed_server, name="embed-server"),
    path("lifecycle/", lifecycle, name="lifecycle"),
    path("lifecycle/run/", run_now, name="lifecycle-run"),
    path("extract/run/", run_extraction, name="extract-run"),
    path("extract/", include("extraction.urls")),
    path("api/", api_reference, name="api-reference"),
    path("api/", api.urls),
    re_path("^api/", no_route),
    path("admin/", admin.site.urls),
]
handler400 = "nokori_site.refusals.bad_request"
handler404 = "nokori_site.refusals.not_found"
handler500 = "nokori_site.refusals.server_error"
