"""The search for slow functions: many candidates under evaluation at a time."""
