"""The page that puts two runs side by side."""
