"""Files appear whole or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from fewaspect.core.files import atomic_folder, atomic_write, sha256_of


def test_a_written_file_holds_exactly_what_was_written(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a.txt") as file:
        file.write("é\r\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == "é\r\nb\n".encode()
    with atomic_write(tmp_path / "a.bin", "wb") as file:
        file.write(b"\0\xff")
    assert (tmp_path / "a.bin").read_bytes() == b"\0\xff"


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, failure: type[BaseException]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write_half() -> None:
        with atomic_write(path) as file:
            file.write("half")
            raise failure

    with pytest.raises(failure):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_file_stays_visible_until_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with atomic_write(path) as file:
        file.write("new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


def test_a_link_still_points_to_the_replaced_file(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    with atomic_write(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_written_file_has_the_mode_of_an_ordinary_one(tmp_path: Path) -> None:
    (tmp_path / "ordinary").write_text("")
    with atomic_write(tmp_path / "atomic"):
        pass
    ordinary, atomic = (stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ordinary", "atomic"))
    assert atomic == ordinary


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_what_is_replaced_leaves_its_mode_to_the_new(tmp_path: Path, mode: int) -> None:
    (path := tmp_path / "private").write_text("old")
    path.chmod(mode)
    with atomic_write(path) as file:
        (half,) = set(tmp_path.iterdir()) - {path}
        assert stat.S_IMODE(half.stat().st_mode) == mode, "from the beginning"
        file.write("new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)
    (folder := tmp_path / "folder").mkdir(mode=0o700)
    with atomic_folder(folder, replace=True):
        pass
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="named pipes are POSIX")
def test_a_pipe_gets_what_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    (link := tmp_path / "link").symlink_to(pipe)
    for path in (pipe, link):
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            with atomic_write(path) as file:
                file.write("through")
                file.flush()
                assert os.read(reader, 100) == b"through"
        finally:
            os.close(reader)
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, pipe]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no names for open files")
def test_a_pipe_without_a_place_of_its_own_gets_what_is_written() -> None:
    """As in `--output >(gzip > out.gz)`, which the shell makes the name of an open file."""
    reader, writer = os.pipe()
    with atomic_write(f"/proc/self/fd/{writer}") as file:
        file.write("through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    os.close(writer)


def test_an_error_of_writing_names_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "out"
    for write in (atomic_write, atomic_folder):
        with pytest.raises(FileNotFoundError) as caught, write(path):
            pytest.fail("the block must not run")
        assert caught.value.filename == str(path)
    with pytest.raises(FileNotFoundError) as caught, atomic_folder(tmp_path / "folder") as folder:
        (folder / "missing" / "file").write_text("")
    assert caught.value.filename == str(tmp_path / "folder")
    with pytest.raises(FileNotFoundError) as caught, atomic_write(tmp_path / "out"):
        (tmp_path / "another").read_text()
    assert caught.value.filename == str(tmp_path / "another"), "an error that is not of writing keeps its name"


def test_a_folder_appears_only_when_it_is_full(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with atomic_folder(path) as folder:
        (folder / "deep").mkdir()
        (folder / "deep" / "weights").write_text("w")
        assert not path.exists()
    assert (path / "deep" / "weights").read_text() == "w"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_folder_leaves_nothing(tmp_path: Path) -> None:
    def fill_half() -> None:
        with atomic_folder(tmp_path / "run") as folder:
            (folder / "half").write_text("h")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fill_half()
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir()
    (path / "old").write_text("")
    with pytest.raises(FileExistsError), atomic_folder(path):
        pytest.fail("the block must not run")
    with atomic_folder(path, replace=True) as folder:
        (folder / "new").write_text("")
    assert [p.name for p in path.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_replacement_keeps_the_old_folder(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir()
    (path / "old").write_text("")
    with pytest.raises(ValueError, match="no"), atomic_folder(path, replace=True):
        raise ValueError("no")
    assert (path / "old").exists()
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_made_by_another_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run"

    def come_second() -> None:
        with atomic_folder(path):
            path.mkdir()
            (path / "theirs").write_text("")

    with pytest.raises(FileExistsError):
        come_second()
    assert (path / "theirs").exists()
    assert list(tmp_path.iterdir()) == [path]


def test_sha256_is_that_of_the_whole_file(tmp_path: Path) -> None:
    content = os.urandom(3 * 2**20 + 17)
    (tmp_path / "f").write_bytes(content)
    assert sha256_of(tmp_path / "f") == hashlib.sha256(content).hexdigest()
