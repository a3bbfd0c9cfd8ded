"""Training and evaluation of the agents, each one command: ``experiments.train`` and ``experiments.evaluate``."""
