"""Who may come in: only this machine's name, only pages of this server, only who has the link or its cookie."""

from __future__ import annotations

import pytest
from tests.web.serving import Server


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "", None])
def test_a_foreign_host_is_refused_whatever_else_it_has(server: Server, host: str | None) -> None:
    said = server.ask("/", headers={"Host": host})
    assert said.status in (400, 403)
    assert b"Assay" not in said.body


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
def test_a_foreign_origin_is_refused(server: Server, method: str, origin: str) -> None:
    assert server.ask("/", method, headers={"Origin": origin}).status == 403


def test_what_changes_things_says_where_it_comes_from(server: Server) -> None:
    assert server.ask("/", "POST", headers={"Origin": None}).status == 403
    assert server.ask("/", "POST").status == 405


@pytest.mark.parametrize("cookie", [None, "", "assay_1=x", "assay=1; other=2"])
def test_without_the_cookie_nothing_is_told(server: Server, cookie: str | None) -> None:
    for path in ("/", "/api/study/a/events", "/api/result/a/rows", "/result/a/page", "/session.py"):
        said = server.ask(path, headers={"Cookie": cookie})
        assert said.status == 401, path
        assert b"eights" not in said.body


def test_a_link_is_good_for_once(server: Server) -> None:
    again = server.link.removeprefix(server.root)
    assert server.ask(again, headers={"Cookie": None}).status == 401
    assert server.ask(again).status == 303  # whoever is inside stays inside
    assert server.ask("/?token=", headers={"Cookie": None}).status == 401


def test_the_cookie_is_kept_from_scripts_and_from_other_sites(server: Server) -> None:
    assert server.process.stderr is not None
    printed = [server.process.stderr.readline() for _ in range(2)]
    link = printed[1].split()[-1]
    said = server.ask(link.removeprefix(server.root), headers={"Cookie": None})
    assert said.status == 303
    assert said.headers["location"] == "/"
    kept = said.headers["set-cookie"].lower()
    assert "httponly" in kept
    assert "samesite=strict" in kept
    assert f"assay_{server.port}=" in kept  # cookies know no ports: another workbench has one of its own


def test_every_answer_forbids_what_it_does_not_need(server: Server) -> None:
    for path in ("/", "/nowhere", "/api/nowhere"):
        headers = server.ask(path).headers
        assert "unsafe" not in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
