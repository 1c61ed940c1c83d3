"""Where compiled kernels are kept: in folders that are private, found again and not too many."""

import os
from pathlib import Path

import pytest

from softdock.compiler import kernel_folders


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The first choice of a cache folder, nothing remembered of an earlier one."""
    base = tmp_path / "cache"
    monkeypatch.setenv("SOFTDOCK_CACHE_DIR", str(base))
    monkeypatch.setattr(kernel_folders, "cache_folder", kernel_folders.cache_folder.__wrapped__)
    return base


def test_folders_are_private(fresh: Path) -> None:
    folder = kernel_folders.cache_folder("lumped")
    assert folder is not None
    assert folder.parent == fresh
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_of_somebody_else_is_not_used(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = kernel_folders.cache_folder("lumped")
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert kernel_folders.cache_folder("lumped") != mine


def test_a_folder_open_to_all_is_not_used(fresh: Path) -> None:
    fresh.mkdir()
    fresh.chmod(0o777)
    folder = kernel_folders.cache_folder("lumped")
    assert folder is None or folder.parent != fresh


def test_a_link_in_place_of_the_folder_is_not_used(fresh: Path, tmp_path: Path) -> None:
    fresh.mkdir(mode=0o700)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (fresh / f"lumped-{kernel_folders.source_digest('lumped')}").symlink_to(elsewhere)
    folder = kernel_folders.cache_folder("lumped")
    assert folder is None or folder.parent != fresh


def test_without_a_home_folder_there_is_still_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "SOFTDOCK_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    assert len(kernel_folders.cache_bases()) == 1


def test_only_old_kernels_are_ever_removed(fresh: Path) -> None:
    fresh.mkdir(mode=0o700)
    old = [fresh / f"lumped-{i:016x}" for i in range(kernel_folders.CACHES_KEPT + 3)]
    foreign = [fresh / "thesis", fresh / "lumped-0123"]
    for age, folder in enumerate(old + foreign):
        folder.mkdir()
        os.utime(folder, times=(1.0 + age, 1.0 + age))
    current = kernel_folders.cache_folder("lumped")
    assert current is not None
    assert all(folder.exists() for folder in [current, *foreign, *old[-kernel_folders.CACHES_KEPT + 1 :]])
    assert not any(folder.exists() for folder in old[: -kernel_folders.CACHES_KEPT + 1])
