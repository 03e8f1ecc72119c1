"""What discovery is compared with: clusterings of the same unclaimed sentences by the same embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewaspect import AspectDetector
from fewaspect.detector.labelling.grouping import OUTLIERS
from fewaspect.detector.labelling.naming import telling_words
from fewaspect.inference.encoded import unit

MIN_CLUSTER = 10  # BERTopic's default


@dataclass(frozen=True)
class Proposal:
    name: str
    texts: tuple[int, ...]


@dataclass(frozen=True)
class Unclaimed:
    """Distinct sentences that no aspect claims."""

    sentences: list[str]
    texts: list[list[int]]  # that each stands in
    vectors: np.ndarray  # (S, d) unit vectors as the encoder gives them


def own_proposals(detector: AspectDetector, texts: Sequence[str], n: int) -> list[Proposal]:
    return [Proposal(group.name, group.texts) for group in detector.discover(texts, n)]


def unclaimed(detector: AspectDetector, texts: Sequence[str]) -> Unclaimed:
    """As `discover` finds them."""
    model = detector.model_
    _, rows, sentences, _ = model.split_sentences(texts)
    places: list[list[int]] = [[] for _ in sentences]
    for text, own in enumerate(rows):
        for row in own:
            places[row].append(text)
    vectors = np.zeros((len(sentences), model.encoder.width), dtype=np.float32)
    for batch, found in model.map_batches(sentences, None, lambda read: read.vectors):
        vectors[batch] = found
    free = [
        row
        for row, aspects in enumerate(detector.predict(sentences))
        if not aspects and vectors[row].any() and sentences[row] not in detector.examples_.sentences
    ]
    return Unclaimed([sentences[row] for row in free], [places[row] for row in free], vectors[free])


def proposals(read: Unclaimed, labels: np.ndarray, n: int) -> list[Proposal]:
    """The `n` largest clusters, each by its word of most class-based TF-IDF."""
    sizes = np.bincount(labels[labels >= 0]) if (labels >= 0).any() else np.zeros(0)
    largest = np.argsort(-sizes, kind="stable")[:n]
    numbers = np.full(len(labels), -1)
    for number, label in enumerate(largest):
        numbers[labels == label] = number
    words = telling_words(read.sentences, numbers, len(largest))
    found = []
    for number, own in enumerate(words):
        texts = {text for row in np.flatnonzero(numbers == number) for text in read.texts[row]}
        found.append(Proposal(next(iter(own), "group"), tuple(sorted(texts))))
    return found


def kmeans(read: Unclaimed, n: int, _own: Sequence[Proposal]) -> list[Proposal]:
    from sklearn.cluster import KMeans

    return proposals(read, KMeans(n, n_init=10, random_state=0).fit_predict(read.vectors), n)


def kmeans_cores(read: Unclaimed, n: int, _own: Sequence[Proposal]) -> list[Proposal]:
    """Without as many outliers as `discover` leaves out."""
    from sklearn.cluster import KMeans

    fitted = KMeans(n, n_init=10, random_state=0).fit(read.vectors)
    closeness = (read.vectors * unit(fitted.cluster_centers_)[fitted.labels_]).sum(axis=1)
    return proposals(read, np.where(closeness >= np.quantile(closeness, OUTLIERS), fitted.labels_, -1), n)


def pca_hdbscan(read: Unclaimed, n: int, _own: Sequence[Proposal]) -> list[Proposal]:
    from sklearn.decomposition import PCA

    return proposals(read, hdbscan(PCA(5, random_state=0).fit_transform(read.vectors)), n)


def umap_hdbscan(read: Unclaimed, n: int, _own: Sequence[Proposal]) -> list[Proposal]:
    import umap

    reducer = umap.UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=0)
    return proposals(read, hdbscan(reducer.fit_transform(read.vectors)), n)


def hdbscan(points: np.ndarray) -> np.ndarray:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=MIN_CLUSTER, copy=True).fit_predict(points)


def chance(read: Unclaimed, n: int, own: Sequence[Proposal]) -> list[Proposal]:
    """Groups of the sizes of our own, of sentences at random."""
    labels, first = np.full(len(read.sentences), -1), 0
    order = np.random.default_rng(0).permutation(len(labels))
    for number, proposal in enumerate(own):
        labels[order[first : first + len(proposal.texts)]] = number
        first += len(proposal.texts)
    return proposals(read, labels, n)


PEERS = {
    "kmeans": kmeans, "kmeans-cores": kmeans_cores, "pca-hdbscan": pca_hdbscan, "umap-hdbscan": umap_hdbscan,
    "random": chance,
}  # fmt: skip
