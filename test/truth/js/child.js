// A child of children.js: node child.js stay TRUTH|brief
'use strict';
const { takeTurns } = require('./turns.js');

let sink = 1;
function childSums(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum * 31 + i) | 0;
  sink = sum;
}
function childJoins(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= ['a', i, sink].join('-').length;
}
function briefly() {
  for (let end = Date.now() + 300; Date.now() < end;) sink ^= ['b', sink].join('+').length;
}
process.on('disconnect', () => process.exit(0)); // the parent is gone
if (process.argv[2] === 'brief') {
  briefly();
  process.exit(0);
} else {
  takeTurns([
    { name: 'childSums@child.js', weight: 3, run: childSums },
    { name: 'childJoins@child.js', weight: 2, run: childJoins },
  ], process.argv[3], { ready: () => process.send('ready') });
}
