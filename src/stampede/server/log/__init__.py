"""The third floor: memory. One small port, several logs behind it, one contract test over all of them."""
