"""Passphrases of rooms: kept as salted hashes, compared in constant time."""

import hmac
import secrets
from hashlib import sha256


def hashed(passphrase: str) -> str:
    """`SALT:HASH` of a passphrase, each in hex; empty for an empty one."""
    if not passphrase:
        return ""
    salt = secrets.token_hex(8)
    return f"{salt}:{_digest(salt, passphrase)}"


def matches(passphrase: str, stored: str) -> bool:
    """Whether this is the passphrase that was hashed; any is right where there was none."""
    if not stored:
        return True
    salt, _, digest = stored.partition(":")
    return hmac.compare_digest(digest, _digest(salt, passphrase))


def _digest(salt: str, passphrase: str) -> str:
    return sha256(f"{salt}:{passphrase}".encode()).hexdigest()
