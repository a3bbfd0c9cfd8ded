"""What ``experiments.benchmark`` measures, a module each, and how it is shown."""
