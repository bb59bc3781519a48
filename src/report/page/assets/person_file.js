// `play.html`: a person plays against a bot of the page itself, without a server.

const RULES = [
  'You own the six pits of the lower row. The players take turns.',
  'Choose one of your pits. Its seeds are sown one by one into the next pits, counter-clockwise and around the whole board. A pit with 12 seeds or more is left out when the round comes back to it.',
  'If your last seed falls into a pit of the other row that then holds 2 or 3 seeds, you take them. You also take those of the pit before it, and so on, as long as it is in that row and holds 2 or 3.',
  'A move that would take all seeds of the other row takes nothing.',
  'When the other row is empty, you must play a pit that gives it seeds, if you can.',
  'With 25 seeds you have won. The game also ends when the player on turn has no move: then each takes the seeds of the own row. And it ends when a board comes back: then nobody gets the seeds that are on it.',
];

personFrame();
const houseGame = new HouseGame();
const levels = Object.entries(LEVELS).map(([name, { about }]) => [name, `${name}: ${about}`]);
const person = new PersonGame((action) => houseGame.act(action), {
  settings: [element('div', { class: 'filters' },
    choice('You play against', levels, (level) => person.act({ action: 'restart', level })),
    choice('You are', [['0', 'South, and begin'], ['1', 'North, and answer']], (side) => person.act({ action: 'restart', side: Number(side) })))],
  below: [element('details', {}, element('summary', {}, 'The rules'), element('ol', { class: 'rules' }, RULES.map((rule) => element('li', {}, rule))))],
});
