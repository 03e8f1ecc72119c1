"""The house itself: small rooms, each file name once, nothing too hard to follow."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

HOUSE = Path(__file__).parents[1] / "src" / "fewaspect"
MANY = {"cli", "methods"}  # one file per command and per method
ON_TWO_FLOORS = {  # a command or an address, and what it serves
    "audit.py", "discover.py", "export.py", "label_issues.py", "projects.py", "quickstart.py", "studio.py",
    "suggest.py",
}  # fmt: skip
MOST = 14


def folder(path: Path) -> str:
    return path.parent.relative_to(HOUSE).as_posix()


def files() -> list[Path]:
    return [path for path in HOUSE.rglob("*.py") if "migrations" not in path.parts]


def test_no_room_is_crowded() -> None:
    rooms = defaultdict(list)
    for path in HOUSE.rglob("*"):
        if path.is_file() and path.parent.name != "__pycache__":
            rooms[folder(path)].append(path.name)
    assert not {room: len(names) for room, names in rooms.items() if len(names) > MOST and room not in MANY}


def test_no_file_name_occurs_twice_with_different_meanings() -> None:
    places = defaultdict(list)
    for path in files():
        if path.name not in {"__init__.py", "__main__.py", *ON_TWO_FLOORS}:
            places[path.name].append(folder(path))
    assert not {name: rooms for name, rooms in places.items() if len(rooms) > 1}


def test_no_file_is_long() -> None:
    lengths = {str(path.relative_to(HOUSE)): len(path.read_text(encoding="utf-8").splitlines()) for path in files()}
    assert not {name: length for name, length in lengths.items() if length > 450}
