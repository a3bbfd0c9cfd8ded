"""Players of the four games, all with stable-baselines3's ``predict``: random, by fixed rules, trained by PPO."""
