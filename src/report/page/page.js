// Shows one step at a time. Without this script all of them stand below one another.
(() => {
  "use strict";
  const steps = [...document.querySelectorAll(".step")];
  const controls = document.querySelector(".controls");
  if (!controls || steps.length < 2) return;
  const links = [...document.querySelectorAll("nav a")];
  const buttons = [...controls.querySelectorAll("button")];
  const now = document.getElementById("now");
  const last = steps.length - 1;
  let at = 0;
  let all = false;

  const draw = () => {
    steps.forEach((step, n) => { step.hidden = !all && n !== at; });
    links.forEach((link, n) => {
      if (n === at) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    for (const button of buttons) {
      const go = button.dataset.go;
      if (go === "all") {
        button.setAttribute("aria-pressed", String(all));
        continue;
      }
      // Not `disabled`: a button keeps the focus when its end is reached.
      const over = go === "first" || go === "previous" ? at === 0 : at === last;
      button.setAttribute("aria-disabled", String(over));
    }
    now.textContent = steps[at].querySelector("h3").textContent + " (of " + last + ")";
    const list = document.querySelector("nav");
    const row = links[at].closest("li");
    const above = row.offsetTop - list.offsetTop;
    if (above < list.scrollTop) list.scrollTop = above;
    const below = above + row.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below;
  };

  const go = (to) => {
    at = Math.max(0, Math.min(last, to));
    draw();
    if (all) steps[at].scrollIntoView({ block: "start" });
    try { history.replaceState(null, "", "#step-" + at); } catch { /* A file may have no address. */ }
  };

  const named = () => {
    const found = /^#step-(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) : 0;
  };

  for (const button of buttons) {
    button.addEventListener("click", () => {
      const to = { first: 0, previous: at - 1, next: at + 1, last }[button.dataset.go];
      if (to !== undefined) return go(to);
      all = !all;
      draw();
    });
  }
  links.forEach((link, n) => link.addEventListener("click", (event) => {
    event.preventDefault();
    go(n);
  }));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // There the keys scroll.
    if (event.target.closest && event.target.closest(".wide")) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    go(at + by);
  });
  addEventListener("hashchange", () => go(named()));

  controls.hidden = false;
  document.documentElement.classList.add("stepping");
  at = Math.min(last, named());
  draw();
})();
