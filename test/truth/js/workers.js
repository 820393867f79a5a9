// The main thread and two workers, of which one runs at a time, so that all have the same share of any recording: node
// workers.js TRUTH.
'use strict';
const fs = require('fs');
const { Worker, isMainThread, workerData } = require('worker_threads');
const { takeDeck, deckOf, warmUp, onSignals, tell } = require('./turns.js');

let sink = 1;
function mainSums(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum + (i ^ (sum << 1))) | 0;
  sink = sum;
}
function firstShifts(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum ^ (sum << 3) ^ i) | 0;
  sink = sum;
}
function firstTexts(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= String(i * sink).length;
}
function secondSorts(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= [5, 3, sink & 7, 1, 9, 7].sort((a, b) => a - b)[2];
}
const all = [
  { name: 'mainSums@workers.js', weight: 3, run: mainSums, thread: 0 },
  { name: 'firstShifts@workers.js', weight: 4, run: firstShifts, thread: 1 },
  { name: 'firstTexts@workers.js', weight: 1, run: firstTexts, thread: 1 },
  { name: 'secondSorts@workers.js', weight: 2, run: secondSorts, thread: 2 },
];
const THREADS = 3;

async function whenItsTurn(me, shared, does) { // shared.turn: whose it is; THREADS and more: it is over
  for (let now = 0; (now = Atomics.load(shared.turn, 0)) !== me;) {
    if (now >= THREADS) return false;
    Atomics.wait(shared.turn, 0, now);
  }
  await does();
  Atomics.store(shared.turn, 0, (me + 1) % THREADS);
  Atomics.notify(shared.turn, 0);
  return true;
}
async function run(me, shared, between) {
  const parts = all.filter((part) => part.thread === me), deck = deckOf(parts);
  await whenItsTurn(me, shared, () => warmUp(parts, deck, 0.7));
  const turn = async () => {
    await takeDeck(deck);
    all.forEach((part, i) => {
      if (part.thread !== me) return;
      shared.used[i] += part.used;
      part.used = 0;
    });
  };
  while (await whenItsTurn(me, shared, turn)) await between();
}
async function main() {
  const shared = { turn: new Int32Array(new SharedArrayBuffer(4)), used: new Float64Array(new SharedArrayBuffer(64)) };
  const workers = [1, 2].map((me) => new Worker(__filename, { workerData: { me, shared } }));
  await Promise.all(workers.map((worker) => new Promise((done) => worker.on('online', done))));
  let isOver = false, decks = 0;
  onSignals(() => shared.used.fill(0), () => { isOver = true; });
  await run(0, shared, async () => {
    if (++decks === 2) fs.writeSync(1, 'ready\n'); // then the others have had theirs, and are warm
    await new Promise(setImmediate);
    if (isOver || process.cpuUsage().user > 120e6) {
      while (Atomics.load(shared.turn, 0) !== 0) Atomics.wait(shared.turn, 0, Atomics.load(shared.turn, 0));
      Atomics.store(shared.turn, 0, THREADS);
      Atomics.notify(shared.turn, 0);
    }
  });
  tell(process.argv[2], all.map((part, i) => `${part.name} ${Math.round(shared.used[i])}\n`).join(''));
}
if (isMainThread) main();
else run(workerData.me, workerData.shared, async () => {});
