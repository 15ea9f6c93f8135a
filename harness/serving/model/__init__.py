"""One Llama-style decoder, with weights from three places: `tiny`, `smollm2`, a checkpoint folder.

Importing this package loads no torch: the command line asks `names.check_model` before it starts anything.
"""
