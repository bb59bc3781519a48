// The board: two rows of six pits, two stores, and 48 seeds that move one by one.
//
//        f   e   d   c   b   a        North
//   N                            S    the stores
//        A   B   C   D   E   F        South

const LETTERS = 'ABCDEFabcdef';
const SEED_RADIUS = 9;
const PIT_RADIUS = 46;
/** Half of the width and height of a store. */
const STORE = { x: 41, y: 97 };
/** Times in ms at speed 1: between two seeds, and of the way of one. */
const SEED_STEP = 110;
const SEED_TIME = 260;
/** The number of boards so far: the paints of each have names of their own. */
let boardCount = 0;

/** The place of a pit (0 to 11) or store (12 South, 13 North) on the board. */
function placeOf(place) {
  if (place < 6) return { x: 150 + 100 * place, y: 215 };
  if (place < 12) return { x: 150 + 100 * (11 - place), y: 105 };
  return { x: place === 12 ? 744 : 56, y: 160 };
}

/** The place that a place has for the player on the other side of the board. */
function opposite(place) {
  return place < 12 ? (place + 6) % 12 : 25 - place;
}

/**
 * Where the seed of this number lies in a pit or store with so many seeds, and its size: on a
 * spiral whose seeds do not touch. When they are many, they are drawn smaller.
 */
function seedPlace(place, number, count) {
  const { x, y } = placeOf(place);
  const isStore = place >= 12;
  const room = isStore ? STORE.x : PIT_RADIUS;
  const turns = Math.sqrt(Math.max(count - 0.5, 0.5));
  // Neighbours on the spiral are 1.75 steps apart; a store is higher, and its seeds form a heap.
  const crowd = isStore ? 0.62 : 1.14;
  const size = Math.min(1, (room - 3) / (SEED_RADIUS * (1 + crowd * turns)));
  const step = Math.min((room - 3 - SEED_RADIUS * size) / turns, 1.3 * SEED_RADIUS);
  const distance = count === 1 ? 0 : step * Math.sqrt(number + 0.5);
  const angle = 2.399963 * number + place;
  const stretch = isStore ? Math.min(2.1, 1 + count / 16) : 1;
  return [x + distance * Math.cos(angle), y + distance * Math.sin(angle) * stretch, size];
}

/** A position: seeds of the pits A to F and a to f, both stores, and whose turn it is. */
class Position {
  constructor(pits, stores, toMove) {
    this.pits = pits;
    this.stores = stores;
    this.toMove = toMove;
  }

  /** Reads the notation of the tables: twelve pits, two stores, and S or N. */
  static parse(text) {
    const words = text.split('-');
    const numbers = words.slice(0, 14).map(Number);
    return new Position(numbers.slice(0, 12), numbers.slice(12), words[14] === 'N' ? 1 : 0);
  }

  toString() {
    return [...this.pits, ...this.stores, this.toMove ? 'N' : 'S'].join('-');
  }

  /** The seeds at a place: a pit or a store. */
  at(place) {
    return place < 12 ? this.pits[place] : this.stores[place - 12];
  }

  /** The pits that get the seeds of a sowing, one for each seed. The origin is left empty. */
  targets(pit) {
    return Array.from({ length: this.pits[pit] }, (_, seed) => (pit + 1 + (seed % 11)) % 12);
  }

  /** The position after a move that captures from these pits. */
  after(pit, captured) {
    const pits = [...this.pits];
    const stores = [...this.stores];
    for (const target of this.targets(pit)) pits[target] += 1;
    pits[pit] = 0;
    for (const place of captured) {
      stores[this.toMove] += pits[place];
      pits[place] = 0;
    }
    return new Position(pits, stores, 1 - this.toMove);
  }

  /** The position in words. */
  description(names) {
    const row = (from) => [0, 1, 2, 3, 4, 5]
      .map((pit) => `${LETTERS[from + pit]} ${this.pits[from + pit]}`).join(', ');
    return `South, ${names[0]}: ${row(0)}; store ${this.stores[0]}. `
      + `North, ${names[1]}: ${row(6)}; store ${this.stores[1]}. `
      + `${names[this.toMove]} to move.`;
  }
}

/**
 * Draws positions, and the way from one to the next. The row of `bottom` (0 South, 1 North) is the
 * lower one.
 */
class Board {
  constructor(names, bottom = 0) {
    this.names = names;
    this.bottom = bottom;
    this.counts = [];
    this.pits = [];
    this.seeds = [];
    this.places = Array.from({ length: 14 }, () => []);
    this.shown = null;
    this.movements = [];
    this.timers = [];
    boardCount += 1;
    this.paint = `board-${boardCount}`;
    this.svg = this.draw();
    this.text = element('p', { class: 'hidden-text', 'aria-live': 'polite' });
    this.node = element('figure', { class: 'board' }, this.svg, this.text);
  }

  /** The place on the drawing: that of the other side, if the board is turned. */
  turned(place) {
    return this.bottom ? opposite(place) : place;
  }

  draw() {
    const svg = shape('svg', { viewBox: '0 0 800 320', role: 'img', 'aria-label': 'the board' });
    svg.append(this.paints(), ...this.wood());
    for (let place = 0; place < 14; place += 1) {
      const { x, y } = placeOf(this.turned(place));
      const isStore = place >= 12;
      const isLower = this.turned(place) < 6;
      const textY = isLower ? 296 : 44;
      const hollow = (name, grow) => (isStore
        ? shape('rect', { class: name, x: x - STORE.x - grow, y: y - STORE.y - grow, width: 2 * (STORE.x + grow), height: 2 * (STORE.y + grow), rx: STORE.x + grow })
        : shape('circle', { class: name, cx: x, cy: y, r: PIT_RADIUS + grow }));
      const lip = hollow('lip', 3);
      lip.setAttribute('stroke', `url(#${this.paint}-lip)`);
      const hole = hollow('hole', 0);
      hole.setAttribute('fill', `url(#${this.paint}-hole)`);
      const count = shape('text', { class: 'count', x: isStore ? x : x + 15, y: isStore ? 44 : textY });
      svg.append(lip, hole, count);
      svg.append(isStore
        ? shape('text', { class: 'side', x, y: 290 }, place === 12 ? 'South' : 'North')
        : shape('text', { class: 'letter', x: x - 23, y: textY }, LETTERS[place]));
      this.counts.push(count);
      this.pits.push(hole);
    }
    this.layer = shape('g', {});
    this.badges = shape('g', { 'aria-hidden': 'true', 'pointer-events': 'none' });
    svg.append(this.layer, this.badges);
    return svg;
  }

  /** The gradients of this board; the style sheet says which colours they have. */
  paints() {
    const gradient = (kind, name, attributes, ...stops) => shape(kind, { id: `${this.paint}-${name}`, ...attributes },
      stops.map(([offset, colour]) => shape('stop', { offset, class: `paint-${colour}` })));
    const down = { x1: 0, y1: 0, x2: 0, y2: 1 };
    return shape('defs', {},
      gradient('linearGradient', 'wood', down, [0, 'wood-light'], [0.5, 'wood'], [1, 'wood-dark']),
      gradient('radialGradient', 'hole', { cx: 0.5, cy: 0.3, r: 0.75 }, [0, 'hole-deep'], [0.6, 'hole'], [1, 'hole-light']),
      gradient('linearGradient', 'lip', down, [0, 'wood-dark'], [1, 'wood-light']),
      gradient('radialGradient', 'seed', { cx: 0.36, cy: 0.3, r: 0.75 }, [0, 'seed-light'], [0.45, 'seed'], [1, 'seed-dark']));
  }

  /** The board itself: two halves with their grain. */
  wood() {
    const plank = shape('rect', { class: 'wood', x: 4, y: 4, width: 792, height: 312, rx: 56, fill: `url(#${this.paint}-wood)` });
    const grain = [15, 57, 110, 158, 212, 262, 304].map((y, line) => {
      const bend = line % 2 ? 9 : -7;
      return `M 62 ${y} C 230 ${y + bend} 420 ${y - bend} 738 ${y + bend / 2}`;
    });
    return [plank,
      shape('path', { class: 'grain', d: grain.join(' ') }),
      shape('path', { class: 'groove', d: 'M 106 160 H 694' }),
      shape('rect', { class: 'edge', x: 8, y: 8, width: 784, height: 304, rx: 52 })];
  }

  /** Shows a position at once. */
  show(position, last = null) {
    this.stop();
    const wanted = Array.from({ length: 14 }, (_, place) => position.at(place));
    const total = wanted.reduce((sum, seeds) => sum + seeds, 0);
    while (this.seeds.length < total) this.addSeed();
    const free = [];
    this.places.forEach((seeds, place) => {
      while (seeds.length > wanted[place]) free.push(seeds.pop());
    });
    const unused = this.seeds.filter((seed) => !free.includes(seed) && !this.places.some((it) => it.includes(seed)));
    free.push(...unused);
    this.places.forEach((seeds, place) => {
      while (seeds.length < wanted[place]) seeds.push(free.pop());
    });
    while (free.length) this.removeSeed(free.pop());
    this.settle(position, last);
  }

  addSeed() {
    const seed = shape('g', { class: 'seed' },
      shape('circle', { class: 'shade', cx: 1.4, cy: 2.4, r: SEED_RADIUS }),
      shape('circle', { class: 'body', r: SEED_RADIUS, fill: `url(#${this.paint}-seed)` }));
    this.layer.append(seed);
    this.seeds.push(seed);
  }

  removeSeed(seed) {
    seed.remove();
    this.seeds = this.seeds.filter((it) => it !== seed);
  }

  /** Puts every seed where it belongs, without a movement. */
  settle(position, last) {
    this.places.forEach((seeds, place) => {
      seeds.forEach((seed, number) => putSeed(seed, seedPlace(this.turned(place), number, seeds.length)));
      this.counts[place].textContent = String(seeds.length);
    });
    this.mark(position, last);
  }

  mark(position, last) {
    this.shown = position;
    this.pits.forEach((hole, place) => {
      hole.classList.toggle('played', last !== null && last.pit === place);
      hole.classList.toggle('captured', last !== null && last.captured.includes(place));
      hole.classList.toggle('turn', place >= 12 && place - 12 === position.toMove);
    });
    this.svg.dataset.position = position.toString();
    this.text.textContent = position.description(this.names);
  }

  /** Rings around a move that would have been better and around the one that is made; or none. */
  showMistake(better, made) {
    this.pits.forEach((hole, place) => {
      hole.classList.toggle('hinted', place === better);
      hole.classList.toggle('mistaken', place === made);
    });
  }

  /** Shows a short text at the edge of each of these pits. */
  showBadges(texts) {
    this.badges.replaceChildren(...[...texts].map(([place, text]) => {
      const { x, y } = placeOf(this.turned(place));
      return shape('g', { class: 'badge' },
        shape('circle', { cx: x + 35, cy: y - 33, r: 19 }),
        shape('text', { x: x + 35, y: y - 25 }, text));
    }));
  }

  /** What the rings around pits and stores mean. */
  static legend(meanings) {
    const ring = (name) => shape('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' },
      shape('rect', { class: 'plank', width: 24, height: 24, rx: 6 }), shape('circle', { class: `ring ring-${name}`, cx: 12, cy: 12, r: 8 }));
    return element('ul', { class: 'rings', 'aria-label': 'the rings on the board' },
      Object.entries(meanings).map(([name, meaning]) => element('li', {}, ring(name), meaning)));
  }

  /** Ends all movements. */
  stop() {
    for (const movement of this.movements) movement.cancel();
    for (const timer of this.timers) clearTimeout(timer);
    this.movements = [];
    this.timers = [];
  }

  /** Sows a pit seed by seed and takes what is captured. Returns how long that takes, in ms. */
  play(pit, captured, speed) {
    const before = this.shown;
    this.show(before);
    const hand = this.places[pit];
    this.places[pit] = [];
    const legs = before.targets(pit).map((target, number) => (
      { seed: hand[number], from: pit, target, start: number * SEED_STEP }));
    for (const { seed, target } of legs) this.places[target].push(seed);
    let end = legs.length * SEED_STEP + SEED_TIME;
    const store = 12 + before.toMove;
    for (const place of captured) {
      const start = end;
      legs.push(...this.places[place].map((seed) => ({ seed, from: place, target: store, start })));
      this.places[store].push(...this.places[place]);
      this.places[place] = [];
      end += 2 * SEED_STEP;
    }
    if (captured.length) end += SEED_TIME;
    const starts = new Map(this.seeds.map((seed) => [seed, seed.place]));
    this.settle(before.after(pit, captured), { pit, captured });
    this.move(before, legs, starts, speed);
    return end / speed;
  }

  /** Moves seeds along their legs; the counts change as they arrive. */
  move(before, legs, starts, speed) {
    const bySeed = Map.groupBy
      ? Map.groupBy(legs, (leg) => leg.seed)
      : legs.reduce((map, leg) => map.set(leg.seed, [...(map.get(leg.seed) ?? []), leg]), new Map());
    for (const [seed, own] of bySeed) {
      const first = own[0].start;
      const duration = own.at(-1).start + SEED_TIME - first;
      let at = starts.get(seed);
      const frames = own.flatMap((leg) => {
        const goal = leg === own.at(-1) ? seed.place : seedPlace(this.turned(leg.target), 0, 1);
        const offset = (time) => (leg.start - first + time) / duration;
        const frames = [
          { transform: translation(at), offset: offset(0) },
          { transform: `${translation(middle(at, goal))} scale(1.3)`, offset: offset(SEED_TIME / 2) },
          { transform: translation(goal), offset: offset(SEED_TIME) },
        ];
        at = goal;
        return frames;
      });
      this.movements.push(seed.animate(frames,
        { delay: first / speed, duration: duration / speed, easing: 'linear', fill: 'backwards' }));
    }
    const now = Array.from({ length: 14 }, (_, place) => before.at(place));
    const change = (place, by) => {
      now[place] += by;
      this.counts[place].textContent = String(now[place]);
    };
    now.forEach((_, place) => change(place, 0));
    for (const { from, target, start } of legs) {
      this.timers.push(setTimeout(() => change(from, -1), start / speed));
      this.timers.push(setTimeout(() => change(target, 1), (start + SEED_TIME) / speed));
    }
  }
}

/** The last of these moves, which led from one position to the other. */
function lastMove(before, moves, position) {
  const pit = LETTERS.indexOf(moves.at(-1));
  const sown = before.after(pit, []);
  const captured = sown.pits.flatMap((seeds, place) => (seeds > 0 && position.pits[place] === 0 ? [place] : []));
  const after = before.after(pit, captured);
  return after.toString() === position.toString() ? { pit, captured } : null;
}

function putSeed(seed, place) {
  seed.place = place;
  seed.style.transform = translation(place);
}

function translation([x, y, size = 1]) {
  const scale = size === 1 ? '' : ` scale(${size.toFixed(3)})`;
  return `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)${scale}`;
}

function middle([x, y], [toX, toY]) {
  return [(x + toX) / 2, (y + toY) / 2 - 24];
}
