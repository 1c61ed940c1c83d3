// Charts of recorded quantities: one canvas per unit, with a common cursor and time range.

// Display units by SI unit, colours and patterns of curves, from softdock.presentation.
const PRESENTATION = JSON.parse(document.getElementById("presentation").textContent);
const FONT = "11px system-ui, sans-serif";
function isDark() {
  return getComputedStyle(document.documentElement).getPropertyValue("color-scheme").trim() === "dark";
}

function curveColour(i) {
  const palette = PRESENTATION[isDark() ? "dark" : "light"];
  return palette[i % palette.length];
}

// Lengths of lines and gaps; empty for a continuous line.
function curveDash(i) {
  return PRESENTATION.dashes[i % PRESENTATION.dashes.length];
}

// A piece of a line for the legend, as a background.
function swatch(i) {
  let at = 0;
  const stops = curveDash(i).map((length, k) => `${k % 2 ? "transparent" : curveColour(i)} ${at}px ${(at += length)}px`);
  return stops.length ? `repeating-linear-gradient(90deg, ${stops.join(", ")})` : curveColour(i);
}

// The unit to show so that the largest value is at least 1, if there is one.
function displayUnit(unit, largest) {
  const choices = PRESENTATION.units[unit] || [[unit, 1]];
  return choices.find(([, factor]) => largest * factor >= 1) || choices[choices.length - 1];
}

// Formats a number with a count of digits that depends on its curve only, so that it is constant during playback.
function formatNumber(value, size) {
  if (!Number.isFinite(value)) return "–";
  if (size > 0 && (size >= 1e6 || size < 1e-4)) return value === 0 ? "0" : value.toExponential(2);
  const digits = size > 0 ? Math.max(0, Math.min(7, 3 - Math.floor(Math.log10(size)))) : 0;
  return value.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");
}

// Returns round tick values that divide a range into about `count` parts.
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * power >= raw) * power;
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(k * step);
  return out;
}

function formatTick(value, step) {
  const digits = Math.max(0, Math.min(8, -Math.floor(Math.log10(step || 1) + 1e-9)));
  return (Math.abs(value) < 1e-12 * step ? 0 : value).toFixed(digits);
}

class Chart {
  constructor(unit, curves, panel) {
    this.panel = panel;
    this.curves = curves;
    this.sizes = curves.map((c) => c.values.reduce((m, v) => Math.max(m, Math.abs(v)), 0));
    [this.unit, this.factor] = displayUnit(unit, Math.max(...this.sizes));
    this.element = document.createElement("figure");
    this.legend = this.element.appendChild(document.createElement("figcaption"));
    this.canvas = this.element.appendChild(document.createElement("canvas"));
    this.labels = curves.map((curve, i) => {
      const row = this.legend.appendChild(document.createElement("span"));
      row.className = "key";
      row.appendChild(document.createElement("i"));
      const name = row.appendChild(document.createElement("span"));
      name.textContent = curve.name;
      name.title = curve.name;
      return row.appendChild(document.createElement("b"));
    });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && this.seek(event));
    this.canvas.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
    this.canvas.addEventListener("dblclick", () => panel.setRange(panel.fullRange));
  }

  timeAt(event) {
    const [a, b] = this.panel.range;
    const box = this.canvas.getBoundingClientRect();
    const f = (event.clientX - box.left - this.left) / (box.width - this.left - 8);
    return a + Math.min(Math.max(f, 0), 1) * (b - a);
  }

  seek(event) {
    this.panel.onSeek(this.timeAt(event));
  }

  zoom(event) {
    event.preventDefault();
    const at = this.timeAt(event);
    const [a, b] = this.panel.range;
    const factor = event.deltaY < 0 ? 0.8 : 1.25;
    const [low, high] = this.panel.fullRange;
    const least = (high - low) * 1e-4;
    if (factor < 1 && b - a <= least) return;
    this.panel.setRange([Math.max(low, at - (at - a) * factor), Math.min(high, at + (b - at) * factor)]);
  }

  // Prepares the ticks of the value axis; returns the width of their labels [pixels].
  measure() {
    const h = this.canvas.clientHeight;
    const [low, high] = (this.limits = this.bounds(...this.panel.range));
    const context = this.canvas.getContext("2d");
    context.font = FONT;
    this.rows = ticks(low, high, Math.max(2, (h - 30) / 26));
    this.texts = this.rows.map((v) => formatTick(v, this.rows.length > 1 ? this.rows[1] - this.rows[0] : 1));
    return Math.max(34, 10 + Math.max(...this.texts.map((s) => context.measureText(s).width)));
  }

  paint(left) {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    this.left = left;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink"), faint = style.getPropertyValue("--line");
    context.font = FONT;
    const [a, b] = this.panel.range;
    const [low, high] = this.limits;
    const { rows, texts } = this;
    const right = w - 8, top = 6, bottom = h - 18;
    const toX = (t) => this.left + ((t - a) / (b - a)) * (right - this.left);
    const toY = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
    this.frame(context, { toX, toY, rows, texts, a, b, top, bottom, right, ink, faint, w });
    context.save();
    context.beginPath();
    context.rect(this.left, top - 2, right - this.left, bottom - top + 4);
    context.clip();
    this.curves.forEach((curve, i) => this.line(context, curve, i, toX, toY, a, b));
    context.restore();
    context.strokeStyle = ink;
    context.beginPath();
    const x = toX(this.panel.time);
    if (x >= this.left - 1 && x <= right + 1) {
      context.moveTo(x, top);
      context.lineTo(x, bottom);
    }
    context.stroke();
  }

  frame(context, { toX, toY, rows, texts, a, b, top, bottom, right, ink, faint, w }) {
    context.lineWidth = 1;
    context.strokeStyle = faint;
    context.fillStyle = ink;
    context.textAlign = "right";
    context.textBaseline = "middle";
    rows.forEach((v, i) => {
      context.beginPath();
      context.moveTo(this.left, toY(v));
      context.lineTo(right, toY(v));
      context.stroke();
      context.fillText(texts[i], this.left - 5, toY(v));
    });
    const columns = ticks(a, b, Math.max(2, (w - 60) / 70));
    const step = columns.length > 1 ? columns[1] - columns[0] : 1;
    context.textBaseline = "top";
    for (const t of columns) {
      const text = formatTick(t, step) + (t === columns[columns.length - 1] ? " s" : "");
      context.textAlign = toX(t) > right - 14 ? "right" : toX(t) < this.left + 10 ? "left" : "center";
      context.fillText(text, toX(t), bottom + 4);
    }
    context.setLineDash([2, 3]);
    for (const event of this.panel.events) {
      if (event.time < a || event.time > b) continue;
      context.beginPath();
      context.moveTo(toX(event.time), top);
      context.lineTo(toX(event.time), bottom);
      context.stroke();
    }
    context.setLineDash([]);
  }

  bounds(a, b) {
    let low = Infinity, high = -Infinity;
    for (const { times, values } of this.curves) {
      const first = lastRowBefore(times, a), last = Math.min(lastRowBefore(times, b) + 1, times.length - 1);
      for (let k = first; k <= last; k++) {
        low = Math.min(low, values[k] * this.factor);
        high = Math.max(high, values[k] * this.factor);
      }
    }
    const pad = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
    return [low === 0 ? 0 : low - pad, high + pad];
  }

  line(context, { times, values }, i, toX, toY, a, b) {
    context.strokeStyle = curveColour(i);
    context.setLineDash(curveDash(i));
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.beginPath();
    const last = Math.min(lastRowBefore(times, b) + 1, times.length - 1);
    for (let k = lastRowBefore(times, a); k <= last; k++) context.lineTo(toX(times[k]), toY(values[k] * this.factor));
    context.stroke();
  }

  // Returns the value of a curve with its unit as text.
  text(i, t) {
    const { times, values } = this.curves[i];
    return `${formatNumber(valueAt(times, values, t) * this.factor, this.sizes[i] * this.factor)} ${this.unit}`;
  }

  updateReadout(t) {
    this.curves.forEach((curve, i) => {
      this.labels[i].textContent = this.text(i, t);
      this.labels[i].parentElement.firstElementChild.style.background = swatch(i);
    });
  }
}

// All charts, with their common cursor and time range.
class ChartPanel {
  constructor(element, curves, events, fullRange, onSeek) {
    Object.assign(this, { element, events, fullRange, range: fullRange, onSeek, time: fullRange[0], charts: [] });
    this.curves = new Map(curves.map((curve) => [curve.name, curve]));
  }

  selectCurves(names) {
    this.selected = names.filter((name) => this.curves.has(name));
    const groups = new Map();
    for (const name of this.selected) {
      const curve = this.curves.get(name);
      groups.set(curve.unit, [...(groups.get(curve.unit) || []), curve]);
    }
    this.charts = [...groups].map(([unit, curves]) => new Chart(unit, curves, this));
    this.element.replaceChildren(...this.charts.map((chart) => chart.element));
    this.paint();
  }

  setRange(range) {
    this.range = range;
    this.paint();
  }

  moveTo(t) {
    this.time = t;
    const [a, b] = this.range;
    if (t < a || t > b) {
      const width = b - a;
      const start = Math.min(Math.max(t - 0.1 * width, this.fullRange[0]), this.fullRange[1] - width);
      this.range = [start, start + width];
    }
    this.paint();
  }

  paint() {
    const left = Math.max(0, ...this.charts.map((chart) => chart.measure()));
    for (const chart of this.charts) {
      chart.updateReadout(this.time);
      chart.paint(left);
    }
  }
}
