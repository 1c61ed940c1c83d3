// Begins while the scene is still on its way: the 3-D library, and the canvas it draws on.
const softdockStage = (async () => {
  const text = document.getElementById("three").textContent;
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const three = await import(address);
  URL.revokeObjectURL(address);
  const canvas = document.getElementById("canvas");
  const renderer = new three.THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
  renderer.localClippingEnabled = true;
  return { three, renderer };
})();
softdockStage.catch(() => {}); // the player tells it
