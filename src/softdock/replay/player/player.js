// The player: one clock moves the view, the charts and the numbers.

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const SLOW_AT_EVENTS = 0.1; // of the chosen speed
const MOST_MARKS = 300;
const NARROW = 700; // pixels of a stage on which the numbers stand in a strip
const NO_WEBGL = "This browser shows no 3-D graphics (WebGL is missing or switched off). The charts below the time line work all the same.";
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
    this.deck = new Deck($("charts"), unpackCurves(data), data.events, [this.start, this.end], (t) => this.seek(t));
    this.fillHead();
    this.fillEvents();
    this.fillChannels();
    this.wire();
    this.deck.choose(data.charts.flat());
    this.seek(this.start);
  }

  async startView() {
    try {
      const { three, renderer } = await softdockStage;
      this.view = new View(three, renderer, parseGlb(bytesOfBase64($("glb").textContent)), $("canvas"));
    } catch (error) {
      console.warn(`No 3-D view: ${error.message}`);
      document.body.classList.add("flat");
      $("trouble").textContent = NO_WEBGL;
      $("trouble").hidden = false;
      for (const button of document.querySelectorAll("[data-view]")) button.disabled = true;
      this.deck.paint();
      return;
    }
    for (const view of NEAR_VIEWS) {
      document.querySelector(`[data-view="${view}"]`).hidden = !this.view.focus;
    }
    document.querySelector("[data-view=section]").hidden = !this.view.parts.cavity.length;
    $("bodies").hidden = !this.view.parts["stand-in"].length;
    this.tell(); // the numbers leave less room than there was without them
    this.arrange();
    this.view.resize(this.free());
    this.view.moveTo(0);
    this.look(this.view.focus ? "mechanism" : "overview");
    this.view.controls.addEventListener("change", () => this.ask());
  }

  fillHead() {
    const { title, name, outcome, message, program, notes } = this.data;
    document.title = `${name || title}: replay`;
    $("title").textContent = title || name;
    $("outcome").textContent = outcome.replaceAll("_", " ");
    $("message").textContent = message;
    $("about").textContent = [...notes, program].join(" ");
  }

  // Marks on the time line; names share rows so that they do not cover each other.
  fillEvents() {
    const rows = [];
    this.marks = this.data.events.slice(0, MOST_MARKS).map((event) => {
      const at = (100 * (event.time - this.start)) / (this.end - this.start || 1);
      const mark = element("button", { className: "mark", type: "button", title: `${event.time.toFixed(4)} s: ${event.message || event.name}` });
      mark.style.left = `${Math.min(Math.max(at, 0), 100)}%`;
      mark.append(element("span", { textContent: event.name.replaceAll("_", " ") }));
      mark.addEventListener("click", () => this.seek(event.time));
      $("marks").append(mark);
      return { mark, at };
    });
    this.arrange = () => {
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
    for (const { name, unit } of this.deck.curves.values()) {
      const label = element("label");
      const box = element("input", { type: "checkbox", value: name });
      box.addEventListener("change", () => {
        this.deck.choose(boxes.filter((b) => b.checked).map((b) => b.value));
        this.tell();
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

  wire() {
    $("play").addEventListener("click", () => this.toggle());
    for (const speed of SPEEDS) $("speed").append(element("option", { value: speed, textContent: `${speed}×` }));
    this.setSpeed(1);
    $("speed").addEventListener("change", () => this.setSpeed(Number($("speed").value)));
    const line = $("line");
    Object.assign(line, { min: 0, max: 10000, step: 1, value: 0 });
    line.addEventListener("input", () => this.seek(this.start + (line.value / 10000) * (this.end - this.start)));
    for (const button of document.querySelectorAll("[data-view]")) {
      button.addEventListener("click", () => this.look(button.dataset.view));
    }
    $("bodies").addEventListener("click", () => this.toggleBodies());
    $("theme").addEventListener("click", () => this.toggleTheme());
    $("channels").addEventListener("click", () => this.toggleChannels());
    $("help").addEventListener("click", () => $("keys").toggleAttribute("hidden"));
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(document.body);
    new ResizeObserver(() => this.resize()).observe($("stage"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.ask());
  }

  key(event) {
    const tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || (tag === "INPUT" && event.target.type === "search")) return;
    const step = (this.end - this.start) * (event.shiftKey ? 0.02 : 0.002);
    const actions = {
      " ": () => this.toggle(), k: () => this.toggle(),
      ArrowLeft: () => this.seek(this.time - step), ArrowRight: () => this.seek(this.time + step),
      Home: () => this.seek(this.start), End: () => this.seek(this.end),
      n: () => this.jump(1), p: () => this.jump(-1),
      "+": () => this.faster(1), "-": () => this.faster(-1),
      1: () => this.look("overview"), 2: () => this.look("mechanism"), 3: () => this.look("axis"), 4: () => this.look("section"),
      b: () => this.toggleBodies(), c: () => this.toggleChannels(), t: () => this.toggleTheme(),
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
    this.ask();
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = String(speed);
  }

  faster(by) {
    const i = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.min(Math.max(i, 0), SPEEDS.length - 1)]);
  }

  jump(by) {
    const times = this.data.events.map((event) => event.time);
    const slack = 1e-6 * (this.end - this.start);
    const next = by > 0 ? times.find((t) => t > this.time + slack) : times.findLast((t) => t < this.time - slack);
    if (next !== undefined) this.seek(next);
  }

  look(preset) {
    if (!this.view) return;
    this.view.look(preset);
    for (const button of document.querySelectorAll("[data-view]")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === this.view.preset));
    }
    this.ask();
  }

  toggleBodies() {
    if (!this.view) return;
    this.view.bodiesShown = !this.view.bodiesShown;
    for (const object of this.view.parts["stand-in"]) object.visible = this.view.bodiesShown;
    $("bodies").setAttribute("aria-pressed", String(this.view.bodiesShown));
    this.ask();
  }

  toggleTheme() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    this.ask();
  }

  toggleChannels() {
    $("picker").toggleAttribute("hidden");
    if (!$("picker").hidden) $("filter").focus();
  }

  seek(t) {
    this.time = Math.min(Math.max(t, this.start), this.end);
    this.ask();
  }

  // Draw at the next frame; nothing is drawn while nothing changes.
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => {
      this.asked = false;
      this.advance(now);
      this.paint();
      if (this.playing) this.ask();
    });
  }

  advance(now) {
    if (!this.playing) return;
    const passed = this.last === undefined ? 0 : Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const near = 0.012 * (this.end - this.start);
    const slow = $("slow").checked && this.data.events.some((e) => Math.abs(e.time - this.time) < near);
    this.time += passed * this.speed * (slow ? SLOW_AT_EVENTS : 1);
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
    this.tell();
    this.deck.moveTo(this.time);
    if (this.view) {
      this.view.moveTo(this.time - this.start);
      this.view.render();
    }
  }

  // Numbers in the corner: time, what has happened last, and the first quantity of each chart.
  tell() {
    $("clock").textContent = `${this.time.toFixed(this.end - this.start < 1 ? 4 : 3)} s`;
    const slack = 1e-9 * (this.end - this.start);
    const event = this.data.events.findLast((e) => e.time <= this.time + slack);
    $("latest").textContent = event ? event.message || event.name : "";
    const many = $("stage").clientWidth < NARROW ? 1 : 2; // of each chart, whose own captions tell them all
    const rows = this.deck.charts.flatMap((chart) => chart.curves.slice(0, many).map((curve, i) => {
      const row = element("div");
      row.append(element("span", { textContent: curve.name }), element("b", { textContent: chart.text(i, this.time) }));
      return row;
    }));
    $("numbers").replaceChildren(...rows);
  }

  resize() {
    this.arrange();
    if (this.view && this.view.resize(this.free()) && !this.view.turned) this.view.look(this.view.preset);
    this.ask();
  }

  // The larger part of the stage that numbers and buttons leave free: beside the numbers or below them.
  free() {
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

function unpackCurves(data) {
  const bytes = bytesOfBase64($("curves").textContent);
  let at = 0;
  const take = (n) => {
    const out = new Float32Array(bytes.buffer, at, n);
    at += 4 * n;
    return out;
  };
  return data.curves.map(({ name, unit, points }) => ({ name, unit, times: take(points).map((t) => t + data.start), values: take(points) }));
}

if ($("data")) {
  document.body.classList.add("ready");
  const player = new Player(JSON.parse($("data").textContent));
  window.softdock = player;
  player.ready = player.startView();
}
