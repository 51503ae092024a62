"""The dispatcher of every verb save `hook`: argv in, exit code out (0 done, 1 a stated problem, 2 usage).

A known problem is one line on stderr, never a traceback. A verb finds the database ready; a reading verb finds it
and the published files up to date as well.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, ManagementUtility, get_commands
from django.db import DatabaseError
from django.utils import timezone

from hooks.hot.client import run
from nokori_site.database import OUR_APPS, DatabaseRefused, claim_database, prepare_database
from nokori_site.overview import overview
from nokori_site.version import VERSION

EXIT_DONE, EXIT_PROBLEM, EXIT_USAGE = 0, 1, 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells count
READING_VERBS = frozenset({"export", "list", "retrieve", "show", "status"})
INSTALLING_VERB = "install"  # publishes like a reading one, so that the first prompt finds everything
HARMLESS_INSTALL = frozenset({"--dry-run", "--uninstall", "--disable", "--enable"})
FORGIVING_VERBS = frozenset(
    {"health", "hook", "logs", "reset", "settle", "status"}
)  # go on with defaults to tell or mend what is wrong
HELP_OPTIONS = frozenset({"-h", "--help"})
VERSION_REQUESTS = (["--version"], ["version"])
OVERVIEW_REQUESTS: tuple[list[str], ...] = ([], ["help"], ["-h"], ["--help"])  # with --all, Django's own verbs as well
UTILITY_VERBS = frozenset({"help", "version"})  # Django answers them without a command module
VERBS_WITHOUT_DATABASE = UTILITY_VERBS | {
    *("benchmark", "check", "diffsettings", "evaluate", "hook", "install", "logs", "test"),
    "reset",  # moves it away, in whatever state it is
    *("health", "settle"),  # open it themselves, to say or write down that it cannot be opened
}
ALIASES = {"test": "retrieve"}
KNOWN_PROBLEMS = (CommandError, DatabaseRefused, DatabaseError, ImproperlyConfigured, OSError)


def main() -> int:
    """The installed `nokori` command: the verbs of manage.py, and `test`, which there is Django's."""
    verb, *arguments = sys.argv[1:] or ["help"]
    if verb == "hook":
        return run(arguments)
    return dispatch(["nokori", ALIASES.get(verb, verb), *arguments])


def dispatch(argv: list[str]) -> int:
    """Runs one verb. SystemExit passes through: argparse raises it for `--help` and for wrong options."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "nokori_site.settings")
    _accept_any_character()
    try:
        exit_code = _run(argv)
        sys.stdout.flush()  # here, where a reader that went away is no surprise
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return _leave_broken_pipe()
    except KNOWN_PROBLEMS as problem:
        return _complain(problem)
    return exit_code


def _run(argv: list[str]) -> int:
    if argv[1:] in VERSION_REQUESTS:
        print(f"nokori {VERSION}")  # noqa: T201
        return EXIT_DONE
    if any(not _is_text(argument) for argument in argv):
        _say("an argument is not valid text in this terminal's encoding.")
        return EXIT_USAGE
    _require_good_config(argv)
    django.setup()
    if argv[1:] in OVERVIEW_REQUESTS:
        print(overview(os.path.basename(argv[0])))  # noqa: T201, PTH119
        return EXIT_DONE
    verb = argv[1] if len(argv) > 1 else "help"
    app = get_commands().get(verb)
    if app in OUR_APPS:
        _run_own(verb, argv)
    elif app or verb in UTILITY_VERBS or verb.startswith("-"):
        _run_djangos(verb, argv)
    else:
        return _unknown_verb(argv)
    return EXIT_DONE


def _require_good_config(argv: list[str]) -> None:
    """A setting that does not exist changes nothing, so it is only told; health and status tell all of it themselves."""
    config = settings.NOKORI
    is_undoing = argv[1:2] == [INSTALLING_VERB] and not {"--uninstall", "--disable"}.isdisjoint(argv)
    is_forgiving = not FORGIVING_VERBS.isdisjoint(argv[1:2])
    if not config.problems or is_undoing or is_forgiving or _asks_for_help(argv):
        return
    for problem in config.unknown:
        _say(problem)
    problems = [problem for problem in config.problems if problem not in config.unknown]
    more = f" (and {len(problems) - 1} more: see `health`)" if len(problems) > 1 else ""
    if problems:
        raise CommandError(problems[0] + more)


def _run_own(verb: str, argv: list[str]) -> None:
    if not _asks_for_help(argv):
        _make_ready(verb, argv)
    command = ManagementUtility(argv).fetch_command(verb)
    command.requires_system_checks = []  # checking admin and URLs takes longer than the verb; `check` does it
    command.run_from_argv([argv[0], verb, "--traceback", *argv[2:]])  # --traceback: errors come back to dispatch


def _make_ready(verb: str, argv: list[str]) -> None:
    is_installing = verb == INSTALLING_VERB and HARMLESS_INSTALL.isdisjoint(argv)
    if is_installing or verb not in VERBS_WITHOUT_DATABASE:
        prepare_database()
    if is_installing or verb in READING_VERBS:
        _catch_up()


def _run_djangos(verb: str, argv: list[str]) -> None:
    if verb not in VERBS_WITHOUT_DATABASE and not verb.startswith("-"):
        claim_database()
    ManagementUtility(
        [argument for argument in argv if argument != "--all"] if _asks_for_help(argv) else argv
    ).execute()


def _catch_up() -> None:
    """Files notes and republishes; a verb that only reads still answers when that fails."""
    from nokori_site.settle import catch_up  # noqa: PLC0415  models can be imported only after django.setup()

    try:
        catch_up(settings.NOKORI_FOLDER, now=timezone.now())
    except (DatabaseError, OSError) as problem:
        _complain(problem)


def _unknown_verb(argv: list[str]) -> int:
    with suppress(SystemExit):
        ManagementUtility(argv).fetch_command(argv[1])  # says what was meant, perhaps
    return EXIT_USAGE


def _complain(problem: Exception) -> int:
    sentence = " ".join(_told(problem).split()) or type(problem).__name__
    if isinstance(problem, DatabaseError):
        sentence = f"the database cannot be used: {sentence}. `health` says more."
    _say(sentence)
    return problem.returncode if isinstance(problem, CommandError) else EXIT_PROBLEM


def _told(problem: Exception) -> str:
    """An error of the disk names its place; in the data folder, that folder and the way to another one as well."""
    if not isinstance(problem, OSError) or not isinstance(problem.filename, (str, bytes)):
        return str(problem)
    place, root = os.fsdecode(problem.filename), settings.NOKORI_FOLDER.root
    if not (place + os.sep).startswith(root + os.sep):
        return f"{place}: {problem.strerror}."
    return f"the data folder {root} cannot be used: {place}: {problem.strerror}. Mend that, or set NOKORI_DATA_DIR."


def _say(sentence: str) -> None:
    print(f"nokori: {sentence}", file=sys.stderr)  # noqa: T201


def _asks_for_help(argv: list[str]) -> bool:
    return argv[1:2] in ([], ["help"]) or not HELP_OPTIONS.isdisjoint(argv)


def _is_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def _accept_any_character() -> None:
    """A rule may hold any script; a terminal that cannot show a character gets an escape instead of a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _leave_broken_pipe() -> int:
    """Python flushes stdout once more at its end: let that go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_PROBLEM
