"""The pages of campaigns: many runs, and the table of what they found."""
