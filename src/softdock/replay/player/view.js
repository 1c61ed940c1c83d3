// The 3-D view: objects of the GLB, camera presets and the section plane through the cavity.

const CLOSE_VIEWS = ["mechanism", "axis", "section"];
const REACH = 1.6; // radii of the focus to which the close view shows the other side of the mechanism
const MARGIN = 1.15; // of the sphere around the mechanism
const NEAR = 3; // radii of the focus; where the view follows closer than this, placeholders are hidden
const LARGEST_PART = 4; // radii of the focus; larger parts are bodies, not parts of the mechanism
const LINE_OPACITY = 0.75;
const UP = [0, 1, 0];

class View {
  constructor(renderer, glb, canvas) {
    this.renderer = renderer;
    this.glb = glb;
    this.canvas = canvas;
    this.camera = new OrbitCamera(canvas);
    this.camera.onStart = () => (this.isMovedByUser = true); // keep the user's view when the page is resized
    this.clippingPlane = [0, 0, -1, 0];
    this.parts = { cad: [], cavity: [], placeholder: [], link: [], structure: [], force: [] };
    this.preset = "overview";
    this.arePlaceholdersVisible = true;
    this.anchor = [0, 0, 0];
    this.build();
  }

  build() {
    const { document: doc } = this.glb;
    this.meshes = new Map();
    this.objects = doc.nodes.map((node) => ({
      name: node.name,
      translation: node.translation || [0, 0, 0],
      rotation: node.rotation || [0, 0, 0, 1],
      scale: node.scale || [1, 1, 1],
      visible: true,
      children: [],
      parent: null,
      world: transformMatrix([0, 0, 0], [0, 0, 0, 1], [1, 1, 1]),
    }));
    doc.nodes.forEach((node, i) => {
      for (const child of node.children || []) {
        this.objects[i].children.push(this.objects[child]);
        this.objects[child].parent = this.objects[i];
      }
      if (node.mesh !== undefined) this.addMesh(this.objects[i], node, doc.meshes[node.mesh].primitives[0]);
    });
    this.roots = doc.scenes[0].nodes.map((i) => this.objects[i]);
    this.items = this.objects.filter((object) => object.mesh).sort((a, b) => a.order - b.order);
    const focus = doc.scenes[0].extras.focus;
    if (focus) this.focus = { ...focus, object: this.object(focus.node) };
    this.updateMatrices();
  }

  addMesh(object, node, primitive) {
    const { document: doc, read } = this.glb;
    const role = (node.extras || {}).role;
    const isLine = primitive.mode === 1;
    const positions = read(primitive.attributes.POSITION);
    const key = `${primitive.attributes.POSITION} ${primitive.attributes.NORMAL} ${primitive.indices}`;
    if (!this.meshes.has(key) || primitive.targets) {
      const normals = isLine ? null : read(primitive.attributes.NORMAL);
      this.meshes.set(key, this.renderer.upload(positions, normals, read(primitive.indices)));
    }
    object.mesh = this.meshes.get(key);
    object.box = Box.around(positions);
    object.material = materialOf(doc.materials[primitive.material], isLine);
    object.order = role === "cavity" ? 2 : role === "placeholder" ? 3 : 1;
    object.isCavity = role === "cavity" && !isLine;
    if (primitive.targets) {
      const displacements = primitive.targets.map((target) => read(target.POSITION));
      object.morph = { positions, displacements, moved: new Float32Array(positions.length), weights: displacements.map(() => 0) };
    }
    if (role in this.parts) this.parts[role].push(object);
  }

  object(name) {
    const index = this.glb.document.nodes.findIndex((node) => node.extras && node.extras.body === name);
    return this.objects[index];
  }

  positionOf(name) {
    const object = this.object(name);
    return object ? [...object.world.slice(12, 15)] : null;
  }

  updateMatrices() {
    const update = (object, parent) => {
      const own = transformMatrix(object.translation, object.rotation, object.scale);
      object.world = parent ? matrixProduct(parent.world, own) : own;
      object.isShown = object.visible && (!parent || parent.isShown);
      for (const child of object.children) update(child, object);
    };
    for (const root of this.roots) update(root, null);
  }

  moveTo(t) {
    for (const track of this.glb.tracks) applyTrack(track, this.objects[track.node], t);
    for (const object of this.items) if (object.morph) this.deform(object);
    this.updateMatrices();
    if (this.preset === "follow") this.follow();
    const now = this.anchorPosition();
    if (CLOSE_VIEWS.includes(this.preset)) this.camera.moveBy(differenceOf(now, this.anchor));
    this.anchor = now;
    if (this.focus) {
      const { centre, axis } = this.focusInWorld();
      const normal = scaledBy(unitVector(crossProduct(axis, UP)), -1);
      this.clippingPlane = [...normal, -dotProduct(normal, centre)];
    }
  }

  // Moves the vertices of a flexible structure by its displacements times their weights.
  deform({ mesh, morph }) {
    morph.moved.set(morph.positions);
    morph.displacements.forEach((displacement, k) => {
      const weight = morph.weights[k];
      if (weight !== 0) for (let i = 0; i < displacement.length; i++) morph.moved[i] += weight * displacement[i];
    });
    this.renderer.replacePositions(mesh, morph.moved);
  }

  anchorPosition() {
    return this.focus ? this.focusInWorld().centre : [0, 0, 0];
  }

  focusInWorld() {
    const { world } = this.focus.object;
    return { centre: pointIn(world, this.focus.centre), axis: unitVector(rotatedBy(world, this.focus.axis)) };
  }

  // Returns the bounding boxes of parts of some roles that move relative to the focus.
  otherBoxes(...roles) {
    const isOther = (object) => {
      let above = object;
      while (above && above !== this.focus.object) above = above.parent;
      return !above;
    };
    return roles.flatMap((role) => this.parts[role]).filter(isOther).map((object) => object.box.transformed(object.world));
  }

  // Returns the bounding boxes of parts from CAD that move relative to the focus and have about its size: the probe.
  probeBoxes() {
    return this.otherBoxes("cad").filter((box) => box.diagonal < LARGEST_PART * this.focus.radius);
  }

  // Returns centre and radius of a sphere around the port and the nearest point of what approaches it.
  followSphere() {
    const { centre } = this.focusInWorld();
    const small = this.probeBoxes();
    let [nearest, least] = [centre, Infinity];
    for (const box of small.length ? small : this.otherBoxes("cad", "placeholder")) {
      const apart = box.distanceTo(centre);
      if (apart < least) [nearest, least] = [box.nearestTo(centre), apart];
    }
    const apart = lengthOf(differenceOf(nearest, centre));
    return { centre: scaledBy(sumOf(centre, nearest), 0.5), radius: 0.6 * apart + MARGIN * this.focus.radius };
  }

  // Moves the camera with port and probe: towards them as they approach, and around with the docking axis.
  follow() {
    const { centre, radius } = this.followSphere();
    const { axis } = this.focusInWorld();
    const before = this.followed;
    const offset = scaledBy(differenceOf(this.camera.position, this.camera.target), radius / before.radius);
    const turned = turnedWith(before.axis, axis, offset);
    this.camera.place(sumOf(centre, turned), centre, lengthOf(turned));
    this.followed = { radius, axis };
    this.showPlaceholders(radius >= NEAR * this.focus.radius);
  }

  showPlaceholders(areUseful) {
    for (const object of this.parts.placeholder) object.visible = this.arePlaceholdersVisible && areUseful;
  }

  // Tells whether the close views show both sides of the mechanism.
  isProbeInView() {
    const boxes = this.probeBoxes();
    const { centre } = this.focusInWorld();
    return !boxes.length || boxes.some((box) => box.distanceTo(centre) < REACH * this.focus.radius);
  }

  // Returns centre and radius of a sphere around the focus and the parts of the probe that are near it.
  mechanismSphere() {
    const start = this.focusInWorld().centre;
    const half = REACH * this.focus.radius;
    const reach = new Box().add(start.map((x) => x - half)).add(start.map((x) => x + half));
    let [centre, radius] = [start, this.focus.radius * MARGIN];
    for (const corner of this.probeBoxes().flatMap((box) => box.intersection(reach)?.corners() || [])) {
      const away = differenceOf(corner, centre);
      const beyond = (lengthOf(away) - radius) / 2;
      if (beyond <= 0) continue;
      centre = sumOf(centre, scaledBy(unitVector(away), beyond));
      radius += beyond;
    }
    return { centre, radius };
  }

  setPreset(preset) {
    if (!this.focus) preset = "overview";
    if (preset === "section" && !this.parts.cavity.length) preset = "mechanism";
    this.preset = preset;
    this.isMovedByUser = false;
    this.updateMatrices();
    const isNear = this.focus && CLOSE_VIEWS.includes(preset);
    this.showPlaceholders(!isNear);
    let [centre, radius, from] = [null, 0, [-0.55, 0.38, 1]];
    if (isNear) {
      const { centre: focus, axis } = this.focusInWorld();
      ({ centre, radius } = preset === "mechanism" ? this.mechanismSphere() : { centre: focus, radius: this.focus.radius * MARGIN });
      if (preset === "axis") from = scaledBy(axis, -1);
      if (preset === "section") from = sumOf(crossProduct(axis, UP), [0, 0.12, 0]);
    } else if (preset === "follow") {
      ({ centre, radius } = this.followSphere());
      const { axis } = this.focusInWorld();
      from = sumOf(crossProduct(axis, UP), [0, 0.3, 0]);
      this.followed = { radius, axis };
      this.showPlaceholders(radius >= NEAR * this.focus.radius);
    } else {
      const box = this.bounds();
      [centre, radius, from] = [box.centre, Math.max(box.diagonal / 2, 1e-4), [-0.45, 0.4, 1]];
    }
    this.placeCamera(centre, radius, from);
  }

  // Places the camera so that a sphere fills the free area. A hidden page has no area: `Player.resize` does it when it is shown.
  placeCamera(centre, radius, from) {
    const height = this.canvas.parentElement.clientHeight;
    if (!this.freeRectangle || !height) return;
    const [left, top, right, bottom] = this.freeRectangle;
    const fraction = Math.min(right - left, bottom - top) / height;
    const distance = radius / Math.sin(Math.atan(Math.tan(FIELD_OF_VIEW / 2) * fraction));
    this.camera.place(sumOf(centre, scaledBy(unitVector(from), distance)), centre, distance);
    this.anchor = this.anchorPosition();
  }

  bounds() {
    const box = new Box();
    for (const role of ["cad", "cavity", "placeholder", "link", "structure"]) {
      for (const object of this.parts[role]) object.box.transformed(object.world).corners().forEach((corner) => box.add(corner));
    }
    return box;
  }

  // Centres the view in the free area of the canvas: left, top, right, bottom [pixels]; returns false without a size.
  resize(free) {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    if (!w || !h) return false;
    this.freeRectangle = free || [0, 0, w, h];
    const [left, top, right, bottom] = this.freeRectangle;
    this.camera.shift = [(left + right - w) / w, (h - top - bottom) / h];
    this.renderer.setSize(w, h);
    return true;
  }

  render() {
    const isSection = this.preset === "section";
    this.updateMatrices();
    const shown = this.items.filter((object) => object.isShown).map((object) => this.drawItem(object, isSection && object.isCavity));
    // The cut faces of a section: back faces in one flat colour.
    const caps = isSection ? this.items.filter((object) => object.isShown && object.isCavity).map((object) => this.capItem(object)) : [];
    const isOpaque = (item) => item.material.colour[3] >= 1;
    const opaque = [...shown.filter(isOpaque), ...caps];
    const transparent = shown.filter((item) => !isOpaque(item)).sort((a, b) => a.order - b.order || b.distance - a.distance);
    this.renderer.render([...opaque, ...transparent], this.camera, this.clippingPlane);
  }

  drawItem({ mesh, world, material, order, box }, isCut) {
    const distance = lengthOf(differenceOf(pointIn(world, box.centre), this.camera.position));
    return { mesh, matrix: world, material: { ...material, isCut }, order, distance };
  }

  capItem({ mesh, world, material }) {
    const [r, g, b] = material.colour;
    return { mesh, matrix: world, material: { ...material, colour: [r, g, b, 1], side: "back", isFlat: true, isCut: true } };
  }
}

function materialOf(material, isLine) {
  const { baseColorFactor: colour, metallicFactor: metallic, roughnessFactor: roughness } = material.pbrMetallicRoughness;
  if (isLine) return { colour: [...colour.slice(0, 3), LINE_OPACITY], metallic: 0, roughness: 1, side: "both", isFlat: true };
  const opacity = material.alphaMode === "BLEND" ? colour[3] : 1;
  return { colour: [...colour.slice(0, 3), opacity], metallic, roughness, side: material.doubleSided ? "both" : "front", isFlat: false };
}
