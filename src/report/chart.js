/* Draws the figures of a page: see chart.h. Stands behind Chart.js, and behind the figures. */
'use strict';
(() => {
const hues = ['#4e79a7', '#f28e2b', '#59a14f', '#e15759', '#76b7b2', '#b07aa1', '#9c755f', '#bab0ac', '#edc948', '#7a7f87'];
const printed = '#d6006c';
const css = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const MANY = 16; /* of so many bars the names stand upright */
const figureOf = new WeakMap(); /* by its canvas */
const unique = list => [...new Set(list)];
const make = (tag, set, parent) => parent.appendChild(Object.assign(document.createElement(tag), set));

/* A number as tables show it; in short, for the marks of an axis. */
const show = v => Math.abs(v) >= 1e4 ? v.toFixed(0) : String(Number(v.toPrecision(4)));
const short = v => {
  const [by, unit] = [[1e9, 'G'], [1e6, 'M'], [1e4, 'k']].find(([least]) => Math.abs(v) >= least) || [1, ''];
  return Number((v / (unit === 'k' ? 1e3 : by)).toPrecision(6)) + (unit && ' ' + unit);
};

/* The rows of the file that one takes along, without its first line. */
function rowsOf(link) {
  const bytes = link.getAttribute('href').replace(/^[^,]*,/, '').replace(/%(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  const text = new TextDecoder().decode(Uint8Array.from(bytes, c => c.charCodeAt(0)));
  const rows = [];
  let row = [];
  for (const [, field, end] of text.matchAll(/("(?:[^"]|"")*"|[^,\n]*)([,\n])/g)) {
    row.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end === '\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows.slice(1);
}
const number = text => text === '' ? null : Number(text);

/* Series whose names share what is before '+' have one hue, lighter first. */
function colours(names) {
  const stem = name => name.split('+')[0], stems = unique(names.map(stem));
  return names.map((name, i) => {
    const kin = names.filter(other => stem(other) === stem(name)), place = kin.indexOf(name);
    const share = kin.length > 1 ? place / (kin.length - 1) : 0.7;
    const hue = hues[stems.indexOf(stem(name)) % hues.length];
    const part = k => {
      const whole = parseInt(hue.slice(k, k + 2), 16);
      return Math.floor(share < 0.7 ? whole + (255 - whole) * 0.5 * (0.7 - share) / 0.7 : whole * (1 - (share - 0.7) * 0.67));
    };
    return `rgb(${part(1)}, ${part(3)}, ${part(5)})`;
  });
}

/* A figure as its place in the page describes it: kind, names of axes, numbers. */
function read(place) {
  const figure = place.closest('figure'), {kind, log = '', base, x, y} = place.dataset;
  const rows = rowsOf(figure.querySelector('a[download]'));
  const f = {place, figure, kind, x, y, title: figure.querySelector('h3').textContent, base: base === undefined ? null : Number(base),
             logX: kind === 'lines' && (log === 'x' || log === 'both'), logY: log === 'y' || log === 'both'};
  if (kind === 'timeline') {
    f.bars = rows.map(([lane, from, to, until, label]) => ({lane, from: Number(from), to: Number(to), until: Number(until), label}));
    f.lanes = unique(f.bars.map(bar => bar.lane));
    return f;
  }
  if (kind === 'scatter') {
    f.points = rows.map(([name, variant, mark, at, value]) => ({name, variant, mark: Number(mark), at: Number(at), value: Number(value)}));
    return f;
  }
  f.points = rows.map(([series, at, ...values]) => {
    const [value, least, most, paper] = values.map(number);
    return {series, at, value, least, most, paper, spread: most !== null && most > least};
  });
  f.names = unique(f.points.map(p => p.series));
  f.xs = unique(f.points.map(p => p.at));
  return f;
}

/* Panels that stand side by side have one legend, one set of colours, and one y axis, unless one of them were then too low to
 * be read. */
function group(panels) {
  const drawn = panels.filter(f => f.names), points = drawn.flatMap(f => f.points), stack = drawn.some(f => f.kind === 'stack');
  const names = unique(points.map(p => p.series)), ends = drawn.map(extent), most = ends.map(end => end[1]);
  const g = {panels: drawn, names, colour: colours(names), spread: !stack && points.some(p => p.spread),
             alone: names.filter(name => points.every(p => p.series !== name || p.value === null))};
  g.paper = points.some(p => p.paper !== null && !g.alone.includes(p.series));
  if (Math.max(...most) <= 4 * Math.min(...most))
    g.ends = [Math.min(...ends.map(end => end[0])), Math.max(...most)];
  for (const f of panels)
    f.group = g;
  return g;
}

/* The points of a series in the order of the x axis; null where it has none. */
const pointsAt = (f, name) => f.kind === 'lines' ? f.points.filter(p => p.series === name)
  : f.xs.map(x => f.points.find(p => p.series === name && p.at === x) || null);

function datasets(f) {
  return f.names.map(name => {
    const points = pointsAt(f, name), colour = f.group.colour[f.group.names.indexOf(name)];
    const common = {label: name, points, backgroundColor: colour, hidden: f.group.hidden?.has(name)};
    if (f.group.alone.includes(name)) /* of the paper there is no bar */
      return {...common, type: 'line', showLine: false, pointStyle: 'rectRot', pointRadius: 5, backgroundColor: printed, borderColor: css('paper'),
              data: points.map(p => p && (f.kind === 'lines' ? {x: Number(p.at), y: p.paper} : p.paper)), order: -1};
    if (f.kind === 'lines')
      return {...common, type: 'line', borderColor: colour, pointRadius: 3, borderWidth: 2, spanGaps: true,
              data: points.map(p => ({x: Number(p.at), y: p.value}))};
    return {...common, type: 'bar', skipNull: true, categoryPercentage: f.kind === 'stack' ? 0.7 : 0.84, barPercentage: f.kind === 'stack' ? 1 : 0.92,
            maxBarThickness: 110, data: points.map(p => p && p.value), ...(f.base === null ? {} : {base: f.base})};
  });
}

function timeline(f) {
  const common = {type: 'bar', grouped: false, minBarLength: 0};
  const parity = [];
  f.bars.forEach((bar, i) => parity.push(i && f.bars[i - 1].lane === bar.lane ? 1 - parity[i - 1] : 0));
  return [
    {...common, label: 'works', points: f.bars, barThickness: 11, backgroundColor: parity.map(odd => odd ? '#8fb3d9' : '#4e79a7'),
     data: f.bars.map(bar => ({y: bar.lane, x: [bar.from, bar.to]}))},
    {...common, label: 'waits', points: f.bars, barThickness: 2, backgroundColor: '#e15759',
     data: f.bars.map(bar => ({y: bar.lane, x: [bar.to, bar.until]}))},
  ];
}

/* Pairs of numbers that should be equal: dots and squares. */
const scatter = f => [0, 1].map(mark => {
  const points = f.points.filter(p => p.mark === mark);
  return {type: 'scatter', label: '', points, pointStyle: mark ? 'rect' : 'circle', pointRadius: 4, backgroundColor: css(mark ? 'square' : 'dot'),
          data: points.map(p => ({x: p.at, y: p.value}))};
});
const FAR = 0.1; /* points further off than this share carry their names */

/* Bands of a quarter and a tenth to either side of what is equal. */
function bands({ctx, scales: {x, y}}) {
  const at = (value, by) => [x.getPixelForValue(value), y.getPixelForValue(value * by)], shape = points => {
    ctx.beginPath();
    points.forEach(point => ctx.lineTo(...point));
  };
  ctx.fillStyle = 'rgba(78, 121, 167, 0.15)';
  for (const by of [0.25, FAR]) {
    shape([at(x.min, 1 - by), at(x.max, 1 - by), at(x.max, 1 + by), at(x.min, 1 + by)]);
    ctx.fill();
  }
  ctx.strokeStyle = css('ink');
  ctx.setLineDash([4, 4]);
  shape([at(x.min, 1), at(x.max, 1)]);
  ctx.stroke();
  ctx.setLineDash([]);
}

/* Least and greatest of all that is drawn on the y axis. */
function extent(f) {
  if (f.kind === 'stack')
    return [0, Math.max(...f.xs.map(x => f.points.filter(p => p.at === x).reduce((sum, p) => sum + p.value, 0)),
                        ...f.points.map(p => p.paper || 0))];
  const values = f.points.flatMap(p => [p.value, p.paper, ...(p.spread ? [p.least, p.most] : [])]).filter(v => v !== null && (v > 0 || !f.logY));
  if (f.base !== null)
    values.push(f.base);
  return [Math.min(...values), Math.max(...values)];
}

const value = p => show(p.value) + (p.spread ? ` (${show(p.least)} to ${show(p.most)})` : '');
const told = (f, p) => f.group.alone.includes(p.series) ? show(p.paper)
  : [p.value === null ? '' : value(p), p.paper === null ? '' : `paper ${show(p.paper)}`].filter(text => text).join('; ') || '-';

function word(ctx, text, x, y, colour, align) {
  Object.assign(ctx, {fillStyle: colour, textAlign: align, textBaseline: 'middle'});
  ctx.fillText(text, x, y);
}

function line({ctx}, ...points) {
  ctx.strokeStyle = css('ink');
  ctx.beginPath();
  points.forEach(point => ctx.lineTo(...point));
  ctx.stroke();
}

function diamond({ctx}, x, y) {
  ctx.save();
  Object.assign(ctx, {fillStyle: printed, strokeStyle: css('paper'), lineWidth: 1});
  ctx.translate(x, y);
  ctx.rotate(Math.PI / 4);
  ctx.fillRect(-3.5, -3.5, 7, 7);
  ctx.strokeRect(-3.5, -3.5, 7, 7);
  ctx.restore();
}

/* Marks drawn over a point, by the kind of its figure: element is where Chart.js has drawn it. */
const over = {
  timeline({ctx}, f, p, element, series) {
    ctx.font = '9px sans-serif';
    if (series === 0 && element.width > ctx.measureText(p.label).width + 2)
      word(ctx, p.label, element.x - element.width / 2, element.y, '#000', 'center');
  },
  scatter({ctx, chartArea: area}, f, p, element) {
    const left = element.x > (area.left + area.right) / 2;
    if (Math.abs(p.value / p.at - 1) > FAR)
      word(ctx, p.name, element.x + (left ? -7 : 7), element.y, css('ink'), left ? 'right' : 'left');
  },
  bars(chart, f, p, element, series, i) {
    const {x, y} = chart.scales, from = f.kind === 'lines' ? x.getPixelForValue(Number(p.at)) : p.value === null ? x.getPixelForValue(i) : element.x;
    if (p.spread && f.kind !== 'stack')
      line(chart, [element.x, y.getPixelForValue(p.least)], [element.x, y.getPixelForValue(p.most)]);
    if (p.paper !== null && !f.group.alone.includes(p.series))
      diamond(chart, from, y.getPixelForValue(p.paper));
  },
};
over.stack = over.lines = over.bars;

function inside({ctx, chartArea: area}, more, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(area.left, area.top - more, area.width, area.height + 2 * more);
  ctx.clip();
  draw();
  ctx.restore();
}

/* The ground; below the bars and points bands, and over them the rest, with the part of the x axis that is being chosen. */
const marks = {
  id: 'marks',
  beforeDraw({ctx, width, height}) {
    ctx.save();
    ctx.fillStyle = css('paper');
    ctx.fillRect(0, 0, width, height);
    ctx.restore();
  },
  beforeDatasetsDraw(chart) {
    if (figureOf.get(chart.canvas).kind === 'scatter')
      inside(chart, 0, () => bands(chart));
  },
  afterDatasetsDraw(chart) {
    const f = figureOf.get(chart.canvas), {ctx, chartArea: area, scales: {y}} = chart;
    inside(chart, 6, () => {
      if (f.base !== null)
        line(chart, [area.left, y.getPixelForValue(f.base)], [area.right, y.getPixelForValue(f.base)]);
      ctx.lineWidth = 1.5;
      for (const meta of chart.getSortedVisibleDatasetMetas())
        meta.data.forEach((element, i) => {
          const p = chart.data.datasets[meta.index].points[i];
          if (p)
            over[f.kind](chart, f, p, element, meta.index, i);
        });
      ctx.fillStyle = 'rgba(120, 140, 170, 0.25)';
      if (f.drag)
        ctx.fillRect(f.drag.from, area.top, f.drag.to - f.drag.from, area.height);
    });
  },
};

/* Keys for what the marks mean, in a picture that is taken along. */
function keys(chart) {
  const f = figureOf.get(chart.canvas), plain = Chart.defaults.plugins.legend.labels.generateLabels(chart);
  const list = plain.map(key => ({...key, pointStyle: f.group.alone.includes(key.text) ? 'rectRot' : 'rect', fontColor: css('ink')}));
  if (f.group.paper)
    list.push({text: 'the paper', fillStyle: printed, strokeStyle: printed, pointStyle: 'rectRot', fontColor: css('ink')});
  if (f.group.spread)
    list.push({text: 'variants', strokeStyle: css('ink'), lineWidth: 1.5, pointStyle: 'line', rotation: 90, fontColor: css('ink')});
  return list;
}

/* The greatest of 1, 2 and 5 times a power of ten that is not above the value; and the one that follows it. */
const markBelow = v => {
  const decade = 10 ** Math.floor(Math.log10(v) + 1e-9), by = [5, 2, 1].find(k => v >= k * decade * (1 - 1e-9));
  return Number((by * decade).toPrecision(1));
};
const markAbove = mark => markBelow(mark * 2.6);

/* Those marks of a logarithmic axis; of many, the powers of ten alone. */
function marksOf({min, max}) {
  const list = [];
  for (let mark = markBelow(min); mark <= max * 1.001; mark = markAbove(mark))
    if (mark >= min * 0.999 && (max <= 2000 * min || String(mark.toExponential())[0] === '1'))
      list.push({value: mark});
  return list.length > 1 ? list : [{value: min}, {value: max}];
}

function axis(name, logarithmic, {ticks = {}, ...more} = {}) {
  const lines = name.length > 34 ? name.match(/.{1,34}(?: |$)|.{34}/g).map(part => part.trim()) : name;
  return {type: logarithmic ? 'logarithmic' : 'linear', title: {display: Boolean(name), text: lines, color: css('ink')},
          grid: {color: css('faint')}, ...more, ticks: {color: css('ink'), callback: short, ...ticks},
          ...(logarithmic ? {afterBuildTicks: scale => { scale.ticks = marksOf(scale); }} : {})};
}

/* The ends of a logarithmic axis are marks. */
function between(values) {
  const least = Math.min(...values), most = Math.max(...values);
  return least > 0 && isFinite(most) ? {min: markBelow(least), max: markAbove(markBelow(most * 0.999))} : {};
}

function axes(f) {
  const names = {type: 'category', grid: {display: false}, ticks: {autoSkip: false, callback(value) { return this.getLabelForValue(value); }}};
  if (f.kind === 'timeline') {
    const ends = f.bars.flatMap(bar => [bar.from, bar.until]);
    return {x: axis(f.x, false, {min: Math.min(...ends), max: Math.max(...ends), ticks: {maxRotation: 0}}),
            y: axis(f.y, false, {...names, ticks: {...names.ticks, font: {size: 10}}})};
  }
  if (f.kind === 'scatter') {
    const ends = between(f.points.flatMap(p => [p.at, p.value]));
    return {x: axis(f.x, true, ends), y: axis(f.y, true, ends)};
  }
  const [least, most] = f.group.ends || extent(f);
  const y = f.logY ? between([least, most])
    : {beginAtZero: f.kind !== 'lines' && f.base === null, suggestedMin: least, suggestedMax: most};
  const many = f.xs.length > MANY ? {minRotation: 90, maxRotation: 90, font: {size: 10}} : {maxRotation: 60};
  const x = f.kind !== 'lines' ? {...names, stacked: f.kind === 'stack', ticks: {...names.ticks, ...many}}
    : f.logX ? between(f.xs.map(Number).filter(at => at > 0)) : {};
  return {x: axis(f.x, f.logX, x), y: axis(f.y, f.logY, {...y, stacked: f.kind === 'stack'})};
}

function tooltip(f) {
  if (f.kind === 'timeline')
    return {callbacks: {title: ([item]) => item.dataset.points[item.dataIndex].lane, label: item => {
      const bar = item.dataset.points[item.dataIndex];
      return [`${bar.label}: ${show(bar.from)} to ${show(bar.to)}`, `waits until ${show(bar.until)}`];
    }}};
  if (f.kind === 'scatter')
    return {callbacks: {label: item => {
      const p = item.dataset.points[item.dataIndex];
      return [`${p.name}, ${p.variant}`, `${f.y}: ${show(p.value)}`, `${f.x}: ${show(p.at)}`, `ratio ${(p.value / p.at).toFixed(3)}`];
    }}};
  return {filter: item => Boolean(item.dataset.points[item.dataIndex]),
          callbacks: {title: ([item]) => item ? item.dataset.points[item.dataIndex].at : '',
                      label: item => `${item.dataset.label}: ${told(f, item.dataset.points[item.dataIndex])}`}};
}

function options(f) {
  return {
    indexAxis: f.kind === 'timeline' ? 'y' : 'x', animation: false, maintainAspectRatio: false,
    interaction: f.kind === 'bars' || f.kind === 'stack' ? {mode: 'index', intersect: false} : {mode: 'nearest', intersect: f.kind !== 'lines'},
    scales: axes(f),
    plugins: {tooltip: tooltip(f), title: {display: false, text: f.title, color: css('ink')},
              legend: {display: false, labels: {usePointStyle: true, generateLabels: keys}}},
  };
}

/* A part of the x axis is chosen by drawing over it. */
function zooms(f) {
  const at = event => event.clientX - f.canvas.getBoundingClientRect().left;
  const chosen = axis => axis.type === 'category' ? v => Math.round(v) : v => v;
  f.canvas.style.touchAction = 'pan-y';
  f.canvas.onpointerdown = event => {
    if (event.button === 0 && event.pointerType !== 'touch')
      f.drag = {from: at(event), to: at(event)};
  };
  f.canvas.onpointermove = event => {
    if (!f.drag)
      return;
    f.drag.to = at(event);
    f.chart.draw();
  };
  f.canvas.onpointerup = f.canvas.onpointerleave = () => {
    const {drag} = f, {scales: {x}, options: {scales}} = f.chart;
    f.drag = null;
    if (drag && Math.abs(drag.to - drag.from) > 8) {
      const ends = [drag.from, drag.to].sort((a, b) => a - b).map(pixel => chosen(x)(x.getValueForPixel(pixel)));
      f.all ||= {min: scales.x.min, max: scales.x.max};
      [scales.x.min, scales.x.max] = [Math.max(ends[0], x.min), Math.min(ends[1], x.max)];
      f.whole.hidden = false;
    }
    f.chart.update();
  };
}

function whole(f) {
  Object.assign(f.chart.options.scales.x, f.all);
  f.whole.hidden = true;
  f.chart.update();
}

/* The arrows go from bar to bar, or point to point. */
function walks(f) {
  let at = -1;
  f.place.tabIndex = 0;
  f.place.onkeydown = event => {
    const metas = f.chart.getSortedVisibleDatasetMetas();
    const there = index => metas.filter(meta => f.chart.data.datasets[meta.index].points[index]);
    const stops = f.kind === 'bars' || f.kind === 'stack' ? f.xs.map((_, index) => there(index).map(meta => ({datasetIndex: meta.index, index})))
      : metas.filter(meta => f.kind !== 'timeline' || meta.index === 0).flatMap(meta => meta.data.map((_, index) => [{datasetIndex: meta.index, index}]));
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: stops.length - 1, Escape: -1}[event.key];
    if (to === undefined || !stops.length)
      return;
    event.preventDefault();
    at = event.key === 'Escape' ? -1 : Math.min(Math.max(to, 0), stops.length - 1);
    const active = at < 0 ? [] : stops[at];
    f.chart.setActiveElements(active);
    f.chart.tooltip.setActiveElements(active, {x: 0, y: 0});
    f.chart.update();
  };
}

/* A series is shown or not in all panels that have it. */
function toggle(g, name, button) {
  const hide = button.getAttribute('aria-pressed') === 'true';
  button.setAttribute('aria-pressed', !hide);
  g.hidden ||= new Set();
  g.hidden[hide ? 'add' : 'delete'](name);
  for (const f of g.panels)
    f.chart.data.datasets.forEach((dataset, i) => {
      if (dataset.label === name)
        f.chart.setDatasetVisibility(i, !hide);
    });
  g.panels.forEach(f => f.chart.update());
}

function addLegend(g) {
  if (!g.panels.length)
    return;
  const legend = document.createElement('div'), first = g.panels[0], side = first.place.closest('.side');
  legend.className = 'legend';
  g.names.forEach((name, i) => {
    const button = make('button', {type: 'button', onclick: () => toggle(g, name, button)}, legend);
    button.setAttribute('aria-pressed', true);
    const mark = make('i', {}, button);
    if (g.alone.includes(name))
      mark.className = 'paper';
    else
      mark.style.background = g.colour[i];
    button.append(name);
  });
  const mark = (name, text) => {
    const key = make('span', {}, legend);
    make('i', {className: name}, key);
    key.append(text);
  };
  if (g.paper)
    mark('paper', 'the paper');
  if (g.spread)
    mark('variants', 'variants');
  if (side)
    side.prepend(legend);
  else
    first.place.closest('.scroll').before(legend);
}

/* The drawing as a picture of one size, with its title and keys, on any screen. */
function picture(f) {
  const {chart} = f, {width, height} = chart, {title, legend} = chart.options.plugins;
  const shape = (shown, w, h) => {
    title.display = shown;
    legend.display = shown && Boolean(f.names);
    chart.options.devicePixelRatio = shown ? 2 : undefined;
    chart.resize(w, h);
    chart.update();
  };
  shape(true, 1000, f.kind === 'timeline' ? height + 40 : f.kind === 'scatter' ? 1000 : 520);
  const download = f.figure.querySelector('a[download]').download.replace(/csv$/, 'png');
  const link = Object.assign(document.createElement('a'), {download, href: chart.toBase64Image()});
  shape(false, width, height);
  link.click();
}

function addButtons(f) {
  const take = f.figure.querySelector('.take');
  make('button', {type: 'button', textContent: 'PNG', title: 'the drawing as a picture', onclick: () => picture(f)}, take);
  f.whole = make('button', {type: 'button', textContent: 'all of x', title: 'show all of the x axis again', hidden: true, onclick: () => whole(f)}, take);
}

/* Many bars get the width that they need, in a box that scrolls, and a timeline its height. */
function size(f) {
  const bars = f.kind === 'bars' ? f.points.length * 3.5 : f.kind === 'stack' ? f.xs.length * 9 : 200, many = f.xs?.length > MANY && f.kind !== 'lines';
  f.place.style.minWidth = Math.ceil(60 + Math.max(bars, many ? f.xs.length * 12 : 0)) + 'px';
  if (f.kind === 'timeline')
    f.place.style.height = 70 + 15 * f.lanes.length + 'px';
  else if (f.kind === 'scatter')
    Object.assign(f.place.style, {height: 'auto', aspectRatio: '1'});
  else if (many)
    f.place.style.height = '25rem';
}

function draw(f) {
  if (f.chart)
    f.chart.destroy();
  f.chart = new Chart(f.canvas, {options: options(f), plugins: [marks],
                                 data: {labels: f.lanes || f.xs, datasets: (f.kind === 'timeline' ? timeline : f.kind === 'scatter' ? scatter : datasets)(f)}});
}

function begin(f) {
  f.canvas = make('canvas', {}, f.place);
  figureOf.set(f.canvas, f);
  size(f);
  draw(f);
  addButtons(f);
  zooms(f);
  walks(f);
  f.figure.querySelector('details').open = false;
}

Chart.defaults.font.family = 'system-ui, sans-serif';
const figures = [...document.querySelectorAll('.chart')].map(read);
const groups = unique(figures.map(f => f.place.closest('.side') || f)).map(side => group(figures.filter(f => f === side || f.place.closest('.side') === side)));
figures.forEach(begin);
groups.forEach(addLegend);
if (location.hash) /* the tables above it have been folded */
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
matchMedia('(prefers-color-scheme: dark)').onchange = () => figures.forEach(draw);
})();
