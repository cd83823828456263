"""What the Leases of a GPU have said over time."""

from dataclasses import dataclass, field


@dataclass
class Leases:
    """Which pods they named since when. Every release has one of its own."""
    states: list[tuple[float, frozenset[str]]] = field(default_factory=list)
    _now: dict[str, frozenset[str]] = field(default_factory=dict)  # by namespace

    def see(self, namespace: str, seconds: float, uids: frozenset[str]) -> None:
        self._now[namespace] = uids
        self.states.append((seconds, frozenset().union(*self._now.values())))

    def longest_absence(self, uid: str, since: float, until: float) -> float:
        """The longest time in a row in which none named the pod."""
        longest, absent_since = 0.0, None if uid in self._at(since) else since
        for seconds, uids in self.states:
            if not since < seconds <= until:
                continue
            if uid in uids and absent_since is not None:
                longest, absent_since = max(longest, seconds - absent_since), None
            elif uid not in uids and absent_since is None:
                absent_since = seconds
        return longest if absent_since is None else max(longest, until - absent_since)

    def _at(self, seconds: float) -> frozenset[str]:
        return next((uids for when, uids in reversed(self.states) if when <= seconds), frozenset())

    @property
    def now(self) -> frozenset[str]:
        return self.states[-1][1] if self.states else frozenset()
