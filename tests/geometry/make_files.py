"""Write the CAD files of the tests: python tests/geometry/make_files.py. Needs the CAD extra."""

from pathlib import Path

from OCP.BRep import BRep_Builder
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_MakeEdge,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakeWire,
    BRepBuilderAPI_Transform,
)
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakeRevol,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.GC import GC_MakeArcOfEllipse
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Elips, gp_Pnt, gp_Trsf, gp_Vec
from OCP.Interface import Interface_Static
from OCP.STEPControl import STEPControl_AsIs, STEPControl_Writer
from OCP.TopAbs import TopAbs_FACE
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS_Compound

FOLDER = Path(__file__).parent / "files"


def write(shape, name, unit="MM"):
    Interface_Static.SetCVal_s("write.step.unit", unit)
    writer = STEPControl_Writer()
    writer.Transfer(shape, STEPControl_AsIs)
    writer.Write(str(FOLDER / f"{name}.step"))


def cylinder(x, y, z, radius, height, direction=(0, 0, 1)):
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, y, z), gp_Dir(*direction)), radius, height).Shape()


def subtract(one, *others):
    for other in others:
        one = BRepAlgoAPI_Cut(one, other).Shape()
    return one


def fuse(one, *others):
    for other in others:
        one = BRepAlgoAPI_Fuse(one, other).Shape()
    return one


def move(shape):
    turn, shift = gp_Trsf(), gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 1, 0.3)), 0.7)
    shift.SetTranslation(gp_Vec(100, -50, 30))
    return BRepBuilderAPI_Transform(BRepBuilderAPI_Transform(shape, turn).Shape(), shift).Shape()


def block():
    """Return a box of 160 x 160 x 140 mm with bolt holes and a cavity: cone, cylinder, hemisphere."""
    cavity = fuse(
        BRepPrimAPI_MakeCone(gp_Ax2(gp_Pnt(0, 0, 140), gp_Dir(0, 0, -1)), 50, 20, 60).Shape(),
        cylinder(0, 0, 40, 20, 41),
        BRepPrimAPI_MakeSphere(gp_Pnt(0, 0, 40), 20).Shape(),
    )
    bolts = [cylinder(65 * x, 65 * y, -1, 5, 200) for x in (-1, 1) for y in (-1, 1)]
    return subtract(BRepPrimAPI_MakeBox(gp_Pnt(-80, -80, 0), gp_Pnt(80, 80, 140)).Shape(), cavity, *bolts)


def two_bodies():
    pair = TopoDS_Compound()
    builder = BRep_Builder()
    builder.MakeCompound(pair)
    builder.Add(pair, cylinder(0, 0, 0, 10, 20))
    builder.Add(pair, cylinder(100, 0, 0, 12, 20))
    return pair


def half_ellipsoid():
    """Return a nose with a quarter ellipse as meridian, which is neither a line nor an arc."""
    ellipse = gp_Elips(gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(0, -1, 0), gp_Dir(0, 0, 1)), 70, 25)
    base, pole, origin = gp_Pnt(25, 0, 0), gp_Pnt(0, 0, 70), gp_Pnt(0, 0, 0)
    wire = BRepBuilderAPI_MakeWire(
        BRepBuilderAPI_MakeEdge(GC_MakeArcOfEllipse(ellipse, base, pole, False).Value()).Edge(),
        BRepBuilderAPI_MakeEdge(pole, origin).Edge(),
        BRepBuilderAPI_MakeEdge(origin, base).Edge(),
    )
    face = BRepBuilderAPI_MakeFace(wire.Wire()).Face()
    return BRepPrimAPI_MakeRevol(face, gp_Ax1(origin, gp_Dir(0, 0, 1))).Shape()


if __name__ == "__main__":
    write(move(block()), "block")
    write(subtract(block(), cylinder(0, 0, 60, 4, 200, (1, 0, 0))), "cross_hole")
    write(fuse(cylinder(0, 0, 0, 40, 20), cylinder(25, 0, 20, 5, 10)), "boss")
    write(subtract(cylinder(0, 0, 0, 40, 10), *(cylinder(x, 0, -1, 3, 12) for x in (-30, 30))), "flange")
    write(two_bodies(), "two_bodies")
    write(subtract(cylinder(0, 0, 0, 40, 100), cylinder(0, 0, -1, 20, 102)), "tube_inch", "INCH")
    write(TopExp_Explorer(BRepPrimAPI_MakeCone(50, 20, 60).Shape(), TopAbs_FACE).Current(), "open_shell")
    write(BRepPrimAPI_MakeTorus(50, 10).Shape(), "torus")
    write(subtract(BRepPrimAPI_MakeSphere(25).Shape(), BRepPrimAPI_MakeSphere(20).Shape()), "hollow_sphere")
    write(BRepPrimAPI_MakeBox(30, 20, 10).Shape(), "box")
    write(half_ellipsoid(), "half_ellipsoid")
