"""Campaign files of stored campaigns: a received folder must not choose which files are read.

A file is loaded again where it is bundled, lies in the folder of the campaign, is given by the user, or where this user
has started this campaign from it. The last is noted in the user's cache by the digest of the manifest.
"""

import json
import shlex
from pathlib import Path
from typing import Any

from softdock.campaign.loading import bundled_campaigns, load
from softdock.campaign.plan import Plan
from softdock.errors import InputError
from softdock.files.cache import Cache, content_key

STARTED = Cache("campaign-origins", "")
"""Empty entries for manifests of campaigns that this user has started."""


def remember_origin(manifest: dict[str, Any]) -> None:
    """Note that this user starts a campaign with this manifest."""
    STARTED.write(_key(manifest), b"")


def load_origin(manifest: dict[str, Any], folder: Path, given: Path | None = None) -> Plan:
    """Return the plan of a stored campaign; `given` is the campaign file that the user names."""
    campaign, origin = manifest["campaign"], given or _trusted_origin(manifest, folder)
    try:
        return load(origin, runs=campaign["runs"], seed=campaign["seed"])
    except InputError as error:
        hint = f"It was started from {manifest['origin']}, which must be there unchanged."
        if given is None:
            hint += " If that file was moved, name it with --campaign FILE."
        message = f"The campaign cannot be loaded again: {error.problems[0]}"
        raise InputError(message, file=str(folder), hint=hint) from error


def _trusted_origin(manifest: dict[str, Any], folder: Path) -> str | Path:
    origin = str(manifest["origin"])
    if origin in bundled_campaigns():
        return origin
    try:
        inside = Path(origin).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links or a null character
        inside = False
    if not inside and STARTED.read(_key(manifest), bool) is None:
        raise InputError(
            "The campaign names a file outside its folder, and this user has not started it from there.",
            file=str(folder),
            given=origin,
            hint=f"If you trust the folder, add the option: --campaign {shlex.quote(origin)}",
        )
    return Path(origin)


def _key(manifest: dict[str, Any]) -> str:
    return content_key(json.dumps(manifest, sort_keys=True))
