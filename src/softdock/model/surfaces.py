"""Models of surfaces on bodies and of the contacts between them."""

import functools
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, StringConstraints, Tag, model_validator

from softdock.contact import layer as contact_layer
from softdock.contact.pair import ContactPair, CutCells, Mapping, Points
from softdock.errors import InputError
from softdock.files.regular_file import path_exists
from softdock.geometry.face_selection import FaceSelection
from softdock.geometry.profile import Profile
from softdock.geometry.profile_arrays import closed_chain, is_complete
from softdock.geometry.profile_cache import Meridian, read_meridian
from softdock.geometry.solids.reading import ReadSolid, read_solid
from softdock.geometry.solids.revolved import revolved_solid
from softdock.geometry.solids.solid import Solid
from softdock.geometry.solids.zones import EVERYWHERE, SolidZone, find_faces
from softdock.geometry.surface_shape import is_of_revolution
from softdock.model.profile_vertices import Step, profile_from_steps
from softdock.model.solids import SolidShape
from softdock.quantities.fields import (
    Angle,
    ArealDamping,
    Flag,
    FrictionSpeed,
    Length,
    NonNegativeLength,
    NonNegativeNumber,
    PositiveArealStiffness,
    PositiveForce,
    PositiveLength,
    PositivePressure,
    Quantity,
    Vector3,
)
from softdock.quantities.model import FieldError, Model
from softdock.spatial.poses import Pose
from softdock.tree.joints import IDENTITY, Attitude, pose_at, quaternion

ZoneName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
"""Letters, digits, - and _, starting with a letter: a number is that of a segment."""


class FaceRange(Model):
    """A part of the space around the axis of a surface: faces that lie in it are left out.

    Lengths are in m, angles in rad.

    >>> from softdock.model.surfaces import FaceRange
    >>> FaceRange(z=("30 mm", "140 mm"))
    FaceRange(z=(0.03, 0.14))
    """

    z: tuple[Length, Length] | None = None
    """From and to, along the axis."""
    angle: tuple[Angle, Angle] | None = None
    """From and to, about the axis, from x of the surface's frame."""

    @model_validator(mode="after")
    def _some_range(self) -> Self:
        if self.z is None and self.angle is None:
            raise FieldError("z", "give z, angle or both")
        for name, given in (("z", self.z), ("angle", self.angle)):
            if given is not None and not given[0] < given[1]:
                raise FieldError(name, f"must rise; given {given[0]:g} to {given[1]:g}")
        return self


FaceNumber = Annotated[int, Field(ge=1)]
"""Number of a face of a STEP file, from 1 in the order of the file."""


def _sort_of_faces(given: Any) -> str:
    """Return the kind of a selection of faces, so that errors of the other kind are not reported."""
    return "FaceRange" if isinstance(given, FaceRange | dict) else "FaceNumber"


class Zone(Model):
    """A part of the surface of a solid: what lies in a box, of all or of some faces.

    Lengths are in m.

    >>> from softdock import Zone
    >>> Zone(faces=(3, "ramp"))
    Zone(faces=(3, 'ramp'))
    """

    box: tuple[Vector3[Length], Vector3[Length]] | None = None
    """Lower and upper corner in the frame of the surface."""
    faces: tuple[FaceNumber | str, ...] | None = None
    """Numbers of faces, from 1, as `softdock inspect` lists them, or their names in the STEP file."""

    @model_validator(mode="after")
    def _some_part(self) -> Self:
        if self.box is None and not self.faces:
            raise FieldError("faces", "give faces, box or both")
        if self.box is not None and not all(low < high for low, high in zip(*self.box)):
            raise FieldError("box", "its first corner must be below the second one in x, y and z")
        return self


def _sort_of_zone(given: Any) -> str:
    """Return the kind of a zone, so that errors of the other kind are not reported."""
    return "Zone" if isinstance(given, Zone | dict) else "Range"


ZoneOfSurface = Annotated[
    Annotated[tuple[Length, Length], Tag("Range")] | Annotated[Zone, Tag("Zone")],
    Discriminator(_sort_of_zone),
]
"""A zone: a range of z, or a box and faces of a solid."""


class Surface(Model):
    """A surface on a body: of revolution, or that of a solid of any shape; from a CAD file or given here.

    Lengths are in m.

    >>> from softdock import Curve, Surface
    >>> Surface(
    ...     body="probe",
    ...     profile=((0, 0), Curve(arc_to=("20 mm", "20 mm"), radius="20 mm", turn="right"), ("80 mm", "20 mm")),
    ...  )
    Surface(body='probe', profile=((0.0, 0.0), Curve(arc_to=(0.02, 0.02), radius=0.02, turn='right'), (0.08, 0.02)))
    """

    body: str
    """Body that carries the surface."""
    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Origin of the surface's frame in the body; z of a profile is the axis of revolution."""
    attitude: Attitude = IDENTITY
    """Attitude of the surface's frame in the body."""
    file: str | None = None
    """STEP, STL, OBJ, PLY or GLB; relative to the scenario's folder."""
    solid: SolidShape | None = None
    """A solid without a file: `box`, `cylinder`, `sphere`, `capsule`, `torus`, `revolution`, `extrusion`, `union`."""
    profile: tuple[Step, ...] | None = None
    """Vertices (z, r), material on the right of travel: a solid towards +z, a cavity towards -z."""
    shape: Literal["automatic", "revolution", "general"] = "automatic"
    """How the surface is read: as one of revolution (fast), as a solid of any shape, or as the second only if it is not
    the first (`automatic`)."""
    side: Literal["outside", "inside"] | None = None
    """Of a surface of revolution from a file: which one touches; of a solid the outside, if left out."""
    part: str | int | None = None
    """Of a file with several bodies: which one, by name or by number from 1."""
    unit: str | None = None
    """Of a file without units (STL, OBJ, PLY): `mm`, `m`, `in` ..."""
    z_range: tuple[Length, Length] | None = None
    """Of a surface of revolution from a file: keep only this part of the axis."""
    ignore: tuple[
        Annotated[
            Annotated[FaceNumber, Tag("FaceNumber")] | Annotated[FaceRange, Tag("FaceRange")],
            Discriminator(_sort_of_faces),
        ],
        ...,
    ] = ()
    """Of a surface of revolution from a file: faces that are left out on purpose, by number or by a range of z and
    angle."""
    zones: dict[ZoneName, ZoneOfSurface] = Field(default_factory=dict)
    """Parts of which contact forces may be recorded, by name: a range of z (`throat: [62 mm, 71 mm]`), of a solid of
    any shape also `{box: ..., faces: ...}`."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [name for name in ("file", "solid", "profile") if getattr(self, name) is not None]
        if len(given) != 1:
            raise FieldError("file", f"give one of file, solid and profile{_and_given(given)}")
        for name, zone in self.zones.items():
            if isinstance(zone, tuple) and not zone[0] < zone[1]:
                message = f"must rise along z; given {zone[0]:g} m to {zone[1]:g} m"
                raise FieldError(f"zones.{name}", message)
        quaternion(self.attitude)
        self._check_shape()
        if self.profile is not None:
            try:
                closed_chain(self.to_profile())
            except InputError as error:
                raise FieldError(error.problems[0].field, error.problems[0].message) from None
        return self

    def _check_shape(self) -> None:
        if self.shape == "general":
            for name in ("side", "z_range", "ignore"):
                if getattr(self, name):
                    message = (
                        "only selects a part of a surface of revolution; a general solid is used as a whole"
                    )
                    raise FieldError(name, message)
        if self.shape == "revolution" and self.solid is not None and self.solid.solid.meridian() is None:
            raise FieldError("shape", "this solid is no surface of revolution; use automatic or general")

    def is_general(self, folder: Path) -> bool:
        """Return whether the surface is that of a solid of any shape; `read_solid` returns it then."""
        if self.shape != "automatic":
            return self.shape == "general"
        if self.file is None:
            return self.solid is not None and self.solid.solid.meridian() is None
        return not _is_of_revolution(*self._file_and_options(folder))

    def read(self, folder: Path) -> tuple[Profile, Pose]:
        """Return the meridian of a surface of revolution and its frame in the body; relative files start from `folder`.

        Raises InputError for a general one.
        """
        X_BF = pose_at(self.at, self.attitude)
        if self.file is not None:
            content = self._read_file(folder)
            return content.profile, X_BF @ Pose(R=content.R_FS, p=content.p_FS)
        if self.solid is None:
            return self.to_profile(), X_BF
        shape = self.solid.solid
        profile = shape.meridian()
        if profile is None:
            raise InputError("The solid is no surface of revolution.", field="solid")
        return profile, X_BF @ pose_at(shape.at, shape.attitude)

    def read_solid(self, folder: Path) -> tuple[Solid, Pose]:
        """Return the solid behind the surface and its frame in the body, for contact of any shape.

        That of a surface of revolution is its meridian, closed behind; the faces that close it have `is_closure`.
        """
        X_BF = pose_at(self.at, self.attitude)
        if self.is_general(folder) and self.profile is None:
            if self.solid is not None:
                return _inline_solid(self.solid), X_BF
            return self.read_file_as_solid(folder).solid, X_BF
        profile, X_BS = self.read(folder)
        return _revolved(profile), X_BS

    def read_file_as_solid(self, folder: Path) -> ReadSolid:
        """Return the solid of the CAD file, with the accuracy of its faces."""
        path, stamp, _ = self._file_and_options(folder)
        return _solid_once(path, stamp, self.part, self.unit)

    def solid_zones(self, folder: Path) -> dict[str, SolidZone]:
        """Return the zones in the frame of the solid that `read_solid` returns. Raises InputError for unknown faces."""
        found = {}
        for name, zone in self.zones.items():
            if isinstance(zone, tuple):
                low, high = EVERYWHERE
                found[name] = SolidZone(low=(*low[:2], zone[0]), high=(*high[:2], zone[1]))
                continue
            if not self.is_general(folder):
                message = (
                    "The surface is one of revolution, whose zones are ranges of z; or set `shape: general`."
                )
                raise InputError(message, field=f"zones.{name}")
            low, high = zone.box or EVERYWHERE
            try:
                faces = find_faces(self.read_solid(folder)[0], zone.faces) if zone.faces else None
            except InputError as error:
                problem = error.problems[0]
                field = f"zones.{name}.{problem.field}"
                raise InputError(problem.message, field=field, given=problem.given) from None
            found[name] = SolidZone(low=low, high=high, faces=faces)
        return found

    def left_out(self, folder: Path) -> tuple[str, ...]:
        """Return sentences about faces of the file that are left out on purpose."""
        return () if self.file is None or self.is_general(folder) else self._read_file(folder).left_out

    def approximation(self, folder: Path) -> str:
        """Return a sentence about faces of a solid of any shape that are approximated; empty where all are exact."""
        if self.file is None or not self.is_general(folder):
            return ""
        read = self.read_file_as_solid(folder)
        numbers = [face.number for face in read.solid.faces if not face.is_exact]
        if not numbers:
            return ""
        which = "All faces are" if len(numbers) == len(read.solid.faces) else _faces_are(numbers)
        how = "measured" if read.is_measured else "estimated from the angles between them"
        return f"{which} approximated by triangles, to {1e6 * read.deviation:.3g} um ({how})."

    def is_closure_known(self, folder: Path) -> bool:
        """Return whether the surface is complete, or its file determines what closes it behind."""
        if self.solid is not None or self.is_general(folder):
            return True
        return is_complete(self.to_profile()) if self.file is None else self._read_file(folder).closure_known

    def _read_file(self, folder: Path) -> Meridian:
        """Read the CAD file once for many runs; a changed file is read again."""
        path, stamp, options = self._file_and_options(folder)
        return _read_once(path, stamp, *options)

    def _file_and_options(self, folder: Path) -> tuple[Path, tuple[int, int], tuple[Any, ...]]:
        """Return the file, its time and size, and the options of `_read_once`."""
        assert self.file is not None
        path = folder / self.file
        stat = path.stat() if path_exists(path) else None
        ignore = tuple(
            face if isinstance(face, int) else FaceSelection(z=face.z, angle=face.angle)
            for face in self.ignore
        )
        options = (self.side, self.unit, self.z_range, self.part, ignore)
        return path, (stat.st_mtime_ns, stat.st_size) if stat else (0, 0), options

    def to_profile(self) -> Profile:
        """Return the meridian given as a profile."""
        assert self.profile is not None
        return profile_from_steps(self.profile)


def _faces_are(numbers: list[int]) -> str:
    listed = ", ".join(map(str, numbers[:10])) + (
        f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    )
    return f"Face {listed} is" if len(numbers) == 1 else f"Faces {listed} are"


def _and_given(names: list[str]) -> str:
    return f"; given {' and '.join(names)}" if names else ""


def _named(options: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("side", "unit", "z_range", "body", "ignore"), options))


@functools.lru_cache(maxsize=32)
def _read_once(path: Path, stamp: tuple[int, int], *options: Any) -> Meridian:
    return read_meridian(path, **_named(options))


@functools.lru_cache(maxsize=32)
def _is_of_revolution(path: Path, stamp: tuple[int, int], options: tuple[Any, ...]) -> bool:
    return is_of_revolution(path, **_named(options))


@functools.lru_cache(maxsize=32)
def _solid_once(path: Path, stamp: tuple[int, int], part: str | int | None, unit: str | None) -> ReadSolid:
    return read_solid(path, part=part, unit=unit)


@functools.lru_cache(maxsize=64)
def _inline_solid(shape: SolidShape) -> Solid:
    return shape.solid.to_solid()


@functools.lru_cache(maxsize=32)
def _revolved(profile: Profile) -> Solid:
    return revolved_solid(profile)


class Layer(Model):
    """Elastic layer between two surfaces: its areal stiffness, or the material that it is made of.

    Stiffness in N/m^3, moduli in Pa, lengths in m, damping in N s/m^3.

    >>> from softdock import Layer
    >>> Layer(youngs_modulus="2 MPa", poisson_ratio=0.45, thickness="3 mm")
    Layer(youngs_modulus=2000000.0, poisson_ratio=0.45, thickness=0.003)
    """

    stiffness: PositiveArealStiffness | None = None
    """Stress per depth [N/m3]."""
    youngs_modulus: PositivePressure | None = None
    """Young's modulus of the material of the layer."""
    poisson_ratio: Annotated[float, Quantity("1", ge=0, lt=0.5)] | None = None
    """Poisson's ratio of the material of the layer."""
    thickness: PositiveLength | None = None
    """Of the layer that is deformed."""
    damping: ArealDamping = 0.0
    """Nominal areal damping [N s/m3]."""
    damping_depth: NonNegativeLength = 0.0
    """Depth from which the full damping acts; it grows linearly up to there."""
    strength: PositivePressure | None = None
    """Pressure that the layer withstands; a run with more gets a warning."""
    tangential_stiffness: PositiveArealStiffness | None = None
    """Shear stress per displacement along the surface [N/m3]; left out: the shear modulus of the material over the
    thickness, or 0.82 times `stiffness` (Mindlin, Poisson's ratio 0.3)."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        material = (self.youngs_modulus, self.poisson_ratio, self.thickness)
        if self.stiffness is None and None in material:
            raise FieldError("stiffness", "give it, or youngs_modulus, poisson_ratio and thickness")
        if self.stiffness is not None and any(x is not None for x in material):
            raise FieldError("stiffness", "give either the stiffness or the material, not both")
        if self.damping > 0.0 and self.damping_depth == 0.0:
            raise FieldError("damping_depth", "must be above 0 m where there is damping")
        return self

    def to_layer(self) -> contact_layer.ElasticLayer:
        """Return the layer of the contact package."""
        if self.stiffness is not None:
            return contact_layer.ElasticLayer(
                areal_stiffness=self.stiffness,
                damping=self.damping,
                damping_depth=self.damping_depth,
                tangential_stiffness=self.tangential_stiffness,
            )
        assert self.youngs_modulus is not None
        assert self.poisson_ratio is not None
        assert self.thickness is not None
        return contact_layer.ElasticLayer.of_material(
            youngs_modulus=self.youngs_modulus,
            poisson_ratio=self.poisson_ratio,
            thickness=self.thickness,
            damping=self.damping,
            damping_depth=self.damping_depth,
            tangential_stiffness=self.tangential_stiffness,
        )


class Friction(Model):
    """Coulomb friction with tangential elasticity, or regularised by the sliding speed.

    The speed is in m/s.

    >>> from softdock import Friction
    >>> Friction(coefficient=0.15, speed="2 mm/s")
    Friction(coefficient=0.15, speed=0.002)
    """

    coefficient: NonNegativeNumber = 0.0
    """Coefficient of friction; 0 for none."""
    speed: FrictionSpeed = 1e-3
    """Sliding speed below which friction depends on the speed."""
    law: Literal["elastic", "smooth", "ramp"] = "elastic"
    """Friction below `speed`: a tangential spring that yields at the limit, with the smooth law as its damper
    (`elastic`, surfaces at rest hold), or in proportion to the speed, a smooth function or a linear ramp."""


class Contact(Model):
    """Two surfaces that may touch: depth is measured below surface a, surface b is divided into cells.

    The spacing is in m, the resolved force in N.

    >>> from softdock import Contact, Friction, Layer
    >>> Contact(a="cone", b="probe", layer=Layer(stiffness="1e9 N/m^3"), friction=Friction(coefficient=0.1))
    Contact(a='cone', b='probe', layer=Layer(stiffness=1000000000.0), friction=Friction(coefficient=0.1))
    """

    a: str
    """Surface that carries the layer: the depth is measured below it, its normals are the directions of the pressure.
    The choice matters at sharp edges; for both, define two contacts with exchanged roles and half the stiffness."""
    b: str
    """Surface that is divided into cells; the smaller or more curved one of the two."""
    layer: Layer
    """Elastic layer between the surfaces."""
    friction: Friction = Friction()
    """Friction between the surfaces; none if left out."""
    quadrature: Literal["cells", "points"] = "cells"
    """Cut cells (the force does not depend on their number), or plain points for comparison."""
    spacing: PositiveLength = 1e-3
    """Of points: their distance."""
    resolved_force: PositiveForce = 0.1
    """Of cells: smallest force that they resolve."""
    mapping: Literal["distance", "radial"] = "distance"
    """Direction of the depth: normal to surface a (`distance`), or along its radius (`radial`, for
    comparison with published results)."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""

    def to_pair(
        self,
        shape_a: Profile | Solid,
        shape_b: Profile | Solid,
        name: str,
        face_groups: tuple[tuple[int, ...], ...] = (),
    ) -> ContactPair:
        """Return the pair of the contact package; `face_groups` of a solid a are those of its zones."""
        if self.quadrature == "points":
            quadrature: CutCells | Points = Points(spacing=self.spacing)
        else:
            quadrature = CutCells(resolved_force=self.resolved_force)
        return ContactPair(
            surface_A=shape_a,
            surface_B=shape_b,
            face_groups=face_groups,
            layer=self.layer.to_layer(),
            friction=contact_layer.CoulombFriction(
                coefficient=self.friction.coefficient,
                threshold_speed=self.friction.speed,
                law=contact_layer.FrictionLaw(self.friction.law),
            ),
            quadrature=quadrature,
            mapping=Mapping(self.mapping),
            name=name,
        )
