"""A run folder: settings and metadata, the best checkpoint, the last checkpoint, the history of validations."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewaspect.core.errors import WRONG_VALUE, CheckpointError, ConfigError
from fewaspect.core.files import atomic_write
from fewaspect.core.settings import Settings, TrainSettings, build_settings, differences, largest, to_json
from fewaspect.methods import method_entry


@dataclass(frozen=True)
class RunSettings:
    """Settings of a run: of training, and of the method."""

    train: TrainSettings
    method: Settings

    def as_dict(self) -> dict[str, Any]:
        return {"train": dataclasses.asdict(self.train), "method": dataclasses.asdict(self.method)}  # type: ignore[call-overload]

    @property
    def largest_way(self) -> int:
        return largest("way", self.train.way)

    @property
    def largest_shot(self) -> int:
        return largest("shot", self.train.shot)


_REQUIRED = ("train_source", "train_aspects", "encoder_digest")


class RunFolder:
    """Names of the files in a run folder, and how they are read and written."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.metadata = self.path / "run.json"
        self.best = self.path / "model.safetensors"
        self.last = self.path / "last.safetensors"  # with the optimiser's state, to resume from
        self.history = self.path / "history.json"

    def start(self, settings: RunSettings, resume: bool) -> bool:
        """Create the folder, or check that its run can be resumed; true if there is a checkpoint to resume from."""
        if self.path.exists() and not self.path.is_dir():
            raise ConfigError(f"{self.path}: expected a folder for the run, found a file.")
        if self.path.is_dir() and any(not _is_temporary(path) for path in self.path.iterdir()):
            self._check_resumable(settings, resume)
        self.path.mkdir(parents=True, exist_ok=True)
        return resume and self.last.is_file()

    def _check_resumable(self, settings: RunSettings, resume: bool) -> None:
        if not resume:
            raise ConfigError(
                f"{self.path}: expected a new or empty folder, found files. "
                "Pass --resume to continue that run, or choose another folder."
            )
        if not self.metadata.is_file():
            raise ConfigError(f"{self.path}: expected a run to resume, found other files and no run.json.")
        if changed := differences(self.read_settings().as_dict(), settings.as_dict()):
            raise ConfigError(f"{self.path}: --resume needs the settings the run began with: {'; '.join(changed)}.")

    def write_metadata(self, metadata: dict[str, Any]) -> None:
        with atomic_write(self.metadata) as file:
            file.write(to_json(metadata))

    def read_metadata(self) -> dict[str, Any]:
        try:
            metadata = dict(json.loads(self.metadata.read_text(encoding="utf-8")))
            settings = metadata["settings"]
            if None in (settings["train"], settings["method"], *(metadata[name] for name in _REQUIRED)):
                raise ValueError("an entry is null")
            return metadata
        except (FileNotFoundError, NotADirectoryError):
            raise CheckpointError(f"{self.path}: expected a run folder with run.json, found none.") from None
        except (OSError, *WRONG_VALUE) as error:
            raise CheckpointError(
                f"{self.metadata}: expected the metadata of a run, found a damaged file: {error}"
            ) from error

    def read_settings(self) -> RunSettings:
        values = self.read_metadata()["settings"]
        train = build_settings(TrainSettings, values["train"], str(self.metadata))
        return RunSettings(
            train, build_settings(method_entry(train.method).settings, values["method"], str(self.metadata))
        )


def _is_temporary(path: Path) -> bool:
    """What an atomic write that was killed leaves behind."""
    return path.name.startswith(".") and path.suffix == ".part"
