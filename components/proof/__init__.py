"""What is proven of a run, and what makes its answers sharper: buttons, progress and results on the run's page."""
