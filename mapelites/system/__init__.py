"""What the operating system is asked for: locks, logs, processes, processors, files written whole."""
