// The controls of a page that shows one step after another: play, speed, jump, keys, the graph, the address.
// Where there is more on the page, `address` keeps the number of the step among other things, and keys go to `keysOf`.
"use strict";
const wholeAddress = {
  get: () => Number(location.hash.slice(1)) || 0,
  set: (at) => { try { history.replaceState(null, "", `#${at}`); } catch { /* not allowed here */ } },
};
function controls({
  end, speeds, speed, noun, position, show, step, advance, jumpTo, keys = {}, address = wholeAddress, keysOf = document,
}) {
  const element = (id) => document.getElementById(id);
  const life = new AbortController(), { signal } = life;
  let playing = false, due = 0, latest = 0;

  function play(on) {
    if (on && position() === end) show(0);
    playing = on && end > 0;
    element("play").textContent = playing ? "pause" : "play";
    if (!playing) return;
    due = 1000 / speed;
    latest = performance.now();
    requestAnimationFrame(tick);
  }

  function tick(now) {
    if (!playing) return;
    due += Math.max(0, now - latest);
    latest = now;
    const steps = Math.floor(due * speed / 1000);
    if (steps > 0) {
      due = Math.min(due - steps * 1000 / speed, 1000 / speed);
      advance(steps);
    }
    if (position() === end) play(false); else requestAnimationFrame(tick);
  }

  function setSpeed(steps) {
    speed = steps;
    element("speed").value = String(steps);
    due = 0;
  }

  // Updates the slider, the number, the cursors in the graphs, and the address.
  function update(cursorAt) {
    const at = position();
    element("position").value = String(at);
    element("position").setAttribute("aria-valuetext", `${noun} ${at} of ${end}`);
    if (document.activeElement !== element("jump")) element("jump").value = String(at);
    for (const cursor of document.querySelectorAll(".plot .cursor")) {
      cursor.setAttribute("x1", cursorAt);
      cursor.setAttribute("x2", cursorAt);
    }
    address.set(at);
  }

  const stop = (action) => () => { play(false); action(); };
  const first = stop(() => show(0)), last = stop(() => show(end)), back = stop(() => step(-1)), forth = stop(() => step(1));
  const toggle = () => play(!playing);
  const changeSpeed = (by) => setSpeed(speeds[Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(speed) + by))]);
  const faster = () => changeSpeed(1), slower = () => changeSpeed(-1);
  const actions = { ArrowLeft: back, ArrowRight: forth, Home: first, End: last, " ": toggle, "+": faster, "=": faster, "-": slower };
  for (const [key, action] of Object.entries(keys)) actions[key] = stop(action);

  element("speed").replaceChildren();
  for (const each of speeds) {
    const option = document.createElement("option");
    option.value = String(each);
    option.textContent = `${each} a second`;
    element("speed").append(option);
  }
  setSpeed(speed);
  for (const [id, action] of Object.entries({ first, back, play: toggle, forth, last })) element(id).addEventListener("click", action, { signal });
  element("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)), { signal });
  element("position").addEventListener("input", (event) => { play(false); show(Number(event.target.value)); }, { signal });
  element("jump").addEventListener("change", (event) => {
    play(false);
    show(Math.round(Number(event.target.value)) || 0);
    event.target.value = String(position());
  }, { signal });
  for (const plot of document.querySelectorAll(".plot")) {
    plot.addEventListener("pointerdown", (event) => {
      const box = plot.getBoundingClientRect();
      play(false);
      jumpTo((event.clientX - box.left) / box.width);
    }, { signal });
  }
  keysOf.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    const isTyped = event.target.matches("input, select, textarea");
    const isPressed = event.key === " " && event.target.matches("button, summary");
    if (!action || isTyped || isPressed || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  }, { signal });
  // A button that was clicked gives the keys back to the page; one that was reached by Tab keeps them.
  document.addEventListener("click", (event) => {
    const button = event.detail && event.target.closest?.("button");
    if (button && keysOf === document) button.blur();
    else if (button && keysOf.contains(button)) keysOf.focus({ preventScroll: true });
  }, { signal });
  window.addEventListener("hashchange", () => show(address.get()), { signal });
  return { play, update, remove: () => { play(false); life.abort(); }, isPlaying: () => playing, speed: () => speed };
}
