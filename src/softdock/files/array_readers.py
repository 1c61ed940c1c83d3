"""Calls of the libraries that read NumPy archives and Parquet files; for a child process (`files.child_process`)."""

import io
import json
import zipfile
import zlib
from typing import Any

NPZ = f"{__name__}:read_npz"
PARQUET = f"{__name__}:read_parquet"
EQUAL_PARQUET = f"{__name__}:compare_parquet"


def read_npz(data: bytes, *names: str) -> bytes:
    """Return the named arrays of a NumPy archive as an archive that is known to be readable."""
    import numpy as np

    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            if missing := [name for name in names if name not in file]:
                raise LookupError(f"it has no array {', '.join(missing)}")
            arrays = {name: file[name] for name in names}
    except (
        ValueError,
        EOFError,
        TypeError,
        AttributeError,
        OSError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise ValueError("it is damaged, or it is not an archive of plain arrays (.npz)") from error
    return _pack(arrays)


def read_parquet(data: bytes) -> bytes:
    """Return the fields of a Parquet file (JSON in the array `fields`) and its columns as a NumPy archive.

    The array of a column has its number as name; columns of texts, lists and the like have none.
    """
    import numpy as np
    import pyarrow as pa

    table = _read_table(data)
    fields, arrays = [], {}
    for number, field in enumerate(table.schema):
        unit = (field.metadata or {}).get(b"unit", b"").decode(errors="replace")
        fields.append({"name": field.name, "type": str(field.type), "unit": unit})
        column = table.column(number)
        if pa.types.is_decimal(field.type):
            column = column.cast(pa.float64())
        elif not (
            pa.types.is_integer(field.type)
            or pa.types.is_floating(field.type)
            or pa.types.is_boolean(field.type)
        ):
            continue
        arrays[str(number)] = column.to_numpy()
    arrays["fields"] = np.frombuffer(json.dumps(fields).encode(), np.uint8)
    return _pack({name: array for name, array in arrays.items() if array.dtype != object})


def compare_parquet(data: bytes, size: str) -> bytes:
    """Return `equal` where two Parquet files have the same fields, metadata and values; the first has `size` bytes."""
    first, second = (_read_table(part) for part in (data[: int(size)], data[int(size) :]))
    return b"equal" if first.equals(second, check_metadata=True) else b"different"


def _read_table(data: bytes) -> Any:
    """Return the table of a Parquet file; raises ValueError where it is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(io.BytesIO(data)).read(use_threads=False)
        table.validate(full=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise ValueError("it is damaged, or it is not a Parquet file") from error
    return table


def _pack(arrays: dict[str, Any]) -> bytes:
    import numpy as np

    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()
