// The board: two rows of six pits, two stores, and 48 seeds that move one by one.
//
//        f   e   d   c   b   a        North
//   N                            S    the stores
//        A   B   C   D   E   F        South

const LETTERS = 'ABCDEFabcdef';
const SEED_RADIUS = 8.5;
const PIT_RADIUS = 44;
/** Times in ms at speed 1: between two seeds, and of the way of one. */
const SEED_STEP = 110;
const SEED_TIME = 260;

/** The place of a pit (0 to 11) or store (12 South, 13 North) on the board. */
function placeOf(place) {
  if (place < 6) return { x: 150 + 100 * place, y: 205 };
  if (place < 12) return { x: 150 + 100 * (11 - place), y: 95 };
  return { x: place === 12 ? 745 : 55, y: 150 };
}

/** Where the seed of this number lies in a pit or store with so many seeds: on a spiral. */
function seedPlace(place, number, count) {
  const { x, y } = placeOf(place);
  const isStore = place >= 12;
  const room = (isStore ? 36 : PIT_RADIUS) - SEED_RADIUS - 3;
  const spread = Math.min(isStore ? 9 : 12, room / Math.sqrt(Math.max(count, 1)));
  const distance = count === 1 ? 0 : spread * Math.sqrt(number + 0.5);
  const angle = 2.399963 * number + place;
  return [x + distance * Math.cos(angle), y + distance * Math.sin(angle) * (isStore ? 2.2 : 1)];
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

/** Draws positions, and the way from one to the next. */
class Board {
  constructor(names) {
    this.names = names;
    this.counts = [];
    this.pits = [];
    this.seeds = [];
    this.places = Array.from({ length: 14 }, () => []);
    this.shown = null;
    this.movements = [];
    this.timers = [];
    this.svg = this.draw();
    this.text = element('p', { class: 'hidden-text', 'aria-live': 'polite' });
    this.node = element('figure', { class: 'board' }, this.svg, this.text);
  }

  draw() {
    const svg = shape('svg', { viewBox: '0 0 800 300', role: 'img', 'aria-label': 'the board' });
    svg.append(shape('rect', { class: 'wood', x: 4, y: 4, width: 792, height: 292, rx: 60 }));
    for (let place = 0; place < 14; place += 1) {
      const { x, y } = placeOf(place);
      const isStore = place >= 12;
      const hole = isStore
        ? shape('rect', { class: 'hole', x: x - 38, y: y - 88, width: 76, height: 176, rx: 38 })
        : shape('circle', { class: 'hole', cx: x, cy: y, r: PIT_RADIUS });
      const isSouths = place < 6 || place === 12;
      const count = shape('text', { class: 'count', x: isStore ? x : x + 14, y: isStore ? (isSouths ? 266 : 52) : isSouths ? 278 : 42 });
      svg.append(hole, count);
      if (!isStore) {
        const letter = shape('text', { class: 'letter', x: x - 20, y: isSouths ? 278 : 42 }, LETTERS[place]);
        svg.append(letter);
      }
      this.counts.push(count);
      this.pits.push(hole);
    }
    this.layer = shape('g', {});
    svg.append(this.layer);
    return svg;
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
    const seed = shape('circle', { class: 'seed', r: SEED_RADIUS });
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
      seeds.forEach((seed, number) => putSeed(seed, seedPlace(place, number, seeds.length)));
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
        const goal = leg === own.at(-1) ? seed.place : seedPlace(leg.target, 0, 1);
        const offset = (time) => (leg.start - first + time) / duration;
        const frames = [
          { transform: translation(at), offset: offset(0) },
          { transform: `${translation(middle(at, goal))} scale(1.35)`, offset: offset(SEED_TIME / 2) },
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

function translation([x, y]) {
  return `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
}

function middle([x, y], [toX, toY]) {
  return [(x + toX) / 2, (y + toY) / 2 - 24];
}
