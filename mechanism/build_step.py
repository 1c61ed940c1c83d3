"""Write the STEP files of the reference mechanism: python -m mechanism.build_step [FOLDER].

Needs the CAD extra (`pip install softdock[cad]`). The files it writes are part of the package; run it again
after a change of parameters.yaml.
"""

import re
import sys
from pathlib import Path

from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeWire
from OCP.BRepPrimAPI import BRepPrimAPI_MakeRevol
from OCP.GC import GC_MakeArcOfCircle
from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt
from OCP.IFSelect import IFSelect_RetDone
from OCP.Interface import Interface_Static
from OCP.STEPControl import STEPControl_AsIs, STEPControl_Writer
from OCP.TopoDS import TopoDS_Shape

from mechanism.shapes import HERE, SHAPES, load_parameters
from softdock.geometry.profile import Line, Point, Profile

CAD_FOLDER = HERE.parent / "src/softdock/scenario/bundled/cad"


def revolve(profile: Profile) -> TopoDS_Shape:
    """Return the solid that the profile encloses with the z axis, in millimetres."""
    wire = BRepBuilderAPI_MakeWire()
    for segment in profile.segments:
        start, end = _point(segment.start), _point(segment.end)
        if isinstance(segment, Line):
            wire.Add(BRepBuilderAPI_MakeEdge(start, end).Edge())
        else:
            arc = GC_MakeArcOfCircle(start, _point(segment.point(0.5)), end).Value()
            wire.Add(BRepBuilderAPI_MakeEdge(arc).Edge())
    wire.Add(
        BRepBuilderAPI_MakeEdge(_point(profile.segments[-1].end), _point(profile.segments[0].start)).Edge()
    )
    face = BRepBuilderAPI_MakeFace(wire.Wire()).Face()
    return BRepPrimAPI_MakeRevol(face, gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1))).Shape()


def write_step(shape: TopoDS_Shape, path: Path, name: str) -> None:
    """Write one solid as STEP AP214 in millimetres; the same shape gives the same bytes."""
    Interface_Static.SetCVal_s("write.step.unit", "MM")
    writer = STEPControl_Writer()
    writer.Transfer(shape, STEPControl_AsIs)
    if writer.Write(str(path)) != IFSelect_RetDone:
        raise OSError(f"{path} could not be written")
    text = path.read_text()
    header = f"FILE_NAME('{name}','2026-01-01T00:00:00',(''),(''),'','','');"
    text = re.sub(r"FILE_NAME\(.*?\);", header, text, count=1, flags=re.DOTALL)
    text = re.sub(r"'Open CASCADE STEP translator [^']*'", f"'{name}'", text)
    path.write_text(text)


def build_all(folder: Path = CAD_FOLDER) -> list[Path]:
    """Write every part of the mechanism and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    parameters = load_parameters()
    paths = []
    for name, shape in SHAPES.items():
        paths.append(folder / f"{name}.step")
        write_step(revolve(shape(parameters)), paths[-1], name)
    return paths


def _point(place: Point) -> gp_Pnt:
    return gp_Pnt(1e3 * place[1], 0.0, 1e3 * place[0])


if __name__ == "__main__":
    for written in build_all(*map(Path, sys.argv[1:2])):
        print(written)
