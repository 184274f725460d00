"""The analysis of the paper as code that runs: the scaling adversary, regret in hindsight, and what bounds it.

    adversaries   who chooses the examples and the labels
    ellipsoid     the ball of least volume around the examples: S
    projections   Π, which keeps the weights among the predictors of bounded output
    algorithms    theorem 1 (two passes), theorem 2 (streaming), corollary 1 (truncated)
    hindsight     the best predictor of bounded output, by a convex solver, with a certificate
    bounds        the right-hand sides, and the conditioners of lemma 2
    losses        what a solver needs to know of the losses
    curves        regret over time, of these and of the paper's algorithms, in several units

Arrays end in axes for rounds and features, (..., T, d); what stands before them are streams that are played at once.
S is diagonal and told by the half-axes of its ball, s_i = S_ii^(-1/2), which for p = ∞ is the s_i of algorithm 2. A
feature that was never seen has s_i = 0, where S_ii would be infinite. What we found in the proofs: docs/theory.md.
"""
