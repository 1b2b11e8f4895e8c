"""The fourth floor: what runs. Live rooms, their timers and the directory."""
