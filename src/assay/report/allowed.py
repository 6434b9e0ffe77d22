"""How a page allows its own style and scripts: by their hashes, so that nothing else in it can run."""

from __future__ import annotations

import base64
import hashlib

__all__ = ["digest"]


def digest(text: str) -> str:
    """The hash of a style or a script as a content security policy names it.

    >>> digest("")
    '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
