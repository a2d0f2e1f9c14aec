"""Files that are whole or absent, and what is no file: links, pipes, devices, open files by number."""

import json
import os
import resource
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pnet_lp import scratch
from pnet_lp.errors import OutputError
from pnet_lp.writing import check_output, output_file, write_json, write_text

ROOT = os.geteuid() == 0
NOBODY = 65534


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """Return a device on which nothing has room: one of our own, so that nothing can happen to the machine's."""
    path = tmp_path / "full"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        path.write_bytes(b"")
    except OSError:
        path.unlink(missing_ok=True)
        path.symlink_to("/dev/full")
    return path


@pytest.fixture
def anybody() -> Iterator[None]:
    """Run a test as a user for whom permissions count."""
    if ROOT:
        os.seteuid(NOBODY)
    yield
    if ROOT:
        os.seteuid(0)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, fault: BaseException | type[BaseException]
) -> None:
    path = tmp_path / "document.json"
    write_json(path, {"old": True})

    def fail() -> None:
        with output_file(path) as temporary:
            temporary.write_text("half of ")
            assert json.loads(path.read_text()) == {"old": True}
            raise fault

    with pytest.raises((RuntimeError, KeyboardInterrupt, OutputError)) as caught:
        fail()
    if isinstance(caught.value, OutputError):
        assert str(caught.value) == f"{path}: cannot be written (no space left on device)"
        assert caught.value.exit_code == 1
    assert json.loads(path.read_text()) == {"old": True}
    assert list(tmp_path.iterdir()) == [path]


def test_two_may_write_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with output_file(path) as first, output_file(path) as second:
        first.write_text("first")
        second.write_text("second")
        assert first.parent == second.parent == tmp_path
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_that_somebody_foresaw_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(scratch.secrets, "token_hex", lambda _: "0123456789abcdef")
    (tmp_path / ".pnet-lp-0123456789abcdef.json").symlink_to(victim)
    with pytest.raises(OutputError, match=r"d\.json: cannot be written \(file exists\)$"):
        write_json(tmp_path / "d.json", {})
    assert victim.read_text() == "precious"
    assert not (tmp_path / "d.json").exists()


@pytest.mark.parametrize("before", [0o600, 0o640, 0o664, 0o755])
def test_permissions_are_kept(tmp_path: Path, before: int) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    path.chmod(before)
    write_text(path, "new")
    assert (path.read_text(), mode(path)) == ("new", before)


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_text(tmp_path / "f", "new")
    finally:
        os.umask(before)
    assert mode(tmp_path / "f") == 0o666 & ~mask


@pytest.mark.skipif(not ROOT, reason="only root gives files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    os.chown(path, NOBODY, NOBODY)
    write_text(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (NOBODY, NOBODY)


@pytest.mark.parametrize("there", [True, False])
def test_links_are_followed(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if there:
        (folder / "f").write_text("old")
    (tmp_path / "one").symlink_to("elsewhere/f")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    write_text(tmp_path / "two", "new")
    assert (folder / "f").read_text() == "new"
    assert (tmp_path / "two").is_symlink()
    assert (tmp_path / "one").is_symlink()
    assert [path.name for path in folder.iterdir()] == ["f"]


def test_a_circle_of_links_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OutputError, match=r"/a: cannot be written \(too many levels of symbolic links\)$"):
        write_text(tmp_path / "a", "new")


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    text = "line\n" * 100_000
    write_text(pipe, text)
    reader.join(30)
    assert read == [text]
    assert pipe.is_fifo()


def test_a_full_device_stays_one(full: Path) -> None:
    with pytest.raises(OutputError) as caught:
        write_text(full, "text")
    assert str(caught.value) == f"{full}: cannot be written (no space left on device)"
    assert full.is_char_device()


def test_an_open_file_is_written_to_where_it_stands(tmp_path: Path) -> None:
    with (tmp_path / "f").open("w+b", buffering=0) as file:
        file.write(b"before ")
        write_text(f"/dev/fd/{file.fileno()}", "within ")
        file.write(b"after")
        file.seek(0)
        assert file.read() == b"before within after"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


@pytest.mark.parametrize("name", ["/dev/fd/x", "/dev/fd/987"])
def test_no_such_open_file(name: str) -> None:
    with pytest.raises(OutputError, match=f"^{name}: cannot be written "):
        write_text(name, "text")


def test_folders_are_named(tmp_path: Path) -> None:
    for path, reason in [
        (tmp_path, "is a directory"),
        (tmp_path / "no/f", "no such file or directory"),
        (tmp_path / ("x" * 300), "file name too long"),
    ]:
        with pytest.raises(OutputError) as caught:
            write_text(path, "text")
        assert str(caught.value).startswith(str(path)[:50])  # a long name is shortened
        assert str(caught.value).endswith(f": cannot be written ({reason})")
    assert list(tmp_path.iterdir()) == []
    write_text(tmp_path / ("x" * 255), "the longest name that there can be")


def test_what_may_not_be_written_is_not_replaced(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "closed").mkdir(mode=0o555)
    kept = tmp_path / "open" / "kept"
    kept.write_text("old")
    kept.chmod(0o444)
    for parent in tmp_path.parents:
        if ROOT and str(parent).startswith("/tmp/pytest-"):
            parent.chmod(0o755)
    tmp_path.chmod(0o755)
    request.getfixturevalue("anybody")
    with pytest.raises(OutputError, match=r"closed/f: cannot be written \(permission denied\)$"):
        write_text(tmp_path / "closed" / "f", "text")
    if not ROOT:  # what a process may is asked for its real user
        with pytest.raises(OutputError, match=r"kept: cannot be written \(permission denied\)$"):
            write_text(kept, "new")
        with pytest.raises(OutputError, match=r"closed/f: cannot be written \(permission denied\)$"):
            check_output(tmp_path / "closed" / "f")
    assert kept.read_text() == "old"


def test_what_a_killed_process_leaves_is_removed_by_the_next(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pnet_lp.writing import output_file\n"
        "with output_file(sys.argv[1]) as file: file.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "f.json"
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == -9
    [left] = tmp_path.iterdir()
    assert left.read_text() == "half"
    (tmp_path / ".pnet-lp-notes").write_text("somebody's")
    with output_file(tmp_path / "other") as living:
        write_json(path, {})
        assert living.exists()
    assert {entry.name for entry in tmp_path.iterdir()} == {"f.json", "other", ".pnet-lp-notes"}


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OutputError, match=r"f: cannot be written \(file too large\)$"):
            write_text(tmp_path / "f", "x" * 1001)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
