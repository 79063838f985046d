"""The page of one run: its head, map, timeline and inspector."""
