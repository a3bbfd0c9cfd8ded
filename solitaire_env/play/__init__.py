"""Playing the games by hand: in a window, which needs pygame, or in a terminal, which needs nothing else."""
