"""The cache of profiles read from CAD files."""

from importlib import resources

import pytest

from softdock.errors import InputError
from softdock.files import cache
from softdock.geometry.profile_cache import read_meridian


@pytest.fixture
def bumper():
    with resources.as_file(resources.files("softdock.scenario") / "bundled/cad/bumper.step") as path:
        yield path


def test_cached_profiles_equal_those_read_and_changed_files_are_read_again(bumper, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "cache_folders", lambda: [tmp_path / "cache"])
    copy = tmp_path / "bumper.step"
    copy.write_bytes(bumper.read_bytes())
    first = read_meridian(copy, side="outside")
    kept = list((tmp_path / "cache" / "meridians").iterdir())
    assert len(kept) == 1
    again = read_meridian(copy, side="outside")
    assert again[0] == first[0]
    assert (again[1] == first[1]).all()
    assert (again[2] == first[2]).all()
    copy.write_text("not a STEP file")
    with pytest.raises(InputError):
        read_meridian(copy, side="outside")


def test_damaged_cache_file_is_ignored(bumper, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "cache_folders", lambda: [tmp_path])
    first = read_meridian(bumper, side="outside")
    (kept,) = (tmp_path / "meridians").iterdir()
    kept.write_text('{"profile": [{"start": 1')
    assert read_meridian(bumper, side="outside")[0] == first[0]


def test_profiles_are_read_without_a_writable_cache(bumper, tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(cache, "cache_folders", lambda: [blocked])
    assert read_meridian(bumper, side="outside")[0].segments
