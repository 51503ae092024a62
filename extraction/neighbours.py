"""A candidate rule in, the existing rules out that it has to be compared with.

Best matches first: of the candidate's words, weighted by rarity and names of files or options thrice, a neighbour shares
at least MIN_SHARE. Too few of them are filled up with the rules that were written last (never by a hit), for two rules can mean the same in other words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.calibration import background
from retrieval.lexical.bm25 import idf
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import pack
from retrieval.lexical.passages import Passage
from retrieval.lexical.results import Document, Floors
from retrieval.lexical.tokens import script_of, tokenize
from rules.lifecycle import Scope, Status
from rules.models import Rule
from rules.pool import pool_counter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from uuid import UUID

    from extraction.candidates import Candidate
    from retrieval.lexical.matching import Match
    from rules.models import RuleQuerySet

MAX_MATCHES = 10  # of one candidate; the model reads them all
FILLED_UP_TO = 5  # README "Neighbor backfill"
MIN_SHARE = 0.15  # of the candidate's weight: a file's name passes, filler does not
IDENTIFIER = re.compile(r"\w+(?:[._/:-]+\w+)+|--?\w[\w-]*")  # spawn.py, --force-with-lease, app/models
IDENTIFIER_WEIGHT = 3
COMPARABLE = (Status.CANDIDATE, Status.ACTIVE, Status.DORMANT)
COLUMNS = ("pk", "short_id", "trigger", "action", "trigger_zh", "action_zh", "variants", "variants_zh", "search_terms")
NO_FLOORS = Floors(short=0.0, long=0.0, rule_count=0)


def comparable_rules(project_id: str) -> RuleQuerySet:
    """Global rules and the project's own that are in use or may come into use."""
    return Rule.objects.visible_in(project_id).filter(status__in=COMPARABLE)


class Neighbourhood:
    """The rules that a project's candidates are compared with; the index is built again when the pool has changed."""

    def __init__(self, project_id: str) -> None:
        self._project_id = project_id
        self._counter = -1
        self._index: Index | None = None

    def neighbours(self, candidate: Candidate) -> list[Rule]:
        found = self.matches(candidate)
        missing = FILLED_UP_TO - len(found)
        if missing > 0:
            others = comparable_rules(self._project_id).exclude(pk__in=[rule.pk for rule in found])
            found += others.order_by("-updated_at", "-created_at", "pk")[:missing]
        return found

    def matches(self, candidate: Candidate) -> list[Rule]:
        """Those that share words with it, best first."""
        index = self._current_index()
        words = _words(candidate)
        matched = MatchedPrompt([Passage("", tokenize(words))], index)
        names = {term for name in IDENTIFIER.findall(words) for term, _ in tokenize(name)}
        enough = [match for match in matched.rank(0.0) if _share(matched, match, names=names) >= MIN_SHARE]
        ids = [index.document(match.number).rule_id for match in enough[:MAX_MATCHES]]
        rules = {str(pk): rule for pk, rule in comparable_rules(self._project_id).in_bulk(ids).items()}
        return [rules[rule_id] for rule_id in ids if rule_id in rules]

    def _current_index(self) -> Index:
        counter = pool_counter()
        if self._index is None or counter != self._counter:
            documents = _documents(comparable_rules(self._project_id))
            self._index = Index.from_bytes(
                pack(documents, background=background(), floors=NO_FLOORS, change_counter=counter)
            )
            self._counter = counter
        return self._index


def _words(candidate: Candidate) -> str:
    terms = [term for terms in candidate.search_terms.values() for term in terms]
    texts = (candidate.trigger, candidate.action, candidate.trigger_zh, candidate.action_zh)
    return "\n".join([*texts, *candidate.variants, *candidate.variants_zh, *terms])


def _share(matched: MatchedPrompt, match: Match, *, names: Collection[str]) -> float:
    """How much of the candidate's weight the rule holds."""
    weights = {term: _weight(term, matched.index, names=names) for term in match.passage.words}
    shared = sum(weights[term] for term in matched.matched_terms(match))
    return shared / sum(weights.values()) if weights else 0.0


def _weight(term: str, index: Index, *, names: Collection[str]) -> float:
    """A word that no rule and no everyday prompt holds is the rarest."""
    rarity = index.base.idf(term) or idf(term, frequency=0, population=index.base.populations[script_of(term)])
    return rarity * (IDENTIFIER_WEIGHT if term in names else 1)


def _documents(rules: RuleQuerySet) -> Iterator[Document]:
    row: tuple[UUID, str, str, str, str, str, list[str], list[str], dict[str, list[str]]]
    for row in rules.order_by("pk").values_list(*COLUMNS).iterator():
        pk, short_id, trigger, action, trigger_zh, action_zh, variants, variants_zh, search_terms = row
        yield Document(
            rule_id=str(pk),
            short_id=short_id,
            trigger=trigger,
            action=action,
            trigger_zh=trigger_zh,
            action_zh=action_zh,
            variants=(*variants, *variants_zh),
            terms=tuple(_flat(search_terms.values())),
            scope=Scope.GLOBAL,
        )


def _flat(lists: Iterable[list[str]]) -> Iterator[str]:
    for terms in lists:
        yield from terms
