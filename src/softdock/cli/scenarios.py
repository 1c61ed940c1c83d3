"""`softdock scenarios`: list the bundled scenarios."""

from dataclasses import asdict

from softdock.cli import console, options


def scenarios(
    as_json: options.Json = False,
) -> None:
    """List the bundled scenarios."""
    from softdock.scenario.loading import bundled

    listed = bundled()
    if as_json:
        console.print_json([asdict(scenario) for scenario in listed])
        return
    from softdock.presentation.tables import Table

    rows = [(scenario.name, scenario.kind, scenario.title) for scenario in listed]
    print(Table(header=("name", "kind", "title"), rows=rows, left=(0, 1, 2)).to_text())
