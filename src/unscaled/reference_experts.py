"""auto and newton in plain Python: the oracle of kernels/mixture.py.

As in reference.py, nothing here is fast and nothing is shared with what it judges. Where the kernels keep P, the
inverse of a matrix, up to date row by row, the matrix itself is kept here and inverted anew each time; where they carry
v = w s along as scales move, here it is the weight w in the units of the user that stands still.

    >>> from unscaled.reference import squared
    >>> auto = Auto(Kind(squared(), curvature=lambda p, y: 2.0, quadratic=True))
    >>> [round(auto.learn({"(intercept)": 1.0, "metres": x}, 0.5 * x), 2) for x in (3.0, 4.0, 8.0, 6.0)]
    [0.0, 1.5, 1.86, 3.54]
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from math import copysign, exp, inf, log, log1p, pi, sqrt

from unscaled.reference import Features, Loss

Row = list[float]
Matrix = list[Row]


@dataclass(frozen=True)
class Kind:
    """A loss, and what a mixture needs to know of it."""

    loss: Loss
    labels: str = "real"  # or "sign" or "count"
    curvature: Callable[[float, float], float] | None = None
    quadratic: bool = False
    link: Callable[[float], float] = lambda p: p
    unlink: Callable[[float], float] = lambda mean: mean


@dataclass
class Yardstick:
    """A root mean square in blocks, cut, with jumps where the units have changed."""

    cut: float
    longest: float = 4096.0
    s: float = 0.0
    known: float = 0.0
    block: list[float] = field(default_factory=list)  # |x| / s

    def measure(self, x: float) -> str:
        """Takes in a number; says what the scale does: it "stands", "drifts", or "jumps"."""
        if x == 0.0:
            return "stands"
        self.s = self.s or abs(x)
        self.block.append(abs(x) / self.s)
        fresh = len(self.block)
        if fresh < min(self.known, 64):
            return "stands"
        block, self.block = self.block, []
        far = [z for z in block if z > 6.0]
        if len(far) >= max(2, fresh / 4):
            return self.jump(exp(sum(map(log, far)) / len(far)), fresh)
        if fresh >= 8 and sum(z * z for z in block) < fresh / 900.0:
            return self.jump(sqrt(sum(z * z for z in block) / fresh), fresh)
        ratio = min(2.0, sqrt((self.known + sum(min(z, self.cut) ** 2 for z in block)) / (self.known + fresh)))
        self.known = min(self.known + fresh, self.longest)
        if abs(ratio - 1.0) < 0.01:
            return "stands"
        self.s *= ratio
        return "drifts"

    def jump(self, ratio: float, fresh: int) -> str:
        """The units have changed."""
        self.s *= ratio
        self.known = fresh
        return "jumps"

    def read(self, x: float) -> float:
        """x over the scale, cut, and less again if it is absurd."""
        if self.s == 0.0:
            return 0.0
        z = abs(x) / self.s
        return copysign(z if z <= self.cut else self.cut * min(1.0, 10.0 * self.cut / z) ** 2, x)


def inverse(A: Matrix) -> Matrix:
    """By Gauss and Jordan, with the largest pivot."""
    n = len(A)
    rows = [list(row) + [float(i == j) for j in range(n)] for i, row in enumerate(A)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [a / rows[i][i] for a in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[n:] for row in rows]


class SecondOrder:
    """θ, and A = λ I + Σ c u u' itself, by the names of the features."""

    def __init__(self, prior: float) -> None:
        self.prior = prior
        self.A: dict[tuple[str, str], float] = defaultdict(float)
        self.theta: dict[str, float] = {}

    def know(self, i: str) -> None:
        """A feature that was never there before."""
        if i not in self.theta:
            self.theta[i] = 0.0
            self.A[i, i] = self.prior

    def rescale(self, i: str, ratio: float) -> None:
        """A feature is read as so many times less."""
        self.theta[i] *= ratio
        for j in self.theta:
            self.A[i, j] /= ratio
            self.A[j, i] /= ratio

    def doubt(self, i: str) -> None:
        """What was learned of a feature is a guess from now on: in P it is as at first, and apart from the others."""
        names = list(self.theta)
        P = self.inverse()
        for j in names:
            P[i, j] = P[j, i] = 0.0
        P[i, i] = 1.0 / self.prior
        A = inverse([[P[a, b] for b in names] for a in names])
        self.A = defaultdict(float, {(a, b): A[m][n] for m, a in enumerate(names) for n, b in enumerate(names)})

    def inverse(self) -> dict[tuple[str, str], float]:
        """P."""
        names = list(self.theta)
        P = inverse([[self.A[i, j] for j in names] for i in names])
        return {(i, j): P[a][b] for a, i in enumerate(names) for b, j in enumerate(names)}

    def score(self, u: Features) -> float:
        """θ' u."""
        return sum(self.theta[i] * u[i] for i in u)

    def reach(self, u: Features) -> tuple[dict[str, float], float]:
        """P u and u' P u."""
        P = self.inverse()
        z = {i: sum(P[i, j] * u[j] for j in u) for i in self.theta}
        return z, sum(z[i] * u[i] for i in u)

    def learn(self, kind: Kind, p: float, y: float, h: float, u: Features, c: float) -> None:
        """One step from the prediction p."""
        z, q = self.reach(u)
        if kind.quadratic:
            step = h * kind.loss.slope(p, y) / (1.0 + h * c * q)
        else:
            step = (p - kind.loss.flow(p, y, h * q)) / q if q else 0.0
        for i in z:
            self.theta[i] -= step * z[i]
        for i in u:
            for j in u:
                self.A[i, j] += h * c * u[i] * u[j]


RATES = [0.03 * (256.0 / 0.03) ** (k / 7) for k in range(8)]
NEWTON, TWIN, LAST, LEVEL = "newton", "twin", "last", "level"
EXPERTS = [*map(str, range(8)), NEWTON, TWIN, LAST, LEVEL]
MEAN, MENDED = "mean", "mended"
INPUTS = [*EXPERTS, "first more", "second more"]


def nothing() -> dict[str, float]:
    """Zeros for all names."""
    return defaultdict(float)


class Newton:
    """One output of the rule newton. x names its intercept "(intercept)", if there is one."""

    mixes = False

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.real = kind.labels == "real"
        self.sticks: dict[str, Yardstick] = {}
        self.t = self.N = 0.0
        self.rows = 0
        self.start()
        self.firsts: list[float] = []
        self.labelled = 0

    def start(self) -> None:
        """Nothing is known of the labels."""
        self.unit = 0.0 if self.real and not self.kind.quadratic else 1.0
        self.ridge = 0.1 if self.real else 0.3
        self.second = SecondOrder(self.ridge * self.usual_weight)
        self.centre = self.n = self.judged = 0.0
        self.low, self.high = {"real": (inf, -inf), "count": (-13.8, 1.0), "sign": (-13.8, 13.8)}[self.kind.labels]
        self.last = self.usual = self.error = self.error_before = 0.0
        self.labels, self.errors = Yardstick(50.0), Yardstick(100.0, longest=256.0)
        self.w = {name: nothing() for name in EXPERTS[:8]}  # in the units of the user, as is G
        self.G = {name: nothing() for name in EXPERTS[:8]}
        self.losses = dict.fromkeys([*EXPERTS, MEAN, MENDED], 0.0)
        self.shares = {**dict.fromkeys(EXPERTS, 1.0 / 12.0), MEAN: 0.5, MENDED: 0.5}
        self.mending: SecondOrder | None = None
        self.rest_until = self.rest_length = 0
        self.rest_with, self.lost_before, self.loses = NEWTON, 0.0, 0.0

    @property
    def usual_weight(self) -> float:
        """The mean weight of a row."""
        return self.t / self.rows if self.rows else 1.0

    def meet(self, x: Features, h: float) -> dict[str, float]:
        """Reads a row."""
        self.t += h
        self.rows += 1
        self.second.prior = self.ridge * self.usual_weight / (self.unit or 1.0)
        for i in x:
            stick = self.sticks.setdefault(i, Yardstick(30.0))
            stick.s = stick.s or abs(x[i])
            self.second.know(i)
        u = {i: self.sticks[i].read(x[i]) for i in x}
        self.N += h * sum(u[i] ** 2 for i in u)
        return u

    def measure(self, x: Features) -> None:
        """Takes in a row that was learned from."""
        for i in x:
            before = self.sticks[i].s
            move = self.sticks[i].measure(x[i])
            ratio = self.sticks[i].s / before
            if move == "drifts":
                surer = sqrt(1.0 / (self.second.prior * self.second.inverse()[i, i]))
                self.second.rescale(i, min(ratio, max(1.0, surer)))
            if move == "jumps":
                self.second.doubt(i)
            if move == "jumps" or ratio > 1.0:  # what was learned holds for x / s: the weight follows the unit
                for name in self.w:
                    self.w[name][i] /= ratio
                    self.G[name][i] *= ratio**2

    def limited(self, f: float) -> float:
        """Within the range of the labels so far."""
        if self.low > self.high:
            return f
        return max(self.low - self.centre, min(self.high - self.centre, f))

    def opinions(self, u: Features) -> tuple[dict[str, float], float]:
        """What each expert says, and the second-order one before it is hedged and limited."""
        raw, q = self.second.score(u), self.second.reach(u)[1] * self.usual_weight
        hedged = raw / (1.0 + 2.0 * q) if self.kind.quadratic else raw
        f = {name: sum(self.w[name][i] * self.sticks[i].s * u[i] for i in u) for name in self.w}
        f |= {NEWTON: hedged, LAST: self.last - self.centre, LEVEL: self.usual}
        f |= {TWIN: hedged if self.real else raw / sqrt(1.0 + pi / 8.0 * q)}
        return {name: f[name] if name == TWIN and self.real else self.limited(f[name]) for name in EXPERTS}, raw

    def average(self, f: dict[str, float], names: list[str]) -> float:
        """The mean as the user reads it."""
        return self.kind.unlink(sum(self.shares[name] * self.kind.link(f[name]) for name in names if self.shares[name]))

    def mended(self, f: dict[str, float]) -> tuple[float, dict[str, float]]:
        """The mean with what the second-order learner over the opinions adds, and its inputs."""
        more = (self.error, self.error_before) if self.real else (f[MEAN], 1.0)
        inputs = {name: f[name] - f[MEAN] for name in EXPERTS} | dict(zip(INPUTS[-2:], more, strict=True))
        return f[MEAN] + (self.mending.score(inputs) if self.mending else 0.0), inputs

    def learn(self, x: Features, y: float, h: float = 1.0) -> float:
        """Predicts, then learns from the label."""
        u = self.meet(x, h)
        f, raw = self.opinions(u)
        rests = self.mixes and self.rows < self.rest_until
        if rests:
            p = f[self.rest_with]
        elif self.mixes:
            f[MEAN] = self.average(f, EXPERTS)
            mended, inputs = self.mended(f)
            within = self.limited(mended)  # or as far out as the mean is
            f[MENDED] = max(within, min(mended, f[MEAN])) if mended > within else min(within, max(mended, f[MEAN]))
            p = self.average(f, [MEAN, MENDED])
        else:
            p = f[TWIN] if self.real else f[NEWTON]
        shown = self.centre + p
        o, most = self.observed(y, p, "(intercept)" in x, any(abs(x[i]) > 30.0 * self.sticks[i].s for i in x))
        if rests:
            self.watch(self.value(p, o))
        elif self.mixes:
            self.judge(f, o, h)
            self.mend(inputs, mended, mended + max(-most, min(most, o - mended)), h)
            self.teach_rates(u, f, o, h)
            if self.rows % 1024 == 0 and self.labelled >= 4096:
                self.look_around()
        self.teach_second(u, raw, raw + max(-most, min(most, o - raw)), h)
        self.remember(o, h, o - p, "(intercept)" in x)
        self.measure(x)
        return shown

    def look_around(self) -> None:
        """Sends the others to rest if one second-order opinion is as good as all together."""
        best = TWIN if self.losses[TWIN] <= self.losses[NEWTON] else NEWTON
        if self.losses[best] > 1.001 * min(self.losses[MEAN], self.losses[MENDED]):
            self.rest_length = 0
            return
        self.rest_with = best
        self.rest_length = min(max(2 * self.rest_length, 2048), 65_536)
        self.rest_until = self.rows + self.rest_length
        self.lost_before = self.loses = self.losses[best] / self.judged

    def watch(self, loss: float) -> None:
        """Wakes the others at the end of the rest, or when the one that goes on alone has become worse."""
        self.loses += 0.002 * (loss - self.loses)
        if self.loses > 1.25 * self.lost_before:
            self.rest_until = self.rest_length = 0
        if self.rows + 1 < self.rest_until:
            return
        for name in self.w:
            for i in self.second.theta:
                self.w[name][i] = self.second.theta[i] / self.sticks[i].s
        self.count_less()

    def count_less(self) -> None:
        """After errors of another kind, those from before say little of who is right."""
        self.judged /= 64.0
        self.losses = {name: loss / 64.0 for name, loss in self.losses.items()}

    def observed(self, y: float, p: float, centred: bool, is_cut: bool) -> tuple[float, float]:
        """The label less the centre, or the part of it that is no outlier; and how large an error may be."""
        spread, usual = self.labels.s, self.errors.s
        if self.kind.labels == "sign":
            return y, inf
        if self.kind.labels == "count":
            self.labels.measure(y)
            return min(y, 50.0 * spread) if spread else y, inf
        if self.n == 0.0 and centred:
            self.centre = y
        o = y - self.centre
        self.labels.measure(o)
        if spread:
            o = max(-50.0 * spread, min(50.0 * spread, o))
        if self.n == 0.0:
            return o, inf
        if self.errors.measure(o - p) == "jumps":
            self.count_less()
        most = (30.0 * usual if is_cut else max(100.0 * usual, 6.0 * spread)) if usual else inf
        return p + max(-most, min(most, o - p)), most

    def value(self, f: float, o: float) -> float:
        """The loss of an opinion."""
        return self.kind.loss.value(self.centre + f, self.centre + o)

    def judge(self, f: dict[str, float], o: float, h: float) -> None:
        """Losses, then shares."""
        if self.real and self.n == 0.0:
            return
        self.judged = self.judged * 0.999 + 1.0
        for name in self.losses:
            self.losses[name] = self.losses[name] * 0.999 + h * self.value(f[name], o)
        if self.rows <= 64 or self.rows % 8 == 0:
            for names in (EXPERTS, [MEAN, MENDED]):
                worth = {name: self.worth(name, min(self.losses[each] for each in names)) for name in names}
                self.shares |= {name: worth[name] / sum(worth.values()) for name in names}

    def worth(self, name: str, least: float) -> float:
        """L^(-n/2), or e^(-L)."""
        if self.losses[name] == least:
            return 1.0
        if not self.real:
            return exp(least - self.losses[name])
        return 0.0 if least <= 0.0 else exp(-0.5 * self.judged * log(self.losses[name] / least))

    def curvature(self, p: float, o: float, name: str) -> float:
        """That of the loss at p, or the square of its slope over its usual size."""
        if self.kind.curvature:
            return self.kind.curvature(self.centre + p, self.centre + o)
        g = self.kind.loss.slope(self.centre + p, self.centre + o)
        usual = 1.0
        if self.real:
            usual = self.losses[name] / self.judged if self.judged else self.value(p, o)
        return g * g / usual if usual > 0.0 else 0.0

    def mend(self, inputs: Features, mended: float, o: float, h: float) -> None:
        """The second-order learner over the opinions."""
        if self.mending is None:
            if self.real and not self.labels.s * self.unit:
                return
            self.mending = SecondOrder(2.0 * self.labels.s**2 * self.usual_weight / self.unit if self.real else 1.0)
            for name in INPUTS:
                self.mending.know(name)
        P = self.mending.inverse()
        may_forget = max(P[i, i] for i in INPUTS) < 100.0 / self.mending.prior
        c = self.curvature(mended, o, MENDED)
        self.mending.learn(self.kind, self.centre + mended, self.centre + o, h, inputs, c)
        if may_forget:
            for pair in self.mending.A:
                self.mending.A[pair] *= 0.999

    def teach_rates(self, u: Features, f: dict[str, float], o: float, h: float) -> None:
        """w ← w - rate flow u / (s √Γ) at eight rates, where Γ = G / s²."""
        spread = self.labels.s if self.real else 1.0
        if not spread * self.N:
            return
        y, loss = self.centre + o, self.kind.loss
        for name, rate in zip(self.w, RATES, strict=True):
            p, w, G = self.centre + f[name], self.w[name], self.G[name]
            g = loss.slope(p, y)
            for i in u:
                G[i] += h * (g * u[i] * self.sticks[i].s) ** 2
            pace = rate * spread * sqrt(self.t / self.N)
            a = {i: u[i] * self.sticks[i].s / sqrt(G[i]) if G[i] else 0.0 for i in u}
            q = pace * sum(a[i] * u[i] for i in u)
            step = (p - loss.flow(p, y, q * h)) / q if q else 0.0
            for i in u:
                w[i] -= pace * step * a[i] / self.sticks[i].s

    def teach_second(self, u: Features, raw: float, o: float, h: float) -> None:
        """The second-order expert, whose prior has the unit e² over the loss of its first error."""
        if self.unit == 0.0:
            loss = self.value(raw, o)
            if not loss > 0.0:
                return
            self.unit = (o - raw) ** 2 / loss
            self.second.prior /= self.unit
            for pair in self.second.A:
                self.second.A[pair] /= self.unit
        c = self.curvature(raw, o, NEWTON)
        self.second.learn(self.kind, self.centre + raw, self.centre + o, h, u, c)

    def remember(self, o: float, h: float, error: float, centred: bool) -> None:
        """What the next rows need of this one's label; then the centre moves."""
        self.n += h
        self.labelled += 1
        recalled = 5.0 * self.errors.s
        self.error_before, self.error = self.error, max(-recalled, min(recalled, error))
        if not self.real:
            self.last = max(-13.8, min(13.8, self.kind.loss.flow(self.last, o, 4.0 * h)))
            self.usual = max(-13.8, min(13.8, self.kind.loss.flow(self.usual, o, 4.0 * h / self.n)))
            if self.kind.labels == "count":
                self.high = max(self.high, log1p(o) + 1.0)
            return
        y = self.last = self.centre + o
        self.low, self.high = min(self.low, y), max(self.high, y)
        if centred:
            by = h * o / self.n
            self.centre += by
            for name in self.w:
                self.w[name]["(intercept)"] -= by
            self.second.theta["(intercept)"] -= by
        if len(self.firsts) < 8:
            self.firsts.append(y)
            if len(self.firsts) == 8 and centred:
                self.look_back()

    def look_back(self) -> None:
        """Starts anew if one of the first eight labels is far from all others."""
        centre = sorted(self.firsts)[3]
        deviation = sorted(abs(y - centre) for y in self.firsts)[3]
        if not any(abs(y - centre) > 100.0 * deviation for y in self.firsts) or deviation == 0.0:
            return
        known = list(self.second.theta)
        self.start()
        for i in known:
            self.second.know(i)
        self.centre = self.last = self.low = self.high = centre
        self.n = 1.0
        for y in self.firsts:
            if abs(y - centre) <= 100.0 * deviation:
                self.labels.measure(y - centre)
                self.low, self.high = min(self.low, y), max(self.high, y)


class Auto(Newton):
    """One output of the rule auto."""

    mixes = True
