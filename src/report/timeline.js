/* Draws the timelines of a page (profile_page_timeline.c) on canvases: rows are warp slots of SMs, time goes to the right. A pixel
 * has the colour of the cause with the most cycles in it. The data are streams of numbers (timeline_code.c). */
'use strict';
(() => {
const hues = ['#4e79a7', '#f28e2b', '#59a14f', '#e15759', '#76b7b2', '#b07aa1', '#9c755f', '#bab0ac', '#edc948', '#7a7f87',
              '#86bcb6', '#d37295', '#a0cbe8', '#ffbe7d', '#8cd17d', '#ff9d9a', '#d4a6c8', '#d7b5a6', '#499894', '#b6992d'];
const css = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const make = (tag, set, parent) => parent.appendChild(Object.assign(document.createElement(tag), set));
const clamp = (v, least, most) => Math.min(Math.max(v, least), most);
const TALLEST = 480, LEAST_ROW = 5, MOST_ROW = 40, AXIS = 22; /* pixels */
const WITH_LOCKS = 7; /* pixels of a row that has room for them */
const LEAST_SPAN = 8; /* cycles that fill the drawing at the most */

/* Colours as pixels have them. */
const pixelOf = colour => {
  const [r, g, b] = colour.length === 4 ? [...colour.slice(1)].map(d => parseInt(d + d, 16)) : [1, 3, 5].map(k => parseInt(colour.slice(k, k + 2), 16));
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
};
const between = (a, b, share) => {
  let sum = 255 << 24;
  for (const by of [0, 8, 16])
    sum |= Math.round((a >> by & 255) * (1 - share) + (b >> by & 255) * share) << by;
  return sum >>> 0;
};

/* Reading: see the head of timeline_code.c. */
function stream(script) {
  const raw = atob(script.textContent), bytes = new Uint8Array(raw.length), words = new TextDecoder();
  for (let i = 0; i < raw.length; i++)
    bytes[i] = raw.charCodeAt(i);
  let at = 0;
  const number = () => {
    let byte = bytes[at++], value = byte & 127;
    for (let by = 128; byte & 128; by *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * by;
    }
    return value;
  };
  const text = () => {
    const length = number();
    at += length;
    return words.decode(bytes.subarray(at - length, at));
  };
  const list = item => Array.from({length: number()}, item);
  return {number, text, list};
}

/* Phases of all lives stand one behind the other. */
function readLife(s, l) {
  const life = {slot: s.number(), block: [s.number(), s.number(), s.number()], warp: s.number(), cut: s.number() === 1, from: s.number()};
  life.until = life.from + s.number();
  let at = life.from + s.number();
  const {begin, cause, instr, other} = l.phases, count = s.number();
  life.first = l.read;
  life.last = l.read += count;
  for (let i = life.first; i < life.last; i++) {
    const cycles = s.number(), of = s.number();
    begin[i] = at;
    cause[i] = of;
    instr[i] = s.number();
    other[i] = s.number();
    l.causes[of].cycles += cycles;
    at += cycles;
  }
  life.end = at; /* of the last phase */
  return life;
}

const readBarrier = s => {
  const slot = s.number(), came = s.number();
  return {slot, came, opened: came + s.number(), instr: s.number(), mbarrier: s.number()};
};
const readSection = s => {
  const section = {slot: s.number(), lane: s.number(), lock: s.number(), since: s.number()};
  section.taken = section.since + s.number();
  section.given = section.taken + s.number();
  section.takenAt = s.number();
  section.givenAt = s.number();
  return section;
};
/* One that did not end has a wait, or a time for which it was held, alone. */
const readUnfinished = s => {
  const slot = s.number(), lane = s.number(), lock = s.number(), held = s.number() === 1, from = s.number(), until = from + s.number();
  return {slot, lane, lock, since: from, taken: held ? from : until, given: until, held, unfinished: true};
};

function read(script) {
  const s = stream(script), l = {title: script.dataset.title, name: s.text(), cycles: s.number(), from: s.number(), until: s.number(), read: 0};
  l.causes = s.list(() => ({words: s.text(), name: s.text(), colour: hues[s.number() % hues.length], cycles: 0}));
  l.locks = s.list(s.text);
  l.mbarriers = s.list(s.text);
  l.places = s.list(s.text);
  l.instrs = s.list(() => ({place: s.number(), text: s.text()}));
  const count = s.number();
  l.phases = {begin: new Float64Array(count), cause: new Uint8Array(count), instr: new Uint32Array(count), other: new Float64Array(count)};
  l.rows = s.list(() => {
    const sm = s.number(), rows = new Map();
    const rowOf = slot => rows.get(slot) || rows.set(slot, {sm, slot, lives: [], barriers: [], sections: []}).get(slot);
    for (const [member, one] of [['lives', () => readLife(s, l)], ['barriers', () => readBarrier(s)], ['sections', () => readSection(s)],
                                 ['sections', () => readUnfinished(s)]])
      s.list(one).forEach(item => rowOf(item.slot)[member].push(item));
    return [...rows.values()].sort((a, b) => a.slot - b.slot);
  }).flat();
  for (const row of l.rows)
    row.lives.sort((a, b) => a.from - b.from);
  return l;
}

const endOf = (l, life, i) => i + 1 < life.last ? l.phases.begin[i + 1] : life.end;

/* The first phase of a life that ends behind a cycle; its last where none does. */
function phaseAt(l, life, cycle) {
  let low = life.first, high = life.last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(l, life, middle) > cycle)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
const lifeAt = (row, cycle) => row.lives.find(life => life.from <= cycle && cycle < life.until);

/* Drawing */

const line = (width, colour) => new Uint32Array(width).fill(colour);

/* The causes of a row's cycles as pixels; background where no warp lived. */
function paintPhases(t, row, pixels, colours) {
  const {launch: l, view: {from, to}} = t, width = pixels.length, scale = width / (to - from), sum = new Float64Array(l.causes.length);
  let at = -1;
  const flush = () => {
    let best = 0;
    for (let cause = 1; cause < sum.length; cause++)
      if (sum[cause] > sum[best])
        best = cause;
    if (sum[best] > 0 && at < width)
      pixels[at] = colours[best];
    sum.fill(0);
  };
  for (const life of row.lives) {
    if (life.until <= from || life.from >= to)
      continue;
    for (let i = phaseAt(l, life, from); i < life.last && l.phases.begin[i] < to; i++) {
      const cause = l.phases.cause[i], begin = Math.max((l.phases.begin[i] - from) * scale, 0), end = Math.min((endOf(l, life, i) - from) * scale, width);
      let x = Math.floor(begin);
      if (x !== at) {
        flush();
        at = x;
      }
      if (end <= x + 1) {
        sum[cause] += end - begin;
        continue;
      }
      sum[cause] += x + 1 - begin;
      flush();
      for (at = Math.floor(end), x++; x < at; x++)
        pixels[x] = colours[cause];
      sum[cause] += end - at;
    }
  }
  flush();
}

/* Which pixels lie in any of the stretches that `ends` gives of the items. */
function covered(t, items, ends, width) {
  const {from, to} = t.view, scale = width / (to - from), steps = new Int32Array(width + 1), out = new Uint8Array(width);
  for (const item of items) {
    const [a, b] = ends(item);
    if (b <= a || b <= from || a >= to)
      continue;
    const x = Math.max(Math.floor((a - from) * scale), 0);
    steps[x]++;
    steps[Math.min(Math.max(Math.ceil((b - from) * scale), x + 1), width)]--;
  }
  for (let x = 0, sum = 0; x < width; x++)
    out[x] = (sum += steps[x]) > 0;
  return out;
}

const waits = item => [item.since, item.taken], holds = item => [item.taken, item.given], stands = item => [item.came, item.opened];

/* A row: on top a line where its warp is at a barrier; causes; below them locks, held (full) and waited for (every third pixel). In
 * a low row there are causes alone. */
function paintRow(t, row, image, top, height, look) {
  const {width, data32} = image, gap = height > 8 * look.dpr ? look.dpr : 0, low = Math.max(Math.round(height * 0.22), 1), high = Math.max(Math.round(look.dpr), 1);
  const phases = line(width, look.paper), locks = line(width, look.paper), upper = line(width, look.paper);
  paintPhases(t, row, phases, look.colours);
  const detailed = height >= WITH_LOCKS * look.dpr;
  const [waited, held, barrier] = [[row.sections, waits], [row.sections, holds], [row.barriers, stands]].map(([items, ends]) => covered(t, detailed ? items : [], ends, width));
  for (let x = 0; x < width && detailed; x++) {
    locks[x] = held[x] || (waited[x] && x % 3 === 0) ? look.ink : phases[x] === look.paper ? look.paper : look.wide;
    upper[x] = barrier[x] ? look.ink : phases[x];
  }
  for (const life of row.lives) { /* where blocks begin */
    const x = Math.round((life.from - t.view.from) * width / (t.view.to - t.view.from));
    if (x > 0 && x < width && height > 4)
      phases[x] = upper[x] = locks[x] = look.paper;
  }
  for (let y = Math.max(top, 0); y < Math.min(top + height - gap, image.height); y++)
    data32.set(detailed && y - top < high ? upper : detailed && y - top >= height - gap - low ? locks : phases, y * width);
}

/* Marks of an axis: at most so many, 1, 2 or 5 times a power of ten apart. */
function marks(from, to, most) {
  const least = (to - from) / most, decade = 10 ** Math.floor(Math.log10(Math.max(least, 1))), step = [1, 2, 5, 10].map(k => k * decade).find(s => s >= least) || decade;
  const list = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step)
    list.push(at);
  return list;
}

function paintAxis(t, ctx, {width, left}, look) {
  const {from, to} = t.view;
  Object.assign(ctx, {fillStyle: css('ink'), strokeStyle: css('faint'), font: '12px system-ui, sans-serif', textBaseline: 'middle', textAlign: 'center', lineWidth: 1});
  for (const at of marks(from, to, Math.max(Math.floor((width - left) / 90), 2))) {
    const x = left + (at - from) * (width - left) / (to - from);
    ctx.beginPath();
    ctx.moveTo(x, AXIS - 5);
    ctx.lineTo(x, AXIS);
    ctx.stroke();
    ctx.fillText(String(at), clamp(x, left + 12, width - 24), AXIS / 2 - 2);
  }
}

function paintNames(t, ctx, {width, height, left}) {
  const {launch: l, view} = t, first = Math.floor(view.top / view.row), last = Math.min(Math.ceil((view.top + height - AXIS) / view.row), l.rows.length);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, AXIS, width, height - AXIS);
  ctx.clip();
  ctx.textAlign = 'left';
  let below = -1;
  for (let i = first; i < last; i++) {
    const row = l.rows[i], y = AXIS + i * view.row - view.top, begins = !i || l.rows[i - 1].sm !== row.sm;
    if (begins || i === first) {
      ctx.fillStyle = css('ink');
      if (Math.max(y, AXIS) > below && (begins || l.rows[i + 1]?.sm === row.sm))
        ctx.fillText('SM ' + row.sm, 0, Math.max(y, AXIS) + Math.max(view.row / 2, 6));
      below = Math.max(y, AXIS) + 12;
    }
    if (begins && i) {
      ctx.fillStyle = css('faint');
      ctx.fillRect(0, y - 1, width, 1);
    }
    if (view.row >= 12) {
      ctx.fillStyle = css('soft');
      ctx.textAlign = 'right';
      ctx.fillText(row.slot, left - 4, y + view.row / 2);
      ctx.textAlign = 'left';
      nameBlocks(t, ctx, row, y, {width, left});
    }
  }
  ctx.restore();
}

const block = ({block: [x, y, z]}) => y || z ? `(${x}, ${y}, ${z})` : String(x);

function nameBlocks(t, ctx, row, y, {width, left}) {
  const {from, to, row: height} = t.view, scale = (width - left) / (to - from);
  for (const life of row.lives) {
    const a = Math.max(left + (life.from - from) * scale, left), b = Math.min(left + (life.until - from) * scale, width), name = `block ${block(life)}, warp ${life.warp}`;
    if (life.until <= from || life.from >= to || height < 18 || b - a < ctx.measureText(name).width + 10)
      continue;
    ctx.fillStyle = 'rgba(255, 255, 255, 0.75)';
    ctx.fillRect(a + 2, y + 2, ctx.measureText(name).width + 6, height * 0.78 - 5);
    ctx.fillStyle = '#1b1f24';
    ctx.fillText(name, a + 5, y + height * 0.39);
  }
}

function paintChosen(t, ctx, {width, height, left}) {
  const {launch: l, view, chosen} = t;
  if (!chosen)
    return;
  const {life, phase} = chosen, y = AXIS + chosen.row * view.row - view.top, scale = (width - left) / (view.to - view.from);
  const [from, until] = phase < life.last ? [l.phases.begin[phase], endOf(l, life, phase)] : [life.from, life.until];
  const a = clamp(left + (from - view.from) * scale, left, width - 3), b = clamp(left + (until - view.from) * scale, left, width);
  if (y < AXIS - view.row || y > height)
    return;
  Object.assign(ctx, {strokeStyle: css('ink'), lineWidth: 2});
  ctx.strokeRect(a, y, Math.max(b - a, 3), view.row - 1);
}

function paint(t) {
  t.asked = 0;
  const {canvas, launch: l, view} = t, ctx = canvas.getContext('2d'), dpr = devicePixelRatio || 1, size = shape(t);
  const {width, height, left} = size;
  if (width <= left)
    return;
  if (canvas.width !== Math.round(width * dpr) || canvas.height !== Math.round(height * dpr))
    [canvas.width, canvas.height] = [Math.round(width * dpr), Math.round(height * dpr)];
  const look = {dpr, paper: pixelOf(css('paper')), ink: pixelOf(css('ink')), wide: pixelOf(css('wide'))};
  look.colours = l.causes.map(cause => !t.lit || t.lit === cause ? pixelOf(cause.colour) : between(pixelOf(cause.colour), look.paper, 0.8));
  const image = new ImageData(Math.round((width - left) * dpr), Math.max(Math.round((height - AXIS) * dpr), 1));
  image.data32 = new Uint32Array(image.data.buffer).fill(look.paper);
  const edge = i => Math.round((i * view.row - view.top) * dpr);
  for (let i = Math.floor(view.top / view.row); i < l.rows.length && edge(i) < image.height; i++)
    paintRow(t, l.rows[i], image, edge(i), edge(i + 1) - edge(i), look);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = css('paper');
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.putImageData(image, Math.round(left * dpr), Math.round(AXIS * dpr));
  ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
  paintAxis(t, ctx, size, look);
  paintNames(t, ctx, size);
  paintChosen(t, ctx, size);
}
const draw = t => { t.asked ||= requestAnimationFrame(() => paint(t)); };

/* What is shown */

function shape(t) {
  const width = t.place.clientWidth;
  return {width, height: AXIS + Math.min(Math.ceil(t.launch.rows.length * t.view.row), TALLEST), left: width < 500 ? 46 : 64};
}

/* Keeps the view inside the launch. */
function keep(t) {
  const {launch: l, view} = t, span = clamp(view.to - view.from, LEAST_SPAN, Math.max(l.until - l.from, LEAST_SPAN));
  view.from = clamp(view.from, l.from, Math.max(l.until - span, l.from));
  view.to = view.from + span;
  view.row = clamp(view.row, LEAST_ROW, MOST_ROW);
  const {height} = shape(t);
  view.top = clamp(view.top, 0, Math.max(l.rows.length * view.row - (height - AXIS), 0));
  t.canvas.style.height = height + 'px';
  draw(t);
}

/* at: the cycle that stays where it is. */
function zoom(t, by, at = (t.view.from + t.view.to) / 2) {
  const {view} = t, span = clamp((view.to - view.from) * by, LEAST_SPAN, t.launch.until - t.launch.from);
  const share = (at - view.from) / (view.to - view.from);
  view.from = at - span * share;
  view.to = view.from + span;
  keep(t);
}

function pan(t, cycles, rows) {
  t.view.from += cycles;
  t.view.to += cycles;
  t.view.top += rows;
  keep(t);
}

function all(t) {
  const {launch: l} = t;
  t.view = {from: l.from, to: l.until, top: 0, row: clamp(Math.floor(TALLEST / l.rows.length), LEAST_ROW, 22)};
  keep(t);
}

/* What is told of a place */

function locksAt(l, row, from, to) {
  const told = row.sections.filter(s => s.since < Math.max(to, from + 1) && s.given > from).map(s => {
    const holds = s.given > from && s.taken < Math.max(to, from + 1) && (!s.unfinished || s.held);
    const what = holds ? `holds ${l.locks[s.lock]} from ${s.taken} to ${s.unfinished ? 'its end' : s.given}`
      : `waits for ${l.locks[s.lock]} from ${s.since} to ${s.taken}${s.unfinished ? ', in vain' : ''}`;
    return `lane ${s.lane} ${what}`;
  });
  return told.length > 4 ? [...told.slice(0, 4), `and ${told.length - 4} more`] : told;
}

function describe(t, {row: index, life, phase}) {
  const {launch: l} = t, row = l.rows[index], lines = [`SM ${row.sm}, slot ${row.slot}: block ${block(life)}, warp ${life.warp}, from ${life.from} to ${life.until}`];
  let from = life.from, to = life.until;
  if (phase < life.last) {
    [from, to] = [l.phases.begin[phase], endOf(l, life, phase)];
    const cause = l.causes[l.phases.cause[phase]], other = l.phases.other[phase], instr = l.instrs[l.phases.instr[phase]];
    lines.push(`${cause.words}: ${to - from} cycles, from ${from} to ${to}` + (other ? `; ${other} of them at other causes` : ''),
               `at ${l.places[instr.place]}: ${instr.text}`);
  } else
    lines.push(life.cut ? 'its phases had no room in the file' : 'nothing is known of it here');
  lines.push(...locksAt(l, row, from, to));
  for (const wait of row.barriers)
    if (wait.came < to && wait.opened > from)
      lines.push(`${wait.mbarrier ? `waits for mbarrier ${l.mbarriers[wait.mbarrier - 1]}` : 'at a barrier'} from ${wait.came} to ${wait.opened}`);
  return lines;
}

/* The phase under a pixel; of several the one that it has its colour of. */
function under(t, x, y) {
  const {launch: l, view} = t, {width, height, left} = shape(t), index = Math.floor((y - AXIS + view.top) / view.row), row = l.rows[index];
  if (x < left || x >= width || y < AXIS || y >= height || !row)
    return null;
  const pixels = Math.round((width - left) * (devicePixelRatio || 1)), scale = (view.to - view.from) / pixels;
  const from = view.from + Math.floor((x - left) * pixels / (width - left)) * scale, to = from + scale;
  const life = lifeAt(row, (from + to) / 2) || lifeAt(row, from) || lifeAt(row, to);
  if (!life)
    return null;
  const cycles = new Map();
  let best = phaseAt(l, life, from), count = 0;
  for (let i = best; i < life.last && l.phases.begin[i] < to; i++, count++) {
    const part = Math.min(endOf(l, life, i), to) - Math.max(l.phases.begin[i], from), cause = l.phases.cause[i], sum = cycles.get(cause)?.sum || 0;
    const most = cycles.get(cause);
    cycles.set(cause, {sum: sum + part, part: Math.max(most?.part || 0, part), phase: most && most.part >= part ? most.phase : i});
  }
  const largest = [...cycles.values()].reduce((a, b) => b.sum > a.sum ? b : a, {sum: -1, phase: best});
  return {row: index, life, phase: largest.phase, count};
}

function tell(t, place, x, y, more = []) {
  const {told, canvas} = t;
  told.textContent = place ? [...describe(t, place), ...more].join('\n') : '';
  if (!place)
    return;
  const {width} = shape(t), right = x > width / 2;
  Object.assign(told.style, {left: right ? 'auto' : x + 14 + 'px', right: right ? width - x + 14 + 'px' : 'auto', top: canvas.offsetTop + y + 14 + 'px'});
}

/* The phase that is chosen by keys is brought into view. */
function choose(t, place) {
  const {launch: l, view} = t, {life, phase, row} = place, {width, height, left} = shape(t);
  t.chosen = place;
  const [from, to] = phase < life.last ? [l.phases.begin[phase], endOf(l, life, phase)] : [life.from, life.until];
  if (to <= view.from || from >= view.to) {
    const half = (view.to - view.from) / 2;
    [view.from, view.to] = [from - half, from + half];
  }
  if (row * view.row < view.top)
    view.top = row * view.row;
  else if ((row + 1) * view.row > view.top + height - AXIS)
    view.top = (row + 1) * view.row - height + AXIS;
  keep(t);
  const at = Math.max(from, view.from);
  tell(t, place, left + (at - view.from) * (width - left) / (view.to - view.from), AXIS + (row + 1) * view.row - view.top - 8);
}

/* The next phase of a row in a direction, in another life where there is none in this one. */
function along(t, step) {
  const {chosen, launch: {rows}} = t;
  if (!chosen) {
    const row = rows.findIndex(r => r.lives.length);
    return row < 0 ? null : {row, life: rows[row].lives[0], phase: rows[row].lives[0].first};
  }
  const {row, life, phase} = chosen, {lives} = rows[row], to = phase + step;
  if (to >= life.first && to < life.last)
    return {row, life, phase: to};
  const next = lives[lives.indexOf(life) + step];
  return next ? {row, life: next, phase: step > 0 ? next.first : Math.max(next.last - 1, next.first)} : chosen;
}

/* The phase at the same time in another row. */
function across(t, step) {
  const {chosen, launch: l} = t;
  if (!chosen)
    return along(t, 0);
  const cycle = chosen.phase < chosen.life.last ? l.phases.begin[chosen.phase] : chosen.life.from;
  for (let row = chosen.row + step; l.rows[row]; row += step) {
    const life = lifeAt(l.rows[row], cycle) || l.rows[row].lives[0];
    if (life)
      return {row, life, phase: Math.min(phaseAt(l, life, cycle), Math.max(life.last - 1, life.first))};
  }
  return chosen;
}

/* Keys, wheel and pointer */

function press(t, event) {
  const {view} = t, far = (view.to - view.from) / 8;
  const act = event.shiftKey && event.key.startsWith('Arrow')
    ? {ArrowRight: () => along(t, 1), ArrowLeft: () => along(t, -1), ArrowDown: () => across(t, 1), ArrowUp: () => across(t, -1)}[event.key]
    : {ArrowRight: () => pan(t, far, 0), ArrowLeft: () => pan(t, -far, 0), ArrowDown: () => pan(t, 0, view.row), ArrowUp: () => pan(t, 0, -view.row),
       PageDown: () => pan(t, 0, TALLEST), PageUp: () => pan(t, 0, -TALLEST), '+': () => zoom(t, 0.5), '=': () => zoom(t, 0.5), '-': () => zoom(t, 2),
       ']': () => taller(t, 1.5), '[': () => taller(t, 1 / 1.5), Home: () => all(t), '.': () => along(t, 1), ',': () => along(t, -1),
       Escape: () => { t.chosen = null; tell(t, null); draw(t); }}[event.key];
  if (!act || event.ctrlKey || event.altKey || event.metaKey)
    return;
  event.preventDefault();
  const place = act();
  if (place)
    choose(t, place);
}

function taller(t, by) {
  t.view.top *= by;
  t.view.row *= by;
  keep(t);
}

const cycleAt = (t, x) => {
  const {width, left} = shape(t);
  return t.view.from + (x - left) * (t.view.to - t.view.from) / (width - left);
};

/* The wheel belongs to the page until the drawing has the focus. */
function roll(t, event) {
  if (document.activeElement !== t.canvas && !event.ctrlKey)
    return;
  event.preventDefault();
  const {width, left} = shape(t);
  if (event.shiftKey)
    pan(t, 0, event.deltaY || event.deltaX);
  else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
    pan(t, event.deltaX * (t.view.to - t.view.from) / (width - left), 0);
  else
    zoom(t, 2 ** clamp(event.deltaY / 200, -1, 1), cycleAt(t, event.offsetX));
}

/* One pointer drags, two zoom. */
function drags(t) {
  const {canvas} = t, down = new Map();
  const apart = () => {
    const [a, b] = [...down.values()];
    return {width: Math.max(Math.abs(a.x - b.x), 10), middle: (a.x + b.x) / 2};
  };
  canvas.onpointerdown = event => {
    canvas.setPointerCapture?.(event.pointerId);
    down.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
  };
  canvas.onpointermove = event => {
    const was = down.get(event.pointerId), {offsetX: x, offsetY: y} = event, {width, left} = shape(t);
    if (was) {
      const before = down.size === 2 ? apart() : null;
      down.set(event.pointerId, {x, y});
      if (before)
        zoom(t, before.width / apart().width, cycleAt(t, before.middle));
      else
        pan(t, (was.x - x) * (t.view.to - t.view.from) / (width - left), was.y - y);
    }
    const place = under(t, x, y);
    tell(t, place, x, y, place?.count > 1 ? [`(here are ${place.count} phases; drawn is the cause with the most cycles)`] : []);
  };
  canvas.onpointerup = canvas.onpointercancel = event => down.delete(event.pointerId);
  canvas.onpointerleave = () => tell(t, null);
}

/* What stands around the drawing */

function addLegend(t) {
  t.legend.textContent = '';
  const sum = t.launch.causes.reduce((total, cause) => total + cause.cycles, 0);
  for (const cause of t.launch.causes.filter(c => c.cycles > 0).sort((a, b) => b.cycles - a.cycles)) {
    const button = make('button', {type: 'button', title: `warps.${cause.name}: ${cause.cycles} warp-cycles; a click shows where`}, t.legend);
    button.onclick = () => {
      t.lit = t.lit === cause ? null : cause;
      for (const other of t.legend.querySelectorAll('button'))
        other.setAttribute('aria-pressed', !t.lit || other === button);
      draw(t);
    };
    button.setAttribute('aria-pressed', true);
    make('i', {}, button).style.background = cause.colour;
    button.append(`${cause.words} ${(100 * cause.cycles / sum).toFixed(1)}%`);
  }
  for (const [name, text, some] of [['held', 'lock held', 'sections'], ['waited', 'lock waited for', 'sections'], ['barrier', 'at a barrier or mbarrier', 'barriers']])
    if (t.launch.rows.some(row => row[some].length)) {
      const key = make('span', {}, t.legend);
      make('i', {className: name}, key);
      key.append(text);
    }
}

function show(t, script) {
  t.launch = t.read.get(script) || t.read.set(script, read(script)).get(script);
  t.chosen = t.lit = null;
  tell(t, null);
  addLegend(t);
  t.canvas.setAttribute('aria-label', `Time-line of ${t.launch.title}: what each warp did when. Shift with arrows goes from phase to phase and tells it.`);
  all(t);
}

function picture(t) {
  paint(t);
  Object.assign(document.createElement('a'), {download: 'time-line.png', href: t.canvas.toDataURL()}).click();
}

function begin(place) {
  const scripts = [...place.querySelectorAll('script')], bar = make('div', {className: 'bar'}, place);
  const t = {place, read: new Map(), view: {from: 0, to: 1, top: 0, row: 12}};
  t.legend = make('div', {className: 'legend'}, place);
  t.canvas = make('canvas', {tabIndex: 0}, place);
  t.canvas.setAttribute('role', 'application');
  t.told = make('div', {className: 'told'}, place);
  t.told.setAttribute('role', 'status');
  if (scripts.length > 1) {
    const choice = make('select', {onchange: () => show(t, scripts[choice.value])}, bar);
    choice.setAttribute('aria-label', 'launch');
    scripts.forEach((script, i) => make('option', {value: i, textContent: script.dataset.title}, choice));
  }
  for (const [text, title, act] of [['+', 'closer (key +)', () => zoom(t, 0.5)], ['\u2212', 'further away (key -)', () => zoom(t, 2)], ['all', 'all of it (key Home)', () => all(t)],
                                    ['taller', 'taller rows (key ])', () => taller(t, 1.5)], ['lower', 'lower rows (key [)', () => taller(t, 1 / 1.5)],
                                    ['PNG', 'the drawing as a picture', () => picture(t)]])
    make('button', {type: 'button', textContent: text, title, onclick: act}, bar);
  t.canvas.onkeydown = event => press(t, event);
  t.canvas.addEventListener('wheel', event => roll(t, event), {passive: false});
  drags(t);
  show(t, scripts[0]);
  make('figcaption', {textContent: 'Rows are warp slots, time goes to the right, in cycles of the launch. Drag it or use arrows to go along; zoom by + and \u2212, or by the '
    + 'wheel when it has the focus (else with Ctrl; with Shift the wheel goes from row to row). Shift with arrows, or . and , go from phase to phase. Locks and barriers are drawn in rows that are tall enough.'}, place);
  place.closest('figure').querySelector('details').open = false;
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (width !== place.clientWidth)
      keep(t);
    width = place.clientWidth;
  }).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw(t));
}

document.querySelectorAll('.timeline').forEach(begin);
})();
