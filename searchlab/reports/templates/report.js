// A report: its plots and its table of runs for other choices, one run in full, and players. The state is in the address.
"use strict";
(function () {
  const PAGE = 100, LISTED = 500;

  // The state of the page as `name=value&…` in the address; an address like `#runs-0` is a place on the page.
  const state = {
    all: () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : ""),
    set(name, value) {
      const all = state.all();
      if (value === "" || value === null) all.delete(name); else all.set(name, value);
      const text = all.toString();
      try { history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search); } catch { /* not allowed here */ }
    },
  };

  function make(name, attributes = {}, content = []) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...[content].flat());
    return node;
  }

  function table(head, rows, texts = []) {
    const cell = (name) => (content, k) => make(name, { ...(name === "th" ? { scope: "col" } : {}), ...(texts[k] ? { class: "name" } : {}) }, content);
    return make("div", { class: "scroll" }, make("table", { class: "grid" }, [
      make("thead", {}, make("tr", {}, head.map(cell("th")))),
      make("tbody", {}, rows.map((row) => make("tr", {}, row.map(cell("td"))))),
    ]));
  }

  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  function experiment(root) {
    const number = root.dataset.number;
    const part = (name) => root.querySelector(`[data-part="${name}"]`);
    const key = (name) => (number === "0" ? name : `${number}.${name}`);
    const get = (name) => state.all().get(key(name)) ?? "";
    const set = (name, value) => state.set(key(name), value);
    let loading = null;

    // What needs the runs waits until somebody comes near it.
    function load() {
      loading ??= columnar.unpack(part("data").textContent).then((data) => start(data));
      return loading;
    }
    const packed = part("data").textContent;
    if (packed) {
      const watch = new IntersectionObserver((seen) => { if (seen.some((each) => each.isIntersecting)) { watch.disconnect(); load(); } }, { rootMargin: "300px" });
      for (const name of ["plots", "runs"]) if (part(name)) watch.observe(part(name));
      if ([...state.all().keys()].some((name) => name === key(name.split(".").pop()))) load();
    }

    // What the others are compared with: all rows are there.
    const base = part("base");
    if (base) {
      const update = () => {
        base.value = get("base") || "0";
        for (const row of root.querySelectorAll("[data-group]")) row.hidden = row.dataset.group !== base.value;
      };
      base.addEventListener("change", () => { set("base", base.value === "0" ? "" : base.value); update(); });
      window.addEventListener("hashchange", update);
      base.closest("p").hidden = false;
      update();
    }

    function start(data) {
      const columns = data.columns.map(columnar.column), named = new Map(columns.map((each) => [each.name, each]));
      const numberOf = named.get("run").at, rowOf = new Map(Array.from({ length: data.rows }, (_, row) => [numberOf(row), row]));
      const configuration = columnar.column(data.configuration), caseOf = columnar.column(data.case);
      const updates = [...startPlots(), startTable()];
      const refresh = () => updates.forEach((update) => update());
      window.addEventListener("hashchange", refresh);
      refresh();

      // The value of a run, null if it has none: as in Python, `values_of`.
      function valueOf(metric) {
        const own = named.get(metric.name), status = named.get("status");
        return (row) => {
          const value = own.at(row);
          if (value === null || !Number.isFinite(value)) return null;
          if (metric.statuses && !metric.statuses.includes(status.at(row))) return null;
          return value;
        };
      }

      // A value as it stands on an axis: as in Python, `with_place`.
      function withPlace(metric) {
        return (value) => (value === null || metric.smallest === null ? value : Math.max(value, metric.smallest));
      }

      function rowsOf(place) {
        return Array.from({ length: data.rows }, (_, row) => row).filter((row) => configuration.at(row) === place);
      }

      function startPlots() {
        return [...root.querySelectorAll("[data-plot]")].filter((host) => host.querySelector("[data-part=drawing]")).map((host) => {
          const { plot: kind, metric: preset } = host.dataset, form = host.querySelector("form");
          const choice = (name) => form.querySelector(`[data-choice="${name}"]`);
          const presets = { metric: preset, x: data.configurations[0], y: data.configurations[1] };
          const options = { metric: data.metrics.map((each) => each.name), x: data.configurations, y: data.configurations };
          for (const select of form.querySelectorAll("select")) {
            select.replaceChildren(...options[select.dataset.choice].map((each) => make("option", { value: each }, each)));
          }
          form.hidden = false;
          form.addEventListener("submit", (event) => event.preventDefault());
          form.addEventListener("change", (event) => {
            const name = event.target.dataset.choice;
            set(`${kind}-${name}`, event.target.value === presets[name] ? "" : event.target.value);
            update();
          });
          const behind = host.querySelector("[data-part=behind]");
          let shown = null;
          behind.addEventListener("toggle", () => { if (behind.open) listBehind(); });
          function listBehind() {
            const [head, rows, more] = shown.behind();
            behind.replaceChildren(behind.firstElementChild, table(head, rows, [true]), ...(more ? [make("p", { class: "note" }, more)] : []));
          }
          function update() {
            for (const select of form.querySelectorAll("select")) {
              const wanted = get(`${kind}-${select.dataset.choice}`), preset = presets[select.dataset.choice];
              select.value = options[select.dataset.choice].includes(wanted) ? wanted : preset;
            }
            const metric = data.metrics.find((each) => each.name === choice("metric").value);
            shown = kind === "cactus" ? cactus(metric) : scatter(metric, choice("x").value, choice("y").value);
            const drawing = plots.draw(shown.chart, data.dashes);
            host.querySelector("[data-part=drawing]").replaceChildren(drawing.svg, plots.legend(shown.chart, data.dashes, drawing.svg), ...shown.chart.notes.map((note) => make("p", { class: "note" }, note)));
            const pick = host.querySelector(".pick");
            pick.textContent = "";
            if (shown.say) {
              const near = (event) => plots.nearest(drawing, shown.chart.series[0], event);
              drawing.svg.addEventListener("pointermove", (event) => { const at = near(event); pick.textContent = at === null ? "" : shown.say(at); });
              drawing.svg.addEventListener("click", (event) => { const at = near(event); if (at !== null) showRun(shown.run(at)); });
            }
            if (behind.open) listBehind();
          }
          return update;
        });
      }

      function cactus(metric) {
        const value = valueOf(metric), axis = metric.plain, status = named.get("status");
        const series = data.configurations.map((name, style) => {
          const values = rowsOf(style).filter((row) => status.at(row) === "solved").map(value).map(withPlace(metric)).filter((each) => each !== null).sort((a, b) => a - b);
          return {
            name: `${name} (${values.length.toLocaleString("en")})`, mark: "steps", style, values,
            x: values.length ? [values[0], ...values, axis.rail ? axis.rail.begin : axis.high] : [],
            y: values.length ? [0, ...values.map((_, k) => k + 1), values.length] : [],
          };
        });
        const behind = () => [
          [`${metric.label}, at most`, ...series.map((each) => each.name)],
          axis.ticks.map((tick) => [tick.label, ...series.map((each) => each.values.filter((one) => one <= tick.value).length.toLocaleString("en"))]),
        ];
        const chart = { title: `runs solved over ${metric.label}`, x: { ...axis, label: metric.label }, y: data.counts, series, rules: [], notes: ["the curve rises by one for each run solved within that budget; in brackets: runs solved"] };
        return { chart, behind };
      }

      function scatter(metric, xName, yName) {
        const value = valueOf(metric), board = named.get("board_name"), seed = named.get("seed");
        const sides = [xName, yName].map((name) => {
          const byCase = new Map();
          for (const row of rowsOf(data.configurations.indexOf(name))) {
            const its = caseOf.at(row);
            if (!byCase.has(its)) byCase.set(its, []);
            byCase.get(its).push(row);
          }
          return byCase;
        });
        const pairs = [...sides[0]].flatMap(([its, rows]) => (sides[1].get(its) ?? []).slice(0, rows.length).map((other, k) => [rows[k], other]));
        const values = [0, 1].map((side) => pairs.map((pair) => value(pair[side])));
        const name = ([row]) => (board.at(row) ?? (seed.at(row) === null ? `run ${numberOf(row)}` : `seed ${seed.at(row)}`));
        const said = (each) => (each === null ? metric.axis.rail.label : each.toLocaleString("en", { maximumSignificantDigits: 6 }));
        const missing = values.map((side) => side.filter((each) => each === null).length);
        const notes = [`${count(pairs.length, "pair")} of runs; each point is one`];
        if (missing[0] + missing[1]) notes.push(`on the marked borders, ${metric.axis.rail.label}: ${xName} ${missing[0].toLocaleString("en")}, ${yName} ${missing[1].toLocaleString("en")}`);
        notes.push(`below the diagonal ${metric.better === "low" ? yName : xName} is better: ${metric.comparative}`);
        const chart = {
          title: metric.label, square: true, rules: metric.rules, notes,
          x: { ...metric.axis, label: xName }, y: { ...metric.axis, label: yName },
          series: [{ name: "", mark: "points", style: 0, x: values[0].map(withPlace(metric)), y: values[1].map(withPlace(metric)) }],
        };
        const behind = () => [
          ["", xName, yName],
          pairs.slice(0, LISTED).map((pair, k) => [name(pair), said(values[0][k]), said(values[1][k])]),
          pairs.length > LISTED ? `and ${count(pairs.length - LISTED, "more pair")}` : "",
        ];
        return {
          chart, behind, run: (k) => numberOf(pairs[k][0]),
          say: (k) => `${name(pairs[k])}: ${xName} ${said(values[0][k])}, ${yName} ${said(values[1][k])}`,
        };
      }

      // The table of runs: filtered, sorted, in pages.
      function startTable() {
        const input = part("filter"), host = part("rows"), panel = part("run");
        let rows = [], chosen = [];
        const all = Array.from({ length: data.rows }, (_, row) => row);
        part("table-choices").hidden = false;
        input.addEventListener("input", () => { set("filter", input.value.trim()); set("page", ""); update(); });
        part("columns").replaceChildren(...columns.map((each) => {
          const box = make("input", { type: "checkbox", value: each.name });
          box.addEventListener("change", () => {
            const names = [...part("columns").querySelectorAll("input:checked")].map((one) => one.value);
            const kept = chosen.filter((one) => names.includes(one)), all = [...kept, ...names.filter((one) => !kept.includes(one))];
            set("columns", all.join() === data.shown.join() ? "" : all.join());
            update();
          });
          return make("label", {}, [box, " ", each.name]);
        }));
        part("before").addEventListener("click", () => turn(-1));
        part("after").addEventListener("click", () => turn(1));
        part("copy").addEventListener("click", copy);
        part("save").addEventListener("click", save);
        host.addEventListener("click", (event) => {
          const button = event.target.closest("button");
          if (button?.dataset.sort) sortBy(button.dataset.sort);
          if (button?.dataset.run) showRun(Number(button.dataset.run));
        });

        function turn(by) { const page = (Number(get("page")) || 1) + by; set("page", page === 1 ? "" : page); update(); }

        function sortBy(name) {
          const now = get("sort");
          set("sort", now === name ? `-${name}` : now === `-${name}` ? "" : name);
          set("page", "");
          update(`[data-sort="${CSS.escape(name)}"]`);
        }

        const text = () => columnar.csv(rows, chosen.map((name) => named.get(name)));

        async function copy() {
          try {
            await navigator.clipboard.writeText(text());
            tell(`${count(rows.length, "row")} copied`);
          } catch {
            tell("the browser does not let this page copy: save them");
          }
        }

        function save() {
          const address = URL.createObjectURL(new Blob([text()], { type: "text/csv" }));
          make("a", { href: address, download: "runs.csv" }).click();
          setTimeout(() => URL.revokeObjectURL(address), 1000);
        }

        function tell(said) { part("count").textContent = said; }

        function update(focus = "") {
          const filter = get("filter"), sort = get("sort"), names = get("columns").split(",").filter((name) => named.has(name));
          chosen = names.length ? names : data.shown;
          if (document.activeElement !== input) input.value = filter;
          for (const box of part("columns").querySelectorAll("input")) box.checked = chosen.includes(box.value);
          input.removeAttribute("aria-invalid");
          let wrong = "";
          try {
            rows = all.filter(columnar.filter(filter, columns));
          } catch (error) {
            wrong = error.message;
            rows = all;
            input.setAttribute("aria-invalid", "true");
          }
          const by = named.get(sort.replace(/^-/, ""));
          if (by) rows = columnar.sorted(rows, by, sort.startsWith("-"));
          const pages = Math.max(1, Math.ceil(rows.length / PAGE)), page = Math.min(pages, Math.max(1, Number(get("page")) || 1));
          const shown = rows.slice((page - 1) * PAGE, page * PAGE);
          const of = chosen.map((name) => named.get(name)), current = Number(get("run"));
          const head = of.map((each) => make("th", {
            scope: "col", ...(each.kind === "text" || each.kind === "flag" ? { class: "name" } : {}),
            ...(each === by ? { "aria-sort": sort.startsWith("-") ? "descending" : "ascending" } : {}),
          }, make("button", { type: "button", "data-sort": each.name }, each.name)));
          const line = (row) => make("tr", numberOf(row) === current ? { "aria-current": "true" } : {}, of.map((each) => make(
            "td", each.kind === "text" || each.kind === "flag" ? { class: "name", title: each.text(row) } : {},
            each.name === "run" ? make("button", { type: "button", "data-run": numberOf(row) }, each.text(row)) : each.text(row),
          )));
          host.replaceChildren(make("div", { class: "scroll" }, make("table", { class: "grid runs" }, [
            make("thead", {}, make("tr", {}, head)), make("tbody", {}, shown.map(line)),
          ])));
          tell(wrong || (rows.length === data.rows ? count(rows.length, "run") : `${rows.length.toLocaleString("en")} of ${count(data.rows, "run")}`));
          part("pages").hidden = pages === 1;
          part("page").textContent = `page ${page.toLocaleString("en")} of ${pages.toLocaleString("en")}`;
          part("before").disabled = page === 1;
          part("after").disabled = page === pages;
          drawRun(current, panel);
          const own = host.querySelector("tr[aria-current]");
          if (own) own.after(make("tr", { class: "detail" }, make("td", { colspan: chosen.length }, panel)));
          else host.before(panel);
          if (focus) host.querySelector(focus)?.focus();
        }
        startTable.update = update;
        return update;
      }

      function showRun(run) {
        set("run", get("run") === String(run) ? "" : run);
        startTable.update();
        if (!get("run")) return;
        part("run").scrollIntoView({ block: "nearest" });
        part("run").focus({ preventScroll: true });
      }

      // One run: every column, its boards, the command that shows it.
      function drawRun(run, panel) {
        const row = rowOf.get(run);
        panel.hidden = row === undefined;
        if (panel.hidden) return;
        const facts = columns.filter((each) => each.at(row) !== null).map((each) => make("div", {}, [make("dt", {}, each.name), make("dd", {}, each.text(row))]));
        const boards = ["board", "final"].map((name) => [name === "final" ? "at the end" : "board", name === "board" && image(row) || picture(named.get(name)?.at(row) ?? "")]).filter(([, drawn]) => drawn);
        const isWatched = root.querySelector(`[data-watch="${run}"]`);
        // A search without a solution has nothing to view.
        const command = data.games || named.get("status").at(row) === "solved" ? "view" : "results";
        const watch = make("button", { type: "button" }, "watch");
        watch.addEventListener("click", () => isWatched.click());
        panel.replaceChildren(
          make("h4", {}, `Run ${run.toLocaleString("en")}`),
          make("div", { class: "boards" }, boards.map(([name, drawn]) => make("figure", {}, [make("figcaption", {}, name), drawn]))),
          make("p", {}, [make("code", {}, `searchlab ${command} ${data.path} --run ${run}`), " ", ...(isWatched ? [watch] : [])]),
          make("dl", {}, facts),
        );
      }

      // The domain's image of the board from which a run began, if it has one.
      function image(row) {
        const { image, pictures, imageOf } = data.boards, number = imageOf?.[row] ?? null;
        if (number === null) return null;
        const drawn = pictureBoard(image);
        drawn.draw(pictures[number], named.get("board").at(row) ?? "");
        return drawn.frame;
      }

      function picture(text) {
        const lines = text.split(" / ").map((line) => line.trim().split(/\s+/));
        const shape = data.boards.shapes[`${lines.length} ${lines[0].length}`];
        if (!shape || text.includes(",")) return null;
        const tiles = shape.cells.map(([row, column]) => lines[row][column]), distinct = [...new Set(tiles)].filter((tile) => tile !== "0");
        if (distinct.some((tile) => !data.boards.faces[tile])) return null;
        const drawn = tileBoard({ ...shape, faces: [[], ...distinct.map((tile) => data.boards.faces[tile])] });
        drawn.frame.classList.add("board");
        drawn.draw(tiles.map((tile) => (tile === "0" ? 0 : distinct.indexOf(tile) + 1)));
        return drawn.frame;
      }
    }
  }

  // One player at a time, of all experiments.
  function players() {
    let current = null, shown = "";
    const address = { get: () => Number(state.all().get("move")) || 0, set: (at) => state.set("move", at || "") };

    async function watch(name) {
      current?.remove();
      current = null;
      shown = name;
      for (const panel of document.querySelectorAll("[data-part=player]")) { panel.hidden = true; panel.replaceChildren(); }
      const [number, run] = name.split(".");
      const root = document.getElementById(`experiment-${number}`), template = root?.querySelector(`[data-player="${Number(run)}"]`);
      if (!template) return;
      const data = await columnar.unpack(root.querySelector(`[data-recording="${Number(run)}"]`).textContent);
      if (shown !== name) return;
      const panel = root.querySelector("[data-part=player]");
      panel.replaceChildren(template.content.cloneNode(true));
      panel.hidden = false;
      current = viewer(data, { address, keysOf: panel });
    }

    for (const button of document.querySelectorAll("[data-watch]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const name = `${button.closest("article").dataset.number}.${button.dataset.watch}`;
        state.set("move", "");
        state.set("watch", name);
        await watch(name);
        const panel = button.closest("article").querySelector("[data-part=player]");
        panel.scrollIntoView({ block: "nearest" });
        panel.focus({ preventScroll: true });
      });
    }
    const follow = () => { const wanted = state.all().get("watch") ?? ""; if (wanted !== shown) watch(wanted); };
    window.addEventListener("hashchange", follow);
    follow();
  }

  if (!("DecompressionStream" in window)) return;
  document.querySelectorAll("article.experiment").forEach(experiment);
  players();
  // A link to a place on the page goes there, and leaves the state in the address.
  document.addEventListener("click", (event) => {
    const target = event.target.closest?.(".contents a");
    if (!target) return;
    event.preventDefault();
    document.querySelector(target.getAttribute("href")).scrollIntoView();
  });
})();
