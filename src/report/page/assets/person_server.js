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

personFrame();
new PersonGame(askServer, { hasHint: true });
