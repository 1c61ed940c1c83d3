// The gallery: search among the tiles, add files, and fetch at leisure what the next page needs.
(() => {
  const search = document.getElementById("search");
  const tiles = [...document.querySelectorAll("a.tile")];
  const sift = () => {
    const word = search.value.trim().toLowerCase();
    for (const tile of tiles) tile.hidden = !tile.dataset.words.includes(word);
  };
  search.addEventListener("input", sift);
  sift(); // the browser may have kept what was typed

  const files = document.getElementById("files");
  const refused = document.getElementById("refused");
  const tell = (text) => {
    const line = Object.assign(document.createElement("p"), { className: "problem", textContent: text });
    line.setAttribute("role", "alert");
    refused.append(line);
  };
  files.addEventListener("change", async () => {
    refused.replaceChildren();
    for (const file of files.files) {
      try {
        const answer = await fetch(`/files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
        if (!answer.ok) tell((await answer.text()).trim());
      } catch {
        tell(`'${file.name}' has not arrived; perhaps it is too large.`);
      }
    }
    files.value = "";
    if (!refused.childElementCount) location.reload();
  });

  addEventListener("load", () => setTimeout(() => {
    for (const href of JSON.parse(document.getElementById("ahead").textContent)) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href }));
    }
  }, 300));
})();
