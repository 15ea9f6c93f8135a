"""`limplock run slow_worker` with phases of a second or two, so that a test can interrupt each of them."""

import signal
import sys
from dataclasses import replace

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as the command itself does before its imports
    import scenarios
    from harness.cli import run_command_line
    from harness.scenario import Phases

    phases = Phases(warm_up_s=0.5, baseline_s=1.5, fault_s=2.0, recovery_s=1.0, drain_s=1.0)
    scenarios.SCENARIOS["slow_worker"] = replace(scenarios.SCENARIOS["slow_worker"], phases=phases)
    sys.exit(run_command_line(["run", "slow_worker", *sys.argv[1:]]))
