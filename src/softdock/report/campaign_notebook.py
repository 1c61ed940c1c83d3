"""Short description of a campaign in notebooks: outcomes, probability of success and a picture."""

import base64
import html
import io

from matplotlib.figure import Figure

from softdock.campaign.table import CampaignTable
from softdock.presentation.campaign import success_text
from softdock.presentation.colours import SERIES
from softdock.presentation.discrepancies import discrepancies_html
from softdock.presentation.labels import label
from softdock.presentation.tables import Table
from softdock.report.picture import style_axes, write_literally

DOTS_PER_INCH = 70


def campaign_html(title: str, table: CampaignTable | None) -> str:
    """Return outcomes and success rate of a campaign as HTML; only its title before the first run."""
    parts = [f"<p><b>{html.escape(title)}</b></p>"]
    if table is not None and table.discrepancies:
        parts.append(discrepancies_html(table.discrepancies))
    if table is None or not table.run.size:
        return "\n".join(parts)
    rate = table.success_rate()
    if rate is not None:
        parts.append(f"<p>{html.escape(success_text(rate['share'], rate['low'], rate['high']))}</p>")
    rows = [(label(outcome), str(count)) for outcome, count in table.counts().items()]
    parts.append(Table(header=("outcome", "runs"), rows=rows).to_html())
    return "\n".join([*parts, *_picture(table)])


def _picture(table: CampaignTable) -> list[str]:
    """Return the runs over the first two inputs, or the first one and the number of the run."""
    inputs = [name for name, values in table.inputs.items() if values.size and values.min() < values.max()]
    if not inputs:
        return []
    figure = Figure(figsize=(6.5, 3.6), layout="constrained")
    ax = figure.subplots()
    x, y = inputs[0], inputs[1] if len(inputs) > 1 else None
    for i, outcome in enumerate(table.counts()):
        chosen = [k for k, run_outcome in enumerate(table.outcome) if run_outcome == outcome]
        heights = table.run[chosen] if y is None else table.inputs[y][chosen]
        ax.plot(table.inputs[x][chosen], heights, ".", color=SERIES[i % len(SERIES)], label=label(outcome))
    ax.set_xlabel(table.label(x))
    ax.set_ylabel("run" if y is None else table.label(y))
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    style_axes(ax)
    write_literally(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return [f'<img alt="Runs over their inputs" src="data:image/png;base64,{data}">']
