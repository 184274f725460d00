"""The paper's tables and figures on the paper's data: what it claims, what comes out here, what Vowpal Wabbit says.

claims.py          the figures that the paper prints
protocol.py        the settings of every run
searching.py       all learning rates at once, as lanes of one learner
significance.py    the bound by which the paper prints a loss in bold
peer.py            Vowpal Wabbit on the same rows
imitation.py       its order of events in NumPy, which explains where it differs
measuring.py       all of it, set by set
toy.py             the figure of two features, one of which changes its unit
figures.py         the pictures
report.py          what is said of the results
remarks.py         why what does not come out does not
records.py         the results as CSV
"""
