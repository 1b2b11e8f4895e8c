"""The second floor: decisions. Pure: time, chance and identity are arguments; nothing here waits."""
