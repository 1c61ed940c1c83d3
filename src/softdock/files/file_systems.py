"""Types of file systems, to recognise those of networks."""

import sys
from pathlib import Path

NETWORK_FILE_SYSTEMS = {
    "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.ceph-fuse", "fuse.davfs2", "fuse.glusterfs",
    "fuse.gvfsd-fuse", "fuse.rclone", "fuse.s3fs", "fuse.smbnetfs", "fuse.sshfs", "fuse.vmhgfs-fuse", "gfs2",
    "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "pvfs2", "smb3", "smbfs",
    "vboxsf", "vmhgfs", "webdav", "network drive of Windows",
}  # fmt: skip
"""File systems of networks, clusters and virtual machines, on which WAL does not work: its index is shared memory."""
DRIVE_REMOTE = 4  # GetDriveTypeW


def file_system(folder: Path, mounts: Path = Path("/proc/mounts")) -> str:
    """Return the type of the file system of a folder; empty where it is unknown."""
    if sys.platform == "win32":
        return "network drive of Windows" if _is_remote(folder.resolve()) else ""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    resolved, best, kind = folder.resolve(), -1, ""
    for line in lines:
        fields = line.split()
        if len(fields) > 2:
            mounted = Path(fields[1].replace("\\040", " "))
            if resolved.is_relative_to(mounted) and len(mounted.parts) >= best:
                best, kind = len(mounted.parts), fields[2]
    return kind


def _is_remote(folder: Path) -> bool:
    """Return whether a folder of Windows is a share, or on a drive that is connected to one."""
    if folder.anchor.startswith("\\\\"):
        return True
    import ctypes

    drive_type = ctypes.windll.kernel32.GetDriveTypeW  # type: ignore[attr-defined]
    return int(drive_type(folder.anchor)) == DRIVE_REMOTE
