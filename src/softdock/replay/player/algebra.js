// Vectors [x, y, z], quaternions [x, y, z, w] and 4 x 4 matrices of 16 numbers, column by column.

const sumOf = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const differenceOf = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaledBy = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dotProduct = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const crossProduct = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const lengthOf = (a) => Math.hypot(a[0], a[1], a[2]);
const unitVector = (a) => scaledBy(a, 1 / (lengthOf(a) || 1));

function matrixProduct(a, b) {
  const out = new Float64Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

// Returns the matrix of a scaling, then a rotation, then a translation.
function transformMatrix([x, y, z], [qx, qy, qz, qw], [sx, sy, sz]) {
  return Float64Array.of(
    sx * (1 - 2 * (qy * qy + qz * qz)), sx * 2 * (qx * qy + qz * qw), sx * 2 * (qx * qz - qy * qw), 0,
    sy * 2 * (qx * qy - qz * qw), sy * (1 - 2 * (qx * qx + qz * qz)), sy * 2 * (qy * qz + qx * qw), 0,
    sz * 2 * (qx * qz + qy * qw), sz * 2 * (qy * qz - qx * qw), sz * (1 - 2 * (qx * qx + qy * qy)), 0,
    x, y, z, 1,
  );
}

// Returns a vector rotated as the unit vector a is when it is turned to b the shortest way.
function turnedWith(a, b, v) {
  const axis = crossProduct(a, b);
  const cosine = dotProduct(a, b);
  if (cosine < -0.999999) return v; // half a turn has no shortest way
  const across = crossProduct(axis, v);
  return sumOf(sumOf(scaledBy(v, cosine), across), scaledBy(axis, dotProduct(axis, v) / (1 + cosine)));
}

const rotatedBy = (m, v) => [0, 1, 2].map((row) => m[row] * v[0] + m[4 + row] * v[1] + m[8 + row] * v[2]);
const pointIn = (m, p) => sumOf(rotatedBy(m, p), [m[12], m[13], m[14]]);

// Returns the cofactors of the upper 3 x 3 matrix, column by column: they transform normals, also under scaling.
function normalMatrix(m) {
  const [a, b, c] = [0, 4, 8].map((i) => [m[i], m[i + 1], m[i + 2]]);
  return Float32Array.of(...crossProduct(b, c), ...crossProduct(c, a), ...crossProduct(a, b));
}

// Spherical linear interpolation between two unit quaternions, the shorter way.
function slerp(a, b, fraction) {
  const cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const angle = Math.acos(Math.min(Math.abs(cosine), 1));
  const near = angle < 1e-4;
  const p = near ? 1 - fraction : Math.sin((1 - fraction) * angle) / Math.sin(angle);
  const q = (near ? fraction : Math.sin(fraction * angle) / Math.sin(angle)) * (cosine < 0 ? -1 : 1);
  const mixed = a.map((value, i) => p * value + q * b[i]);
  const length = Math.hypot(...mixed);
  return mixed.map((value) => value / length);
}

// An axis-aligned box, empty at first.
class Box {
  constructor() {
    this.min = [Infinity, Infinity, Infinity];
    this.max = [-Infinity, -Infinity, -Infinity];
  }

  add(point) {
    for (let k = 0; k < 3; k++) {
      this.min[k] = Math.min(this.min[k], point[k]);
      this.max[k] = Math.max(this.max[k], point[k]);
    }
    return this;
  }

  static around(points) {
    const box = new Box();
    for (let i = 0; i < points.length; i += 3) box.add([points[i], points[i + 1], points[i + 2]]);
    return box;
  }

  corners() {
    const { min, max } = this;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2]]);
  }

  transformed(matrix) {
    const box = new Box();
    for (const corner of this.corners()) box.add(pointIn(matrix, corner));
    return box;
  }

  get centre() {
    return scaledBy(sumOf(this.min, this.max), 0.5);
  }

  get diagonal() {
    return lengthOf(differenceOf(this.max, this.min));
  }

  distanceTo(point) {
    return lengthOf(point.map((x, k) => Math.max(this.min[k] - x, 0, x - this.max[k])));
  }

  nearestTo(point) {
    return point.map((x, k) => Math.min(Math.max(x, this.min[k]), this.max[k]));
  }

  // Returns the common part of two boxes; null if there is none.
  intersection(other) {
    const box = new Box();
    box.min = this.min.map((x, k) => Math.max(x, other.min[k]));
    box.max = this.max.map((x, k) => Math.min(x, other.max[k]));
    return box.min.every((x, k) => x <= box.max[k]) ? box : null;
  }
}
