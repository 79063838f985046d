"""Input that no page of ours sends: requests, run files and command lines made to do harm."""
