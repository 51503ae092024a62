"""`python fake_server.py embed serve`: the embed server as a process, with the fake model; FAKE is a JSON object of knobs.

`slow`: seconds for each rule; `load`: seconds that loading takes; `broken`: why it cannot be loaded; `version`, `idle`,
`dimensions`, `model`: of the server; `sockets`: false for a system without Unix sockets.
"""

import json
import os
import sys
import time
from pathlib import Path
from threading import Event

ROOT = Path(__file__).resolve().parents[3]


def main():
    sys.path.insert(0, str(ROOT))
    os.environ["DJANGO_SETTINGS_MODULE"] = "nokori_site.settings"
    import django

    django.setup()
    from nokori_site.database import prepare_database

    prepare_database()
    _serve(json.loads(os.environ.get("FAKE", "{}")))


def _serve(knobs):
    from django.conf import settings

    from nokori_site.version import VERSION
    from retrieval.embeddings import places
    from retrieval.embeddings.indexing import ChunkSizes
    from retrieval.embeddings.protocol import EmbedderUnavailable
    from retrieval.embeddings.server import Service, serve
    from retrieval.embeddings.singleton import ServerRunning
    from tests.fakes import FakeEmbedder

    class SlowEmbedder(FakeEmbedder):
        def encode_document(self, texts):
            time.sleep(knobs.get("slow", 0) * len(texts))
            return super().encode_document(texts)

    def open_embedder():
        time.sleep(knobs.get("load", 0))
        if "broken" in knobs:
            raise EmbedderUnavailable(knobs["broken"])
        return SlowEmbedder(model_id=knobs.get("model", "fake"), dimensions=knobs.get("dimensions", 64))

    if not knobs.get("sockets", True):
        places.HAS_UNIX_SOCKETS = False
    service = Service(
        folder=settings.NOKORI_FOLDER,
        version=knobs.get("version", VERSION),
        open_embedder=open_embedder,
        sizes=ChunkSizes(4000, 2),
        idle_seconds=knobs.get("idle", 60),
    )
    try:
        serve(service, stop=Event())
    except ServerRunning:
        sys.exit(2)
    except EmbedderUnavailable as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
