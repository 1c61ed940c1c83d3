// The 3-D view: objects of the GLB, lights, camera and the section plane through the cavity.

const CLOSE_VIEWS = ["mechanism", "axis", "section"];
const REACH = 1.6; // radii of the focus to which the close view shows the other side of the mechanism
const LARGEST_PART = 4; // radii of the focus; larger parts are bodies, not parts of the mechanism

class View {
  constructor(three, renderer, glb, canvas) {
    this.THREE = three.THREE;
    this.glb = glb;
    this.canvas = canvas;
    const T = this.THREE;
    this.renderer = renderer;
    this.scene = new T.Scene();
    this.camera = new T.PerspectiveCamera(35, 1, 0.001, 1000);
    this.scene.add(new T.HemisphereLight(0xffffff, 0x8d8d8d, 2.2));
    const lamp = new T.DirectionalLight(0xffffff, 1.9);
    lamp.position.set(0.6, 1.4, 1);
    this.camera.add(lamp);
    this.scene.add(this.camera);
    this.clippingPlane = new T.Plane(new T.Vector3(0, 0, -1), 0);
    this.scratch = new T.Quaternion();
    this.parts = { cad: [], cavity: [], placeholder: [], link: [], structure: [], force: [], caps: [] };
    this.build();
    this.controls = new three.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("start", () => (this.isMovedByUser = true)); // keep the user's view when the page is resized
    this.preset = "overview";
    this.arePlaceholdersVisible = true;
    this.anchor = new T.Vector3();
  }

  build() {
    const T = this.THREE;
    const { document: doc, read, tracks } = this.glb;
    const materials = (doc.materials || []).map((m) => this.material(m));
    this.objects = doc.nodes.map((node) => {
      const object = node.mesh === undefined ? new T.Group() : this.mesh(doc, read, node, materials);
      object.name = node.name;
      if (node.translation) object.position.fromArray(node.translation);
      if (node.rotation) object.quaternion.fromArray(node.rotation);
      if (node.scale) object.scale.fromArray(node.scale);
      return object;
    });
    doc.nodes.forEach((node, i) => (node.children || []).forEach((c) => this.objects[i].add(this.objects[c])));
    doc.scenes[0].nodes.forEach((i) => this.scene.add(this.objects[i]));
    this.tracks = tracks;
    const focus = doc.scenes[0].extras.focus;
    if (focus) {
      const index = doc.nodes.findIndex((node) => node.extras && node.extras.body === focus.node);
      this.focus = { ...focus, object: this.objects[index] };
    }
  }

  material(m) {
    const T = this.THREE;
    const [r, g, b, a] = m.pbrMetallicRoughness.baseColorFactor;
    const out = new T.MeshStandardMaterial({
      color: new T.Color().setRGB(r, g, b),
      metalness: m.pbrMetallicRoughness.metallicFactor,
      roughness: m.pbrMetallicRoughness.roughnessFactor,
      side: m.doubleSided ? T.DoubleSide : T.FrontSide,
    });
    if (m.alphaMode === "BLEND") Object.assign(out, { transparent: true, opacity: a, depthWrite: false });
    return out;
  }

  mesh(doc, read, node, materials) {
    const T = this.THREE;
    const primitive = doc.meshes[node.mesh].primitives[0];
    const geometry = new T.BufferGeometry();
    geometry.setAttribute("position", new T.BufferAttribute(read(primitive.attributes.POSITION), 3));
    geometry.setIndex(new T.BufferAttribute(read(primitive.indices), 1));
    const material = materials[primitive.material];
    const role = (node.extras || {}).role;
    let object;
    if (primitive.mode === 1) {
      const line = new T.LineBasicMaterial({ color: material.color, transparent: true, opacity: 0.75 });
      object = new T.LineSegments(geometry, line);
    } else {
      geometry.setAttribute("normal", new T.BufferAttribute(read(primitive.attributes.NORMAL), 3));
      if (primitive.targets) {
        geometry.morphTargetsRelative = true;
        const displacements = primitive.targets.map((target) => new T.BufferAttribute(read(target.POSITION), 3));
        geometry.morphAttributes.position = displacements;
      }
      object = new T.Mesh(geometry, material);
    }
    object.renderOrder = role === "cavity" ? 2 : role === "placeholder" ? 3 : 1;
    if (role in this.parts) this.parts[role].push(object);
    if (role === "cavity" && primitive.mode !== 1) this.addCap(object, material);
    return object;
  }

  // Adds the section face of a cut object: its back faces in one flat colour.
  addCap(object, material) {
    const T = this.THREE;
    const flat = new T.MeshBasicMaterial({ color: material.color, side: T.BackSide, clippingPlanes: [this.clippingPlane] });
    const cap = new T.Mesh(object.geometry, flat);
    cap.visible = false;
    object.add(cap);
    this.parts.caps.push(cap);
  }

  object(name) {
    const index = this.glb.document.nodes.findIndex((node) => node.extras && node.extras.body === name);
    return this.objects[index];
  }

  positionOf(name) {
    const object = this.object(name);
    return object ? object.getWorldPosition(new this.THREE.Vector3()).toArray() : null;
  }

  moveTo(t) {
    for (const track of this.tracks) applyTrack(track, this.objects[track.node], t, this.scratch);
    this.scene.updateMatrixWorld(true);
    const now = this.anchorPosition();
    if (CLOSE_VIEWS.includes(this.preset)) {
      const moved = now.clone().sub(this.anchor);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
    }
    this.anchor.copy(now);
    if (this.focus) {
      const { centre, axis } = this.focusInWorld();
      const side = new this.THREE.Vector3().crossVectors(axis, new this.THREE.Vector3(0, 1, 0)).normalize();
      this.clippingPlane.setFromNormalAndCoplanarPoint(side.negate(), centre);
    }
  }

  anchorPosition() {
    return this.focus ? this.focusInWorld().centre : new this.THREE.Vector3();
  }

  focusInWorld() {
    const T = this.THREE;
    const centre = new T.Vector3().fromArray(this.focus.centre);
    const axis = new T.Vector3().fromArray(this.focus.axis);
    this.focus.object.localToWorld(centre);
    axis.transformDirection(this.focus.object.matrixWorld);
    return { centre, axis };
  }

  // Returns the bounding boxes of parts from CAD that move relative to the focus and have about its size: the probe.
  probeBoxes() {
    const boxes = [];
    for (const object of this.parts.cad) {
      let above = object;
      while (above && above !== this.focus.object) above = above.parent;
      if (above) continue;
      const own = new this.THREE.Box3().setFromBufferAttribute(object.geometry.attributes.position);
      own.applyMatrix4(object.matrixWorld);
      if (own.getSize(new this.THREE.Vector3()).length() < LARGEST_PART * this.focus.radius) boxes.push(own);
    }
    return boxes;
  }

  // Tells whether the close views show both sides of the mechanism.
  isProbeInView() {
    const boxes = this.probeBoxes();
    const { centre } = this.focusInWorld();
    return !boxes.length || boxes.some((box) => box.distanceToPoint(centre) < REACH * this.focus.radius);
  }

  // Returns the sphere around the focus and the parts of the probe that are near it.
  mechanismSphere() {
    const T = this.THREE;
    const { centre } = this.focusInWorld();
    const sphere = new T.Sphere(centre, this.focus.radius * 1.15);
    const reach = new T.Box3().setFromCenterAndSize(centre, new T.Vector3().setScalar(2 * REACH * this.focus.radius));
    for (const { min, max } of this.probeBoxes().filter((box) => box.intersectsBox(reach)).map((box) => box.intersect(reach))) {
      for (const x of [min.x, max.x]) {
        for (const y of [min.y, max.y]) for (const z of [min.z, max.z]) sphere.expandByPoint(new T.Vector3(x, y, z));
      }
    }
    return sphere;
  }

  setPreset(preset) {
    const T = this.THREE;
    if (!this.focus) preset = "overview";
    if (preset === "section" && !this.parts.cavity.length) preset = "mechanism";
    this.preset = preset;
    this.isMovedByUser = false;
    this.scene.updateMatrixWorld(true);
    let centre, radius, from;
    const near = this.focus && CLOSE_VIEWS.includes(preset);
    if (near) {
      const { centre: c, axis } = this.focusInWorld();
      centre = c;
      radius = this.focus.radius * 1.15;
      if (preset === "mechanism") ({ center: centre, radius } = this.mechanismSphere());
      from = preset === "axis" ? axis.clone().multiplyScalar(-1) : new T.Vector3(-0.55, 0.38, 1);
      if (preset === "section") from = new T.Vector3().crossVectors(axis, new T.Vector3(0, 1, 0)).add(new T.Vector3(0, 0.12, 0));
    } else {
      const box = this.bounds();
      centre = box.getCenter(new T.Vector3());
      radius = Math.max(box.getSize(new T.Vector3()).length() / 2, 1e-4);
      from = new T.Vector3(-0.45, 0.4, 1);
    }
    this.updateVisibility(near);
    this.placeCamera(centre, radius, from);
  }

  updateVisibility(near) {
    for (const object of this.parts.placeholder) object.visible = this.arePlaceholdersVisible && !near;
    const section = this.preset === "section";
    for (const cap of this.parts.caps) cap.visible = section;
    for (const object of this.parts.cavity) {
      if (object.material.clippingPlanes !== undefined) object.material.clippingPlanes = section ? [this.clippingPlane] : null;
      object.material.needsUpdate = true;
    }
  }

  placeCamera(centre, radius, from) {
    const half = (this.camera.fov * Math.PI) / 360;
    const [left, top, right, bottom] = this.freeRectangle;
    const fraction = Math.min(right - left, bottom - top) / this.canvas.parentElement.clientHeight;
    const distance = radius / Math.sin(Math.atan(Math.tan(half) * fraction));
    this.camera.near = distance / 500;
    this.camera.far = distance * 50;
    this.camera.position.copy(centre).addScaledVector(from.normalize(), distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.anchor.copy(this.anchorPosition());
    this.controls.update();
  }

  bounds() {
    const box = new this.THREE.Box3();
    for (const role of ["cad", "cavity", "placeholder", "link", "structure"]) {
      for (const object of this.parts[role]) {
        const own = new this.THREE.Box3().setFromBufferAttribute(object.geometry.attributes.position);
        box.union(own.applyMatrix4(object.matrixWorld));
      }
    }
    return box;
  }

  // Centres the view in the free area of the canvas: left, top, right, bottom [pixels]; returns false without a size.
  resize(free) {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    if (!w || !h) return false;
    this.freeRectangle = free || [0, 0, w, h];
    const [left, top, right, bottom] = this.freeRectangle;
    this.camera.setViewOffset(w, h, (w - left - right) / 2, (h - top - bottom) / 2, w, h);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    return true;
  }

  render() {
    this.renderer.render(this.scene, this.camera);
  }
}
