// The gallery: search, file upload, and prefetching of files that other pages need.
(() => {
  const search = document.getElementById("search");
  const tiles = [...document.querySelectorAll("a.tile")];
  const filter = () => {
    const word = search.value.trim().toLowerCase();
    for (const tile of tiles) tile.hidden = !tile.dataset.words.includes(word);
  };
  search.addEventListener("input", filter);
  filter(); // the browser may have restored the text

  const files = document.getElementById("files");
  const problems = document.getElementById("problems");
  const showProblem = (text) => {
    const line = Object.assign(document.createElement("p"), { className: "problem", textContent: text });
    line.setAttribute("role", "alert");
    problems.append(line);
  };
  files.addEventListener("change", async () => {
    problems.replaceChildren();
    for (const file of files.files) {
      try {
        const answer = await fetch(`/files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
        if (!answer.ok) showProblem((await answer.text()).trim());
      } catch {
        showProblem(`'${file.name}' could not be uploaded; it may be too large.`);
      }
    }
    files.value = "";
    if (!problems.childElementCount) location.reload();
  });

  addEventListener("load", () => setTimeout(() => {
    for (const href of JSON.parse(document.getElementById("prefetched").textContent)) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href }));
    }
  }, 300));
})();
