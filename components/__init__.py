"""The dashboard: one file per thing on the page, holding its layout and its callbacks."""
