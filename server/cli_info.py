"""The command that says what is in a dataset."""

from pathlib import Path

from gis.dataset import read_manifest, verify_dataset
from gis.errors import ChecksumError
from gis.manifest import Manifest
from server.console import out, size, table, write_json


def show_info(dataset: Path, verify: bool, as_json: bool) -> None:
    """Say it on standard output; raise ``ChecksumError`` if an array is damaged."""
    manifest = read_manifest(dataset)
    damages = verify_dataset(dataset) if verify else ()
    if as_json:
        write_json(_as_object(dataset, manifest) | ({"damages": damages} if verify else {}))
    elif not damages:
        _show(dataset, manifest)
    if damages:
        more = f" (and {len(damages) - 1} more)" if len(damages) > 1 else ""
        raise ChecksumError(f"{damages[0]}{more}")
    if verify and not as_json:
        out.print(f"\nall {len(manifest.arrays)} checksums are right")


def _as_object(dataset: Path, manifest: Manifest) -> dict[str, object]:
    about = manifest.about
    return {
        "dataset": str(dataset),
        "whimbrel": about.whimbrel,
        "extract": {
            "name": about.extract.name,
            "bytes": about.extract.bytes,
            "timestamp": about.extract.timestamp,
        },
        "profiles": about.profiles,
        "bounds": about.bounds,
        "bytes": manifest.nbytes,
        "counts": about.counts,
        "arrays": {
            spec.name: {"dtype": spec.dtype, "shape": spec.shape, "bytes": spec.nbytes}
            for spec in manifest.arrays
        },
    }


def _show(dataset: Path, manifest: Manifest) -> None:
    about = manifest.about
    west, south, east, north = about.bounds
    facts = [
        ("dataset", str(dataset)),
        ("made from", f"{about.extract.name}, {size(about.extract.bytes)}"),
        ("map data of", about.extract.timestamp or "unknown"),
        ("made by", f"whimbrel {about.whimbrel}"),
        ("profiles", ", ".join(about.profiles)),
        ("bounds", f"{west:.5f},{south:.5f} to {east:.5f},{north:.5f}"),
        ("size", f"{size(manifest.nbytes)} in {len(manifest.arrays)} arrays"),
    ]
    for name, value in facts:
        out.print(f"{name:12} {value}")
    out.print()
    out.print(table("", ("counted", ""), [(k, f"{n:,}") for k, n in about.counts.items()]))
    largest = sorted(manifest.arrays, key=lambda spec: -spec.nbytes)[:8]
    out.print()
    out.print(
        table(
            "",
            ("largest arrays", "elements", "size"),
            [
                (spec.name, " x ".join(f"{n:,}" for n in spec.shape), size(spec.nbytes))
                for spec in largest
            ],
        )
    )
