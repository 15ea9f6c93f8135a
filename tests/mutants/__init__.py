"""Whether the tests notice when the code is wrong: one small change at a time, outside of CI."""
