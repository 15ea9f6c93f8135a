"""Preloaded into the forkserver, and imported nowhere else: it ends at once when the main process is gone.

Taking down an interpreter that has torch in it takes a second or two, and the forkserver has nothing to save.
Its children end in another way, which asks nobody.
"""

import atexit
import os

atexit.register(os._exit, 0)
