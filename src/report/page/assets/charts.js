// Plots as SVG. Each has a text that says the same.

/** Won, drawn and lost games as one bar. */
function resultBar({ wins, draws, losses }) {
  const games = wins + draws + losses;
  const text = `${wins} won, ${draws} drawn, ${losses} lost`;
  const bar = shape('svg', { class: 'result-bar', viewBox: '0 0 100 12', preserveAspectRatio: 'none', role: 'img', 'aria-label': text },
    shape('title', {}, text));
  let x = 0;
  for (const [kind, number] of [['won', wins], ['drawn', draws], ['lost', losses]]) {
    const width = games ? (100 * number) / games : 0;
    bar.append(shape('rect', { class: kind, x, y: 0, width, height: 12 }));
    x += width;
  }
  return bar;
}

/** Ratings with their 95 % intervals, all on one scale. */
function eloScale(rows) {
  const known = rows.filter((row) => row.elo !== null && row.bound === '');
  const ends = known.flatMap((row) => [row.elo - (row.error95 ?? 0), row.elo + (row.error95 ?? 0)]);
  const low = Math.min(...ends, 0) - 20;
  const high = Math.max(...ends, 0) + 20;
  // A bound may lie far away: its arrow stands at the end of the scale.
  const x = (value) => 8 + (184 * (Math.min(Math.max(value, low), high) - low)) / (high - low);
  return (row) => {
    if (row.elo === null) return null;
    const text = `Elo: ${rating(row)}`;
    const plot = shape('svg', { class: 'elo-bar', viewBox: '0 0 200 16', role: 'img', 'aria-label': text },
      shape('title', {}, text),
      shape('line', { class: 'zero', x1: x(0), x2: x(0), y1: 0, y2: 16 }));
    if (row.error95 !== null) {
      plot.append(shape('line', { class: 'interval', x1: x(row.elo - row.error95), x2: x(row.elo + row.error95), y1: 8, y2: 8 }));
      for (const end of [row.elo - row.error95, row.elo + row.error95]) {
        plot.append(shape('line', { class: 'interval', x1: x(end), x2: x(end), y1: 4, y2: 12 }));
      }
    }
    plot.append(row.bound
      ? shape('path', { class: 'point', d: arrow(x(row.elo), row.bound === '>' ? 1 : -1) })
      : shape('circle', { class: 'point', cx: x(row.elo), cy: 8, r: 4 }));
    return plot;
  };
}

function arrow(x, direction) {
  return `M${x - 4 * direction} 3 L${x + 5 * direction} 8 L${x - 4 * direction} 13 Z`;
}

/**
 * Lines over one x axis. Each line is a list of [x, y]; one with a `kind` has a look of its own, and
 * no dots. `spots` are points that stand out, with a text. `plot.moveMark(x)` puts a mark at x.
 */
function linePlot({ label, lines, xLabel, yLabel, levels = [], spots = [] }) {
  const [width, height, left, bottom] = [640, 220, 56, 34];
  const points = lines.flatMap((line) => line.points);
  const xs = points.map(([x]) => x);
  const ys = [...points.map(([, y]) => y), ...levels.map((level) => level.y), 0];
  const [lowX, highX] = [Math.min(...xs, 0), Math.max(...xs, 1)];
  const [lowY, highY] = [Math.min(...ys), Math.max(...ys, Math.min(...ys) + 1e-9)];
  const x = (value) => left + ((width - left - 12) * (value - lowX)) / (highX - lowX || 1);
  const y = (value) => 24 + ((height - bottom - 24) * (highY - value)) / (highY - lowY || 1);
  const plot = shape('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    shape('title', {}, label));
  for (const tick of ticks(lowY, highY)) {
    plot.append(shape('line', { class: tick === 0 ? 'zero' : 'grid', x1: left, x2: width - 12, y1: y(tick), y2: y(tick) }),
      shape('text', { class: 'tick', x: left - 6, y: y(tick) + 5, 'text-anchor': 'end' }, String(tick).replace('-', '−')));
  }
  for (const tick of ticks(lowX, highX).filter(Number.isInteger)) {
    plot.append(shape('text', { class: 'tick', x: x(tick), y: height - bottom + 18, 'text-anchor': 'middle' }, String(tick)));
  }
  for (const level of levels) {
    plot.append(shape('line', { class: 'level', x1: left, x2: width - 12, y1: y(level.y), y2: y(level.y) }),
      shape('text', { class: 'tick', x: width - 14, y: y(level.y) + (level.y > 0 ? 15 : -5), 'text-anchor': 'end' }, level.text));
  }
  plot.append(shape('text', { class: 'tick', x: width - 12, y: height - 4, 'text-anchor': 'end' }, xLabel),
    shape('text', { class: 'tick', x: left + 4, y: 14 }, yLabel));
  lines.forEach((line, number) => {
    const path = line.points.map(([px, py], place) => `${place ? 'L' : 'M'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('');
    plot.append(shape('path', { class: `line line-${line.kind ?? number}`, d: path }));
    if (line.kind === undefined && line.points.length <= 200) {
      plot.append(...line.points.map(([px, py]) => (number === 0
        ? shape('circle', { class: `dot line-${number}`, cx: x(px), cy: y(py), r: 3 })
        : shape('rect', { class: `dot line-${number}`, x: x(px) - 3, y: y(py) - 3, width: 6, height: 6 }))));
    }
  });
  plot.append(...spots.map((spot) => shape('circle', { class: 'spot', cx: x(spot.x), cy: y(spot.y), r: 5 }, shape('title', {}, spot.text))));
  plot.moveMark = (value) => {
    plot.querySelector('.mark')?.remove();
    plot.append(shape('line', { class: 'mark', x1: x(value), x2: x(value), y1: 20, y2: height - bottom }));
  };
  return plot;
}

/** About five round numbers between two ends, which are finite. */
function ticks(low, high) {
  const span = high - low || 1;
  if (!Number.isFinite(span)) return [];
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((it) => it * power).find((it) => span / it <= 5);
  const all = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step) {
    all.push(Number(tick.toPrecision(10)) + 0);
  }
  return all;
}

/** Numbers of moves by their time; each column is one interval of `starts`, in µs. */
function timeHistogram(starts, numbers) {
  const first = numbers.findIndex((it) => it > 0);
  if (first < 0) return element('p', {}, 'It made no move.');
  const last = numbers.findLastIndex((it) => it > 0);
  const shown = numbers.slice(first, last + 1);
  const [width, height, bottom] = [640, 200, 34];
  const highest = Math.max(...shown);
  const step = (width - 24) / shown.length;
  const label = `times of moves from ${readableTime(starts[first])} to ${readableTime(starts[last + 1] ?? starts[last])}`;
  const plot = shape('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    shape('title', {}, label));
  shown.forEach((number, place) => {
    const tall = ((height - bottom - 20) * number) / highest;
    const x = 12 + place * step;
    plot.append(shape('rect', { class: 'column', x: x + 1, y: height - bottom - tall, width: Math.max(step - 2, 1), height: tall },
      shape('title', {}, `${counted(number, 'move')} from ${readableTime(starts[first + place])}`)));
    if (place % Math.ceil(shown.length / 6) === 0) {
      plot.append(shape('text', { class: 'tick', x, y: height - bottom + 18 }, readableTime(starts[first + place])));
    }
  });
  return plot;
}
