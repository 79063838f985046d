"""The web server: processes, who gets in, limits of a client, health, metrics, and the cache of what was drawn."""
