"""Drawing a position: as text, which needs nothing else, and as a picture, which needs pygame."""
