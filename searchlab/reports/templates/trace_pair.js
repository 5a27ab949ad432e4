// Follows two searches of one board side by side, expansion by expansion.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("traces").textContent);
  const element = (id) => document.getElementById(id);
  const SPEEDS = [0.5, 1, 2, 4, 8, 16, 64, 256];
  const boards = data.searches.map((search) => search.nodes.map((faces) => faces.join(" ")));
  const numbers = data.searches.map((search, side) => {
    const first = new Map();
    for (const event of search.events) {
      if (search.types[event.t] === "expand" && !first.has(boards[side][event.i])) first.set(boards[side][event.i], event.n);
    }
    return first;
  });

  // When the other search expanded the state of a node.
  function elsewhere(side) {
    return (id) => {
      const number = numbers[1 - side].get(boards[side][id]);
      return [["the other", number === undefined ? "never expands this state" : `expands this state as number ${number.toLocaleString("en")}`]];
    };
  }
  const searches = data.searches.map((search, side) => tracedSearch(search, `-${side}`, elsewhere(side)));

  // For each step of a search the event that is told, and the one up to which everything has happened.
  const steps = searches.map(({ events, expansions, type }) => {
    const until = (from) => {
      let k = from;
      while (k + 1 < events.length && !["expand", "goal", "source", "limit"].includes(type(events[k + 1]))) k++;
      return k;
    };
    const all = [{ told: 0, until: 0 }, ...expansions.map((k) => ({ told: k, until: until(k) }))];
    const last = events.length - 1;
    if (["goal", "limit"].includes(type(events[last]))) all.push({ told: last, until: last });
    return all;
  });
  const end = Math.max(...steps.map((each) => each.length)) - 1;
  element("position").max = element("jump").max = String(end);
  let at = 0;

  function show(number) {
    at = Math.max(0, Math.min(end, number));
    const ended = [];
    searches.forEach((search, side) => {
      const last = steps[side].length - 1, step = steps[side][Math.min(at, last)];
      search.show(step.until, step.told);
      if (at >= last) ended.push(`${data.names[side]} has ended`);
      const event = search.events[search.expansions[Math.max(0, Math.min(at, search.expansions.length) - 1)]];
      const output = element(`value-${side}`);
      if (output) output.textContent = event && at <= search.expansions.length ? search.text(event[data.key]) : "–";
    });
    element("status").textContent = [`expansion ${at.toLocaleString("en")} of ${end.toLocaleString("en")}`, ...ended].join("; ");
    player.update(Math.max(0, Math.min(at - 1, Math.max(...searches.map((search) => search.expansions.length)) - 1)));
  }

  const player = controls({
    end, speeds: SPEEDS, speed: 2, noun: "expansion", position: () => at, show, step: (by) => show(at + by),
    advance: (count) => show(at + count),
    jumpTo: (part) => show(1 + Math.round(part * (Math.max(...searches.map((search) => search.expansions.length)) - 1))),
  });
  document.addEventListener("click", (event) => {
    const card = event.target.closest?.("[data-node]");
    if (!card) return;
    const side = Number(card.closest("[data-search]").dataset.search), search = searches[side];
    const generated = search.generation(Number(card.dataset.node));
    player.play(false);
    show(search.expansions.filter((k) => k <= generated).length);
  });
  show(Number(location.hash.slice(1)) || 0);
})();
