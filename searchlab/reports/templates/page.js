// The colour scheme: what was chosen here before, else what the reader's system prefers.
(function () {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  const kept = () => { try { return localStorage.getItem("searchlab-theme"); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem("searchlab-theme", theme); } catch { /* not allowed here */ } };
  if (["light", "dark"].includes(kept())) root.dataset.theme = kept();
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const label = () => { button.textContent = isDark() ? "light" : "dark"; button.title = `change to ${button.textContent} colours`; };
    button.hidden = false;
    button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; keep(root.dataset.theme); label(); });
    label();
    // Paper is white.
    window.addEventListener("beforeprint", () => { root.dataset.theme = "light"; });
    window.addEventListener("afterprint", () => { if (kept()) root.dataset.theme = kept(); else delete root.dataset.theme; });
  });
})();
