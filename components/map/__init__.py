"""The nested map on the page: what its colours mean, its controls, and what is added for many constraints."""
