"""One game of an agent as a web page that needs nothing but itself: ``python -m experiments.replay``."""
