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
from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
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
from OCP.STEPCAFControl import STEPCAFControl_Writer
from OCP.STEPControl import STEPControl_AsIs, STEPControl_Writer
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Compound
from OCP.XCAFDoc import XCAFDoc_DocumentTool

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


def slotted_drogue():
    """Return a cylinder of radius 60 with a conical cavity and a slot 20 mm wide through its rim."""
    cavity = BRepPrimAPI_MakeCone(gp_Ax2(gp_Pnt(0, 0, 10), gp_Dir(0, 0, 1)), 15, 50, 50.001).Shape()
    slot = BRepPrimAPI_MakeBox(gp_Pnt(-10, 0, 40), gp_Pnt(10, 80, 70)).Shape()
    return subtract(cylinder(0, 0, 0, 60, 60), cavity, slot)


def rounded_box():
    """Return a box of 60 x 40 x 30 mm whose edges and corners are rounded by 5 mm."""
    box = BRepPrimAPI_MakeBox(60, 40, 30).Shape()
    fillet, edges = BRepFilletAPI_MakeFillet(box), TopExp_Explorer(box, TopAbs_EDGE)
    while edges.More():
        fillet.Add(5.0, TopoDS.Edge(edges.Current()))
        edges.Next()
    return fillet.Shape()


def write_assembly():
    """Write an assembly of two placed parts, a bracket and a hemisphere on it, with their names."""
    document = TDocStd_Document(TCollection_ExtendedString("parts"))
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    bracket = subtract(BRepPrimAPI_MakeBox(40, 20, 10).Shape(), cylinder(20, 10, -1, 4, 12))
    half_ball = BRepPrimAPI_MakeSphere(
        gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), 8, 0, 1.5707963267948966
    ).Shape()
    whole = shapes.NewShape()
    for shape, name, angle, place in (
        (bracket, "bracket", 0.4, (5, 6, 7)),
        (half_ball, "half ball", 1.1, (20, 30, 40)),
    ):
        turn, shift = gp_Trsf(), gp_Trsf()
        turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 2, 0.5)), angle)
        shift.SetTranslation(gp_Vec(*place))
        part = shapes.AddShape(shape, False)
        TDataStd_Name.Set_s(part, TCollection_ExtendedString(name))
        shapes.AddComponent(whole, part, TopLoc_Location(shift.Multiplied(turn)))
    shapes.UpdateAssemblies()
    Interface_Static.SetCVal_s("write.step.unit", "MM")
    writer = STEPCAFControl_Writer()
    writer.Transfer(document)
    writer.Write(str(FOLDER / "assembly.step"))


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
    write(slotted_drogue(), "slotted_drogue")
    write(rounded_box(), "rounded_box")
    write_assembly()
