// Drawing of triangles and lines by WebGL 2: one shader with two lights, one plane that may cut parts.

const VERTEX_SHADER = `#version 300 es
in vec3 position;
in vec3 normal;
uniform mat4 model, view, projection;
uniform mat3 normals;
out vec3 worldPosition, worldNormal;
void main() {
  vec4 p = model * vec4(position, 1.0);
  worldPosition = p.xyz;
  worldNormal = normals * normal;
  gl_Position = projection * view * p;
}`;

// Lambert and GGX (B. Walter et al., Microfacet models for refraction through rough surfaces, 2007) with a light beside
// the camera, and light from above and below. Colours are linear and are encoded as sRGB (IEC 61966-2-1) at the end.
const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec3 worldPosition, worldNormal;
uniform vec4 colour;
uniform vec2 surface; // roughness, metallic
uniform vec3 eye, lamp;
uniform vec4 plane;
uniform bool isCut, isFlat;
out vec4 result;
const float PI = 3.14159265;
const float LAMP = 0.62, SKY = 0.72, GROUND = 0.19;

float ggx(float nh, float nl, float nv, float a2) {
  float d = nh * nh * (a2 - 1.0) + 1.0;
  float shadow = nl * sqrt(a2 + (1.0 - a2) * nv * nv) + nv * sqrt(a2 + (1.0 - a2) * nl * nl);
  return a2 / (PI * d * d) * 0.5 / max(shadow, 1e-4);
}

vec3 shaded() {
  vec3 n = normalize(worldNormal), v = normalize(eye - worldPosition);
  if (dot(n, v) < 0.0) n = -n;
  vec3 h = normalize(lamp + v);
  float nl = max(dot(n, lamp), 0.0), nv = max(dot(n, v), 1e-3), nh = max(dot(n, h), 0.0);
  vec3 ambient = vec3(mix(GROUND, SKY, 0.5 + 0.5 * n.y));
  vec3 f0 = mix(vec3(0.04), colour.rgb, surface.y);
  vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(h, v), 0.0), 5.0);
  vec3 diffuse = colour.rgb * (1.0 - surface.y) * (ambient + LAMP * nl);
  float a = surface.x * surface.x;
  return diffuse + PI * LAMP * nl * ggx(nh, nl, nv, a * a) * fresnel + f0 * ambient * surface.y;
}

void main() {
  if (isCut && dot(plane.xyz, worldPosition) + plane.w < 0.0) discard;
  vec3 linear = clamp(isFlat ? colour.rgb : shaded(), 0.0, 1.0);
  vec3 encoded = mix(12.92 * linear, 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, linear));
  result = vec4(encoded, colour.a);
}`;

const ATTRIBUTES = ["position", "normal"];
const UNIFORMS = ["model", "view", "projection", "normals", "colour", "surface", "eye", "lamp", "plane", "isCut", "isFlat"];

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("WebGL 2 is not available");
    this.program = this.buildProgram();
    this.uniforms = Object.fromEntries(UNIFORMS.map((name) => [name, this.gl.getUniformLocation(this.program, name)]));
  }

  buildProgram() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX_SHADER], [gl.FRAGMENT_SHADER, FRAGMENT_SHADER]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    ATTRIBUTES.forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) || "no shader");
    return program;
  }

  // Stores a mesh in the memory of the graphics device. `normals` are null for lines.
  upload(positions, normals, indices) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = [positions, normals].map((values, i) => {
      if (!values) return null;
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
      return buffer;
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    const type = indices instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT;
    return { array, buffer: buffers[0], count: indices.length, type, mode: normals ? gl.TRIANGLES : gl.LINES };
  }

  replacePositions(mesh, positions) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, positions);
  }

  setSize(width, height) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.floor(width * ratio);
    this.canvas.height = Math.floor(height * ratio);
  }

  // Draws items {mesh, matrix, material} in their order; `camera` has position, view and projection matrix.
  render(items, camera, plane) {
    const { gl, uniforms: u } = this;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.depthMask(true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(u.view, false, new Float32Array(camera.view));
    gl.uniformMatrix4fv(u.projection, false, new Float32Array(camera.projection));
    gl.uniform3fv(u.eye, camera.position);
    gl.uniform3fv(u.lamp, camera.lamp);
    gl.uniform4fv(u.plane, plane);
    for (const item of items) this.draw(item);
    gl.bindVertexArray(null);
  }

  draw({ mesh, matrix, material }) {
    const { gl, uniforms: u } = this;
    const [r, g, b, opacity] = material.colour;
    const setEnabled = (state, isEnabled) => (isEnabled ? gl.enable(state) : gl.disable(state));
    setEnabled(gl.BLEND, opacity < 1);
    gl.depthMask(opacity >= 1);
    setEnabled(gl.CULL_FACE, material.side !== "both");
    gl.cullFace(material.side === "back" ? gl.FRONT : gl.BACK);
    gl.uniformMatrix4fv(u.model, false, new Float32Array(matrix));
    gl.uniformMatrix3fv(u.normals, false, normalMatrix(matrix));
    gl.uniform4f(u.colour, r, g, b, opacity);
    gl.uniform2f(u.surface, material.roughness, material.metallic);
    gl.uniform1i(u.isCut, material.isCut ? 1 : 0);
    gl.uniform1i(u.isFlat, material.isFlat ? 1 : 0);
    gl.bindVertexArray(mesh.array);
    gl.drawElements(mesh.mode, mesh.count, mesh.type, 0);
  }
}

// Creates the renderer while the scene is still being loaded.
const softdockRenderer = (async () => new Renderer(document.getElementById("canvas")))();
softdockRenderer.catch(() => {}); // the player reports the error
