// The figure of a bot: a colour and a shape made from its name, the same on every page.

/** A number of 32 bits that follows from a text: FNV-1a, and the end of MurmurHash3. */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  for (const [shift, factor] of [[16, 0x85ebca6b], [13, 0xc2b2ae35], [16, 1]]) hash = Math.imul(hash ^ (hash >>> shift), factor);
  return hash >>> 0;
}

/** Five by five cells whose left and right halves are alike. */
function figure(name) {
  const hash = hashOf(name);
  const hue = hash % 360;
  const cells = hashOf(`${name}\n`);
  const node = shape('svg', { class: 'figure', viewBox: '0 0 28 28', 'aria-hidden': 'true' },
    shape('rect', { width: 28, height: 28, rx: 7, fill: `hsl(${hue} 55% 86%)` }));
  for (let cell = 0; cell < 15; cell += 1) {
    if (!((cells >>> cell) & 1)) continue;
    const [column, row] = [Math.floor(cell / 5), cell % 5];
    for (const x of column === 2 ? [2] : [column, 4 - column]) {
      node.append(shape('rect', { x: 4 + 4 * x, y: 4 + 4 * row, width: 4.2, height: 4.2, fill: `hsl(${(hue + 25) % 360} 62% 32%)` }));
    }
  }
  return node;
}

/** A name with its figure. */
function named(name, ...content) {
  return element('span', { class: 'named' }, figure(name), ...(content.length ? content : [name]));
}
