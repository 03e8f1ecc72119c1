"""N-way K-shot episodes; each is a pure function of the seed and its number."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count as count_from
from itertools import islice

import numpy as np

from fewaspect.core.errors import EpisodeError
from fewaspect.data.labelled import SentenceSet

Range = int | tuple[int, int]

PROTOCOLS = ("disjoint", "authors")
TRIAL_DRAWS = 50  # of the largest episode when the sampler is built: if all fail, the setting is refused
EPISODE_DRAWS = 1000  # far more, so that a setting that passed the trial does not fail in the middle of a run


@dataclass(frozen=True, eq=False)
class Episode:
    """Indices into the sampler's `SentenceSet`; queries are in the order of `classes`, "none" queries last."""

    classes: tuple[str, ...]  # N aspect names
    support: np.ndarray  # (S,) int64
    membership: np.ndarray  # (S, N) float32: 1 for the class a support sentence was drawn for
    support_labels: np.ndarray  # (S, N) bool: all of the episode's classes it has
    queries: np.ndarray  # (Q,) int64
    query_labels: np.ndarray  # (Q, N) bool


class EpisodeSampler:
    """Draws episodes; `way` and `shot` may be ranges (N per episode, K per class), `queries` counts per class.

    With protocol `disjoint`, lines with the same text are one sentence with the labels of all of them; no sentence is
    both support and query, no query occurs twice. A sentence may be a shot of two classes: then it has two rows.
    With `authors`, each class draws its K + Q lines independently, so that a query may also be support of another
    class, or occur twice. `none_rate` is the expected share of queries that have none of the episode's classes.
    """

    def __init__(
        self, sentences: SentenceSet, *, way: Range, shot: Range, queries: int = 5, none_rate: float = 0.0,
        protocol: str = "disjoint", seed: int = 0,
    ) -> None:  # fmt: skip
        if protocol not in PROTOCOLS:
            raise EpisodeError(f'protocol must be one of {", ".join(PROTOCOLS)}; found "{protocol}".')
        if not isinstance(none_rate, (int, float)) or not 0.0 <= none_rate < 1.0:
            raise EpisodeError(f"none_rate must be a number of at least 0 and below 1, found {none_rate!r}.")
        self.sentences = sentences
        self.way = _range("way", way, at_least=2)
        self.shot = _range("shot", shot, at_least=1)
        self.queries = _integer("queries", queries, at_least=1)
        self.seed = _integer("seed", seed, at_least=0)
        self.none_rate = float(none_rate)
        self.protocol = protocol
        self._build_index()
        self._check_sizes()
        self._check_overlap()

    def episode(self, index: int) -> Episode:
        """Episode number `index`; it does not depend on what was drawn before."""
        index = _integer("index", index, at_least=0)
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, index])))
        way = _between(rng, self.way)
        shots = [_between(rng, self.shot) for _ in range(way)]
        none = math.floor(self._none_queries(way) + rng.random())
        return self._draw(rng, shots, none, EPISODE_DRAWS, f"Episode {index} (seed {self.seed})")

    def episodes(self, count: int, start: int = 0) -> Iterator[Episode]:
        """Episodes `start` to `start + count - 1`."""
        return map(self.episode, range(start, start + count))

    def __iter__(self) -> Iterator[Episode]:
        """All episodes from the first on, endlessly."""
        return map(self.episode, count_from())

    def _build_index(self) -> None:
        """Units (distinct texts, or lines) with their labels, and the members of each class."""
        labels = self.sentences.labels
        size = len(self.sentences)
        self._unit = self.sentences.text_ids if self.protocol == "disjoint" else np.arange(size, dtype=np.int64)
        _, self._first_line = np.unique(self._unit, return_index=True)  # of each unit
        self._labels = np.zeros((len(self._first_line), labels.shape[1]), dtype=bool)  # of each unit, over its lines
        line, column = np.nonzero(labels)
        self._labels[self._unit[line], column] = True
        self._members = []  # of each class: the first line of each unit that has it
        for lines in (np.flatnonzero(labels[:, c]) for c in range(labels.shape[1])):
            _, first = np.unique(self._unit[lines], return_index=True)
            self._members.append(lines[first])

    def _none_queries(self, way: int) -> float:
        """How many further queries make up `none_rate` of all."""
        return round(way * self.queries * self.none_rate / (1.0 - self.none_rate), 9)  # 5.000000001 would be rounded up

    def _check_sizes(self) -> None:
        """Refuse too few aspects, and aspects with fewer than K + Q sentences."""
        where = f' in "{self.sentences.name}"' if self.sentences.name else ""
        names, way, need = self.sentences.classes, self.way[1], self.shot[1] + self.queries
        if len(names) < way:
            raise EpisodeError(
                f"{way}-way episodes need {way} aspects, found {len(names)}{where}"
                f"{': ' + _listed(names) if names else ''}. Lower way, or add sentences of other aspects."
            )
        small = sorted((len(m), name) for name, m in zip(names, self._members, strict=True) if len(m) < need)
        if small:
            unit = "distinct sentences" if self.protocol == "disjoint" else "lines"
            raise EpisodeError(
                f"Each aspect needs {need} {unit} ({self.shot[1]} shots + {self.queries} queries); too few{where}: "
                f"{_listed([f'{name} ({size})' for size, name in small])}. "
                "Lower shot or queries, or remove these aspects."
            )

    def _check_overlap(self) -> None:
        """Refuse aspects that share too many sentences, by trial draws that do not depend on the seed."""
        shots = [self.shot[1]] * self.way[1]
        rng = np.random.Generator(np.random.PCG64(0))
        self._draw(rng, shots, math.ceil(self._none_queries(self.way[1])), TRIAL_DRAWS, "The largest episode")

    def _draw(self, rng: np.random.Generator, shots: list[int], none: int, draws: int, what: str) -> Episode:
        """The first of `draws` tries that can be filled; each draws its classes anew.

        A try fails when classes use up each other's sentences, so aspects that cannot be in one episode never are.
        """
        for _ in range(draws):
            try:
                return self._try(rng, shots, none)
            except EpisodeError as error:
                reason = error
        raise EpisodeError(f"{what} could not be filled in {draws} draws; in the last one, {reason}")

    def _try(self, rng: np.random.Generator, shots: list[int], none: int) -> Episode:
        """One draw; an EpisodeError says why its classes cannot be filled."""
        columns = list(islice(_shuffled(rng, len(self._members)), len(shots)))
        orders = [map(self._members[c].item, _shuffled(rng, len(self._members[c]))) for c in columns]
        support = [line for order, k in zip(orders, shots, strict=True) for line in islice(order, k)]
        queries = self._draw_queries(columns, orders, support)
        if none:
            queries += self._draw_none_queries(rng, columns, none)
        classes = np.array(columns)
        support_lines, query_lines = np.array(support, dtype=np.int64), np.array(queries, dtype=np.int64)
        return Episode(
            classes=self._names(columns),
            support=support_lines,
            membership=np.repeat(np.eye(len(shots), dtype=np.float32), shots, axis=0),
            support_labels=self._labels[self._unit[support_lines][:, None], classes],
            queries=query_lines,
            query_labels=self._labels[self._unit[query_lines][:, None], classes],
        )

    def _draw_queries(self, columns: list[int], orders: list[map[int]], support: list[int]) -> list[int]:
        """The next lines of each class's random order; with `disjoint`, only sentences that were not drawn before."""
        taken = set(self._unit[support].tolist())

        def take(line: int) -> bool:
            unit = self._unit.item(line)
            free = self.protocol == "authors" or unit not in taken
            taken.add(unit)
            return free

        queries: list[int] = []
        for column, order in zip(columns, orders, strict=True):
            drawn = list(islice(filter(take, order), self.queries))
            if len(drawn) < self.queries:
                raise EpisodeError(
                    f'"{self.sentences.classes[column]}" ran out of queries: too many of its '
                    f"{len(self._members[column])} sentences also carry other aspects of the episode "
                    f"({_listed(self._names(columns))}) and were drawn for those. "
                    "Lower way, shot or queries, or merge or remove aspects that share most of their sentences."
                )
            queries += drawn
        return queries

    def _draw_none_queries(self, rng: np.random.Generator, columns: list[int], none: int) -> list[int]:
        """Lines of sentences that have none of the classes."""
        free = np.ones(len(self._labels), dtype=bool)
        for c in columns:
            free[self._unit[self._members[c]]] = False
        pool = self._first_line[free]
        if len(pool) < none:
            raise EpisodeError(
                f"none_rate {self.none_rate:g} asks for {none} queries without any of its aspects, but only "
                f"{len(pool)} sentences carry none of {_listed(self._names(columns))}. "
                "Lower none_rate, way or queries, or add sentences without these aspects."
            )
        return list(map(pool.item, islice(_shuffled(rng, len(pool)), none)))

    def _names(self, columns: list[int]) -> tuple[str, ...]:
        return tuple(self.sentences.classes[c] for c in columns)


def _shuffled(rng: np.random.Generator, size: int) -> Iterator[int]:
    """0 .. size-1 in random order, lazily: a Fisher-Yates shuffle that stores only what it has moved.

    Of the generator only `random()` is used; `choice` and `shuffle` may change between numpy releases.
    """
    moved: dict[int, int] = {}
    for i in range(size):
        j = i + int(rng.random() * (size - i))
        yield moved.get(j, j)
        moved[j] = moved.get(i, i)


def _between(rng: np.random.Generator, limits: tuple[int, int]) -> int:
    low, high = limits
    return low + int(rng.random() * (high - low + 1))


def _integer(name: str, value: object, at_least: int) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < at_least:
        raise EpisodeError(f"{name} must be an integer of at least {at_least}, found {value!r}.")
    return number


def _range(name: str, value: Range | Sequence[int], at_least: int) -> tuple[int, int]:
    """(low, high) of a number or a pair."""
    if not isinstance(value, (tuple, list)):
        number = _integer(name, value, at_least)
        return number, number
    if len(value) != 2:
        raise EpisodeError(f"{name} must be an integer or a pair (lowest, highest), found {value!r}.")
    low, high = (_integer(name, end, at_least) for end in value)
    if low > high:
        raise EpisodeError(f"{name} must be a pair (lowest, highest), found {value!r}; swap them.")
    return low, high


def _listed(names: Sequence[str], most: int = 10) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
