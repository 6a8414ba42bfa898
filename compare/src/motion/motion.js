// Plays a film: `liedae run --animate` writes this script and its data into one page; nothing is loaded.
//
// The data (#film, JSON):
//   plane         whether everything lies in z = 0
//   axes, camera  a right-handed triad whose last direction is up; azimuth and elevation in rad
//   centre, half  the middle of what is seen, and half its width and height, in m
//   follow        the frame that the picture goes along with, but not up and down; null where it stands still
//   frames        names of what moves
//   parts         figures: f frame (-1 the world), k kind, t type and its numbers, see figure()
//   links         k spring, rod or rope (l its length), a and b: [frame, x, y, z]
//   times         s, ascending; twice the same on both sides of a jump
//   poses         per time, per frame: x, y, angle in the plane; x, y, z, qw, qx, qy, qz in space
//   arrows        per time: [contact, x, y, z, fx, fy, fz] in m and N; newtons per metre of an arrow, longest in m
//   events        t, kind, label, words
//
// All figures are projected orthographically, sorted by depth and painted. window.motion is for tests.
(function () {
  "use strict";
  const film = JSON.parse(document.getElementById("film").textContent);
  const byId = (id) => document.getElementById(id);
  const picture = byId("picture"), marks = byId("marks"), slider = byId("time");
  const pen = picture.getContext("2d");
  const start = film.times[0], end = film.times[film.times.length - 1], span = end - start || 1;
  const COLOURS = 7; // of bodies; the last one is the world's

  // What is shown.
  const view = { zoom: 1, panX: 0, panY: 0, azimuth: film.camera[0], elevation: film.camera[1] };
  let index = 0, now = start, playing = false, last = 0, rate = 1, dirty = true, colours = {};

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    const names = ["text", "back", "faint", "line", "force", "joint", "surface", "pick"];
    for (let i = 0; i <= COLOURS; i++) names.push("c" + i);
    for (const name of names) colours[name] = style.getPropertyValue("--" + name).trim();
  }

  // --- Geometry -----------------------------------------------------------------------------------------------------

  // Poses of all frames at an index: position and rotation matrix, row by row.
  function placed(index) {
    const numbers = film.poses[index] || [], size = film.plane ? 3 : 7, poses = [];
    for (let i = 0; i < film.frames.length; i++) {
      const n = numbers.slice(size * i, size * i + size);
      if (film.plane) {
        const c = Math.cos(n[2]), s = Math.sin(n[2]);
        poses.push({ p: [n[0], n[1], 0], r: [c, -s, 0, s, c, 0, 0, 0, 1] });
      } else {
        const w = n[3], x = n[4], y = n[5], z = n[6];
        poses.push({ p: [n[0], n[1], n[2]], r: [
          1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
          2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)] });
      }
    }
    return poses;
  }

  function turned(pose, d) {
    const r = pose.r;
    return [r[0] * d[0] + r[1] * d[1] + r[2] * d[2], r[3] * d[0] + r[4] * d[1] + r[5] * d[2], r[6] * d[0] + r[7] * d[1] + r[8] * d[2]];
  }
  const world = (pose, p) => { if (!pose) return p; const d = turned(pose, p); return [d[0] + pose.p[0], d[1] + pose.p[1], d[2] + pose.p[2]]; };
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const along = (p, d, s) => [p[0] + s * d[0], p[1] + s * d[1], p[2] + s * d[2]];
  const norm = (a) => Math.sqrt(dot(a, a));
  const unit = (a) => { const l = norm(a) || 1; return [a[0] / l, a[1] / l, a[2] / l]; };

  // Directions of the picture's right, its up, and towards the eye.
  function screen() {
    if (film.plane) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const sa = Math.sin(view.azimuth), ca = Math.cos(view.azimuth), se = Math.sin(view.elevation), ce = Math.cos(view.elevation);
    const mix = (a, b, c) => [0, 1, 2].map((i) => a * film.axes[0][i] + b * film.axes[1][i] + c * film.axes[2][i]);
    return [mix(ca, -sa, 0), mix(se * sa, se * ca, ce), mix(-sa * ce, -ca * ce, se)];
  }

  // --- Painting -----------------------------------------------------------------------------------------------------

  let axes, scale, width, height, pieces, centre;

  // The middle of what is seen now.
  function middle() {
    if (film.follow === null || !film.poses.length) return film.centre;
    const size = film.plane ? 3 : 7, up = film.axes[2];
    const at = (index) => { const n = film.poses[index].slice(size * film.follow); return [n[0], n[1], film.plane ? 0 : n[2]]; };
    const from = at(0), to = at(index), way = [0, 1, 2].map((i) => to[i] - from[i]);
    return along(along(film.centre, way, 1), up, -dot(way, up));
  }

  function project(p) {
    const d = [p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]];
    return [width / 2 + view.panX + scale * dot(axes[0], d), height / 2 + view.panY - scale * dot(axes[1], d), scale * dot(axes[2], d)];
  }
  const depth = (points) => points.reduce((sum, p) => sum + p[2], 0) / points.length;
  const put = (layer, z, paint) => pieces.push({ layer, z, paint });

  function trace(points, closed) {
    pen.beginPath();
    points.forEach((p, i) => (i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
    if (closed) pen.closePath();
  }
  function stroke(colour, size, dash) {
    pen.strokeStyle = colour; pen.lineWidth = size; pen.lineCap = "round"; pen.lineJoin = "round";
    pen.setLineDash(dash || []); pen.stroke(); pen.setLineDash([]);
  }
  function fill(colour, alpha) { pen.globalAlpha = alpha; pen.fillStyle = colour; pen.fill(); pen.globalAlpha = 1; }
  function disc(p, r) { pen.beginPath(); pen.arc(p[0], p[1], Math.max(r, 0), 0, 2 * Math.PI); }

  // How much light falls on a face; negative from behind. Pixels go down.
  function lit(face) {
    const u = [0, 1, 2].map((i) => face[1][i] - face[0][i]), v = [0, 1, 2].map((i) => face[2][i] - face[1][i]);
    const n = cross(u, v).map((x) => -x);
    if (!(n[2] > 0)) return -1;
    return Math.max(0, dot(n, [-0.35, -0.6, 0.72]) / norm(n));
  }

  // The ends of a line: as far as it is said to reach, or through the picture.
  function ends(point, direction, half) {
    const d = unit(direction), reach = (width + height) / scale * (film.plane ? 1 : 0.4);
    const middle = half === null ? along(point, d, dot(d, [0, 1, 2].map((i) => centre[i] - point[i]))) : point;
    const h = half === null ? reach + (Math.abs(view.panX) + Math.abs(view.panY)) / scale : half;
    return [along(middle, d, -h), along(middle, d, h)];
  }

  function figure(part, poses) {
    const pose = part.f < 0 ? null : poses[part.f];
    const at = (p) => project(world(pose, p));
    const colour = colours["c" + (part.f < 0 ? COLOURS : part.f % COLOURS)];
    const layer = (plane) => (film.plane ? plane : 2);
    const body = part.k === "body";
    switch (part.t) {
      case "line": {
        const points = part.p.map(at), joint = part.k === "joint";
        put(joint ? layer(4) : layer(2), depth(points), () => { trace(points); stroke(body ? colour : joint ? colours.line : colours.faint, part.k === "guide" ? 1 : 4); });
        break;
      }
      case "polygon": {
        const points = part.p.map(at);
        put(layer(2), depth(points), () => { trace(points, true); fill(colour, 0.4); stroke(colour, 1.5); });
        break;
      }
      case "disc": {
        const c = at(part.c), r = Math.max(part.r * scale, 2);
        put(layer(2), c[2], () => {
          disc(c, r); fill(colour, film.plane ? 0.4 : 0.85); stroke(colour, 1.2);
          if (film.plane && part.f >= 0) { trace([c, at([part.c[0] + part.r, part.c[1], part.c[2]])]); stroke(colour, 1); }
        });
        break;
      }
      case "ring": {
        const c = at(part.c);
        put(layer(1), -1e300, () => { disc(c, part.r * scale); stroke(body ? colour : colours.faint, 1.5); });
        break;
      }
      case "dot": {
        const c = at(part.p), joint = part.k === "joint";
        put(joint ? layer(4) : layer(2), c[2], () => { disc(c, joint ? 3.5 : 4.5); fill(joint ? colours.joint : colour, 1); stroke(joint ? colours.line : colour, 1.5); });
        break;
      }
      case "capsule": {
        const points = part.p.map(at);
        put(layer(2), depth(points), () => { trace(points); stroke(colour, Math.max(1, 2 * part.r * scale)); });
        break;
      }
      case "solid": {
        const points = part.p.map(at);
        for (const face of part.s) {
          const corners = face.map((i) => points[i]), light = lit(corners);
          if (light < 0) continue;
          put(layer(2), depth(corners), () => { trace(corners, true); fill(colour, 0.35 + 0.55 * light); stroke(colour, 0.7); });
        }
        break;
      }
      case "edge": {
        const p = world(pose, part.p), n = pose ? turned(pose, part.n) : part.n;
        if (film.plane) edge(p, n, part.h); else face(p, n, part.h);
        break;
      }
      case "guide": {
        const p = world(pose, part.p), d = pose ? turned(pose, part.n) : part.n, line = ends(p, d, part.h).map(project);
        put(layer(1), -1e300, () => { trace(line); stroke(colours.faint, 1, [6, 4]); });
        break;
      }
    }
  }

  function edge(p, n, half) {
    const [a, b] = ends(p, [-n[1], n[0], 0], half).map(project);
    put(0, 0, () => {
      trace([a, b]); stroke(colours.faint, 1.2);
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]), tx = (b[0] - a[0]) / length, ty = (b[1] - a[1]) / length;
      pen.beginPath();
      for (let s = 5; s < length; s += 10) {
        const x = a[0] + s * tx, y = a[1] + s * ty;
        if (x < -10 || y < -10 || x > width + 10 || y > height + 10) continue;
        pen.moveTo(x, y); pen.lineTo(x - 6 * n[0] - 5 * tx, y + 6 * n[1] - 5 * ty);
      }
      stroke(colours.faint, 1);
    });
  }

  // A square of a plane in space.
  function face(p, n, half) {
    const first = unit(cross(n, Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0])), second = cross(n, first);
    const height0 = dot(n, [0, 1, 2].map((i) => centre[i] - p[i]));
    const middle = half === null ? along(centre, n, -height0) : p, h = half === null ? 1.1 * Math.max(film.half[0], film.half[1]) : half;
    const corner = (a, b) => project(along(along(middle, first, a * h), second, b * h));
    put(0, 0, () => {
      trace([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], true);
      fill(colours.surface, 0.12); stroke(colours.faint, 0.7);
      for (const s of [-0.5, 0, 0.5]) {
        trace([corner(s, -1), corner(s, 1)]); stroke(colours.faint, 0.4);
        trace([corner(-1, s), corner(1, s)]); stroke(colours.faint, 0.4);
      }
    });
  }

  function link(l, poses) {
    const at = (e) => world(e[0] < 0 ? null : poses[e[0]], [e[1], e[2], e[3]]);
    const pa = at(l.a), pb = at(l.b), a = project(pa), b = project(pb);
    const paint = {
      rod: () => { trace([a, b]); stroke(colours.line, 2.5); },
      rope: () => { const slack = norm([0, 1, 2].map((i) => pb[i] - pa[i])) < 0.999 * l.l; trace([a, b]); stroke(colours.line, 1.3, slack ? [3, 4] : []); },
      spring: () => {
        const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1, points = [a], turns = 14;
        for (let i = 0; i < turns; i++) {
          const s = 0.15 + 0.7 * (i + 0.5) / turns, side = i % 2 ? -6 : 6;
          points.push([a[0] + s * dx - side * dy / length, a[1] + s * dy + side * dx / length]);
        }
        points.push(b); trace(points); stroke(colours.line, 1.2);
      },
    }[l.k];
    put(film.plane ? 3 : 2, (a[2] + b[2]) / 2, paint);
  }

  function arrow(numbers) {
    const p = numbers.slice(1, 4), f = numbers.slice(4, 7), size = norm(f);
    if (!(size > 0)) return;
    const reach = Math.min(size / film.newtons, film.longest), a = project(p), b = project(along(p, f, reach / size));
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (length < 1e-9) return;
    const ux = (b[0] - a[0]) / length, uy = (b[1] - a[1]) / length, r = Math.max(length, 5), head = Math.min(9, r);
    put(5, 0, () => {
      const tip = [a[0] + r * ux, a[1] + r * uy];
      trace([a, tip]); stroke(colours.force, 2);
      trace([tip, [tip[0] - head * (ux + 0.45 * uy), tip[1] - head * (uy - 0.45 * ux)], [tip[0] - head * (ux - 0.45 * uy), tip[1] - head * (uy + 0.45 * ux)]], true);
      fill(colours.force, 1);
    });
  }

  // The ways of the frames' origins up to now.
  function traces() {
    const size = film.plane ? 3 : 7, every = Math.max(1, Math.floor(index / 400));
    for (let f = 0; f < film.frames.length && f < 40; f++) {
      const points = [];
      for (let i = 0; i <= index; i += every) points.push(project([film.poses[i][size * f], film.poses[i][size * f + 1], film.plane ? 0 : film.poses[i][size * f + 2]]));
      put(1, 0, () => { pen.globalAlpha = 0.5; trace(points); stroke(colours["c" + f % COLOURS], 1); pen.globalAlpha = 1; });
    }
  }

  function paint() {
    const ratio = window.devicePixelRatio || 1, aspect = film.half[1] / film.half[0];
    width = picture.clientWidth; height = Math.round(Math.min(Math.max(width * aspect, 220), 0.62 * window.innerHeight + 80));
    picture.style.height = height + "px";
    if (picture.width !== Math.round(width * ratio) || picture.height !== Math.round(height * ratio)) {
      picture.width = Math.round(width * ratio); picture.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    axes = screen(); pieces = []; centre = middle();
    scale = view.zoom * Math.min(width / (2 * film.half[0]), height / (2 * film.half[1]));
    const poses = placed(index);
    for (const part of film.parts) figure(part, poses);
    for (const l of film.links) link(l, poses);
    if (byId("traces").checked) traces();
    if (byId("forces").checked) for (const numbers of film.arrows[index] || []) arrow(numbers);
    pieces.sort((a, b) => a.layer - b.layer || a.z - b.z);
    for (const piece of pieces) piece.paint();
    if (film.contacts.length && byId("forces").checked) {
      // What an arrow means.
      const reach = film.usual / film.newtons * scale, y = height - 12;
      trace([[10, y], [10 + reach, y]]); stroke(colours.force, 2);
      trace([[10 + reach, y], [3 + reach, y - 4], [3 + reach, y + 4]], true); fill(colours.force, 1);
      pen.font = "13px system-ui, sans-serif"; pen.fillStyle = colours.text;
      pen.fillText(number(film.usual) + " N", 16 + reach, y + 4);
    }
    if (byId("names").checked) {
      pen.font = "13px system-ui, sans-serif"; pen.fillStyle = colours.text;
      poses.forEach((pose, i) => { const p = project(pose.p); pen.fillText(film.frames[i], p[0] + 7, p[1] - 7); });
    }
    byId("now").textContent = "t = " + number(film.times[index]) + " s";
    paintMarks();
    dirty = false;
  }

  // --- The time line ------------------------------------------------------------------------------------------------

  const place = (t) => 8 + (marks.clientWidth - 16) * (t - start) / span; // the slider's thumb is 16 px wide

  function paintMarks() {
    const ratio = window.devicePixelRatio || 1, m = marks.getContext("2d");
    const w = Math.round(marks.clientWidth * ratio), h = Math.round(18 * ratio);
    if (marks.width !== w || marks.height !== h) { marks.width = w; marks.height = h; }
    m.setTransform(ratio, 0, 0, ratio, 0, 0); m.clearRect(0, 0, w, h);
    for (const event of film.events) {
      m.fillStyle = event.kind === "impact" ? colours.force : colours.pick;
      m.fillRect(place(event.t) - 0.75, event.kind === "impact" ? 0 : 5, 1.5, event.kind === "impact" ? 14 : 9);
    }
  }

  // The last moment that is not after t; at a jump that behind it.
  function indexOf(t) {
    let low = 0, high = film.times.length - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (film.times[middle] <= t) low = middle; else high = middle - 1; }
    return low;
  }

  function goTo(t) {
    now = Math.min(Math.max(t, start), end);
    index = indexOf(now);
    showTime();
  }

  function showTime() {
    slider.value = now; slider.setAttribute("aria-valuetext", number(film.times[index]) + " s");
    dirty = true;
  }

  function number(x) {
    const size = Math.abs(x);
    return x === 0 || (size >= 1e-3 && size < 1e5) ? String(Number(x.toPrecision(6))) : x.toExponential(3);
  }

  function play(on) {
    playing = on && film.times.length > 1;
    if (playing && index >= film.times.length - 1) goTo(start);
    byId("play").textContent = playing ? "Pause" : "Play";
    last = performance.now();
  }

  function tick(time) {
    if (playing) {
      const next = now + rate * (time - last) / 1000;
      last = time;
      goTo(next);
      if (next >= end) play(false);
    }
    if (dirty) paint();
    requestAnimationFrame(tick);
  }

  // Speeds in parts of real time, around that at which the whole takes ten seconds.
  function speeds() {
    const usual = span / 10, list = [usual / 10, usual / 3, usual, usual * 3];
    if (!list.some((s) => Math.abs(s - 1) < 0.3)) list.push(1);
    list.sort((a, b) => a - b);
    for (const s of list) {
      const option = document.createElement("option");
      option.value = s; option.textContent = s === 1 ? "real time" : "× " + Number(s.toPrecision(2));
      option.selected = s === usual;
      byId("speed").append(option);
    }
    rate = usual;
  }

  function listEvents() {
    const details = byId("events"), list = details.querySelector("ol"), MOST = 500;
    if (!film.events.length) { details.remove(); marks.remove(); return; }
    details.querySelector("summary").textContent = film.events.length + (film.events.length === 1 ? " event" : " events");
    for (const event of film.events.slice(0, MOST)) {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button"; button.textContent = event.words;
      button.addEventListener("click", () => { play(false); goTo(event.t); });
      item.append(button); list.append(item);
    }
    if (film.events.length > MOST) { const item = document.createElement("li"); item.textContent = "..."; list.append(item); }
  }

  marks.addEventListener("click", (click) => {
    const x = click.clientX - marks.getBoundingClientRect().left;
    let best = null;
    for (const event of film.events) if (best === null || Math.abs(place(event.t) - x) < Math.abs(place(best.t) - x)) best = event;
    if (best) { play(false); goTo(best.t); }
  });
  slider.min = start; slider.max = end; slider.step = span / 2000;
  slider.addEventListener("input", () => { play(false); goTo(Number(slider.value)); });
  byId("play").addEventListener("click", () => play(!playing));
  byId("speed").addEventListener("change", (change) => { rate = Number(change.target.value); });
  for (const id of ["forces", "names", "traces"]) byId(id).addEventListener("change", () => { dirty = true; });
  byId("reset").addEventListener("click", reset);
  function reset() { Object.assign(view, { zoom: 1, panX: 0, panY: 0, azimuth: film.camera[0], elevation: film.camera[1] }); dirty = true; }

  let held = null;
  picture.addEventListener("pointerdown", (e) => { held = [e.clientX, e.clientY]; picture.setPointerCapture(e.pointerId); });
  picture.addEventListener("pointermove", (e) => {
    if (!held) return;
    const dx = e.clientX - held[0], dy = e.clientY - held[1];
    held = [e.clientX, e.clientY];
    if (film.plane || e.shiftKey) { view.panX += dx; view.panY += dy; } else {
      view.azimuth += 0.01 * dx;
      view.elevation = Math.min(Math.max(view.elevation + 0.01 * dy, -Math.PI / 2), Math.PI / 2);
    }
    dirty = true;
  });
  for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { held = null; });
  picture.addEventListener("wheel", (e) => { e.preventDefault(); view.zoom *= Math.exp(-0.0015 * e.deltaY); dirty = true; }, { passive: false });
  picture.addEventListener("dblclick", reset);
  picture.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (e.key === " ") { e.preventDefault(); play(!playing); }
    if (step) { play(false); index = Math.min(Math.max(index + step, 0), film.times.length - 1); now = film.times[index]; showTime(); }
  });
  window.addEventListener("resize", () => { dirty = true; });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); dirty = true; });

  byId("player").hidden = false;
  byId("still").style.display = "none";
  byId("help").textContent = (film.plane ? "Drag to move, wheel to zoom" : "Drag to turn, with shift to move, wheel to zoom") + "; space plays, arrow keys step.";
  if (!film.contacts.length) byId("forces-label").style.display = "none";
  readColours(); speeds(); listEvents(); goTo(start);
  requestAnimationFrame(tick);
  window.motion = { goTo, play, state: () => ({ index, t: film.times[index], playing, frames: film.times.length, view: Object.assign({}, view) }), film };
})();
