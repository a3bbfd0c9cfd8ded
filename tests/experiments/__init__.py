"""Tests of training and evaluation."""
