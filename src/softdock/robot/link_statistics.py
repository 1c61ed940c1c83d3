"""How well a link works: what came, what was lost, doubled or late, and how long the way takes."""

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

WINDOW = 4096
"""Sequence numbers back to which a late packet is told from a duplicate."""
KEPT = 100_000
"""Newest samples from which percentiles are taken."""


@dataclass
class Stream:
    """Counts the numbered packets of one direction."""

    received: int = 0
    """Different packets that arrived."""
    duplicates: int = 0
    reordered: int = 0
    """Packets that arrived after one with a higher number."""
    first: int | None = None
    newest: int = 0
    _seen: int = 0  # bit i: number newest - i has arrived

    def take(self, sequence: int) -> bool:
        """Count a packet and tell whether it is newer than all before."""
        if self.first is None:
            self.first, self.newest, self._seen, self.received = sequence, sequence, 1, 1
            return True
        behind = self.newest - sequence
        if behind < 0:
            self._seen = ((self._seen << min(-behind, WINDOW)) | 1) & ((1 << WINDOW) - 1)
            self.newest = sequence
            self.received += 1
            return True
        if behind >= WINDOW or sequence < self.first or (self._seen >> behind) & 1:
            self.duplicates += 1
            return False
        self._seen |= 1 << behind
        self.received += 1
        self.reordered += 1
        return False

    @property
    def lost(self) -> int:
        """Packets that were sent, as the numbers show, and have not arrived."""
        return 0 if self.first is None else self.newest - self.first + 1 - self.received

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Packets received, lost, doubled and overtaken."""
        return self.received, self.lost, self.duplicates, self.reordered

    def to_json(self, before: tuple[int, int, int, int] = (0, 0, 0, 0)) -> dict[str, Any]:
        """Return the counts, with those of earlier streams, and the share that was lost."""
        received, lost, duplicates, reordered = map(sum, zip(before, self.counts))
        return {
            "received": received,
            "lost": lost,
            "lost_share": lost / (received + lost) if received + lost else 0.0,
            "duplicates": duplicates,
            "reordered": reordered,
        }


@dataclass
class Spread:
    """Mean, deviation and extremes of a duration [s], and percentiles of its newest samples."""

    count: int = 0
    mean: float = 0.0
    least: float = math.inf
    greatest: float = -math.inf
    _squares: float = 0.0
    _newest: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def take(self, value: float) -> None:
        """Add a sample [s]."""
        self.count += 1
        away = value - self.mean
        self.mean += away / self.count
        self._squares += away * (value - self.mean)
        self.least, self.greatest = min(self.least, value), max(self.greatest, value)
        self._newest.append(value)

    @property
    def deviation(self) -> float:
        """Standard deviation [s]."""
        return math.sqrt(self._squares / self.count) if self.count else 0.0

    def percentile(self, share: float) -> float:
        """Return the value below which a share of the newest samples lies [s]."""
        ordered = sorted(self._newest)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else math.nan

    def to_json(self) -> dict[str, Any]:
        """Return the figures in seconds; None where nothing was measured."""
        if not self.count:
            return dict.fromkeys(("mean_s", "deviation_s", "least_s", "median_s", "p99_s", "greatest_s"))
        return {
            "mean_s": self.mean,
            "deviation_s": self.deviation,
            "least_s": self.least,
            "median_s": self.percentile(0.5),
            "p99_s": self.percentile(0.99),
            "greatest_s": self.greatest,
        }


@dataclass
class ClientStatistics:
    """What a client knows about its link."""

    states: Stream = field(default_factory=Stream)
    latency: Spread = field(default_factory=Spread)
    """Way there and back, without the time that the robot waited for its next cycle."""
    interval: Spread = field(default_factory=Spread)
    """Time from one new state to the next; its deviation is the jitter."""
    malformed: int = 0
    foreign: int = 0
    """Well formed, but of another session."""
    refused: int = 0
    """Commands that the robot refused."""

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "states": self.states.to_json(),
            "latency": self.latency.to_json(),
            "interval": self.interval.to_json(),
            "jitter_s": self.interval.deviation if self.interval.count else None,
            "malformed": self.malformed,
            "foreign": self.foreign,
            "refused": self.refused,
        }


@dataclass
class ServerStatistics:
    """What a robot's side knows about its link."""

    commands: Stream = field(default_factory=Stream)
    """Of the present session."""
    earlier: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Counts of the commands of all sessions before."""
    cycles: int = 0
    sessions: int = 0
    malformed: int = 0
    foreign: int = 0
    """Well formed, but not from the client that has the robot."""
    denied: int = 0
    """Clients that were turned away because the robot was taken."""
    late_cycles: int = 0
    """Cycles that began more than one period late."""
    worst_cycle: float = 0.0
    """Longest computation of a cycle [s]."""

    def begin_session(self) -> None:
        """Count a new client's commands from here on; what others sent stays in the totals."""
        received, lost, duplicates, reordered = map(sum, zip(self.earlier, self.commands.counts))
        self.earlier = received, lost, duplicates, reordered
        self.commands = Stream()
        self.sessions += 1

    def to_json(self) -> dict[str, Any]:
        """Return all figures, of all sessions."""
        return {
            "cycles": self.cycles,
            "late_cycles": self.late_cycles,
            "worst_cycle_s": self.worst_cycle,
            "sessions": self.sessions,
            "commands": self.commands.to_json(self.earlier),
            "malformed": self.malformed,
            "foreign": self.foreign,
            "denied": self.denied,
        }
