"""Fills the data folder that the environment names: `python -m tests.browser.filling`. A process of its own, for a browser's
test thread may not use the database."""

import django

if __name__ == "__main__":
    django.setup()
    from django.utils import timezone

    from nokori_site.benchmark.lived_in import Life, live_in
    from nokori_site.database import prepare_database

    prepare_database()
    live_in(Life(rules=40, injections=200, jobs=12, sessions=12), now=timezone.now())
