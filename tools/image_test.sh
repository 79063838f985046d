#!/bin/sh
# Builds the image for real where no Docker engine runs, starts its command in the image's own root, opens the link
# that it prints, starts a run over HTTP, stops it cleanly, and says how large the image is and what fills it.
# IMAGE_TEST_AGAIN=1 uses the image that was built last. Needs root, buildah and debootstrap. The base is a Debian as
# bare as python:slim: no papers, no other languages.
set -eu
cd "$(dirname "$0")/.."
work=${IMAGE_TEST_FOLDER:-/var/tmp/illuminate-image}
port=${IMAGE_TEST_PORT:-8150}
build="buildah --root $work/storage --runroot $work/runroot --storage-driver vfs"
most=${IMAGE_TEST_MOST:-700} # MB
soon=${IMAGE_TEST_SOON:-30}  # seconds from the button to a map: nothing may be left to compile
mirror=${IMAGE_TEST_MIRROR:-}
mkdir -p "$work"

if ! $build inspect --type image base >/dev/null 2>&1; then
    echo "base: a small Debian with Python"
    [ -d "$work/base/usr" ] || debootstrap --variant=minbase --include=python3,python3-venv bookworm "$work/base" $mirror >"$work/base.log"
    (cd "$work/base" && rm -rf var/cache/apt/* var/lib/apt/lists/* usr/share/doc usr/share/man usr/share/locale usr/share/info)
    container=$($build from scratch)
    $build add -q "$container" "$work/base" / >/dev/null
    $build config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
    $build commit -q "$container" base >/dev/null
    $build rm "$container" >/dev/null
fi

echo "image: from the Dockerfile"
certificates=/etc/ssl/certs
[ -n "${IMAGE_TEST_AGAIN:-}" ] || $build bud --isolation chroot --build-arg BASE=localhost/base --volume $certificates:$certificates:ro -t illuminate . >"$work/build.log" 2>&1 ||
    { tail -n 20 "$work/build.log"; exit 1; }

container=$($build from illuminate)
root=$($build mount "$container")
server=""
leave() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    $build umount "$container" >/dev/null
    $build rm "$container" >/dev/null
}
trap leave EXIT
size=$(du -sm "$root" | cut -f1)
echo "size: $size MB in all, $(du -sm "$work/base" | cut -f1) MB of it the base, $(du -sm "$root/home" | cut -f1) MB what the dashboard compiled; the largest packages:"
(cd "$root"/opt/venv/lib/python3*/site-packages && du -sm -- * | sort -rn | head -n 8)
[ "$size" -lt "$most" ] || { echo "it must be below $most MB"; exit 1; }

# User, folder, variables and command are the image's own; TINI_SUBREAPER, because here tini is not the first process.
eval "$($build inspect --type image illuminate | .venv/bin/python tools/image_test_config.py)"
number=$(grep "^$user:" "$root/etc/passwd" | cut -d: -f3)
home=$(grep "^$user:" "$root/etc/passwd" | cut -d: -f6)
[ "$number" -gt 0 ] || { echo "it must not run as root"; exit 1; }
inside() {
    eval "exec chroot --userspec=$number:$number '$root' /usr/bin/env -i HOME='$home' TINI_SUBREAPER=1 $variables /bin/sh -c 'cd $folder && exec \"\$@\"' sh $*"
}
echo "start: the image's own command, $command, on port $port"
(inside "$command" --port "$port") >"$work/server.log" 2>&1 &
server=$!
.venv/bin/python tools/image_test_client.py "http://localhost:$port" "$work/server.log" "$soon" || { tail -n 20 "$work/server.log"; exit 1; }

echo "stop: SIGTERM"
kill -TERM "$server"
wait "$server" || { echo "it did not stop cleanly"; exit 1; }
server=""
if pgrep -u "$number" >/dev/null; then echo "processes are left behind:"; pgrep -u "$number" -a; exit 1; fi
(inside python -m mapelites runs)
echo "the image works"
