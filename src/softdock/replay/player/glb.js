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
function applyTrack(track, object, t, scratch) {
  const { times, values, path } = track;
  const i = lastRowBefore(times, t);
  const f = interpolationFraction(times, i, t);
  const j = f === 0 ? i : i + 1;
  if (path === "weights") {
    const n = values.length / times.length;
    for (let k = 0; k < n; k++) {
      object.morphTargetInfluences[k] = values[n * i + k] + f * (values[n * j + k] - values[n * i + k]);
    }
  } else if (path === "rotation") {
    object.quaternion.fromArray(values, 4 * i);
    if (f > 0) object.quaternion.slerp(scratch.fromArray(values, 4 * j), f);
  } else {
    const target = path === "scale" ? object.scale : object.position;
    const value = (k) => values[3 * i + k] + f * (values[3 * j + k] - values[3 * i + k]);
    target.set(value(0), value(1), value(2));
    if (path === "scale") object.visible = target.x !== 0 || target.y !== 0 || target.z !== 0;
  }
}
