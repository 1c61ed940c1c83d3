// Theme button (light, dark or system) and unit systems of every page, stored in cookies that the server reads.
(() => {
  const NEXT = { auto: "dark", dark: "light", light: "auto" };
  const NAME = "softdock_dark";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => (document.cookie.match(/softdock_dark=(dark|light)/) || [])[1] || "auto";
  const show = () => {
    const word = chosen();
    const dark = word === "dark" || (word === "auto" && system.matches);
    if (window.setDark) window.setDark(word === "auto" ? null : dark); // pages of NiceGUI
    document.body.classList.toggle("body--dark", dark);
    document.body.classList.toggle("body--light", !dark);
    // A replay has no origin, so that messages are the only way to it.
    for (const replay of document.querySelectorAll("iframe.replay")) {
      replay.contentWindow.postMessage({ softdock: "theme", dark }, "*");
    }
    for (const button of document.querySelectorAll("button.theme")) button.dataset.theme = word;
  };
  document.addEventListener("click", (event) => {
    if (!event.target.closest("button.theme")) return;
    document.cookie = `${NAME}=${NEXT[chosen()]}; path=/; max-age=31536000; samesite=strict`;
    show();
  });
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("select.units")) return;
    document.cookie = `softdock_units=${target.value}; path=/; max-age=31536000; samesite=strict`;
    if (window.emitEvent) window.emitEvent("units", target.value); // pages of NiceGUI
  });
  system.addEventListener("change", show);
  show();
})();
