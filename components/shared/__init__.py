"""What several pages use: the context, formats of numbers, notices, formulas."""
