"""The dashboard where others reach it: behind a token, and under a path of a proxy."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from server.access import Access
from tests.browser.conftest import Dashboard, Person, serve, wait

BASE = "/tools/illuminate"
TOKEN = "a-token-for-the-browser-tests"
NAMED = """return [...document.querySelectorAll('[href], [src]')].map(
    each => each.getAttribute('href') || each.getAttribute('src'))"""


class Proxy(BaseHTTPRequestHandler):
    """Shows another server under BASE, as nginx does with `proxy_pass http://server` and the Host header passed on."""

    protocol_version = "HTTP/1.1"
    port = 0

    def forward(self) -> None:
        """Ask the other server, and pass on what it says; outside of BASE there is nothing."""
        if not self.path.startswith(f"{BASE}/"):
            self.send_error(404)
            return
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port)) as connection:
                connection.request(self.command, self.path, content, dict(self.headers.items()))
                answer = connection.getresponse()
                body = answer.read()
        except OSError:
            self.send_error(502)  # the other server is gone
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "server", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_HEAD = forward  # noqa: N815 (the names that the class calls)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def proxied(dashboard: Dashboard) -> Iterator[str]:
    """The address under the proxy."""
    inner = serve(dashboard.store, access=Access(token=TOKEN, base_path=BASE))
    handler = type("ThisProxy", (Proxy,), {"port": inner.server_port})
    outer = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=outer.serve_forever, daemon=True).start()
    yield f"http://localhost:{outer.server_port}"
    for server in (outer, inner):
        server.shutdown()
        server.server_close()


def test_behind_a_proxy_one_signs_in_and_every_link_picture_file_and_address_works(
    person: Person, dashboard: Dashboard, proxied: str
) -> None:
    first, second = (dashboard.finished(dashboard.start(seed=seed)) for seed in (1, 2))
    person.expected = ("401",)
    driver = person.driver
    driver.get(f"{proxied}{BASE}/run/{first}?colour=age")
    assert person.reads("h1") == "This dashboard wants to know who you are."
    person.types("#token", "not-this-one")
    person.presses("button")
    assert wait(lambda: person.sees("h1", "not the right one"))
    person.types("#token", TOKEN)
    person.presses("button")
    person.sees(".js-plotly-plot .heatmaplayer image")
    assert driver.current_url == f"{proxied}{BASE}/run/{first}?colour=age", "a deep link leads where it says"
    person.presses("#export")
    person.presses("#export-csv")
    wait(lambda: any(each.suffix == ".csv" for each in person.downloads))
    pages = ("/", "/runs", f"/compare/{first}+{second}", "/experiments", "/problems", "/nowhere", f"/run/{first}")
    for page in pages:
        driver.get(f"{proxied}{BASE}{page}")
        person.sees("#page > *")
        named = driver.execute_script(NAMED)
        astray = [each for each in named if each.startswith("/") and not each.startswith(f"{BASE}/")]
        assert astray == [], f"{page} has addresses outside of the base path"
        asked = driver.execute_script("return performance.getEntriesByType('resource').map(each => each.name)")
        inside = (f"{proxied}{BASE}/", "data:", "blob:")
        assert [each for each in asked if not each.startswith(inside)] == [], page
    driver.get(f"{proxied}{BASE}/runs")
    person.presses(".navigation-link", "Explore")
    person.presses("#start-button")
    wait(lambda: f"{BASE}/run/" in driver.current_url)
    person.sees(".js-plotly-plot .heatmaplayer image")
    driver.get("about:blank")  # what was asked of the proxy is no concern of the check at the end
