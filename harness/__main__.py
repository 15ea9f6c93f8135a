"""The `limplock` command, and `python -m harness`."""

import os
import signal


def main() -> None:
    """Until the work takes Ctrl-C over, it ends us at once and silently: nothing is started yet."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ["PYTHONSAFEPATH"] = (
        "1"  # of our processes: no file of this folder stands in for a module of ours
    )
    from harness.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
