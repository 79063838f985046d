"""The nested map of an archive: folded into rows and columns, coloured, labelled and drawn, without a page."""
