"""Which rule, loss, interactions and learning rate? All of them learn the same rows side by side, in one pass.

metrics.py       what candidates are compared by
candidates.py    who takes part, at which rates
contest.py       all candidates learn the same rows
outcome.py       the winner, the table of all, and what is to be said of it
chart.py         the loss over the learning rate, as a picture or as a page
one_pass.py      all of it for arrays, tables and streams of batches
"""

from unscaled.tuning.contest import Contest
from unscaled.tuning.one_pass import tune
from unscaled.tuning.outcome import Tuned

__all__ = ["Contest", "Tuned", "tune"]
