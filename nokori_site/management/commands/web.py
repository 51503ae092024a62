"""`web`: the pages in a browser, for you alone. Ctrl-C ends it."""

from __future__ import annotations

import sys
import threading
import webbrowser
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from nokori_site.access import links, web_token
from nokori_site.asgi import application
from nokori_site.channel_layer import missing_package
from nokori_site.served_names import LOOPBACK, address_of, served_names
from nokori_site.settle import settle
from nokori_site.web_log import log_to_file
from nokori_site.web_server import NoFreePort, first_free_port, serve, settle_each_second

if TYPE_CHECKING:
    from argparse import ArgumentParser

DEFAULT_PORT = 8765
OPEN_TO_OTHERS = (
    "nokori: {host} can be reached by others. Only the token of the link keeps them out, and nothing is encrypted."
)


class Command(BaseCommand):
    help = "Show rules, injections, candidates and health in a browser; for you alone, by a link that opens once."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="the next free one is taken (default 8765)")
        parser.add_argument("--host", default=LOOPBACK, help="another address than 127.0.0.1; prints a warning")
        parser.add_argument("--no-browser", action="store_true", help="only print the link")

    def handle(self, *_: Any, **options: Any) -> None:
        if problem := missing_package(settings.NOKORI.redis_url):
            raise CommandError(problem)
        host = options["host"].strip("[]")
        settings.ALLOWED_HOSTS = served_names(host)
        try:
            port = first_free_port(host, options["port"])
        except NoFreePort as none_free:
            raise CommandError(str(none_free)) from none_free
        web_token(settings.NOKORI_FOLDER)  # there before the first request asks for it, and for programs
        link = links.issue(address_of(host, port))
        self._tell(host, port=port, link=link)
        log_to_file(settings.NOKORI_FOLDER, clock=timezone.now)
        end = settle_each_second(_settle)
        show = (lambda: None) if options["no_browser"] else partial(_open_browser, link)
        serve(application, host=host, port=port, when_ready=show)
        end()
        self.stdout.write("Ended.")

    def _tell(self, host: str, *, port: int, link: str) -> None:
        if host not in (LOOPBACK, "localhost", "::1"):
            print(OPEN_TO_OTHERS.format(host=host), file=sys.stderr)  # noqa: T201
        self.stdout.write(f"Nokori is at {address_of(host, port)}; Ctrl-C ends it.")
        self.stdout.write(f"This link opens it, once:\n  {link}")
        self.stdout.flush()


def _settle() -> None:
    """With the settings as they are then: the config page may have changed them."""
    settle(settings.NOKORI_FOLDER, config=settings.NOKORI, clock=timezone.now)


def _open_browser(link: str) -> None:
    """In a thread, for some browsers return only when they are closed."""
    threading.Thread(target=webbrowser.open, args=[link], daemon=True).start()
