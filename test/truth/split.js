// The same as turns.h and split.c for JavaScript: node split.js TRUTH. It warms up for a second, says `ready`, and ends
// when it is told to (SIGTERM). Node.js has no clock of one thread's CPU time: the process's is read, in which the
// others have nothing to do once all is compiled.
'use strict';
const fs = require('fs');

let sink = 1, state = 2463534242;
function random() {
  state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
  return state >>> 0;
}
function sums(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum + (i ^ (sum << 1))) | 0;
  sink = sum;
}
const numbers = new Float64Array(4096);
function scatter(i) { // what calls a function without a frame of its own is not in a chain of frame pointers
  return Math.imul(i + sink, 2654435761);
}
function sift(root, end) {
  for (let child = 2 * root + 1; child < end; root = child, child = 2 * root + 1) {
    if (child + 1 < end && numbers[child] < numbers[child + 1]) child++;
    if (numbers[root] >= numbers[child]) return;
    const other = numbers[root]; numbers[root] = numbers[child]; numbers[child] = other;
  }
}
function sorts(rounds) {
  const count = Math.min(rounds, numbers.length);
  for (let i = 0; i < count; i++) numbers[i] = scatter(i);
  for (let i = count >> 1; i-- > 0;) sift(i, count);
  for (let end = count - 1; end > 0; end--) {
    const top = numbers[0]; numbers[0] = numbers[end]; numbers[end] = top;
    sift(0, end);
  }
}
const list = Array.from({ length: 40 }, (_, i) => ({ key: `key ${i}`, value: i, list: [i, i + 1] }));
function texts(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= JSON.stringify(list).length;
}
const parts = [
  { name: 'sums', weight: 10, rounds: 60000, run: sums, used: 0 },
  { name: 'sorts', weight: 7, rounds: 2500, run: sorts, used: 0 },
  { name: 'texts', weight: 3, rounds: 24, run: texts, used: 0 },
];
const deck = parts.flatMap((part) => Array(part.weight).fill(part));

function used() {
  const { user, system } = process.cpuUsage();
  return user + system;
}
function takeTurn(part) {
  const rounds = Math.floor(part.rounds * (0.5 + random() / 2 ** 32)), start = used();
  part.run(rounds);
  part.used += used() - start;
}
function takeTurns() {
  for (let i = deck.length; i > 1; i--) {
    const other = random() % i, card = deck[i - 1];
    deck[i - 1] = deck[other]; deck[other] = card;
  }
  for (const part of deck) takeTurn(part);
  if (!ready && used() > 1e6) begin();
  if (!ended && used() < 60e6) setImmediate(takeTurns);
  else fs.writeFileSync(process.argv[2], parts.map((part) => `${part.name} ${part.used}\n`).join(''));
}
let ready = false, ended = false;
function begin() {
  ready = true;
  for (const part of parts) part.used = 0;
  fs.writeSync(1, 'ready\n');
}
process.on('SIGTERM', () => { ended = true; });
takeTurns();
