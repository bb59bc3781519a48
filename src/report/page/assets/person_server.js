// The page of `awale play --web`: the bot is behind the server that the page comes from.

async function askServer(action) {
  let response;
  try {
    response = await fetch(`act${location.search}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(action) });
  } catch (error) {
    throw new Error(`${error.message}. Is awale play still running?`);
  }
  if (!response.ok) throw new Error(`the server answered ${response.status}. Is awale play still running?`);
  return response.json();
}

const levels = element('div', { class: 'filters' });

/** Does what the person wants, and shows whom he may choose as the other player. */
async function askAndShowLevels(action) {
  const state = await askServer(action);
  if (levels.firstChild === null) {
    levels.append(choice('You play against', state.levels.map((name) => [name, harmless(name)]), (level) => person.act({ action: 'level', value: level })));
  }
  person.heading.textContent = `you against ${harmless(state.bot)}`;
  return state;
}

personFrame();
const person = new PersonGame(askAndShowLevels, { hasHint: true, settings: [levels] });
