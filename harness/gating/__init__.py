"""The gate before a deploy: what its file says, and whether that can be decided at all."""
