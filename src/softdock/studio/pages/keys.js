// Forward keys that no element of the page handles to the visible replay, wherever the focus is.
(() => {
  const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], [role=listbox]";
  const TURNED = "[role=tab], [role=slider], [role=radio], [role=menu]"; // arrows move these
  const PRESSED = "button, a, summary, [role=switch], [role=checkbox]";
  const STEPS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
  const SCROLLING = [" ", "ArrowLeft", "ArrowRight", "Home", "End"]; // the page would scroll
  const isTaken = ({ key, target }) =>
    target.closest(TYPING) || (target.closest(TURNED) && STEPS.includes(key)) ||
    ([" ", "Enter"].includes(key) && target.closest(`${PRESSED}, ${TURNED}`));
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (["Tab", "Escape"].includes(event.key) || isTaken(event)) return;
    const seen = [...document.querySelectorAll("iframe.replay")].filter((one) => one.offsetParent);
    if (!seen.length) return;
    if (SCROLLING.includes(event.key)) event.preventDefault();
    // The replay has no origin, so that messages are the only way to it.
    const { key, shiftKey } = event;
    seen[seen.length - 1].contentWindow.postMessage({ softdock: "key", key, shiftKey }, "*");
  });
})();
