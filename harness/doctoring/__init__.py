"""`limplock doctor`: what this machine lacks, and whether the judge still tells right from wrong."""
