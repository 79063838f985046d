"""Problems of the user's own: functions in Python files, saved formulas, and the checks on both."""
