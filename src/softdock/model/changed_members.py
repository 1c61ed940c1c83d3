"""Members of a scenario whose numbers are replaced."""

from collections.abc import Iterable


class ChangedMembers:
    """Members of a scenario, such as `springs.bumper`, of which some numbers are replaced by others."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Find the members from the dotted paths of the numbers, such as `springs.bumper.stiffness`."""
        self._keys = [tuple(path.split(".")) for path in paths]
        self._groups = {keys[0] for keys in self._keys}
        self._names: dict[tuple[str, ...], frozenset[str]] = {}

    def __bool__(self) -> bool:
        """Return whether anything changes."""
        return bool(self._keys)

    def affects(self, *groups: str) -> bool:
        """Return whether some member of a group changes, or a value of the scenario of that name."""
        return not self._groups.isdisjoint(groups)

    def names(self, group: str, *parts: str) -> frozenset[str]:
        """Return the names of the members of a group that change; with `parts`, those where one of them changes.

        Found once, because all runs of a campaign replace the same numbers.
        """
        asked = (group, *parts)
        if asked not in self._names:
            self._names[asked] = frozenset(
                keys[1]
                for keys in self._keys
                if len(keys) > 1 and keys[0] == group and (not parts or (len(keys) > 2 and keys[2] in parts))
            )
        return self._names[asked]
