"""The words after `stampede`: each command, from its options to its exit code."""
