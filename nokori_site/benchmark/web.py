"""What the pages cost: each one's server time and queries with nothing in the database, and again with years of use in it.

Server time is that of the processor, so that another program on the machine does not count; the best of a few looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from urllib.parse import urlencode

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from nokori_site.access import web_token
from nokori_site.benchmark.figures import Row
from nokori_site.benchmark.lived_in import Life, live_in
from nokori_site.benchmark.log_stream import measure_log_stream
from retrieval.publish import publish_all
from rules.models import Injection, Rule

SLOWER = 10.0  # times an empty page
QUERIES = 30
MOST_TIMINGS = 5
HOST = "127.0.0.1"
INJECTIONS_PER_RULE, RULES_PER_JOB, RULES_PER_SESSION = 20, 2, 10
PROMPT = "I will just push --force this branch to deploy the release"
PAGES = (
    "/",
    "/rules/",
    "/rules/?status=active&sort=trigger",
    "/rules/?text=cache",
    "/review/",
    f"/retrieve/?{urlencode({'prompt': PROMPT})}",
    "/injections/",
    "/injections/?level=hot",
    "/injections/?project=web-90ac1be4&page=100",
    "/extract/",
    "/lifecycle/",
    "/config/",
    "/logs/",
    "/admin/",
    "/admin/rules/rule/",
)


@dataclass(frozen=True)
class Cost:
    """Of one page: the best server time, and how many queries it made."""

    milliseconds: float
    queries: int


def measure_web(folder: Path, *, rule_count: int, runs: int) -> list[Row]:
    """Empties the throwaway database first, and leaves it full."""
    call_command("flush", interactive=False, verbosity=0)
    publish_all(calibrate=True)
    return [
        *measure_pages(life_of(rule_count), timings=min(runs, MOST_TIMINGS)),
        *measure_log_stream(folder, runs=runs),
    ]


def measure_pages(life: Life, *, timings: int) -> list[Row]:
    """Needs an empty database, and leaves that life in it."""
    browser = _browser()
    empty = {page: _cost(browser, page, timings=timings) for page in PAGES}
    live_in(life, now=timezone.now())
    pages = {page: _cost(browser, page, timings=timings) for page in [*PAGES, *_of_one()]}
    usual = Cost(median(cost.milliseconds for cost in empty.values()), 0)
    return [_row(page, cost, empty=empty.get(page, usual)) for page, cost in pages.items()]


def life_of(rule_count: int) -> Life:
    return Life(
        rules=rule_count,
        injections=rule_count * INJECTIONS_PER_RULE,
        jobs=rule_count // RULES_PER_JOB,
        sessions=max(1, rule_count // RULES_PER_SESSION),
    )


def _browser() -> Client:
    token = web_token(settings.NOKORI_FOLDER)
    return Client(headers={"Host": HOST, "Authorization": f"Bearer {token}"})


def _of_one() -> list[str]:
    """The pages of one rule and of one session."""
    rule = Rule.objects.order_by("-hit_count")[0]
    session_id = Injection.objects.order_by("-at").values_list("session_id", flat=True)[0]
    return [f"/rules/{rule.short_id}/", f"/injections/session/{session_id}/"]


def _cost(browser: Client, page: str, *, timings: int) -> Cost:
    """The first look also fills caches, and is not timed."""
    with CaptureQueriesContext(connection) as queries:
        _look(browser, page)
    asked = len(queries)  # now: the next look empties the record
    best = min(_look(browser, page) for _ in range(timings))
    return Cost(best * 1000, asked)


def _look(browser: Client, page: str) -> float:
    start = process_time()
    answer = browser.get(page)
    took = process_time() - start
    if answer.status_code != 200:
        raise PageNotMeasuredError(f"{page} answers with status {answer.status_code}.")
    return took


def _row(page: str, cost: Cost, *, empty: Cost) -> Row:
    times = cost.milliseconds / empty.milliseconds
    figures = {"ms": cost.milliseconds, "empty ms": empty.milliseconds, "times": times, "queries": cost.queries}
    target = f"times <= {SLOWER:g} and queries <= {QUERIES}"
    return Row(page, figures, target, times <= SLOWER and cost.queries <= QUERIES)


class PageNotMeasuredError(Exception):
    """A page does not answer as it should."""
