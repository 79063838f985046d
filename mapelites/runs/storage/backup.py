"""A whole store as one file, made while runs go on, and back: every file with a check sum that is compared.

For a moment nobody writes: the database is copied then, and every other file gets a second name. What is written once
and never changed, as most files of a store are, can be read afterwards at leisure; of what only grows, as much is taken
as there was.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any

from mapelites.core.errors import InputError
from mapelites.runs.storage.database import Database
from mapelites.system.files import json_of, sync_folder, whole_file

KIND, VERSION = "illuminate backup", 1
MANIFEST, DATABASE = "manifest.json", "cache/cache.db"
MOST_MANIFEST = 2**28  # bytes
PIECE = 2**20
OWN = (  # of the running dashboard, of this machine, or secret: not part of what is kept
    "lock", "supervisor.lock", "reserve", "reserve-2", "figures", "token", "logins.json", ".logins.json.lock",
    "damaged", "cache-new",
)  # fmt: skip
HIDDEN = ".backup-"  # folders of further names, while a backup is made


def backup(database: Database, file: Path) -> int:
    """Write the store to a file, and read it again to see that all is there; how many files it has."""
    if file.absolute().is_relative_to(database.path):
        raise InputError(f"backup: {file} must lie outside of the store, but it is in {database.path}")
    try:
        with whole_file(file) as out, _still_copy(database) as (copy, sizes):
            return _pack(out, copy, sizes)
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"backup: {getattr(error, 'filename', None) or file}: {error}") from None


def _pack(out: IO[bytes], copy: Path, sizes: dict[str, int]) -> int:
    digests = {}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, size in sorted(sizes.items()):
            with packed.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                digests[name] = [size, _copied(copy / name, member, size)]
        about = {"kind": KIND, "version": VERSION, "files": digests}
        packed.writestr(zipfile.ZipInfo(MANIFEST), json.dumps(about))
    out.flush()
    out.seek(0)
    return _verify(out)


def restore(file: Path, folder: Path) -> int:
    """Make a store from such a file in a folder that is empty or not there yet; how many files it has."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"restore: {folder} must be a new or an empty folder, but there is something in it")
    try:
        with file.open("rb") as packed:
            count = _verify(packed)
            folder.parent.mkdir(parents=True, exist_ok=True)
            new = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
            try:
                _unpack(packed, new)
                if folder.exists():
                    folder.rmdir()
                os.replace(new, folder)
                sync_folder(folder.parent)
            finally:
                shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise InputError(f"restore: {error.filename or file}: {error.strerror or error}") from None
    return count


@contextmanager
def _still_copy(database: Database) -> Iterator[tuple[Path, dict[str, int]]]:
    """A folder with every file of the store as it is at one moment, and their sizes."""
    place = database.path / f"{HIDDEN}{secrets.token_hex(4)}"
    try:
        place.mkdir(mode=0o700)
        with database.still():
            sizes = {}
            for name in _names(database.path):
                with suppress(FileNotFoundError):  # a drawing, or half a file: nothing that anybody was promised
                    sizes[name] = _second_name(database.path / name, place / name)
            (place / "cache").mkdir(exist_ok=True)
            database.copy_to(place / DATABASE)
            sizes[DATABASE] = (place / DATABASE).stat().st_size
        yield place, sizes
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _names(path: Path) -> Iterator[str]:
    """The files of a store that are to be kept, but for its database."""
    for folder, folders, files in os.walk(path):
        here = Path(folder).relative_to(path)
        folders[:] = [each for each in folders if not (here == Path() and (each in OWN or each.startswith(HIDDEN)))]
        for each in files:
            name = (here / each).as_posix()
            if name.split("/")[0] in OWN or name.startswith(DATABASE) or each.endswith(".lock"):
                continue
            if Path(folder, each).is_file():  # no pipe, which would be waited for
                yield name


def _second_name(file: Path, other: Path) -> int:
    """Have a file under another name too, or a copy of it where the disk knows no second names; its size."""
    other.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    size = file.stat().st_size
    try:
        os.link(file, other)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(file, other)
    return size


def _copied(file: Path, out: IO[bytes], size: int) -> str:
    """Copy so many bytes; their check sum."""
    digest = hashlib.sha256()
    with file.open("rb") as source:
        while size > 0 and (piece := source.read(min(PIECE, size))):
            digest.update(piece)
            out.write(piece)
            size -= len(piece)
    if size:
        raise InputError(f"backup: {file.name} must have {size:,} bytes more than it has; make the backup again")
    return digest.hexdigest()


def _verify(file: IO[bytes]) -> int:
    """Compare every check sum; an `InputError` for a file that is not as it was written."""
    try:
        with zipfile.ZipFile(file) as packed:
            told = _manifest(packed)
            names = [each.filename for each in packed.infolist()]
            if sorted(names) != sorted([*told, MANIFEST]):
                raise InputError("restore: not a whole backup, because its list of files is another than its files")
            for name, (size, digest) in told.items():
                if packed.getinfo(name).file_size != size:
                    raise InputError(f"restore: not a whole backup, because {name} has another size than is listed")
                found = hashlib.sha256()
                with packed.open(name) as member:
                    while piece := member.read(PIECE):
                        found.update(piece)
                if found.hexdigest() != digest:
                    raise InputError(f"restore: not a whole backup, because {name} has another check sum")
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, EOFError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"restore: not a whole backup, because it cannot be read ({error})") from None
    except Exception as error:
        if type(error).__module__ in ("zlib", "lzma"):
            raise InputError(f"restore: not a whole backup, because it cannot be read ({error})") from None
        raise
    return len(told)


def _manifest(packed: zipfile.ZipFile) -> dict[str, tuple[int, str]]:
    if packed.getinfo(MANIFEST).file_size > MOST_MANIFEST:
        raise InputError("restore: not a backup, because its list of files is too long")
    about: Any = json_of(packed.read(MANIFEST))
    if about["kind"] != KIND or about["version"] != VERSION:
        raise InputError(f"restore: not a backup that this version knows, but {about['kind']!r} {about['version']!r}")
    told = {str(name): (int(size), str(digest)) for name, (size, digest) in about["files"].items()}
    for name in told:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or path.as_posix() != name or "\0" in name or "\\" in name:
            raise InputError(f"restore: not a backup, because {name!r} is no name of a file in a store")
    return told


def _unpack(file: IO[bytes], folder: Path) -> None:
    folder.mkdir(mode=0o700)
    with zipfile.ZipFile(file) as packed:
        room, needed = shutil.disk_usage(folder).free, sum(each.file_size for each in packed.infolist())
        if needed > room:
            raise InputError(f"restore: {needed:,} bytes are needed at {folder.parent}, but {room:,} are free")
        for each in packed.infolist():
            if each.filename == MANIFEST:
                continue
            place = folder / each.filename
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with packed.open(each) as member, whole_file(place) as out:
                shutil.copyfileobj(member, out, PIECE)
