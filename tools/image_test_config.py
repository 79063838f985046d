"""How an image is started, as assignments for a shell; reads what `buildah inspect` says of the image."""

import json
import shlex
import sys

if __name__ == "__main__":
    config = json.load(sys.stdin)["OCIv1"]["config"]
    words = [*config.get("Entrypoint", []), *config.get("Cmd", [])]
    said = {
        "user": config["User"],
        "folder": config["WorkingDir"],
        "variables": shlex.join(config["Env"]),
        "command": shlex.join(words),
    }
    for name, value in said.items():
        sys.stdout.write(f"{name}={shlex.quote(value)}\n")
