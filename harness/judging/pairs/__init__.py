"""Judging a run with the fault against its control without, and several such pairs together."""
