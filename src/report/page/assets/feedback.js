// `feedback.html`: what an author reads, as sections of blocks. `feedback.txt` has the same ones.

const content = JSON.parse(document.getElementById('summary').textContent);

function sectionOf({ heading, blocks }, number) {
  const id = `section-${number}`;
  const begin = heading ? element('h2', { id }, heading) : element('h1', { id }, content.title);
  return element('section', { 'aria-labelledby': id }, begin, blocks.flatMap(blockOf));
}

function blockOf(block) {
  switch (block.kind) {
    case 'item': return element('h3', {}, block.text);
    case 'sentence': return element('p', {}, block.text);
    case 'points': return pointsOf(block);
    case 'table': return tableOf(block);
    case 'output': return [element('p', {}, `${block.about}:`), element('pre', { tabindex: 0 }, block.text)];
    case 'command': return element('p', { class: 'command' }, `${block.about}: `, element('code', {}, block.command), copyButton('copy', () => block.command));
    case 'board': return boardOf(block);
    default: return null;
  }
}

/** How much of an item was earned. */
function pointsOf({ text, share, missing }) {
  return element('div', { class: 'earned' },
    element('progress', { max: 1, value: share, 'aria-label': text }),
    element('p', {}, text, missing ? element('span', { class: 'dim' }, ` – ${missing}`) : null));
}

function tableOf({ columns, rows, own }) {
  const shown = element('table', {},
    element('thead', {}, element('tr', {}, columns.map((name) => (name ? element('th', { scope: 'col' }, name) : element('td'))))),
    element('tbody', {}, rows.map((cells, number) => element('tr', { class: number === own ? 'own' : null }, cells.map((cell, place) => (place === 0
      ? element('th', { scope: 'row' }, cell)
      : element('td', { class: 'number' }, cell)))))));
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `table by ${columns[0]}` }, shown);
}

/** A game that plays. The keys step through the one that was used last. */
function boardOf({ names, side, ply, ...game }) {
  const player = new BoardPlayer(names, game, side);
  player.go(ply);
  const use = () => {
    if (currentPlayer !== player) currentPlayer?.pause();
    currentPlayer = player;
  };
  const line = (place) => element('p', { class: 'player' }, named(names[place], `${place ? 'North' : 'South'}: ${names[place]}`));
  return element('div', { class: 'replay', role: 'group', 'aria-label': `the game ${names.join(' against ')}`, onfocusin: use, onpointerdown: use },
    line(1 - side), player.board.node, line(side), player.controls(), player.status);
}

document.getElementById('navigation').textContent = 'awale';
document.getElementById('main').replaceChildren(element('div', { class: 'feedback' },
  content.sections.map(sectionOf),
  boardCount ? Board.legend({ played: 'played last', captured: 'seeds were taken', turn: 'on turn' }) : null));
document.body.dataset.ready = '1';
