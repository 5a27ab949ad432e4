// Draws charts whose axes, ticks and marks were computed in Python; here they are only placed. See `chart.py`, `svg.py`.
"use strict";
const plots = (function () {
  const SVG = "http://www.w3.org/2000/svg", COLOURS = 8, MOST_DOTS = 300, NEAR = 18;

  function make(name, attributes, parent, text) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    parent?.append(node);
    return node;
  }

  const place = (axis, value) => {
    const at = value ?? axis.rail.at;
    return axis.scale === "log" ? Math.log(at / axis.low) / Math.log(axis.high / axis.low) : (at - axis.low) / (axis.high - axis.low);
  };
  const colour = (style) => `c${style % COLOURS}`;
  const n = (value) => Math.round(value * 10) / 10;

  // Draws a chart, and returns where a point of a series is: [x, y] in the units of the drawing.
  function draw(chart, dashes) {
    const [width, height] = chart.square ? [380, 380] : [480, 320];
    const left = 20 + Math.max(...chart.y.ticks.map((tick) => tick.label.length * 7.2)) + 12, top = 28, right = 18;
    const total = [left + width + right, top + height + 46];
    const x = (value) => left + place(chart.x, value) * width, y = (value) => top + (1 - place(chart.y, value)) * height;
    const svg = make("svg", {
      class: "searchlab-chart", viewBox: `0 0 ${n(total[0])} ${total[1]}`, width: n(total[0]), height: total[1], role: "img",
      "aria-label": chart.title, "font-size": 12, style: "max-width:100%;height:auto",
      "font-family": "system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif",
    });
    const line = (x1, y1, x2, y2, kind, more = {}) => make("path", { d: `M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}`, class: `${kind}-line`, ...more }, svg);
    const text = (at, content, more = {}) => make("text", { x: n(at[0]), y: n(at[1]), class: "ink", ...more }, svg, content);
    const band = (x1, y1, x2, y2) => make("rect", { x: n(x1), y: n(y1), width: n(x2 - x1), height: n(y2 - y1), class: "grid", "fill-opacity": ".55" }, svg);
    const muted = { class: "muted", "font-size": 11 }, bottom = top + height, end = left + width;
    text([10, 17], chart.title, { "font-size": 14, "font-weight": 600 });
    if (chart.x.rail) band(x(chart.x.rail.begin), top, end, bottom);
    if (chart.y.rail) band(left, top, end, y(chart.y.rail.begin));
    for (const tick of chart.x.ticks) {
      line(x(tick.value), top, x(tick.value), bottom, "grid");
      text([x(tick.value), bottom + 17], tick.label, { "text-anchor": "middle" });
    }
    for (const tick of chart.y.ticks) {
      line(left, y(tick.value), end, y(tick.value), "grid");
      text([left - 7, y(tick.value) + 4], tick.label, { "text-anchor": "end" });
    }
    line(left, bottom, end, bottom, "ink");
    line(left, top, left, bottom, "ink");
    if (chart.x.rail) {
      line(x(chart.x.rail.begin), top, x(chart.x.rail.begin), bottom, "muted", { "stroke-dasharray": "4 3" });
      text([end - 4, bottom - 8], chart.x.rail.label, { ...muted, transform: `rotate(-90 ${n(end - 4)} ${bottom - 8})` });
    }
    if (chart.y.rail) {
      line(left, y(chart.y.rail.begin), end, y(chart.y.rail.begin), "muted", { "stroke-dasharray": "4 3" });
      text([left + 6, top + 12], chart.y.rail.label, muted);
    }
    text([left + width / 2, bottom + 36], chart.x.label, { "text-anchor": "middle" });
    text([16, top + height / 2], chart.y.label, { "text-anchor": "middle", transform: `rotate(-90 16 ${top + height / 2})` });
    for (const rule of chart.rules) line(x(rule.x[0]), y(rule.y[0]), x(rule.x[1]), y(rule.y[1]), "muted", rule.strong ? {} : { "stroke-dasharray": "3 3" });
    for (const series of chart.series) (series.mark === "points" ? points : steps)(series);
    return { svg, at: (series, k) => [x(series.x[k]), y(series.y[k])] };

    function points(series) {
      const places = series.x.map((value, k) => [n(x(value)), n(y(series.y[k]))]);
      if (places.length > MOST_DOTS) {
        const dots = [...new Set(places.map(([a, b]) => `M${a} ${b}h0`))].join("");
        make("path", { d: dots, class: `${colour(series.style)}-line`, "stroke-width": 5, "stroke-linecap": "round", "stroke-opacity": ".55" }, svg);
        return;
      }
      places.forEach(([cx, cy], k) => {
        const isHollow = series.x[k] === null || series.y[k] === null;
        const look = isHollow ? { fill: "none", class: `${colour(series.style)}-line`, "stroke-width": 1.6 } : { class: colour(series.style), "fill-opacity": ".75" };
        make("circle", { cx, cy, r: 3.6, ...look }, svg);
      });
    }

    function steps(series) {
      let path = "", last = null;
      series.x.forEach((value, k) => {
        const px = n(x(value)), py = n(y(series.y[k]));
        path += last === null ? `M${px} ${py}` : px === last ? `V${py}` : `H${px}V${py}`;
        last = px;
      });
      const dash = dashes[(series.style + Math.floor(series.style / COLOURS)) % dashes.length];
      make("path", { d: path, fill: "none", class: `${colour(series.style)}-line`, "data-series": series.name, "stroke-width": 2, ...(dash ? { "stroke-dasharray": dash } : {}) }, svg);
    }
  }

  // The pointer over a series lets the others fade.
  function legend(chart, dashes, svg) {
    const list = document.createElement("ul");
    list.className = "searchlab-legend";
    for (const series of chart.series.filter((each) => each.name)) {
      const item = document.createElement("li"), dash = dashes[(series.style + Math.floor(series.style / COLOURS)) % dashes.length];
      const sample = make("svg", { viewBox: "0 0 28 10", class: "searchlab-chart", "aria-hidden": "true" }, item);
      make("path", { d: "M0 5H28", class: `${colour(series.style)}-line`, "stroke-width": 2.4, ...(dash ? { "stroke-dasharray": dash } : {}) }, sample);
      item.append(series.name);
      const fade = (on) => svg.querySelectorAll("[data-series]").forEach((line) => line.classList.toggle("faded", on && line.dataset.series !== series.name));
      item.onpointerenter = () => fade(true);
      item.onpointerleave = () => fade(false);
      list.append(item);
    }
    return list;
  }

  // The number of the point of a series that is nearest to the pointer, null if none is near.
  function nearest(drawing, series, event) {
    const box = drawing.svg.getBoundingClientRect(), scale = drawing.svg.viewBox.baseVal.width / box.width;
    const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best = null, least = NEAR * NEAR;
    for (let k = 0; k < series.x.length; k++) {
      const [px, py] = drawing.at(series, k), distance = (px - at[0]) ** 2 + (py - at[1]) ** 2;
      if (distance < least) [best, least] = [k, distance];
    }
    return best;
  }

  return { draw, legend, nearest };
})();
