"""How near the default comes to the best of its peers: on each set and order of real data, a ratio of losses.

The peers are at their best in hindsight, and on each set the best of them is taken: no peer is as good as that
everywhere. Regressions are judged without their first row, which nobody can know: where the target is far from zero
that row alone decides the loss, and it is the same for all who do not peek. A peer's setting is still the one that is
best with that row, as the record has it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from real_data import NAMES
from recording import markdown_table, significant
from rivals import NO_OPTION, PEERS_TO_MEET

CLOSE = 1.01


class Ratio(NamedTuple):
    """The default's loss over that of the best of some others, and who that is."""

    size: float
    best: str

    def __str__(self) -> str:
        return f"{self.size:.4f} ({self.best})" if self.size < 10.0 else f"{significant(self.size)} ({self.best})"


class Judged(NamedTuple):
    """One set in one order."""

    name: str
    order: str
    to_meet: Ratio
    all: Ratio


def verdict(lines: Sequence[Mapping[str, str]]) -> str:
    """The page's paragraph and table, of the record's lines."""
    judged = judge(lines)
    if not judged:
        return f"No verdict: no set has a result of {NO_OPTION} and of all peers yet."
    return "\n\n".join([_summary(judged), markdown_table([_shown(each) for each in judged]).rstrip()])


def judge(lines: Sequence[Mapping[str, str]]) -> list[Judged]:
    """All sets and orders of which the default and all peers that it is to meet are recorded."""
    losses: dict[tuple[str, str], dict[str, float]] = {}
    for line in lines:
        losses.setdefault((line["set"], line["order"]), {})[line["contender"]] = float(line["later"] or line["loss"])
    complete = {key: each for key, each in losses.items() if each.keys() >= {NO_OPTION, *PEERS_TO_MEET}}
    return [
        Judged(name, order, _ratio(each, PEERS_TO_MEET), _ratio(each, each.keys() - {NO_OPTION}))
        for (name, order), each in sorted(complete.items(), key=lambda item: (NAMES.index(item[0][0]), item[0][1]))
    ]


def _ratio(losses: Mapping[str, float], others: Collection[str]) -> Ratio:
    best = min(others, key=losses.__getitem__)
    return Ratio(losses[NO_OPTION] / losses[best], best)


def _summary(judged: Sequence[Judged]) -> str:
    return "\n".join(
        [
            f"The loss of {NO_OPTION} over that of the best peer, on each of {len(judged)} sets and orders. "
            "Regressions are judged without their first row, which nobody can know.",
            "",
            f"- Beside the best of {'; '.join(PEERS_TO_MEET)}: {_counts([each.to_meet.size for each in judged])}.",
            f"- Beside the best of all: {_counts([each.all.size for each in judged])}.",
        ]
    )


def _counts(ratios: Sequence[float]) -> str:
    close, below = sum(ratio <= CLOSE for ratio in ratios), sum(ratio < 1.0 for ratio in ratios)
    return f"at most {CLOSE} on {close} of {len(ratios)}, below 1 on {below}, at worst {significant(max(ratios))}"


def _shown(each: Judged) -> dict[str, str]:
    return {
        "set": each.name,
        "order": each.order,
        "over the best peer": str(each.to_meet),
        "over the best of all": "the same" if each.all == each.to_meet else str(each.all),
    }
