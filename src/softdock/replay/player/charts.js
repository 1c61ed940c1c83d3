// Charts of recorded quantities: one canvas for each unit, one common cursor, one common range of time.

// Display units by SI unit and colours of curves, from softdock.presentation.
const PRESENTATION = JSON.parse(document.getElementById("presentation").textContent);
const FONT = "11px system-ui, sans-serif";
function isDark() {
  return getComputedStyle(document.documentElement).getPropertyValue("color-scheme").trim() === "dark";
}

function colourOf(i) {
  const palette = PRESENTATION[isDark() ? "dark" : "light"];
  return palette[i % palette.length];
}

// The unit to show so that the largest value is at least 1, if there is one.
function shownUnit(unit, largest) {
  const choices = PRESENTATION.units[unit] || [[unit, 1]];
  return choices.find(([, factor]) => largest * factor >= 1) || choices[choices.length - 1];
}

// A number with as many digits as the size of its curve makes sense of; they do not jump while it plays.
function numberText(value, size) {
  if (!Number.isFinite(value)) return "–";
  if (size > 0 && (size >= 1e6 || size < 1e-4)) return value === 0 ? "0" : value.toExponential(2);
  const digits = size > 0 ? Math.max(0, Math.min(7, 3 - Math.floor(Math.log10(size)))) : 0;
  return value.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");
}

// Round steps that divide a range into about `count` parts.
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * power >= raw) * power;
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(k * step);
  return out;
}

function tickText(value, step) {
  const digits = Math.max(0, Math.min(8, -Math.floor(Math.log10(step || 1) + 1e-9)));
  return (Math.abs(value) < 1e-12 * step ? 0 : value).toFixed(digits);
}

class Chart {
  constructor(unit, curves, deck) {
    this.deck = deck;
    this.curves = curves;
    this.sizes = curves.map((c) => c.values.reduce((m, v) => Math.max(m, Math.abs(v)), 0));
    [this.unit, this.factor] = shownUnit(unit, Math.max(...this.sizes));
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
    this.canvas.addEventListener("dblclick", () => deck.show(deck.whole));
  }

  timeAt(event) {
    const [a, b] = this.deck.range;
    const box = this.canvas.getBoundingClientRect();
    const f = (event.clientX - box.left - this.left) / (box.width - this.left - 8);
    return a + Math.min(Math.max(f, 0), 1) * (b - a);
  }

  seek(event) {
    this.deck.onseek(this.timeAt(event));
  }

  zoom(event) {
    event.preventDefault();
    const at = this.timeAt(event);
    const [a, b] = this.deck.range;
    const factor = event.deltaY < 0 ? 0.8 : 1.25;
    const [low, high] = this.deck.whole;
    const least = (high - low) * 1e-4;
    if (factor < 1 && b - a <= least) return;
    this.deck.show([Math.max(low, at - (at - a) * factor), Math.min(high, at + (b - at) * factor)]);
  }

  // Prepares the marks of the value axis; returns the room that their texts need.
  measure() {
    const h = this.canvas.clientHeight;
    const [low, high] = (this.limits = this.bounds(...this.deck.range));
    const pen = this.canvas.getContext("2d");
    pen.font = FONT;
    this.rows = ticks(low, high, Math.max(2, (h - 30) / 26));
    this.texts = this.rows.map((v) => tickText(v, this.rows.length > 1 ? this.rows[1] - this.rows[0] : 1));
    return Math.max(34, 10 + Math.max(...this.texts.map((s) => pen.measureText(s).width)));
  }

  paint(left) {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    this.left = left;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink"), faint = style.getPropertyValue("--line");
    pen.font = FONT;
    const [a, b] = this.deck.range;
    const [low, high] = this.limits;
    const { rows, texts } = this;
    const right = w - 8, top = 6, bottom = h - 18;
    const X = (t) => this.left + ((t - a) / (b - a)) * (right - this.left);
    const Y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
    this.frame(pen, { X, Y, rows, texts, a, b, top, bottom, right, ink, faint, w });
    pen.save();
    pen.beginPath();
    pen.rect(this.left, top - 2, right - this.left, bottom - top + 4);
    pen.clip();
    this.curves.forEach((curve, i) => this.line(pen, curve, colourOf(i), X, Y, a, b));
    pen.restore();
    pen.strokeStyle = ink;
    pen.beginPath();
    const x = X(this.deck.time);
    if (x >= this.left - 1 && x <= right + 1) {
      pen.moveTo(x, top);
      pen.lineTo(x, bottom);
    }
    pen.stroke();
  }

  frame(pen, { X, Y, rows, texts, a, b, top, bottom, right, ink, faint, w }) {
    pen.lineWidth = 1;
    pen.strokeStyle = faint;
    pen.fillStyle = ink;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    rows.forEach((v, i) => {
      pen.beginPath();
      pen.moveTo(this.left, Y(v));
      pen.lineTo(right, Y(v));
      pen.stroke();
      pen.fillText(texts[i], this.left - 5, Y(v));
    });
    const columns = ticks(a, b, Math.max(2, (w - 60) / 70));
    const step = columns.length > 1 ? columns[1] - columns[0] : 1;
    pen.textBaseline = "top";
    for (const t of columns) {
      const text = tickText(t, step) + (t === columns[columns.length - 1] ? " s" : "");
      pen.textAlign = X(t) > right - 14 ? "right" : X(t) < this.left + 10 ? "left" : "center";
      pen.fillText(text, X(t), bottom + 4);
    }
    pen.setLineDash([2, 3]);
    for (const event of this.deck.events) {
      if (event.time < a || event.time > b) continue;
      pen.beginPath();
      pen.moveTo(X(event.time), top);
      pen.lineTo(X(event.time), bottom);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  bounds(a, b) {
    let low = Infinity, high = -Infinity;
    for (const { times, values } of this.curves) {
      const first = rowBefore(times, a), last = Math.min(rowBefore(times, b) + 1, times.length - 1);
      for (let k = first; k <= last; k++) {
        low = Math.min(low, values[k] * this.factor);
        high = Math.max(high, values[k] * this.factor);
      }
    }
    const pad = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
    return [low === 0 ? 0 : low - pad, high + pad];
  }

  line(pen, { times, values }, colour, X, Y, a, b) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    const last = Math.min(rowBefore(times, b) + 1, times.length - 1);
    for (let k = rowBefore(times, a); k <= last; k++) pen.lineTo(X(times[k]), Y(values[k] * this.factor));
    pen.stroke();
  }

  // Value of a curve with its unit.
  text(i, t) {
    const { times, values } = this.curves[i];
    return `${numberText(valueAt(times, values, t) * this.factor, this.sizes[i] * this.factor)} ${this.unit}`;
  }

  tell(t) {
    this.curves.forEach((curve, i) => {
      this.labels[i].textContent = this.text(i, t);
      this.labels[i].parentElement.firstElementChild.style.background = colourOf(i);
    });
  }
}

// All charts with their common cursor and range.
class Deck {
  constructor(element, curves, events, whole, onseek) {
    Object.assign(this, { element, events, whole, range: whole, onseek, time: whole[0], charts: [] });
    this.curves = new Map(curves.map((curve) => [curve.name, curve]));
  }

  choose(names) {
    this.chosen = names.filter((name) => this.curves.has(name));
    const groups = new Map();
    for (const name of this.chosen) {
      const curve = this.curves.get(name);
      groups.set(curve.unit, [...(groups.get(curve.unit) || []), curve]);
    }
    this.charts = [...groups].map(([unit, curves]) => new Chart(unit, curves, this));
    this.element.replaceChildren(...this.charts.map((chart) => chart.element));
    this.paint();
  }

  show(range) {
    this.range = range;
    this.paint();
  }

  moveTo(t) {
    this.time = t;
    const [a, b] = this.range;
    if (t < a || t > b) {
      const width = b - a;
      const start = Math.min(Math.max(t - 0.1 * width, this.whole[0]), this.whole[1] - width);
      this.range = [start, start + width];
    }
    this.paint();
  }

  paint() {
    const left = Math.max(0, ...this.charts.map((chart) => chart.measure()));
    for (const chart of this.charts) {
      chart.tell(this.time);
      chart.paint(left);
    }
  }
}
