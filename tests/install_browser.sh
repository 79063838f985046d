#!/bin/sh
# Makes sure that a Chromium and its driver are there for the browser tests: Debian's packages where
# they may be installed, else a word on what to install.
set -eu
found() { command -v chromedriver >/dev/null 2>&1 && { command -v chromium || command -v google-chrome; } >/dev/null 2>&1; }
if found; then exit 0; fi
as_root=""
if [ "$(id -u)" != 0 ]; then as_root="sudo -n"; fi
if command -v apt-get >/dev/null 2>&1; then
    $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver >/dev/null || true
fi
if ! found; then
    echo "The browser tests need Chromium and ChromeDriver on the PATH, and they could not be installed here." >&2
    echo "On Debian: apt-get install chromium chromium-driver" >&2
    exit 1
fi
