"""Link statistics: received, lost, duplicated and reordered packets, latency and jitter."""

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

SEQUENCE_WINDOW = 4096
"""Range of sequence numbers within which late packets are distinguished from duplicates."""
MAX_SAMPLES = 100_000
"""Number of newest samples used for percentiles."""


@dataclass
class SequenceCounter:
    """Counts the packets of one direction by their sequence numbers."""

    received: int = 0
    """Distinct packets that arrived."""
    duplicates: int = 0
    reordered: int = 0
    """Packets that arrived after one with a higher number."""
    first: int | None = None
    newest: int = 0
    _seen: int = 0  # bit i: number newest - i has arrived

    def add(self, sequence: int) -> bool:
        """Count a packet; return whether it is newer than all previous ones."""
        if self.first is None:
            self.first, self.newest, self._seen, self.received = sequence, sequence, 1, 1
            return True
        behind = self.newest - sequence
        if behind < 0:
            self._seen = ((self._seen << min(-behind, SEQUENCE_WINDOW)) | 1) & ((1 << SEQUENCE_WINDOW) - 1)
            self.newest = sequence
            self.received += 1
            return True
        if behind >= SEQUENCE_WINDOW or sequence < self.first or (self._seen >> behind) & 1:
            self.duplicates += 1
            return False
        self._seen |= 1 << behind
        self.received += 1
        self.reordered += 1
        return False

    @property
    def lost(self) -> int:
        """Packets missing from the range of sequence numbers."""
        return 0 if self.first is None else self.newest - self.first + 1 - self.received

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Packets received, lost, duplicated and reordered."""
        return self.received, self.lost, self.duplicates, self.reordered

    def to_json(self, before: tuple[int, int, int, int] = (0, 0, 0, 0)) -> dict[str, Any]:
        """Return the counts plus those of earlier sessions, and the lost fraction."""
        received, lost, duplicates, reordered = map(sum, zip(before, self.counts))
        return {
            "received": received,
            "lost": lost,
            "lost_share": lost / (received + lost) if received + lost else 0.0,
            "duplicates": duplicates,
            "reordered": reordered,
        }


@dataclass
class DurationStatistics:
    """Mean, standard deviation and extremes of a duration [s], and percentiles of its newest samples."""

    count: int = 0
    mean: float = 0.0
    least: float = math.inf
    greatest: float = -math.inf
    _squares: float = 0.0
    _newest: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_SAMPLES))

    def add(self, value: float) -> None:
        """Add a sample [s]."""
        self.count += 1
        difference = value - self.mean
        self.mean += difference / self.count
        self._squares += difference * (value - self.mean)
        self.least, self.greatest = min(self.least, value), max(self.greatest, value)
        self._newest.append(value)

    @property
    def deviation(self) -> float:
        """Standard deviation [s]."""
        return math.sqrt(self._squares / self.count) if self.count else 0.0

    def percentile(self, share: float) -> float:
        """Return the value below which a fraction of the newest samples lies [s]."""
        ordered = sorted(self._newest)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else math.nan

    def to_json(self) -> dict[str, Any]:
        """Return the statistics in seconds; None without samples."""
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
    """Link statistics on the client's side."""

    states: SequenceCounter = field(default_factory=SequenceCounter)
    latency: DurationStatistics = field(default_factory=DurationStatistics)
    """Round-trip time without the time that the robot waited for its next cycle."""
    interval: DurationStatistics = field(default_factory=DurationStatistics)
    """Time between new states; its standard deviation is the jitter."""
    malformed: int = 0
    foreign: int = 0
    """Well-formed packets of other sessions."""
    refused: int = 0
    """Commands that the robot refused."""

    def to_json(self) -> dict[str, Any]:
        """Return all statistics."""
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
    """Link statistics on the robot's side."""

    commands: SequenceCounter = field(default_factory=SequenceCounter)
    """Commands of the present session."""
    earlier: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Command counts of all earlier sessions."""
    cycles: int = 0
    sessions: int = 0
    malformed: int = 0
    foreign: int = 0
    """Well-formed packets from other clients."""
    denied: int = 0
    """Clients that were denied because the robot was in use."""
    late_cycles: int = 0
    """Cycles that began more than one period late."""
    worst_cycle: float = 0.0
    """Longest computation of a cycle [s]."""

    def begin_session(self) -> None:
        """Start counting the commands of a new client; earlier counts stay in the totals."""
        received, lost, duplicates, reordered = map(sum, zip(self.earlier, self.commands.counts))
        self.earlier = received, lost, duplicates, reordered
        self.commands = SequenceCounter()
        self.sessions += 1

    def to_json(self) -> dict[str, Any]:
        """Return the statistics of all sessions."""
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
