// Reader of GLB files written by Softdock: nodes, meshes, materials and the keyframes of the animation.

const ARRAYS = { 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const WIDTHS = { SCALAR: 1, VEC3: 3, VEC4: 4 };

function decodeBase64(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function parseGlb(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const jsonLength = view.getUint32(12, true);
  const document_ = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + jsonLength)));
  const binary = bytes.byteOffset + 28 + jsonLength;
  const read = (index) => {
    const accessor = document_.accessors[index];
    const start = binary + (document_.bufferViews[accessor.bufferView].byteOffset || 0);
    return new ARRAYS[accessor.componentType](bytes.buffer, start, accessor.count * WIDTHS[accessor.type]);
  };
  const tracks = [];
  for (const animation of document_.animations || []) {
    for (const channel of animation.channels) {
      const sampler = animation.samplers[channel.sampler];
      const { node, path } = channel.target;
      tracks.push({ node, path, times: read(sampler.input), values: read(sampler.output) });
    }
  }
  return { document: document_, read, tracks };
}

// Returns the index of the last time that is not after t.
function lastRowBefore(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return times.length > 1 && times[high] <= t ? high : low;
}

function interpolationFraction(times, i, t) {
  if (i + 1 >= times.length || t <= times[i]) return 0;
  return Math.min((t - times[i]) / (times[i + 1] - times[i]), 1);
}

// Returns the value of a curve at time t by linear interpolation.
function valueAt(times, values, t) {
  const i = lastRowBefore(times, t);
  const f = interpolationFraction(times, i, t);
  return f === 0 ? values[i] : values[i] + f * (values[i + 1] - values[i]);
}

// Applies the keyframes of a track to an object at time t: linear interpolation, spherical linear for rotations.
function applyTrack({ times, values, path }, object, t) {
  const i = lastRowBefore(times, t);
  const f = interpolationFraction(times, i, t);
  const j = f === 0 ? i : i + 1;
  const width = values.length / times.length;
  const row = (k) => Array.from(values.subarray(width * k, width * (k + 1)));
  const [before, after] = [row(i), row(j)];
  const value = path === "rotation" ? slerp(before, after, f) : before.map((x, k) => x + f * (after[k] - x));
  if (path === "weights") object.morph.weights = value;
  else object[path] = value;
  if (path === "scale") object.visible = value.some((x) => x !== 0);
}
