"""Tests of the package, its agents and its experiments."""
