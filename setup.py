"""Which packages there are; pyproject.toml says everything else.

The assets lie beside app.py in a checkout, and inside components once installed.
"""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["mapelites*", "components*", "server*"]), "components.assets"],
    package_dir={"components.assets": "assets"},
)
