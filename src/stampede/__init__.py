"""Stampede: friends race each other at patience on the same deal, and a server judges every move."""

__version__ = "0.1.0"
