"""Checks of controllers against the bodies of their system."""

from collections.abc import Iterable

from softdock.assembly.arrays import Assembly
from softdock.assembly.assembler import assemble
from softdock.assembly.gnc import gnc_records
from softdock.errors import no_such
from softdock.model.gnc import Controller
from softdock.model.orbit import HILL
from softdock.model.system import WORLD, System
from softdock.quantities.model import FieldError
from softdock.tree.joints import Fixed, Revolute


def check_controllers(system: System) -> Assembly:
    """Raise FieldError for controllers that name wrong bodies or cannot work; returns the assembly that was made."""
    for name, controller in system.gnc.items():
        _check_bodies(system, f"gnc.{name}", name, controller)
    assembly = assemble(system)
    gnc_records(system, assembly)
    return assembly


def _check_bodies(system: System, field: str, name: str, controller: Controller) -> None:
    if name not in system.bodies:
        raise FieldError(field, no_such("free body", name, _free_bodies(system)))
    if system.bodies[name].joint.type != "free":
        raise FieldError(
            field, f"must be a free body; {name!r} is on a {system.bodies[name].joint.type} joint"
        )
    tip = controller.tip.body if controller.tip is not None else name
    fixed = [body for body in system.bodies if _is_fixed_to(system, body, name)]
    if tip not in fixed:
        raise FieldError(
            f"{field}.tip.body", f"must be {name!r} or a body fixed to it; these are: {', '.join(fixed)}"
        )
    target = controller.target.body
    frames = [WORLD, *([HILL] if system.orbit is not None else []), *system.bodies]
    if target not in frames:
        raise FieldError(f"{field}.target.body", no_such("body", target, frames))
    if target in system.bodies and name in system.lineage(target):
        raise FieldError(f"{field}.target.body", "must not belong to the body that is controlled")
    bodies = [wheel.body for wheel in controller.wheels.values()]
    for wheel, model in controller.wheels.items():
        if bodies.count(model.body) > 1:
            raise FieldError(
                f"{field}.wheels.{wheel}.body", f"{model.body!r} is a wheel already: bodies must differ"
            )
        carried = [
            b
            for b, body in system.bodies.items()
            if body.parent in fixed and isinstance(body.joint, Revolute)
        ]
        if model.body not in carried:
            raise FieldError(
                f"{field}.wheels.{wheel}.body",
                f"must be a body on a revolute joint of {name!r}; these are: {', '.join(carried) or 'none'}",
            )


def _free_bodies(system: System) -> Iterable[str]:
    return (name for name, body in system.bodies.items() if body.joint.type == "free")


def _is_fixed_to(system: System, body: str, base: str) -> bool:
    """Return whether fixed joints connect a body to its base."""
    while body != base:
        if body == WORLD or not isinstance(system.bodies[body].joint, Fixed):
            return False
        body = system.bodies[body].parent
    return True
