"""Bots: players that are programs. They see what any player sees, and race over the wire like everyone else."""
