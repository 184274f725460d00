"""`python -m unscaled` is `unscaled`."""

from unscaled.cli import main

main()
