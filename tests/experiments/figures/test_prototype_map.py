"""Maps of prototypes: what is collected, measured, laid out, kept and drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from fewaspect.core.errors import CheckpointError, ConfigError, EpisodeError, ResultError
from fewaspect.core.settings import EvaluateSettings, LPNSettings, TrainSettings
from fewaspect.experiments.figures.figure_style import styled
from fewaspect.experiments.figures.prototype_map import (
    PrototypeMap,
    collect_prototypes,
    load_map,
    map_prototypes,
    save_map,
    silhouette,
    tsne_positions,
)
from fewaspect.experiments.figures.prototype_panels import densest_point, draw_prototypes, push_apart
from fewaspect.training.evaluate_run import prepare_evaluation
from fewaspect.training.run_folder import RunSettings
from fewaspect.training.trainer import train

QUIET = Console(quiet=True)
TEST = EvaluateSettings(benchmark="sample", way="3", shot="2", queries=1, episodes=12)


@pytest.fixture(scope="module")
def runs(encoder_folder: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two variants, trained for one step."""
    folder = tmp_path_factory.mktemp("runs")
    for method in ("lpn", "lpn-oo"):
        settings = TrainSettings(
            benchmark="sample", method=method, encoder=str(encoder_folder("bert")), way="3", shot="2", queries=1,
            episodes=1, validation_episodes=2, joined=0.0,
        )  # fmt: skip
        train(RunSettings(settings, LPNSettings(rank=4)), None, folder / method, console=QUIET)
    return [folder / "lpn", folder / "lpn-oo"]


@pytest.fixture(scope="module")
def mapped(runs: list[Path]) -> PrototypeMap:
    return map_prototypes(runs, TEST, None, 20, console=QUIET)


def test_collected_prototypes_are_those_of_each_episode_by_itself(runs: list[Path]) -> None:
    import torch

    evaluation = prepare_evaluation(runs[0], [TEST], None, console=QUIET)
    together = collect_prototypes(evaluation, QUIET)
    assert together.shape == (36, 32)
    with torch.inference_mode():
        for number in (0, 7):
            frozen, placed = evaluation.prepared.load(evaluation.groups[0][number])
            alone = evaluation.model(frozen, placed)[0].prototypes.numpy()
            np.testing.assert_allclose(together[3 * number : 3 * number + 3], alone, atol=1e-5)


def test_points_belong_to_the_aspects_of_their_episodes(runs: list[Path], mapped: PrototypeMap) -> None:
    everything = map_prototypes(runs[:1], TEST, None, 1000, console=QUIET)
    episodes = prepare_evaluation(runs[0], [TEST], None, console=QUIET).groups[0]
    assert [everything.names[a] for a in everything.aspects] == [name for e in episodes for name in e.classes]
    assert everything.prototypes == len(everything.aspects) == 36
    assert (mapped.prototypes, len(mapped.aspects), mapped.positions.shape) == (36, 20, (2, 20, 2))


def test_the_silhouette_of_a_map_is_of_all_prototypes(runs: list[Path], mapped: PrototypeMap) -> None:
    everything = map_prototypes(runs[:1], TEST, None, 1000, console=QUIET)
    assert mapped.silhouettes[0] == everything.silhouettes[0]
    assert mapped.silhouettes[0] != mapped.silhouettes[1]
    assert mapped.labels == ["LPN (w, w)", "LPN (o, o)"]


def test_the_same_runs_give_the_same_map(runs: list[Path], mapped: PrototypeMap) -> None:
    again = map_prototypes(runs, TEST, None, 20, console=QUIET)
    np.testing.assert_array_equal(again.positions, mapped.positions)
    np.testing.assert_array_equal(again.aspects, mapped.aspects)


def test_the_silhouette_is_rousseeuws_by_cosine_distance() -> None:
    rng = np.random.default_rng(5)
    vectors, aspects = rng.normal(size=(17, 6)), np.array([0, 1, 2, 3] * 4 + [4])
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    values = []
    for i in range(17):
        distance = [1 - float(units[i] @ units[j]) for j in range(17)]
        own = [distance[j] for j in range(17) if j != i and aspects[j] == aspects[i]]
        others = [[distance[j] for j in range(17) if aspects[j] == a] for a in range(5) if a != aspects[i]]
        a, b = (sum(own) / len(own) if own else 0.0), min(sum(of) / len(of) for of in others)
        values.append((b - a) / max(a, b) if own else 0.0)
    assert silhouette(vectors, aspects) == pytest.approx(sum(values) / 17, abs=1e-12)


def test_clouds_that_lie_apart_lie_apart_on_the_map() -> None:
    rng = np.random.default_rng(0)
    centres = 20 * np.eye(4, 60)
    vectors = np.concatenate([centre + rng.normal(size=(30, 60)) for centre in centres])
    positions = tsne_positions(vectors)
    assert positions.shape == (120, 2)
    middles = positions.reshape(4, 30, 2).mean(axis=1)
    nearest = np.linalg.norm(positions[:, None] - middles, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest, np.repeat(np.arange(4), 30))


def test_the_number_of_an_aspect_stands_in_its_largest_piece() -> None:
    rng = np.random.default_rng(0)
    pieces = np.concatenate([rng.normal(0, 0.1, (80, 2)), rng.normal(10, 0.1, (30, 2))])
    assert np.abs(densest_point(pieces)).max() < 0.2
    np.testing.assert_allclose(densest_point(np.array([[3.0, 4.0]])), [3.0, 4.0])


def test_numbers_that_would_overlap_are_moved_apart_and_others_stay() -> None:
    places = np.array([[0.0, 0.0], [0.0, 0.0], [0.3, 0.1], [9.0, 9.0]])
    moved = push_apart(places, 1.0)
    gaps = [np.linalg.norm(moved[i] - moved[j]) for i in range(4) for j in range(i)]
    assert min(gaps) > 0.99
    np.testing.assert_array_equal(moved[3], [9.0, 9.0])
    assert np.abs(moved[:3] - places[:3]).max() < 1.5


def test_a_saved_map_is_drawn_again_to_the_same_picture(mapped: PrototypeMap, tmp_path: Path) -> None:
    save_map(tmp_path / "prototypes.npz", mapped)
    again = load_map(tmp_path / "prototypes.npz")
    np.testing.assert_array_equal(again.positions, mapped.positions)
    np.testing.assert_array_equal(again.aspects, mapped.aspects)
    assert again.numbers() == mapped.numbers()
    save_map(tmp_path / "again.npz", again)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "prototypes.npz").read_bytes()


def test_every_aspect_looks_different_and_is_named_in_the_legend(mapped: PrototypeMap) -> None:
    aspects = np.arange(60) % 20
    twenty = replace(
        mapped, aspects=aspects, names=[f"aspect {i}" for i in range(20)],
        positions=np.random.default_rng(0).normal(size=(2, 60, 2)).astype(np.float32), prototypes=900,
    )  # fmt: skip
    with styled():
        figure = draw_prototypes(twenty)
    clouds = figure.axes[0].collections
    looks = {(cloud.get_paths()[0].vertices.tobytes(), cloud.get_facecolor().tobytes()) for cloud in clouds}
    assert len(clouds) == len(looks) == 20
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == [f"{i + 1}  aspect {i}" for i in range(20)]
    assert [text.get_text() for text in figure.axes[0].texts] == [str(i + 1) for i in range(20)]
    assert figure.axes[1].get_xlabel() == f"silhouette {mapped.silhouettes[1]:.3f}"
    assert "60 of 900" in figure.get_suptitle()


def test_lightness_and_shape_alone_tell_twenty_aspects_apart() -> None:
    from matplotlib.colors import to_rgb

    from fewaspect.experiments.figures.prototype_panels import _marker_style

    def grey(colour: str) -> float:
        return float(np.dot(to_rgb(colour), (0.299, 0.587, 0.114)))

    looks = [_marker_style(aspect) for aspect in range(20)]
    for i, one in enumerate(looks):
        for other in looks[i + 1 :]:
            if one["marker"] == other["marker"]:
                assert abs(grey(one["color"]) - grey(other["color"])) > 0.2


def test_too_few_episodes_or_aspects_are_refused(runs: list[Path]) -> None:
    def all_differ(settings: EvaluateSettings) -> bool:
        names = [n for e in prepare_evaluation(runs[0], [settings], None, console=QUIET).groups[0] for n in e.classes]
        return len(set(names)) == len(names)

    few = next(s for s in (replace(TEST, way="2", episodes=2, seed=seed) for seed in range(20)) if all_differ(s))
    with pytest.raises(ConfigError, match="Raise --episodes"):
        map_prototypes(runs, few, None, 20, console=QUIET)
    with pytest.raises(EpisodeError, match="50 aspects, found"):
        map_prototypes(runs, replace(TEST, way="50"), None, 20, console=QUIET)


def test_a_method_without_prototypes_is_refused(runs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = prepare_evaluation(runs[0], [TEST], None, console=QUIET)
    score = evaluation.model.method.score
    monkeypatch.setattr(evaluation.model.method, "score", lambda task: replace(score(task), prototypes=None))
    with pytest.raises(ConfigError, match="represents classes by prototypes, found lpn"):
        collect_prototypes(evaluation, QUIET)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"run\.json"):
        map_prototypes([tmp_path], TEST, None, 20, console=QUIET)


def test_a_damaged_map_is_refused_wherever_the_damage_is(mapped: PrototypeMap, tmp_path: Path) -> None:
    save_map(tmp_path / "whole.npz", mapped)
    whole = (tmp_path / "whole.npz").read_bytes()
    refused = 0
    for place in range(0, len(whole), 7):
        (tmp_path / "map.npz").write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            load_map(tmp_path / "map.npz")  # dates and the like may change without harm
        except ResultError:
            refused += 1
    assert refused > len(whole) / 7 / 2


def test_a_foreign_file_is_not_a_map(mapped: PrototypeMap, tmp_path: Path) -> None:
    def refused(path: Path) -> None:
        with pytest.raises(ResultError, match=r"expected the points of `fewaspect figures prototypes`"):
            load_map(path)

    (tmp_path / "text.npz").write_text("hello")
    refused(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", positions=np.zeros((1, 2, 2)))
    refused(tmp_path / "other.npz")
    np.savez(
        tmp_path / "pickled.npz", positions=np.array([{}], dtype=object), aspects=np.zeros(1), about=np.array("{}")
    )
    refused(tmp_path / "pickled.npz")
    np.save(tmp_path / "array.npz", np.zeros(3))
    refused(tmp_path / "array.npz.npy")
    save_map(tmp_path / "short.npz", replace(mapped, aspects=mapped.aspects[:-1]))
    refused(tmp_path / "short.npz")
    save_map(tmp_path / "beyond.npz", replace(mapped, names=mapped.names[:1]))
    refused(tmp_path / "beyond.npz")
