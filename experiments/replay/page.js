"use strict";
// Shows one recorded game; what the data holds is told in experiments/replay/recording.py.
(() => {
  const game = JSON.parse(document.getElementById("data").textContent);
  const frames = game.frames;
  const last = frames.length - 1;
  const at = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const INK = { S: "#1b1f2a", C: "#1b1f2a", H: "#ce2822", D: "#ce2822" };
  const SUITS = { S: "♠\ufe0e", H: "♥\ufe0e", D: "♦\ufe0e", C: "♣\ufe0e" };
  const PAUSE = 500; // milliseconds from a step to the next while the game plays
  let now = 0;
  let timer = null;

  function shape(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function rank(card) {
    return card[0] === "T" ? "10" : card[0];
  }

  // "pile 2 to pile 0: TD" with suits as a person knows them; a lone suit letter stands in parentheses.
  function readable(words) {
    return words
      .replace(/\b([A2-9TJQK])([SHDC])\b/g, (_, r, s) => rank(r) + SUITS[s])
      .replace(/\(([SHDC])\)/g, (_, s) => `(${SUITS[s]})`);
  }

  function percent(share) {
    return `${(100 * share).toFixed(1)} %`;
  }

  function suit(letter, x, y, size, colour) {
    return shape("use", { href: `#${letter}`, x: x - size / 2, y: y - size / 2, width: size, height: size, fill: colour });
  }

  function drawCard(card, x, y, [width, height, letters]) {
    const group = shape("g", { class: "card", "data-card": card, transform: `translate(${x} ${y})` });
    const round = width * 0.09;
    group.append(shape("rect", { width, height, rx: round, fill: "#fdfcf8", stroke: "#8a8e94" }));
    if (card === "??") {
      const edge = width * 0.08;
      group.append(shape("rect", { x: edge, y: edge, width: width - 2 * edge, height: height - 2 * edge, rx: edge, fill: "#264880" }));
      return group;
    }
    const ink = INK[card[1]];
    const edge = width * 0.06;
    const size = letters / 0.72; // capitals are about so much lower than the font
    const index = { x: edge, y: edge + letters, fill: ink, "font-size": size, "font-weight": 700 };
    if (card[0] === "T") Object.assign(index, { textLength: letters * 1.45, lengthAdjust: "spacingAndGlyphs" });
    group.append(shape("text", index, rank(card)));
    group.append(suit(card[1], edge + letters * (card[0] === "T" ? 2.1 : 1.6), edge + letters / 2, letters, ink));
    group.append(suit(card[1], width / 2, height * 0.6, width * 0.5, ink));
    return group;
  }

  function drawPlace([kind, number, x, y], [width, height], redeals) {
    const group = shape("g", { transform: `translate(${x} ${y})` });
    group.append(shape("rect", { width, height, rx: width * 0.09, fill: "#185a44", stroke: "#549276" }));
    const sign = "#8cc0a6";
    const middle = { x: width / 2, fill: sign, "text-anchor": "middle", "font-weight": 700 };
    if (kind === "foundation") {
      group.append(suit("SHDC"[Math.floor(number / game.decks)], width / 2, height * 0.4, width * 0.48, sign));
      group.append(shape("text", { ...middle, y: height * 0.88, "font-size": width * 0.3 }, rank(game.base_rank)));
    } else if (kind === "stock") {
      group.append(shape("text", { ...middle, y: height * 0.6, "font-size": width * 0.5 }, redeals === 0 ? "✕" : "↻"));
    } else if (kind === "pile") {
      group.append(shape("text", { ...middle, y: -6, "font-size": 13, "font-weight": 400 }, number));
    } else {
      group.append(shape("text", { ...middle, y: height * 0.55, "font-size": width * 0.22, "font-weight": 400 }, kind));
    }
    return group;
  }

  function drawBoard(frame) {
    const [width, height] = game.size;
    const table = at("table");
    const parts = [shape("rect", { width, height, fill: "#1d6449" })];
    for (const place of game.layouts[frame.layout]) parts.push(drawPlace(place, frame.card, frame.redeals));
    for (const [card, x, y] of frame.cards) parts.push(drawCard(card, x, y, frame.card));
    for (const [x, y, w, h, came] of frame.marks) {
      const dash = came ? {} : { "stroke-dasharray": "7 5" };
      parts.push(shape("rect", { class: "mark", x, y, width: w, height: h, rx: w * 0.09, fill: "none", stroke: "#ffbe1e", "stroke-width": 4, ...dash }));
    }
    const stock = game.layouts[frame.layout].find(([kind]) => kind === "stock");
    if (stock && frame.counts[0]) {
      const [w, h] = frame.card;
      const number = { x: stock[2] + w / 2, y: stock[3] + h * 0.57, fill: "#fff", "text-anchor": "middle", "font-size": w * 0.36, "font-weight": 700 };
      parts.push(shape("text", number, frame.counts[0]));
    }
    table.replaceChildren(...parts);
  }

  function drawBars(frame) {
    const rows = frame.actions.map(([label, share], number) => {
      const row = document.createElement("li");
      const played = number === frame.played;
      row.className = played ? "played" : "";
      const words = document.createElement("span");
      words.textContent = readable(game.labels[label]) + (played ? " (played)" : "");
      const figure = document.createElement("span");
      figure.className = "share";
      figure.textContent = percent(share);
      const track = document.createElement("div");
      track.className = "track";
      const fill = document.createElement("div");
      fill.className = "fill";
      fill.style.width = `${100 * share}%`;
      track.append(fill);
      row.append(words, figure, track);
      return row;
    });
    if (!rows.length) {
      const row = document.createElement("li");
      row.textContent = "The game is over.";
      rows.push(row);
    }
    at("bars").replaceChildren(...rows);
    at("bars").scrollTop = 0;
  }

  function say(frame) {
    const came = frame.label === null ? "This is the deal." : `Last: ${readable(game.labels[frame.label])}.`;
    let next = `The game is ${game.outcome}.`;
    if (frame.played !== null) {
      const [label, share] = frame.actions[frame.played];
      next = `Next: ${readable(game.labels[label])}, with probability ${percent(share)}.`;
    }
    at("words").textContent = `${came} ${next}`;
    const kinds = new Set(game.layouts[frame.layout].map(([kind]) => kind));
    const [stock, waste, reserve, foundation] = frame.counts;
    const counts = [];
    if (kinds.has("stock")) {
      const redeals = frame.redeals === null ? "redeals unlimited" : `redeals left ${frame.redeals}`;
      counts.push(`stock ${stock}`, `waste ${waste}`, redeals);
    }
    if (kinds.has("reserve")) counts.push(`reserve ${reserve}`);
    counts.push(`foundations ${foundation} of ${52 * game.decks}`);
    at("counts").textContent = `Cards: ${counts.join(", ")}`;
  }

  // A curve over all steps in a square of 100 x 100, stretched by the page.
  class Curve {
    constructor(id, values) {
      this.values = values;
      this.svg = at(id);
      this.svg.setAttribute("viewBox", "0 0 100 100");
      this.svg.setAttribute("preserveAspectRatio", "none");
      const known = values.filter((value) => value !== null);
      this.svg.toggleAttribute("hidden", !known.length);
      const low = Math.min(0, ...known);
      const high = Math.max(low + 1e-9, ...known);
      const points = values.flatMap((value, step) =>
        value === null ? [] : [`${this.x(step)},${95 - (90 * (value - low)) / (high - low)}`]);
      this.marker = shape("line", { y1: 0, y2: 100 });
      this.svg.append(shape("polyline", { points: points.join(" ") }), this.marker);
      this.svg.addEventListener("click", (event) => {
        const box = this.svg.getBoundingClientRect();
        show(Math.round(((event.clientX - box.left) / box.width) * last));
      });
    }

    x(step) {
      return last ? (100 * step) / last : 0;
    }

    mark(step) {
      this.marker.setAttribute("x1", this.x(step));
      this.marker.setAttribute("x2", this.x(step));
    }
  }

  const values = frames.map((frame) => frame.value);
  const estimates = values.filter((value) => value !== null);
  const judges = estimates.length > 0;
  const range = `in this game ${Math.min(...estimates).toFixed(2)} to ${Math.max(...estimates).toFixed(2)}`;
  const valueCurve = new Curve("value", values);
  const cardsCurve = new Curve("cards", frames.map((frame) => frame.counts[3]));

  function show(step) {
    now = Math.max(0, Math.min(last, step));
    const frame = frames[now];
    drawBoard(frame);
    drawBars(frame);
    say(frame);
    valueCurve.mark(now);
    cardsCurve.mark(now);
    if (!judges) at("value-now").textContent = "This player makes no estimate.";
    else if (frame.value === null) at("value-now").textContent = "The game is over: nothing more to expect.";
    else at("value-now").textContent = `Reward still expected: ${frame.value.toFixed(3)} (${range})`;
    at("cards-now").textContent = `${frame.counts[3]} of ${52 * game.decks}`;
    at("step").textContent = `${now} of ${last}`;
    at("slider").value = now;
    at("slider").setAttribute("aria-valuetext", `step ${now} of ${last}`);
    at("back").disabled = at("first").disabled = now === 0;
    at("forth").disabled = at("last").disabled = now === last;
    if (now === last) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    at("run").textContent = "Play";
    at("run").setAttribute("aria-label", "Play");
  }

  function playOrPause() {
    if (timer !== null) {
      pause();
      return;
    }
    if (now === last) show(0);
    timer = setInterval(() => show(now + 1), PAUSE);
    at("run").textContent = "Pause";
    at("run").setAttribute("aria-label", "Pause");
  }

  const KEYS = {
    ArrowLeft: () => show(now - 1),
    ArrowRight: () => show(now + 1),
    PageUp: () => show(now - 10),
    PageDown: () => show(now + 10),
    Home: () => show(0),
    End: () => show(last),
    " ": playOrPause,
  };

  document.addEventListener("keydown", (event) => {
    const chosen = KEYS[event.key];
    if (!chosen || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && event.target instanceof HTMLButtonElement) return; // it presses the button
    event.preventDefault();
    chosen();
  });
  at("slider").addEventListener("input", () => show(at("slider").valueAsNumber));
  at("first").addEventListener("click", () => show(0));
  at("back").addEventListener("click", () => show(now - 1));
  at("run").addEventListener("click", playOrPause);
  at("forth").addEventListener("click", () => show(now + 1));
  at("last").addEventListener("click", () => show(last));

  at("board").setAttribute("viewBox", `0 0 ${game.size[0]} ${game.size[1]}`);
  at("board").setAttribute("font-family", "system-ui, sans-serif");
  for (const id of ["title", "agent", "outcome", "verdict"]) at(id).textContent = game[id];
  at("slider").max = last;
  show(0);
})();
