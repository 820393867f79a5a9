// A process with children that run another script, two that stay and one that is started again and again: node
// children.js TRUTH. Each writes a truth of its own: TRUTH, TRUTH.1, TRUTH.2.
'use strict';
const { fork } = require('child_process');
const { takeTurns } = require('./turns.js');

const truth = process.argv[2], script = require('path').join(__dirname, 'child.js');
let sink = 1, isOver = false;
function parentSums(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum + (i ^ (sum << 1))) | 0;
  sink = sum;
}
function parentTexts(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= JSON.stringify([i, sink, 'text']).length;
}
const stay = [1, 2].map((n) => fork(script, ['stay', `${truth}.${n}`]));
let brief = null;
function startBrief() {
  if (isOver) return;
  brief = fork(script, ['brief']);
  brief.on('exit', startBrief);
}
process.on('SIGUSR2', () => stay.forEach((child) => child.kill('SIGUSR2')));
process.on('SIGTERM', () => {
  isOver = true;
  for (const child of [...stay, brief]) if (child) child.kill();
});
Promise.all(stay.map((child) => new Promise((done) => child.once('message', done)))).then(() => {
  startBrief();
  return takeTurns([
    { name: 'parentSums@children.js', weight: 2, run: parentSums },
    { name: 'parentTexts@children.js', run: parentTexts },
  ], truth);
});
