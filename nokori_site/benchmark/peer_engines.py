"""Engines behind one face: build an index of texts on disk, open it, query it, change one text so that it is found."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from retrieval.calibration import background, calibrate
from retrieval.lexical.packed import BASE_FILE, DELTA_FILE, Index
from retrieval.lexical.packing import pack, pack_delta, with_floors
from retrieval.lexical.results import Document, Floors
from retrieval.lexical.search import search
from retrieval.lexical.tokens import tokenize
from rules.disk import write_atomic

FOUND = 10


class Engine(Protocol):
    def build(self, texts: Sequence[str]) -> None: ...
    def open(self) -> None: ...
    def query(self, prompt: str) -> object: ...
    def update(self, text: str) -> None: ...


class NokoriEngine:
    """The published index and the hooks' own search; an update is a delta beside the base."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changes = 1

    def build(self, texts: Sequence[str]) -> None:
        rules = (_document(str(number), text) for number, text in enumerate(texts))
        data = pack(rules, background=background(), floors=Floors(short=0.0, long=0.0), change_counter=1)
        floors = calibrate(Index.from_bytes(data))
        write_atomic(str(self._folder / BASE_FILE), with_floors(data, floors))

    def open(self) -> None:
        self._index = Index.open(str(self._folder))

    def query(self, prompt: str) -> object:
        return search(prompt, index=self._index, project_id="")

    def update(self, text: str) -> None:
        self._changes += 1
        data = pack_delta([_document("0", text)], base=self._index, removed=frozenset(), change_counter=self._changes)
        write_atomic(str(self._folder / DELTA_FILE), data)
        self.open()


class Bm25sEngine:
    """bm25s has no updates: a change is the whole index anew."""

    def __init__(self, folder: Path) -> None:
        import bm25s  # noqa: PLC0415  a tool of development; each process loads the one engine it measures

        self._bm25s: Any = bm25s
        self._folder = folder / "bm25s"
        self._texts: list[str] = []

    def build(self, texts: Sequence[str]) -> None:
        self._texts = list(texts)
        model = self._bm25s.BM25()
        model.index([_terms(text) for text in texts], show_progress=False)
        model.save(str(self._folder))

    def open(self) -> None:
        self._model = self._bm25s.BM25.load(str(self._folder), mmap=True)

    def query(self, prompt: str) -> object:
        return self._model.retrieve([_terms(prompt)], k=FOUND, show_progress=False)

    def update(self, text: str) -> None:
        self.build([text, *self._texts[1:]])
        self.open()


class TantivyEngine:
    def __init__(self, folder: Path) -> None:
        import tantivy  # noqa: PLC0415  as above

        self._tantivy: Any = tantivy
        self._folder = folder / "tantivy"
        self._folder.mkdir(exist_ok=True)
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        builder.add_text_field("text", stored=False, tokenizer_name="whitespace")
        self._schema = builder.build()

    def build(self, texts: Sequence[str]) -> None:
        index = self._tantivy.Index(self._schema, path=str(self._folder))
        writer = index.writer()
        for number, text in enumerate(texts):
            writer.add_document(self._tantivy.Document(id=[str(number)], text=[" ".join(_terms(text))]))
        writer.commit()
        writer.wait_merging_threads()

    def open(self) -> None:
        self._index = self._tantivy.Index.open(str(self._folder))
        self._index.reload()
        self._searcher = self._index.searcher()

    def query(self, prompt: str) -> object:
        words = [
            (self._tantivy.Occur.Should, self._tantivy.Query.term_query(self._schema, "text", term))
            for term in _terms(prompt)
        ]
        return self._searcher.search(self._tantivy.Query.boolean_query(words), FOUND).hits

    def update(self, text: str) -> None:
        writer = self._index.writer()
        writer.delete_documents_by_term("id", "0")
        writer.add_document(self._tantivy.Document(id=["0"], text=[" ".join(_terms(text))]))
        writer.commit()
        self.open()


class Fts5Engine:
    def __init__(self, folder: Path) -> None:
        self._path = folder / "fts5.db"

    def build(self, texts: Sequence[str]) -> None:
        self._path.unlink(missing_ok=True)
        with sqlite3.connect(self._path) as database:
            database.execute("create virtual table rules using fts5(text, tokenize='unicode61', detail=none)")
            rows = ((number + 1, " ".join(_terms(text))) for number, text in enumerate(texts))
            database.executemany("insert into rules(rowid, text) values (?, ?)", rows)
        database.close()

    def open(self) -> None:
        self._database = sqlite3.connect(self._path)
        self._database.execute("select count(*) from rules where rules match 'nothing'").fetchall()

    def query(self, prompt: str) -> object:
        words = " OR ".join(f'"{term}"' for term in _terms(prompt))
        sql = f"select rowid from rules where rules match ? order by bm25(rules) limit {FOUND}"  # noqa: S608  a constant
        return self._database.execute(sql, (words,)).fetchall()

    def update(self, text: str) -> None:
        with self._database:
            self._database.execute("update rules set text = ? where rowid = 1", (" ".join(_terms(text)),))


def _terms(text: str) -> list[str]:
    return [term for term, _ in tokenize(text)]


def _document(rule_id: str, text: str) -> Document:
    return Document(rule_id=rule_id, short_id=rule_id, trigger=text, action="")


ENGINES: dict[str, Callable[[Path], Engine]] = {
    "nokori": NokoriEngine,
    "bm25s": Bm25sEngine,
    "tantivy": TantivyEngine,
    "SQLite FTS5": Fts5Engine,
}
