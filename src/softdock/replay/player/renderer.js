// Loads the 3-D library and creates the renderer while the scene is still being loaded.
const softdockRenderer = (async () => {
  const text = document.getElementById("three").textContent;
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const three = await import(address);
  URL.revokeObjectURL(address);
  const canvas = document.getElementById("canvas");
  const renderer = new three.THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
  renderer.localClippingEnabled = true;
  return { three, renderer };
})();
softdockRenderer.catch(() => {}); // the player reports the error
