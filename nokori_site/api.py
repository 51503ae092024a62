"""The API under /api/: one line for each app, and the routes of what no app knows: overview, health, config, upkeep, logs.

Who may call it is decided in access.py, for all paths alike; here it is only described.
"""

from __future__ import annotations

import os
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver
from django.utils import timezone
from django.utils.translation import override
from ninja import NinjaAPI, Query, Router
from ninja import Status as Answer
from ninja.openapi.schema import OpenAPISchema

from extraction.api import router as extraction_router
from hooks.api import router as hooks_router
from hooks.hot.spawn import spawn_embed_server
from nokori_site.activity import PERIODS, Activity, activity
from nokori_site.api_errors import add_error_handlers, describe_errors, problem, with_problem_405
from nokori_site.config_editing import change_settings, take_effect
from nokori_site.config_report import problems, report
from nokori_site.dashboard import Standing, look_at_standing
from nokori_site.extraction_start import start_by_hand
from nokori_site.finding import Finding
from nokori_site.health import examine
from nokori_site.log_reading import last_lines
from nokori_site.maintenance import all_scans, maintain
from nokori_site.schemas import (
    ActivityFilter,
    ActivityOut,
    ConfigChanged,
    ConfigChanges,
    ConfigOut,
    EmbedServerWish,
    LogFilter,
    LogLines,
    MaintenanceWish,
    ScanOut,
    ScanReportOut,
    StandingOut,
    Started,
)
from nokori_site.settle import catch_up
from nokori_site.status import Overview, look_over
from nokori_site.version import VERSION
from retrieval.embeddings import control
from retrieval.embeddings.control import EmbedStatus
from rules.api import router as rules_router
from rules.maintenance import ScanReport, ScanTimes, scan_times

Record = dict[str, Any]  # Any: the columns of a schema
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "What the file web_token of the data folder holds."},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": settings.SESSION_COOKIE_NAME,
        "description": "What the link of `web` sets.",
    },
}
router = Router(tags=["site"])


class NokoriAPI(NinjaAPI):
    """NinjaAPI whose OpenAPI document tells of the errors too."""

    def get_openapi_schema(self, *args: Any, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(*args, **options)
        describe_errors(schema)
        schema["components"]["securitySchemes"] = SECURITY
        schema["security"] = [{name: []} for name in SECURITY]
        return schema

    @property
    def urls(self) -> tuple[list[URLResolver | URLPattern], str, str]:
        patterns, app_name, namespace = super().urls
        return [with_problem_405(pattern) for pattern in patterns], app_name, namespace


@router.get("/overview", response=Overview)
def show_overview(request: HttpRequest) -> Overview:
    """The program in figures, as `status` prints them."""
    return look_over(settings.NOKORI_FOLDER, config=settings.NOKORI, now=timezone.now())


@router.get("/health", response=list[Finding])
def show_health(request: HttpRequest) -> list[Finding]:
    """Every check of `health`; one of a configured endpoint may take seconds."""
    with override("en"):  # what a program reads does not change with a browser's language
        return examine(settings.NOKORI_FOLDER, config=settings.NOKORI, now=timezone.now())


@router.post("/settle", response={204: None})
def file_notes(request: HttpRequest) -> Answer[None]:
    """Files the notes of the hooks and publishes what is stale."""
    catch_up(settings.NOKORI_FOLDER, now=timezone.now())
    return Answer(204, None)


@router.get("/config", response=ConfigOut)
def show_config(request: HttpRequest) -> Record:
    return _config()


@router.patch("/config", response=ConfigChanged)
def edit_config(request: HttpRequest, wish: ConfigChanges) -> Record:
    """Writes config.toml, keeping its comments; all changes or none."""
    changed = change_settings(settings.NOKORI_FOLDER, wish.settings)
    take_effect(os.environ)
    return _config() | {"changed": changed}


@router.get("/maintenance", response=list[ScanOut])
def show_maintenance(request: HttpRequest) -> list[ScanTimes]:
    return scan_times(all_scans(settings.NOKORI_FOLDER, config=settings.NOKORI), now=timezone.now())


@router.post("/maintenance", response=list[ScanReportOut])
def run_maintenance(request: HttpRequest, wish: MaintenanceWish) -> list[ScanReport]:
    folder, config = settings.NOKORI_FOLDER, settings.NOKORI
    return maintain(folder, config=config, now=timezone.now(), only_due=wish.only_due, name=wish.scan)


@router.get("/activity", response=ActivityOut)
def show_activity(request: HttpRequest, wish: Query[ActivityFilter]) -> Activity:
    """What was shown, denied and dismissed, as the dashboard draws it."""
    return activity(PERIODS[wish.period], now=timezone.now())


@router.get("/standing", response=StandingOut)
def show_standing(request: HttpRequest) -> Standing:
    """Hosts and their last calls, published files, notes, armed gates and jobs, as the dashboard tells them."""
    return look_at_standing(settings.NOKORI_FOLDER, now=timezone.now())


@router.get("/embed-server", response=EmbedStatus)
def show_embed_server(request: HttpRequest) -> EmbedStatus:
    return control.status(settings.NOKORI_FOLDER)


@router.post("/embed-server", response=EmbedStatus)
def control_embed_server(request: HttpRequest, wish: EmbedServerWish) -> EmbedStatus:
    """Starts or stops it, and tells how it stands right after; its model takes a moment to load."""
    if wish.do == "stop":
        control.stop(settings.NOKORI_FOLDER)
    else:
        control.start(settings.NOKORI_FOLDER, spawn=spawn_embed_server)
    return control.status(settings.NOKORI_FOLDER)


@router.post("/extract-now", response={202: Started})
def start_run(request: HttpRequest) -> Answer[Record]:
    """Starts the extractor in the background."""
    return Answer(202, {"is_started": start_by_hand(settings.NOKORI_FOLDER)})


@router.get("/logs", response=LogLines)
def show_logs(request: HttpRequest, wish: Query[LogFilter]) -> Record:
    return {"lines": last_lines(settings.NOKORI_FOLDER, level=wish.level, count=wish.lines)}


def _config() -> Record:
    return {
        "settings": report(settings.NOKORI_FOLDER, environ=os.environ),
        "problems": problems(os.environ),
    }


def build_api() -> NokoriAPI:
    api = NokoriAPI(title="Nokori", version=VERSION, urls_namespace="api", docs_url=None, openapi_url="/openapi.json")
    add_error_handlers(api)
    for app_router in (rules_router, hooks_router, extraction_router, router):
        api.add_router("", app_router)
    return api


def no_route(request: HttpRequest) -> HttpResponse:
    """For whatever lies below /api/ and is no route."""
    return problem(HTTPStatus.NOT_FOUND, "There is nothing at this address; /api/openapi.json lists what there is.")


api = build_api()
