// Follows one search event by event, or from expansion to expansion.
(function () {
  "use strict";
  const element = (id) => document.getElementById(id);
  const search = tracedSearch(JSON.parse(element("trace").textContent));
  const { events, end, expansions, onPath, type, text } = search;
  const SPEEDS = [1, 2, 4, 8, 16, 64, 256];
  let at = 0;

  function show(number) {
    at = Math.max(0, Math.min(end, number));
    search.show(at);
    const place = Math.max(0, search.expanded() - 1);
    const expanded = events[expansions[place]];
    ["h", "f"].filter((key) => expansions.some((k) => key in events[k])).forEach((key, k) => {
      const output = element(`value-${k}`);
      if (output) output.textContent = expanded ? text(expanded[key]) : "";
    });
    player.update(place);
  }

  function find(from, by, fits) {
    for (let k = from + by; k >= 0 && k <= end; k += by) if (fits(events[k])) return k;
    return by > 0 ? end : 0;
  }
  const isExpansion = (event) => type(event) === "expand" || type(event) === "goal";
  const step = (by) => show(isByExpansion() ? find(at, by, isExpansion) : at + by);

  const isByExpansion = () => element("unit").value === "expand";
  function advance(steps) {
    let to = at;
    if (isByExpansion()) for (let k = 0; k < steps; k++) to = find(to, 1, isExpansion);
    else to += steps;
    show(to);
  }
  const player = controls({
    end, speeds: SPEEDS, speed: 4, noun: "event", position: () => at, show, step, advance,
    jumpTo: (part) => show(expansions[Math.max(0, Math.min(expansions.length - 1, Math.round((expansions.length - 1) * part)))]),
    keys: {
      e: () => show(find(at, 1, isExpansion)),
      n: () => show(find(at, 1, (event) => isExpansion(event) && onPath.has(event.i))),
    },
  });
  document.addEventListener("click", (event) => {
    const card = event.target.closest?.("[data-node]");
    if (!card) return;
    player.play(false);
    show(search.generation(Number(card.dataset.node)));
  });
  show(wholeAddress.get());
})();
