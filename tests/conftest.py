"""What holds for every test: property tests draw the same examples each time and are not timed."""

from hypothesis import settings

settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")
