"""What all parts of a run's page build on: its ids, its state and address, the map that it shows."""
