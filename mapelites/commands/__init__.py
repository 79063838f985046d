"""The subcommands of `python -m mapelites`, one file for each group of them."""
