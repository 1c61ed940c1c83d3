// Camera that is turned, moved and zoomed around a target by mouse, touch and wheel; the y axis points up.

const FIELD_OF_VIEW = (35 * Math.PI) / 180;
const LAMP_DIRECTION = [0.6, 1.4, 1]; // in camera axes
const POLE_DISTANCE = 0.01; // rad between the view and the vertical
const WHEEL_STEP = 0.001; // logarithm of the distance per unit of the wheel

class OrbitCamera {
  constructor(canvas) {
    this.canvas = canvas;
    this.position = [0, 0, 1];
    this.target = [0, 0, 0];
    this.near = 0.001;
    this.far = 1000;
    this.shift = [0, 0]; // of the centre of the view, as fractions of half the canvas
    this.onStart = () => {};
    this.onChange = () => {};
    this.pointers = new Map();
    canvas.style.touchAction = "none";
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  get distance() {
    return lengthOf(differenceOf(this.position, this.target));
  }

  // Right, up and backward directions of the camera in the world.
  get axes() {
    const back = unitVector(differenceOf(this.position, this.target));
    const right = unitVector(crossProduct([0, 1, 0], back));
    return [right, crossProduct(back, right), back];
  }

  get lamp() {
    const [right, up, back] = this.axes;
    const [x, y, z] = LAMP_DIRECTION;
    return unitVector(sumOf(sumOf(scaledBy(right, x), scaledBy(up, y)), scaledBy(back, z)));
  }

  get view() {
    const [r, u, b] = this.axes;
    const p = this.position;
    return Float64Array.of(
      r[0], u[0], b[0], 0, r[1], u[1], b[1], 0, r[2], u[2], b[2], 0,
      -dotProduct(r, p), -dotProduct(u, p), -dotProduct(b, p), 1,
    );
  }

  get projection() {
    const f = 1 / Math.tan(FIELD_OF_VIEW / 2);
    const aspect = this.canvas.clientWidth / (this.canvas.clientHeight || 1) || 1;
    const depth = this.near - this.far;
    return Float64Array.of(
      f / aspect, 0, 0, 0, 0, f, 0, 0, -this.shift[0], -this.shift[1], (this.far + this.near) / depth, -1,
      0, 0, (2 * this.far * this.near) / depth, 0,
    );
  }

  // Returns a point of the world in device coordinates: x and y from -1 to 1.
  project(point) {
    const p = pointIn(this.view, point);
    const m = this.projection;
    return [0, 1].map((k) => (m[5 * k] * p[k] + m[8 + k] * p[2]) / -p[2]);
  }

  place(position, target, distance) {
    this.position = position;
    this.target = target;
    this.near = distance / 500;
    this.far = distance * 50;
  }

  moveBy(offset) {
    this.position = sumOf(this.position, offset);
    this.target = sumOf(this.target, offset);
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.onStart();
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const now = [event.clientX, event.clientY];
    const [x, y] = [now[0] - before[0], now[1] - before[1]];
    this.pointers.set(event.pointerId, now);
    if (others.length) { // two fingers: their distance zooms, their middle moves
      const spread = (place) => Math.hypot(place[0] - others[0][0], place[1] - others[0][1]) || 1;
      this.zoom(spread(before) / spread(now));
      this.pan(x / 2, y / 2);
    } else if (event.buttons & 6 || event.ctrlKey || event.shiftKey || event.metaKey) this.pan(x, y);
    else this.turn(x, y);
    this.onChange();
  }

  wheel(event) {
    event.preventDefault();
    this.onStart();
    this.zoom(Math.exp(WHEEL_STEP * event.deltaY * (event.deltaMode === 1 ? 30 : 1)));
    this.onChange();
  }

  turn(x, y) {
    const { distance } = this;
    const [dx, dy, dz] = differenceOf(this.position, this.target);
    const scale = (2 * Math.PI) / this.canvas.clientHeight;
    const azimuth = Math.atan2(dx, dz) - scale * x;
    const polar = Math.acos(Math.min(Math.max(dy / distance, -1), 1)) - scale * y;
    const limited = Math.min(Math.max(polar, POLE_DISTANCE), Math.PI - POLE_DISTANCE);
    const offset = [Math.sin(limited) * Math.sin(azimuth), Math.cos(limited), Math.sin(limited) * Math.cos(azimuth)];
    this.position = sumOf(this.target, scaledBy(offset, distance));
  }

  pan(x, y) {
    const [right, up] = this.axes;
    const scale = (2 * this.distance * Math.tan(FIELD_OF_VIEW / 2)) / this.canvas.clientHeight;
    this.moveBy(sumOf(scaledBy(right, -scale * x), scaledBy(up, scale * y)));
  }

  zoom(factor) {
    this.position = sumOf(this.target, scaledBy(differenceOf(this.position, this.target), factor));
  }
}
