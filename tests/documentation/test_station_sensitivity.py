"""The generated page on the statements of the station paper is what its script writes."""

import pytest
from docs import station_sensitivity as script
from docs.station_model import CLAIMS, CONVERGED, METHODS, PUBLISHED, Tower, examine, varied_tower

import softdock
from softdock.flexible import mesh


def page() -> str:
    return script.PAGE.read_text(encoding="utf-8")


def test_rows_of_the_bundled_geometry() -> None:
    for name, found in script.at_bundled_place().items():
        assert f"| {name} | {' | '.join(script.marks(found.claims()))} |" in page()
        assert f"| {name} | {' | '.join(script.values(found))} |" in page()


def test_the_model_of_the_page_is_that_of_the_runs() -> None:
    """Deflections from mean axes and base, and rates, of the paper's method and of the multibody core."""
    found = script.at_bundled_place((PUBLISHED, CONVERGED))
    for direction in ("x", "xz"):
        paper = softdock.simulate("power-tower-published", {"direction": direction}).metrics
        own = found[PUBLISHED.name]
        # The page builds the free-free modes from sixty clamped ones.
        assert own.hybrid[direction] == pytest.approx(paper["delta_rate"], rel=1e-5)
        assert own.rigid[direction] == pytest.approx(paper["delta_rate_rigid"], rel=1e-6)
        # Steps of 0.1 s of both histories, modes up to 0.06 Hz: (omega h)^2 / 8; gravity deflects by 2 um.
        assert own.a[direction] == pytest.approx(paper["max_deflection_a"], rel=1e-3)
        assert own.b[direction] == pytest.approx(paper["max_deflection_b"], rel=1e-3)
        prediction = softdock.predict(f"power-tower-{direction}")
        assert prediction is not None
        rate = prediction["delta_rate_all_modes"]
        assert found[CONVERGED.name].hybrid[direction] == pytest.approx(rate, rel=1e-6)


def test_varied_stations_keep_table_2() -> None:
    tower = script.bundled_tower(2)
    wanted = mesh(tower).mass_properties()
    changed = varied_tower(tower, panel_mass=0.7, keel_mass=0.9, truss_stiffness=2.0)
    assert changed is not None
    found = mesh(changed).mass_properties()
    assert found.mass == pytest.approx(wanted.mass, rel=1e-9)
    assert found.inertia == pytest.approx(wanted.inertia, rel=1e-6, abs=1e-3)
    assert varied_tower(tower, keel_mass=1.3) is None  # the base would need a negative inertia


def test_statements_do_not_depend_on_the_step_of_the_histories() -> None:
    tower, v = Tower.of(script.bundled_tower(8), 8), script.bundled().visitor
    coarse, fine = (
        {m.name: f.claims() for m, f in examine(tower, v.centre, v.inertia, step=step)}
        for step in (0.25, 0.05)
    )
    assert coarse == fine


@pytest.mark.slow
def test_shares_of_places_of_the_bundled_station() -> None:
    """A statement that holds by a hair may differ between machines: one of 720 places is 0.14 %."""
    found = script.scan(Tower.of(script.bundled_tower(4), 4), METHODS)
    for name, places in found.items():
        rows = [line for line in page().splitlines() if line.startswith(f"| {name} |") and "yes" not in line]
        shares = next(line for line in rows if "," not in line.split("|")[2]).split("|")[2:-1]
        for given, (key, _), value in zip(shares, CLAIMS.items(), script.shares(places)):
            assert abs(float(given) - float(value)) <= 1.0, (name, key)


def test_numbers_of_the_text() -> None:
    tower = script.bundled_tower(2)
    base, station = tower.parts["base"].centre_of_mass[0], mesh(tower).mass_properties().centre_of_mass[0]
    assert f"{base - station:.2f} m apart across" in " ".join(page().split())
