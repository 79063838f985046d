"""The folder of a store: its database, the files beside it, what tells damage, and what puts it right."""
