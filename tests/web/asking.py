"""Handlers asked without a server: a workbench on a folder, and someone who asks it as a browser would."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from assay.web import Workbench
from assay.web.messages import Answer, Asked, Received, parts_of
from assay.web.routes import answer


@dataclass
class Bench:
    """A workbench in a folder."""

    workbench: Workbench

    @property
    def folder(self) -> Path:
        return self.workbench.folder

    def get(self, address: str) -> Answer:
        parts = urlsplit(address)
        return answer(self.workbench, Asked("GET", parts_of(parts.path), query=dict(parse_qsl(parts.query))))

    def post(self, path: str, **form: str | tuple[str, ...]) -> Answer:
        fields = {name: value if isinstance(value, tuple) else (value,) for name, value in form.items()}
        return answer(self.workbench, Asked("POST", parts_of(path), form=fields))

    def tell(self, path: str, **told: Any) -> dict[str, Any]:
        """An answer to JSON, as JSON."""
        found: dict[str, Any] = json.loads(answer(self.workbench, Asked("POST", parts_of(path), json=told)).text)
        return found

    def send(self, name: str, data: bytes) -> Answer:
        with self.workbench.receiving() as folder:
            (folder / "part-1").write_bytes(data)
            sent = (Received(name, folder / "part-1"),)
            return answer(self.workbench, Asked("POST", ("upload",), files=sent))

    def opened(self, name: str) -> str:
        """The id of a file of the folder that was opened."""
        return self.led(self.post("/open", name=name)).rsplit("/", 1)[-1]

    def led(self, said: Answer) -> str:
        """Where an answer leads."""
        assert said.status == 303, said.text[-2000:]
        return dict(said.headers)["Location"]

    def shown(self, address: str) -> str:
        """The page at an address, waited for."""
        for _ in range(100):
            said = self.get(address)
            if said.status != 202:
                return said.text
        raise AssertionError("it is never done")

    def list(self, address: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.get(address).text)
        return found
