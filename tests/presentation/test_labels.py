"""Labels: identifiers as words, axes with units, components of vectors."""

import pytest

from softdock.model.member_kinds import MEMBER_GROUPS
from softdock.presentation.labels import (
    QUANTITIES,
    axis_label,
    input_label,
    label,
    quantity_label,
    shorten_list,
)
from softdock.quantities.units import parse_unit


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("duration", "duration"),
        ("bodies.client.mass", "client mass"),
        ("bodies.client", "bodies client"),  # the whole member: without its group it would be a bare name
        ("initial.lateral_offset.0", "initial lateral offset 1"),  # no vector of x, y and z
        ("bodies.client.joint.position.2", "client joint position z"),
        ("bodies.client.joint.position.3", "client joint position 4"),
        ("offset.norm", "offset (size)"),
        ("0", "0"),
    ],
)
def test_paths_are_words_without_groups_and_components_of_vectors_are_axes(path: str, words: str) -> None:
    assert input_label(path) == words


@pytest.mark.parametrize("group", MEMBER_GROUPS)
def test_every_group_of_members_is_left_out(group: str) -> None:
    assert input_label(f"{group}.one.length") == "one length"


def test_labels_name_the_unit_of_values_and_none_of_pure_numbers() -> None:
    assert label("peak_force") == "peak force"
    assert axis_label("energy", "mJ") == "energy [mJ]"
    assert axis_label("ratio", "1") == axis_label("ratio", "") == "ratio"
    assert quantity_label("N", "kN") == "force [kN]"
    assert quantity_label("1", "") == "[-]"


def test_every_quantity_has_a_name_of_its_own() -> None:
    """Panels are named by them: N and N*m, for example, must not both be forces."""
    assert len(set(QUANTITIES.values())) == len(QUANTITIES)
    assert QUANTITIES["N*m"] != QUANTITIES["J"]
    assert parse_unit("N*m").dimension == parse_unit("J").dimension


def test_long_lists_say_how_many_names_are_left_out() -> None:
    names = ["a", "b", "c", "d"]
    assert shorten_list(names, 2) == "a, b and 2 more"
    assert shorten_list(names, 3) == "a, b, c and 1 more"
    assert shorten_list(names, 4) == shorten_list(names, 5) == "a, b, c, d"
