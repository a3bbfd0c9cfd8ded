"""Drawing a position: as text, nothing else needed."""
