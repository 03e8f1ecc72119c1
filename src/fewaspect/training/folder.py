"""A run folder: the effective settings, the best weights, the state to resume from, the history."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.core.files import atomic_write
from fewaspect.core.settings import Settings, TrainSettings, build_settings, differences, largest, to_json
from fewaspect.methods import method_entry


@dataclass(frozen=True)
class RunSettings:
    """The two halves of a run's settings: of training, and of the method it trains."""

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


_NEEDED = ("train_source", "train_aspects", "encoder_digest")


class RunFolder:
    """Names of the files in a run folder, and how they are read and written."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.about = self.path / "run.json"
        self.best = self.path / "model.safetensors"
        self.last = self.path / "last.safetensors"
        self.history = self.path / "history.json"

    def start(self, settings: RunSettings, resume: bool) -> bool:
        """Make the folder, or check that what is in it can be resumed; true if there is a state to resume from."""
        if self.path.exists() and not self.path.is_dir():
            raise ConfigError(f"{self.path}: expected a folder for the run, found a file.")
        in_use = self.path.is_dir() and any(not _unfinished(path) for path in self.path.iterdir())
        if in_use and not resume:
            raise ConfigError(
                f"{self.path}: expected a new or empty folder, found files. "
                "Pass --resume to continue that run, or choose another folder."
            )
        if in_use and not self.about.is_file():
            raise ConfigError(f"{self.path}: expected a run to resume, found other files and no run.json.")
        if in_use:
            self._refuse_other_settings(settings)
        self.path.mkdir(parents=True, exist_ok=True)
        return resume and self.last.is_file()

    def write_about(self, about: dict[str, Any]) -> None:
        with atomic_write(self.about) as file:
            file.write(to_json(about))

    def read_about(self) -> dict[str, Any]:
        try:
            about = dict(json.loads(self.about.read_text(encoding="utf-8")))
            for part in (about["settings"]["train"], about["settings"]["method"], *(about[name] for name in _NEEDED)):
                if part is None:
                    raise ValueError("an entry is null")
            return about
        except (FileNotFoundError, NotADirectoryError):
            raise CheckpointError(f"{self.path}: expected a run folder with run.json, found none.") from None
        except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise CheckpointError(
                f"{self.about}: expected the description of a run, found a damaged file: {error}"
            ) from error

    def read_settings(self) -> RunSettings:
        values = self.read_about()["settings"]
        train = build_settings(TrainSettings, values["train"], str(self.about))
        return RunSettings(
            train, build_settings(method_entry(train.method).settings, values["method"], str(self.about))
        )

    def _refuse_other_settings(self, settings: RunSettings) -> None:
        changed = differences(self.read_settings().as_dict(), settings.as_dict())
        if changed:
            raise ConfigError(f"{self.path}: --resume needs the settings the run began with: {'; '.join(changed)}.")


def _unfinished(path: Path) -> bool:
    """What a kill in the middle of an atomic write leaves behind."""
    return path.name.startswith(".") and path.suffix == ".part"
