// What the programs of this folder have in common: parts that take turns, in an order and with lengths of chance, and
// their CPU time by the thread's own clock, as in turns.h. A turn is a counted number of rounds, so many that it takes about
// a millisecond. Parts are called FUNCTION@FILE, by the function that is on the stack during all of the turn.
//   takeTurns(parts, truthFile, options)   parts: { name, run(rounds), weight, prepare(rounds) }
// It warms up, says `ready`, begins to count anew when the recording begins (SIGUSR2), and writes the truth when it is told
// to stop (SIGTERM), or after 60 s of CPU time.
'use strict';
const fs = require('fs');

let state = 2463534242;
function random() {
  state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

// CPU time of this thread in microseconds. Only newer versions of Node.js have that clock; the kernel shows it to all, as of the
// last time that it was asked for, which process.cpuUsage does.
const schedule = openSchedule(), text = Buffer.alloc(64);
function openSchedule() {
  try {
    return fs.openSync('/proc/thread-self/schedstat');
  } catch {
    return -1; // a kernel without: the clock of all threads, whose garbage collectors count, too
  }
}
function used() {
  const { user, system } = process.cpuUsage();
  if (schedule < 0) return user + system;
  return Number(text.latin1Slice(0, fs.readSync(schedule, text, 0, 64, 0)).split(' ', 1)[0]) / 1000;
}

async function takeTurn(part, rounds) {
  if (part.prepare) part.prepare(rounds);
  const start = used(), later = part.run(rounds);
  if (later) await later; // only of asynchronous parts: the others go on at once
  part.used += used() - start;
}

function shuffle(deck) {
  for (let i = deck.length; i > 1; i--) {
    const other = Math.floor(random() * i), card = deck[i - 1];
    deck[i - 1] = deck[other]; deck[other] = card;
  }
}

function deckOf(parts) {
  return parts.flatMap((part) => {
    part.used = part.rounds = 0;
    return Array(part.weight || 1).fill(part);
  });
}

async function takeDeck(deck) {
  shuffle(deck);
  for (const part of deck) await takeTurn(part, Math.max(1, Math.floor(part.rounds * (0.5 + random()))));
}

function truthOf(parts) {
  return parts.map((part) => `${part.name} ${Math.round(part.used)}\n`).join('');
}

// Rounds are corrected a little after each deck, until a turn takes TURN_US, and for so long that everything is compiled.
const TURN_US = 1000;
async function warmUp(parts, deck, seconds) {
  const end = used() + seconds * 1e6;
  for (const part of parts) part.rounds = 1;
  while (used() < end) {
    for (const part of parts) part.used = 0;
    await takeDeck(deck);
    for (const part of parts) part.rounds *= (TURN_US * (part.weight || 1) / (part.used + 1)) ** 0.2;
  }
  for (const part of parts) part.used = 0;
}

function onSignals(begin, end) {
  process.on('SIGUSR2', begin);
  process.on('SIGTERM', end);
}

async function takeTurns(parts, truthFile, options = {}) {
  const deck = deckOf(parts);
  let isOver = false;
  onSignals(() => { for (const part of parts) part.used = 0; }, () => { isOver = true; });
  await warmUp(parts, deck, options.warmUp || 1.5);
  if (options.ready) options.ready();
  else fs.writeSync(1, 'ready\n');
  while (!isOver && used() < 60e6) {
    await takeDeck(deck);
    await new Promise(setImmediate);
  }
  tell(truthFile, truthOf(parts));
}
// Then it stays for a while, and does nothing: a recorder may not have looked at the last samples yet.
function tell(truthFile, truth) {
  fs.writeFileSync(`${truthFile}.new`, truth);
  fs.renameSync(`${truthFile}.new`, truthFile);
  setTimeout(() => process.exit(0), 30000);
}

module.exports = { random, used, deckOf, takeDeck, truthOf, warmUp, onSignals, takeTurns, tell };
