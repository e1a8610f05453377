"""Opens every page of the built site in a real browser and reports what a reader would stumble over.

    docs_browser.py HTML [--picture FILE.png]

For each page, at 360 pixels and at 1280: errors of the console, requests to other hosts, a page that is
wider than its window, pictures that are too small to read, and names in tables that are broken apart. Needs chromium and chromium-driver; both talk to this machine only.
"""

import argparse
import base64
import functools
import http.server
import json
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

WIDTHS = (360, 1280)
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
          "--disable-background-networking", "--disable-component-update", "--disable-sync")


# The widest pictures have texts of 12 pixels and more: at 60 % of the size they can still be read.
_UNREADABLE = """
const small = [...document.images].filter(image => image.naturalWidth && image.width < image.naturalWidth * 0.6)
  .map(image => `a picture at ${Math.round(100 * image.width / image.naturalWidth)} % of its size, ${image.src}`);
const broken = [...document.querySelectorAll("td code")]
  .filter(code => !code.textContent.includes(" ") && code.getClientRects().length > 1)
  .map(code => `\`${code.textContent}\` broken apart`);
return [...small, ...broken];
"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments):  # pylint: disable=arguments-differ
        pass


def serve(folder: Path) -> http.server.ThreadingHTTPServer:
    handler = functools.partial(QuietHandler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Browser:
    """A headless Chromium, driven by the WebDriver protocol."""

    def __init__(self, profile: str):
        self._driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        # It answers once it says so, and names the port that it was given.
        started = next(line for line in self._driver.stdout if "started successfully" in line)
        port = started.rsplit(" ", 1)[1].strip(".\n")
        self._base = f"http://127.0.0.1:{port}/session"
        options = {"binary": "/usr/bin/chromium", "args": [*_FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        made = self._call("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self._base += "/" + made["sessionId"]

    def _call(self, method: str, path: str, body: dict | None = None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["value"]

    def open(self, url: str, width: int) -> None:
        self._call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}})
        self._call("POST", "/url", {"url": url})

    def run(self, script: str):
        return self._call("POST", "/execute/sync", {"script": script, "args": []})

    def log(self, kind: str) -> list[dict]:
        return self._call("POST", "/se/log", {"type": kind})

    def picture(self) -> bytes:
        return base64.b64decode(self._call("GET", "/screenshot"))

    def close(self) -> None:
        try:
            self._call("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait()


def requested_urls(browser: Browser) -> list[str]:
    messages = (json.loads(entry["message"])["message"] for entry in browser.log("performance"))
    return [message["params"]["request"]["url"] for message in messages
            if message["method"] == "Network.requestWillBeSent"]


def problems_of(browser: Browser, base: str, page: str) -> list[str]:
    found = []
    for width in WIDTHS:
        browser.open(f"{base}/{page}", width)
        wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
        if wide > 0:
            found.append(f"{page}: {wide} pixels too wide for a window of {width}")
        found += [f"{page}: {text} in a window of {width}" for text in browser.run(_UNREADABLE)]
    found += [f"{page}: console: {entry['message']}" for entry in browser.log("browser") if entry["level"] == "SEVERE"]
    found += [f"{page}: asks {url}" for url in requested_urls(browser)
              if not url.startswith((base, "data:", "blob:", "chrome:", "about:"))]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("html", type=Path)
    parser.add_argument("--picture", type=Path, help="writes what the start page looks like")
    arguments = parser.parse_args()
    pages = sorted(str(page.relative_to(arguments.html)) for page in arguments.html.rglob("*.html"))
    server = serve(arguments.html)
    base = f"http://127.0.0.1:{server.server_port}"
    problems = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        try:
            for number, page in enumerate(pages, 1):
                if sys.stderr.isatty():
                    print(f"\r{number}/{len(pages)} {page[:60]:60}", end="", file=sys.stderr)
                problems += problems_of(browser, base, page)
            if arguments.picture:
                browser.open(f"{base}/index.html", 1280)
                arguments.picture.write_bytes(browser.picture())
        finally:
            browser.close()
            server.shutdown()
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages in a browser, {len(problems)} problems")
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
