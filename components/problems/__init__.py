"""The pages on which problems are listed, chosen and written."""
