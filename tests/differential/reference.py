"""The statistics of this program once more, in numpy and scipy, written from the description of the method.

Plain on purpose: every resample of every arm is listed, every pair of arms too, ranks are compared as integers,
distributions come from scipy. What the description leaves open follows the documentation of the program:

 * SE^2 = s^2 / (n m^2) summed over the arms (s^2 / n on the absolute scale), df of Welch and Satterthwaite, 1 where an arm
   has two runs. Calibrated, different numbers of runs of 3 or more: the arm with fewer is never quieter than both pooled.
 * Atoms of the resampled delta closer than 1e-12 of their size are one atom.
 * BCa: resamples equal to the estimate count half for the bias; acceleration from the jackknife of both arms.
 * Median and other quantiles: SE^2 = the arms' bootstrap variances times n / (n - 1); the interval of calibrated is the
   percentile one from 5 runs on, and for every other quantile.
 * A standard deviation is never taken as less than the resolution of the values (half of the last digit).
"""
import functools
import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
from scipy import integrate, optimize, special, stats

MOST_PAIRS = 250_000
MOST_LISTED = 10
TIE = 1e-12
HALF = 0.5 - 1e-10
#: Runs of each variant with which the interval of the mean is the wider one of the calibrated and Welch's.
SEVERAL_MODES = range(7, 13)


def resamples(n):
    return math.comb(2 * n - 1, n)


def enumerated(n, m):
    return resamples(n) * resamples(m) <= MOST_PAIRS and max(n, m) <= MOST_LISTED


@functools.cache
def multisets(n):
    """Which runs each resample of n has, and how many of the n^n ordered resamples are that one."""
    picks = list(itertools.combinations_with_replacement(range(n), n))
    weights = [math.factorial(n) // math.prod(math.factorial(k) for k in Counter(c).values()) for c in picks]
    assert sum(weights) == n ** n
    return np.array(picks), np.array(weights, dtype=np.int64)


# ------------------------------------------------------------------------------------------- statistics of one arm
def quantile(values, q):
    return float(np.quantile(values, q, method="linear"))


def center(values, across):
    return math.fsum(values) / len(values) if across == "mean" else quantile(values, level(across))


def level(across):
    return 0.5 if across == "median" else float(across[1:]) / 100


def means(values):
    picks, weights = multisets(len(values))
    return np.array(values)[picks].mean(axis=1), weights


def quantiles(values, q):
    """Exact law of the resampled quantile: the joint law of the two order statistics that it lies between."""
    x, n = sorted(values), len(values)
    position = q * (n - 1)
    k = math.floor(position) + 1
    fraction = position - (k - 1)
    at_most = lambda i: sum(math.comb(n, r) * i ** r * (n - i) ** (n - r) for r in range(k, n + 1))
    atoms, weights = [], []
    for i in range(1, n + 1):
        alone = at_most(i) - at_most(i - 1)
        if fraction > 0 and k < n:
            for j in range(i + 1, n + 1):
                both = math.comb(n, k) * (i ** k - (i - 1) ** k) * ((n - j + 1) ** (n - k) - (n - j) ** (n - k))
                atoms.append(x[i - 1] + (x[j - 1] - x[i - 1]) * fraction)
                weights.append(both)
                alone -= both
        atoms.append(x[i - 1])
        weights.append(alone)
    assert sum(weights) == n ** n and min(weights) >= 0
    return np.array(atoms), weights


def deviation(values, resolution):
    return max(float(np.std(values, ddof=1)), resolution)


# --------------------------------------------------------------------------------------------- the resampled delta
class Law:
    """Atoms of the resampled delta with integer weights."""

    def __init__(self, atoms, weights, size):
        atoms, weights = np.asarray(atoms, float), np.asarray(weights)
        order = np.argsort(atoms)
        atoms, weights = atoms[order], weights[order]
        start = np.concatenate(([0], np.nonzero(np.diff(atoms) > TIE * size)[0] + 1))
        self.atoms = atoms[start]
        self.weights = np.add.reduceat(weights, start)
        self.cum = np.cumsum(self.weights)
        self.total = int(self.cum[-1])
        self.levels = (self.cum / self.total).astype(float)
        share = (self.weights / self.total).astype(float)
        self.mean = float(share @ self.atoms)
        centred = self.atoms - self.mean
        self.sd = math.sqrt(float(share @ centred ** 2))
        self.kurtosis = float(share @ centred ** 4) / self.sd ** 4 if self.sd > 0 else math.nan
        self.size = size

    def low(self, u):
        """Smallest atom whose cumulative weight reaches u."""
        if isinstance(u, Fraction):
            return float(self.atoms[np.searchsorted(self.cum, math.ceil(u * self.total), side="left")])
        return float(self.atoms[min(np.searchsorted(self.levels, u, side="left"), len(self.atoms) - 1)])

    def high(self, tail):
        """Largest atom at or above which the weight reaches `tail`."""
        if isinstance(tail, Fraction):
            return float(self.atoms[np.searchsorted(self.cum[:-1], math.floor((1 - tail) * self.total), side="right")])
        return -self.mirrored.low(tail)

    @functools.cached_property
    def mirrored(self):
        turned = Law.__new__(Law)
        turned.atoms, turned.weights = -self.atoms[::-1], self.weights[::-1]
        turned.cum = np.cumsum(turned.weights)
        turned.total, turned.size = self.total, self.size
        turned.levels = (turned.cum / self.total).astype(float)
        turned.mean, turned.sd = -self.mean, self.sd
        return turned

    def at_most(self, x):
        """Share of atoms below x and up to it; they differ where an atom is x but for rounding."""
        below = int(np.searchsorted(self.atoms, x - 2 * TIE * self.size, side="left"))
        upto = int(np.searchsorted(self.atoms, x + 2 * TIE * self.size, side="right"))
        share = lambda k: float(Fraction(int(self.cum[k - 1]), self.total)) if k else 0.0
        return share(below), share(upto)


def law(a, b, across, scale, draws=0):
    """All resamples, or `draws` of them from a generator of its own."""
    return cached_law(tuple(a), tuple(b), across, scale, draws)


@functools.lru_cache(maxsize=2)
def drawn_means(a, b, draws):
    rng = np.random.default_rng([len(a), len(b)])
    return [np.array(x)[rng.integers(0, len(x), (draws, len(x)))].mean(axis=1) for x in (a, b)]


@functools.lru_cache(maxsize=8)
def cached_law(a, b, across, scale, draws):
    f = np.log if scale == "log" else (lambda x: x)
    size = 1.0 if scale == "log" else float(np.mean(np.abs(a + b)))
    if across != "mean":
        (va, wa), (vb, wb) = (quantiles(x, level(across)) for x in (a, b))
        wa, wb = np.array(wa, dtype=object), np.array(wb, dtype=object)
    elif not draws:
        (va, wa), (vb, wb) = means(a), means(b)
    else:
        va, vb = drawn_means(a, b, draws)
        return Law(f(vb) - f(va), np.ones(draws, np.int64), size)
    deltas = f(vb)[None, :] - f(va)[:, None]
    return Law(deltas.ravel(), (wa[:, None] * wb[None, :]).ravel(), size)


# ---------------------------------------------------------------------------------------------------- standard error
def steadied(own, other, n, m):
    """Part and df of the arm with fewer runs; squares of the deviations."""
    d, e = n - 1, m - 1
    pooled = (d * own + e * other) / (d + e)
    return (pooled / n, d + e) if own < pooled else (own / n, d + e * pooled / own)


def standard_error(a, b, across, scale, method, resolution):
    relative = scale == "log"
    n, m = len(a), len(b)
    if across != "mean":
        parts = []
        for x in (a, b):
            atoms, weights = quantiles(x, level(across))
            share = np.array([w / len(x) ** len(x) for w in weights])
            atoms = np.log(atoms) if relative else atoms
            spread = float(share @ (atoms - share @ atoms) ** 2) * len(x) / (len(x) - 1)
            least = resolution ** 2 / len(x) / (center(x, across) ** 2 if relative else 1)
            parts.append(max(spread, least))
        part_a, part_b = (parts[0], n - 1), (parts[1], m - 1)
    else:
        square = lambda x: deviation(x, resolution) ** 2 / (center(x, "mean") ** 2 if relative else 1)
        sa, sb = square(a), square(b)
        part_a, part_b = (sa / n, n - 1), (sb / m, m - 1)
        if method == "calibrated" and min(n, m) > 2 and n != m:
            if n < m:
                part_a = steadied(sa, sb, n, m)
            else:
                part_b = steadied(sb, sa, m, n)
    (p, d), (q, e) = part_a, part_b
    df = 1.0 if min(n, m) == 2 else (p + q) ** 2 / (p * p / d + q * q / e)
    return math.sqrt(p + q), df


@functools.lru_cache(maxsize=64)
def t_over_z_in_the_middle(df):
    return float(stats.norm.pdf(0) / stats.t.pdf(0, df))


def t_over_z(u, df):
    u = float(u)
    if u > HALF:
        return t_over_z_in_the_middle(df)
    return float(special.stdtrit(df, u) / special.ndtri(u))


# ------------------------------------------------------------------------------------------------------- the curves
class Curve:
    """`lower(u)` and `upper(u)` for u <= 1/2 are the bounds of the levels u and 1 - u."""

    def interval(self, alpha):
        return self.lower(alpha / 2), self.upper(alpha / 2)

    def sides(self):
        """Levels u at which the lower end, and the upper end, touches zero."""
        def touching(beyond):
            if not beyond(0.5):
                return 0.5
            low, high = math.log(1e-300), math.log(0.5)
            for _ in range(100):
                middle = (low + high) / 2
                low, high = (low, middle) if beyond(math.exp(middle)) else (middle, high)
            return math.exp((low + high) / 2)
        return touching(lambda u: self.lower(u) > 0), touching(lambda u: self.upper(u) < 0)

    def tested(self):
        below, above = self.sides()
        exceeds = 1 - below if below < 0.5 else above if above < 0.5 else 0.5
        p = min(1.0, 2 * min(below, above))
        return (p, p), exceeds


class Calibrated(Curve):
    def __init__(self, theta, se, df, law, own=1.0, welch=None):
        self.theta, self.se, self.df, self.law, self.own, self.welch = theta, se, df, law, own, welch

    def lower(self, u):
        bound = self.at(self.law.low(u), u, -1)
        return min(bound, self.welch.lower(u)) if self.welch else bound

    def upper(self, u):
        bound = self.at(self.law.high(u), u, 1)
        return max(bound, self.welch.upper(u)) if self.welch else bound

    def at(self, atom, u, side):
        shape = (atom - self.theta) / self.law.sd * t_over_z(u, self.df)
        rest = 0.0 if self.own == 1 or u == 0.5 else -side * float(special.stdtrit(self.df, float(u)))
        return self.theta + self.se * (self.own * shape + (1 - self.own) * rest)


class Student(Curve):
    def __init__(self, theta, se, df):
        self.theta, self.se, self.df = theta, se, df

    def lower(self, u):
        return self.theta + self.se * float(stats.t.ppf(float(u), self.df))

    def upper(self, u):
        return self.theta - self.se * float(stats.t.ppf(float(u), self.df))

    def tested(self):
        p = 2 * float(stats.t.sf(abs(self.theta) / self.se, self.df))
        return (p, p), float(stats.t.cdf(self.theta / self.se, self.df))


class Percentile(Curve):
    def __init__(self, law):
        self.law = law

    def lower(self, u):
        return self.law.low(u)

    def upper(self, u):
        return self.law.high(u)

    def tested(self):
        below, upto = self.law.at_most(0.0)
        # Where an atom is zero but for rounding the program may count it to one side only.
        ends = [2 * min(below, 1 - below), 2 * min(upto, 1 - upto), 2 * min(upto, 1 - below)]
        return (min(ends), min(1.0, max(ends))), None


class Bca(Curve):
    def __init__(self, theta, law, acceleration):
        self.law, self.acceleration = law, acceleration
        below, upto = law.at_most(theta)
        self.ties = upto - below
        probit = lambda level: float(special.ndtri(min(max(level, 1e-12), 1 - 1e-12)))
        self.bias = probit((below + upto) / 2)
        #: Biases between which rounding may carry it where resamples tie with the estimate.
        self.biases = probit(below), probit(upto)

    def adjusted(self, z, bias):
        return float(special.ndtr(bias + (bias + z) / (1 - self.acceleration * (bias + z))))

    def ends(self, alpha, bias):
        z = float(special.ndtri(float(alpha / 2)))
        low, high = self.adjusted(z, bias), self.adjusted(-z, bias)
        return self.law.low(low - TIE), self.law.high(1 - high - TIE)

    def interval(self, alpha):
        return self.ends(alpha, self.bias)

    def widest(self, alpha):
        """Ends whatever rounding makes of resamples that tie with the estimate."""
        ends = [self.ends(alpha, bias) for bias in np.linspace(*self.biases, 101)]
        return min(e[0] for e in ends), max(e[0] for e in ends), min(e[1] for e in ends), max(e[1] for e in ends)

    def p_with(self, bias):
        # The level whose adjusted level is the share of resamples up to zero.
        found = []
        for share in (self.law.at_most(0.0)[1], self.law.at_most(0.0)[0]):
            if 0 < share < 1:
                w = float(special.ndtri(share)) - bias
                found.append(float(special.ndtr(w / (1 + self.acceleration * w) - bias)))
            else:
                found.append(share)
        return min(1.0, 2 * min(found[0], 1 - found[1]))

    def tested(self):
        p = self.p_with(self.bias)
        return (p, p), None

    def tested_widely(self):
        """Range of the p-value whatever rounding makes of ties with the estimate and with zero."""
        values = [self.p_with(bias) for bias in np.linspace(*self.biases, 101)]
        tied = self.law.at_most(0.0)
        return (0.0, 1.0) if tied[0] != tied[1] else (min(values), max(values))


def acceleration(a, b, across, scale):
    f = math.log if scale == "log" else (lambda x: x)
    influence = []
    for sign, x in ((-1, sorted(a)), (1, sorted(b))):
        left_out = np.array([sign * f(center(x[:i] + x[i + 1:], across)) for i in range(len(x))])
        influence.extend((len(x) - 1) * (left_out.mean() - left_out) / len(x))
    influence = np.array(influence)
    squares = float((influence ** 2).sum())
    return float((influence ** 3).sum()) / (6 * squares ** 1.5) if squares > 0 else 0.0


def curve(a, b, across, scale, method, resolution=0.0, draws=0):
    """The curve of a delta, or None where there is none."""
    fewest = min(len(a), len(b))
    if fewest < 2 or (scale == "log" and min(a + b) <= 0):
        return None
    se, df = standard_error(a, b, across, scale, method, resolution)
    if se == 0:
        return None
    f = math.log if scale == "log" else (lambda x: x)
    theta = f(center(b, across)) - f(center(a, across))
    if method == "welch":
        return Student(theta, se, df)
    deltas = law(a, b, across, scale, draws)
    covered = across not in ("mean", "median") or (across == "median" and fewest >= 5)
    if method == "percentile" or (method == "calibrated" and covered):
        return Percentile(deltas)
    if method == "bca":
        return Bca(theta, deltas, acceleration(a, b, across, scale))
    welch = None
    if across == "mean" and len(a) in SEVERAL_MODES and len(b) in SEVERAL_MODES:
        welch = Student(theta, *standard_error(a, b, across, scale, "welch", resolution))
    calibrated = Calibrated(theta, se, df, deltas, welch=welch)
    return calibrated if deltas.sd > 1e-9 * se else welch or Student(theta, se, df)


# ------------------------------------------------------------------------------------------------------------- noise
def log_variance(values, resolution):
    return max(float(np.std(np.log(values), ddof=1)), resolution / float(np.mean(values))) ** 2


def pooled(a, b, resolution):
    """Variance of the logarithms between the runs of a variant, and its degrees of freedom."""
    parts = [(log_variance(x, resolution), len(x) - 1) for x in (a, b) if len(x) > 1]
    df = sum(d for _, d in parts)
    return sum(v * d for v, d in parts) / df, df


def prior(others, own):
    """Scaled inverse chi-square law by the moments of ln s^2; at least three variances."""
    known = others + [own]
    floor = 1e-5 * sorted(v for v, _ in known)[len(known) // 2]
    s2, df = np.array([max(v, floor) for v, _ in known]), np.array([d for _, d in known], float)
    cap = sum(d for _, d in others) / 2
    e = np.log(s2) - special.digamma(df / 2) + np.log(df / 2)
    excess = float(np.var(e, ddof=1) - special.polygamma(1, df / 2).mean())
    if excess <= 0:
        raw = np.array([v for v, _ in known])
        return float(raw @ df / df.sum()), cap
    half = math.exp(optimize.brentq(lambda y: math.log(special.polygamma(1, math.exp(y))) - math.log(excess), -18, 36,
                                    xtol=1e-14, rtol=1e-15))
    return float(np.exp(e.mean() + special.digamma(half) - math.log(half))), min(2 * half, cap)


def alike(variances):
    """Mean of the variances, the square of the CV of the true ones, and its standard error where there is only one."""
    v, d = (np.array(x, float) for x in zip(*variances))
    mean = float(v @ d / d.sum())
    spread = float(v ** 2 @ (d ** 2 / (d + 2)) / d.sum() / mean ** 2 - 1)
    return mean, spread, math.sqrt(float((8 * d / (d + 2)).sum())) / float(d.sum())


def lent(others, own):
    """The prior as a comparison may borrow it from the others of its job: variance and degrees of freedom, or None."""
    (s0, d0), (v, d) = prior(others, own), own
    total = sum(df for _, df in others)
    mean_of_others = alike(others)[0]
    f = stats.f(d, total)
    if f.sf(v / mean_of_others) < min(max(1.2 / d**2, 0.02), 0.6):
        return None
    mean, spread, error = alike(others + [own])
    most = spread + 2 * error
    if not most <= 0.7:
        return None
    s0 = max(s0, mean * (1 + 2 * max(spread, 0.0)))
    d0 = max(d0, min(4 + 2 / most if most > 0 else math.inf, total / 2))
    least = s0 if f.cdf(v / mean_of_others) < 0.02 else v * (1 + 1.2 / d)
    return max(s0, ((d0 + d) * least - d * v) / d0), d0


def without_bias(value, df):
    """Logarithm of a variance without its bias, and the variance of the logarithm by chance."""
    return math.log(value) - float(special.digamma(df / 2)) + math.log(df / 2), float(special.polygamma(1, df / 2))


def fitted(terms, most):
    """Smyth's prior by the moments of these logarithms: variance and degrees of freedom."""
    logs, by_chance = np.array(terms).T
    spread = float(np.var(logs, ddof=1) - by_chance.mean())
    df = 2000.0
    if spread > 0.001:
        df = 2 * math.exp(optimize.brentq(lambda y: math.log(special.polygamma(1, math.exp(y))) - math.log(spread), -18, 36,
                                          xtol=1e-14, rtol=1e-15))
    df = min(df, most)
    return math.exp(float(logs.mean()) + float(special.digamma(df / 2)) - math.log(df / 2)), df


def together(own, law):
    df = own[1] + law[1]
    return (own[0] * own[1] + law[0] * law[1]) / df, df


#: Mean and standard deviation of the logarithm of the smallest gap over the range of 3, 4 and 5 normal values.
GAPS = {3: (-1.615, 0.949), 4: (-2.517, 1.082), 5: (-3.151, 1.140)}


def on_levels(cells):
    """Whether few runs lie closer together than normal values, by the gaps of all cells; no value is rounded."""
    found, variance = 0.0, 0.0
    for values in (x for pair in cells for x in pair if len(x) in GAPS):
        logs = np.sort(np.log(values))
        if logs[-1] > logs[0]:
            mean, sd = GAPS[len(values)]
            found += math.log(max(float(np.diff(logs).min() / (logs[-1] - logs[0])), 1e-4)) - mean
            variance += sd * sd
    return variance > 0 and found / math.sqrt(variance) < stats.norm.ppf(0.05)


def list_noise(cells, at, borrowed):
    """Variances by which the cell `at` of a list is judged too; None where runs may lie on levels, which is not done here."""
    if any(min(len(a), len(b)) < 2 for a, b in cells) or on_levels(cells):
        return None
    own = [pooled(a, b, 0.0) for a, b in cells]
    if len(own) < 3 or borrowed:
        return []
    law = fitted([without_bias(*one) for one in own], (sum(df for _, df in own) - own[at][1]) / 2)
    return [together(own[at], law)]


def p_of_list(a, b, variances, p):
    """The largest p-value of this one and of those with these variances."""
    theta, parts = math.log(np.mean(b) / np.mean(a)), 1 / len(a) + 1 / len(b)
    return max([p] + [2 * float(stats.t.sf(abs(theta) / math.sqrt(v * parts), df)) for v, df in variances])


def comparison_df(n, m):
    """Degrees of freedom with which a comparison keeps the power that is promised."""
    fewest = min(n, m)
    return 1.0 if fewest <= 2 else (n + m - 2) * fewest / (fewest + 1)


def moderated(a, b, scale, method, s0, d0, total_df, resolution=0.0):
    """Curve of the means with borrowed noise, and the (variance, df) that a report shows."""
    own, d = pooled(a, b, resolution)
    shown = (d0 * s0 + d * own) / (d0 + d), min(d0 + d, total_df)
    unit = lambda x: 1.0 if scale == "log" else center(x, "mean")
    if len(a) == len(b):
        parts = [(shown[0] / len(x) * unit(x) ** 2, 0) for x in (a, b)]
        df = shown[1]
    else:
        parts = []
        for x in (a, b):
            e = len(x) - 1
            v = (d0 * s0 + (e * log_variance(x, resolution) if e else 0.0)) / (d0 + e)
            parts.append((v / len(x) * unit(x) ** 2, min(d0 + e, total_df)))
        all_parts = sum(p for p, _ in parts)
        df = min(all_parts ** 2 / sum(p * p / e for p, e in parts), d0 + d, total_df)
    se = math.sqrt(sum(p for p, _ in parts))
    f = math.log if scale == "log" else (lambda x: x)
    theta = f(center(b, "mean")) - f(center(a, "mean"))
    if method == "welch" or min(len(a), len(b)) <= 2:
        return Student(theta, se, df), shown, df
    return Calibrated(theta, se, df, law(a, b, "mean", scale), d / (d0 + d)), shown, df


# ------------------------------------------------------------------------------------------- multiplicity and power
def holm(p):
    order, out, running = np.argsort(p, kind="stable"), [0.0] * len(p), 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[index]))
        out[index] = running
    return out


def benjamini_hochberg(p):
    return list(stats.false_discovery_control(p, method="bh"))


def power(effect, cv, n, m, df, alpha):
    t = stats.t.isf(alpha / 2, df)
    shift = effect / (cv * math.sqrt(1 / n + 1 / m))
    found = float(stats.nct.sf(t, df, shift) + stats.nct.cdf(-t, df, shift))
    return found if math.isfinite(found) else power_by_integral(t, shift, df)


def power_by_integral(t, shift, df):
    """The normal law of the delta averaged over the law of the standard deviation, where scipy gives nan."""
    # The density of the root of chi-square / df; that of scipy.stats takes a thousand times as long for a number.
    constant = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
    chi = lambda s: math.exp(constant + (df - 1) * math.log(s) - df * s * s / 2) if s > 0 else 0.0
    beyond = lambda s: special.ndtr(shift - t * s) + special.ndtr(-shift - t * s)
    edge = shift / t
    steps = sorted({0.0, max(edge - 9 / t, 0.0), edge, edge + 9 / t})
    parts = [integrate.quad(lambda s: beyond(s) * chi(s), low, high, epsabs=1e-14, epsrel=1e-12, limit=200)[0] for low, high in zip(steps, steps[1:])]
    return float(sum(parts))


def detectable(cv, n, m, df, alpha, wanted=0.8):
    """Smallest relative change that is found with the power wanted."""
    unit = cv * math.sqrt(1 / n + 1 / m)
    t = float(stats.t.isf(alpha / 2, df))
    shift = optimize.brentq(lambda s: power(s * unit, cv, n, m, df, alpha) - wanted, 1e-3, 3 * t + 20, xtol=1e-13, rtol=1e-13)
    return math.expm1(shift * unit)


def runs_needed(effect, cv, wanted, alpha):
    n = 2
    while power(math.log1p(effect), cv, n, n, comparison_df(n, n), alpha) < wanted:
        n += 1
    return n
