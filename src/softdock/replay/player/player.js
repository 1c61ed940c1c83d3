// The player: one clock drives the 3-D view, the charts and the readout.

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const LONG_RUN = 60; // seconds; a longer run is first played faster, and slowly at its events
const SLOW_FACTOR = 0.1; // fraction of the chosen speed near events
const MAX_MARKS = 300;
const NARROW = 700; // pixels; a narrower view shows fewer numbers
const NO_WEBGL = "This browser has no 3-D graphics (WebGL is missing or disabled). The charts and the time line still work.";
const $ = (id) => document.getElementById(id);
const element = (tag, options = {}) => Object.assign(document.createElement(tag), options);

class Player {
  constructor(data) {
    this.data = data;
    this.start = data.start;
    this.end = data.end;
    this.time = data.start;
    this.playing = false;
    this.speed = 1;
    this.panel = new ChartPanel($("charts"), decodeCurves(data), data.events, [this.start, this.end], (t) => this.seek(t));
    this.fillHeader();
    this.fillEvents();
    this.fillChannels();
    this.addListeners();
    this.panel.selectCurves(data.charts.flat());
    this.seek(this.start);
  }

  async startView() {
    try {
      this.view = new View(await softdockRenderer, parseGlb(decodeBase64($("glb").textContent)), $("canvas"));
    } catch (error) {
      console.warn(`No 3-D view: ${error.message}`);
      document.body.classList.add("flat");
      $("error").textContent = NO_WEBGL;
      $("error").hidden = false;
      for (const button of document.querySelectorAll("[data-view]")) button.disabled = true;
      this.panel.paint();
      return;
    }
    for (const view of ["follow", ...CLOSE_VIEWS]) {
      document.querySelector(`[data-view="${view}"]`).hidden = !this.view.focus;
    }
    document.querySelector("[data-view=section]").hidden = !this.view.parts.cavity.length;
    $("bodies").hidden = !this.view.parts.placeholder.length;
    this.updateReadout(); // its size changes the free area
    this.arrangeMarks();
    this.view.resize(this.freeArea());
    this.view.moveTo(0);
    const first = this.view.focus && (this.view.isProbeInView() ? "mechanism" : "follow");
    this.setView(first || "overview");
    this.view.camera.onChange = () => this.requestPaint();
  }

  fillHeader() {
    const { title, name, outcome, message, program, notes } = this.data;
    document.title = `${name || title}: replay`;
    $("title").textContent = title || name;
    $("outcome").textContent = outcome.replaceAll("_", " ");
    $("message").textContent = message;
    $("about").textContent = [...notes, program].join(" ");
  }

  // Creates event marks on the time line; labels are distributed over rows so that they do not overlap.
  fillEvents() {
    const rows = [];
    this.marks = this.data.events.slice(0, MAX_MARKS).map((event) => {
      const at = (100 * (event.time - this.start)) / (this.end - this.start || 1);
      const mark = element("button", { className: "mark", type: "button", title: `${event.time.toFixed(4)} s: ${event.message || event.name}` });
      mark.style.left = `${Math.min(Math.max(at, 0), 100)}%`;
      mark.append(element("span", { textContent: event.name.replaceAll("_", " ") }));
      mark.addEventListener("click", () => this.seek(event.time));
      $("marks").append(mark);
      return { mark, at };
    });
    this.arrangeMarks = () => {
      rows.length = 0;
      const width = $("marks").clientWidth || 1000;
      for (const { mark, at } of this.marks) {
        const label = mark.firstElementChild;
        label.hidden = false;
        const x = (at / 100) * width;
        const wide = label.offsetWidth + 8;
        const left = Math.min(x, width - wide);
        let row = rows.findIndex((end) => end <= left);
        if (row < 0) row = rows.length;
        label.hidden = row > 2;
        if (row <= 2) rows[row] = left + wide;
        label.style.left = `${left - x}px`;
        label.style.top = `${14 + 15 * row}px`;
      }
      $("marks").style.height = `${18 + 15 * Math.min(Math.max(rows.length, 1), 3)}px`;
    };
  }

  fillChannels() {
    const list = $("channel-list");
    const boxes = [];
    for (const { name, unit } of this.panel.curves.values()) {
      const label = element("label");
      const box = element("input", { type: "checkbox", value: name });
      box.addEventListener("change", () => {
        this.panel.selectCurves(boxes.filter((b) => b.checked).map((b) => b.value));
        this.updateReadout();
      });
      boxes.push(box);
      label.append(box, element("span", { textContent: name }), element("small", { textContent: unit === "1" ? "" : unit }));
      list.append(label);
    }
    const shown = new Set(this.data.charts.flat());
    for (const box of boxes) box.checked = shown.has(box.value);
    $("filter").addEventListener("input", () => {
      const words = $("filter").value.toLowerCase().split(/\s+/);
      for (const box of boxes) {
        const name = box.value.toLowerCase();
        box.parentElement.hidden = !words.every((word) => name.includes(word));
      }
    });
  }

  addListeners() {
    $("play").addEventListener("click", () => this.toggle());
    for (const speed of SPEEDS) $("speed").append(element("option", { value: speed, textContent: `${speed}×` }));
    const duration = this.end - this.start;
    this.setSpeed(SPEEDS.find((speed) => speed >= 1 && duration / speed <= LONG_RUN) || SPEEDS.at(-1));
    $("slow").checked = duration > LONG_RUN;
    $("speed").addEventListener("change", () => this.setSpeed(Number($("speed").value)));
    const line = $("line");
    Object.assign(line, { min: 0, max: 10000, step: 1, value: 0 });
    line.addEventListener("input", () => this.seek(this.start + (line.value / 10000) * (this.end - this.start)));
    for (const button of document.querySelectorAll("[data-view]")) {
      button.addEventListener("click", () => this.setView(button.dataset.view));
    }
    $("bodies").addEventListener("click", () => this.togglePlaceholders());
    $("theme").addEventListener("click", () => this.toggleTheme());
    $("channels").addEventListener("click", () => this.toggleChannels());
    $("help").addEventListener("click", () => $("keys").toggleAttribute("hidden"));
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("message", ({ source, data }) => { // keys and theme of the page around this one
      if (source !== parent) return;
      if (data?.softdock === "theme") this.setTheme(data.dark ? "dark" : "light");
      if (data?.softdock !== "key") return;
      this.key({ key: String(data.key), shiftKey: !!data.shiftKey, target: document.body, preventDefault() {} });
    });
    new ResizeObserver(() => this.resize()).observe(document.body);
    new ResizeObserver(() => this.resize()).observe($("stage"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.requestPaint());
  }

  key(event) {
    const tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || (tag === "INPUT" && event.target.type === "search")) return;
    const step = (this.end - this.start) * (event.shiftKey ? 0.02 : 0.002);
    const actions = {
      " ": () => this.toggle(), k: () => this.toggle(),
      ArrowLeft: () => this.seek(this.time - step), ArrowRight: () => this.seek(this.time + step),
      Home: () => this.seek(this.start), End: () => this.seek(this.end),
      n: () => this.jumpToEvent(1), p: () => this.jumpToEvent(-1),
      "+": () => this.changeSpeed(1), "-": () => this.changeSpeed(-1),
      1: () => this.setView("overview"), 2: () => this.setView("mechanism"), 3: () => this.setView("axis"), 4: () => this.setView("section"),
      5: () => this.setView("follow"),
      b: () => this.togglePlaceholders(), c: () => this.toggleChannels(), t: () => this.toggleTheme(),
      s: () => $("slow").click(), "?": () => $("keys").toggleAttribute("hidden"),
      Escape: () => { $("picker").hidden = true; $("keys").hidden = true; },
    };
    const action = actions[event.key] || actions[event.key.toLowerCase()];
    if (!action || (event.key === " " && (tag === "BUTTON" || tag === "SELECT" || event.target.type === "checkbox"))) return;
    if (tag === "SELECT" && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    action();
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.start;
    $("play").textContent = this.playing ? "❚❚" : "►";
    $("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.last = undefined;
    this.requestPaint();
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = String(speed);
  }

  changeSpeed(by) {
    const i = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.min(Math.max(i, 0), SPEEDS.length - 1)]);
  }

  jumpToEvent(by) {
    const times = this.data.events.map((event) => event.time);
    const slack = 1e-6 * (this.end - this.start);
    const next = by > 0 ? times.find((t) => t > this.time + slack) : times.findLast((t) => t < this.time - slack);
    if (next !== undefined) this.seek(next);
  }

  setView(preset) {
    if (!this.view) return;
    this.view.setPreset(preset);
    for (const button of document.querySelectorAll("[data-view]")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === this.view.preset));
    }
    this.requestPaint();
  }

  togglePlaceholders() {
    if (!this.view) return;
    this.view.arePlaceholdersVisible = !this.view.arePlaceholdersVisible;
    for (const object of this.view.parts.placeholder) object.visible = this.view.arePlaceholdersVisible;
    $("bodies").setAttribute("aria-pressed", String(this.view.arePlaceholdersVisible));
    this.requestPaint();
  }

  toggleTheme() {
    this.setTheme(isDark() ? "light" : "dark");
  }

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    this.requestPaint();
  }

  toggleChannels() {
    $("picker").toggleAttribute("hidden");
    if (!$("picker").hidden) $("filter").focus();
  }

  seek(t) {
    this.time = Math.min(Math.max(t, this.start), this.end);
    this.requestPaint();
  }

  // Paints at the next animation frame; repeated requests before it are merged.
  requestPaint() {
    if (this.isPaintRequested) return;
    this.isPaintRequested = true;
    requestAnimationFrame((now) => {
      this.isPaintRequested = false;
      this.advance(now);
      this.paint();
      if (this.playing) this.requestPaint();
    });
  }

  advance(now) {
    if (!this.playing) return;
    const elapsed = this.last === undefined ? 0 : Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const range = 0.012 * (this.end - this.start);
    const slow = $("slow").checked && this.data.events.some((e) => Math.abs(e.time - this.time) < range);
    this.time += elapsed * this.speed * (slow ? SLOW_FACTOR : 1);
    if (this.time >= this.end) {
      this.time = this.end;
      this.toggle();
    }
  }

  paint() {
    const part = (this.time - this.start) / (this.end - this.start || 1);
    $("line").value = String(Math.round(10000 * part));
    $("line").setAttribute("aria-valuetext", `${this.time.toFixed(3)} s`);
    $("line").style.setProperty("--part", `${100 * part}%`);
    this.updateReadout();
    this.panel.moveTo(this.time);
    if (this.view) {
      this.view.moveTo(this.time - this.start);
      this.view.render();
    }
  }

  // Updates the readout: time, last event, and the first quantities of each chart.
  updateReadout() {
    $("clock").textContent = `${this.time.toFixed(this.end - this.start < 1 ? 4 : 3)} s`;
    const slack = 1e-9 * (this.end - this.start);
    const event = this.data.events.findLast((e) => e.time <= this.time + slack);
    $("latest").textContent = event ? event.message || event.name : "";
    const perChart = $("stage").clientWidth < NARROW ? 1 : 2; // the chart legends show all
    const rows = this.panel.charts.flatMap((chart) => chart.curves.slice(0, perChart).map((curve, i) => {
      const row = element("div");
      row.append(element("span", { textContent: curve.name }), element("b", { textContent: chart.text(i, this.time) }));
      return row;
    }));
    $("numbers").replaceChildren(...rows);
  }

  resize() {
    this.arrangeMarks();
    if (this.view && this.view.resize(this.freeArea()) && !this.view.isMovedByUser) this.view.setPreset(this.view.preset);
    this.requestPaint();
  }

  // Returns the larger area not covered by readout and buttons: beside or below the readout.
  freeArea() {
    const { clientWidth: w, clientHeight: h } = $("stage");
    const corner = $("corner");
    const right = $("views").offsetLeft - 6;
    const beside = [corner.offsetLeft + corner.offsetWidth + 6, 0, right, h];
    const below = [0, corner.offsetTop + corner.offsetHeight + 6, right, h];
    const size = ([a, b, c, d]) => Math.min(c - a, d - b);
    const best = size(beside) >= size(below) ? beside : below;
    return size(best) > 0.3 * Math.min(w, h) ? best : [0, 0, w, h];
  }
}

function decodeCurves(data) {
  const bytes = decodeBase64($("curves").textContent);
  let at = 0;
  const readFloats = (n) => {
    const out = new Float32Array(bytes.buffer, at, n);
    at += 4 * n;
    return out;
  };
  return data.curves.map(({ name, unit, points }) => ({ name, unit, times: readFloats(points).map((t) => t + data.start), values: readFloats(points) }));
}

if ($("data")) {
  document.body.classList.add("ready");
  const player = new Player(JSON.parse($("data").textContent));
  window.softdock = player;
  player.ready = player.startView();
}
