// A hot function that the compiler puts into its caller, and that into its: node chain.js TRUTH. On standard error it
// prints what `new Error().stack` says at each of the two places from where it is called.
'use strict';
const { takeTurns } = require('./turns.js');

let sink = 1, isAsked = false;
function leaf(n, rounds) {
  if (isAsked) ask();
  let sum = n;
  for (let i = 0; i < rounds; i++) sum = (sum + (i ^ (sum << 1))) | 0;
  return sum;
}
function middle(n, rounds) {
  const often = leaf(n, rounds * 3);
  return often ^ leaf(n + 1, rounds);
}
function trunk(rounds) {
  for (let i = 0; i < rounds; i++) {
    sink ^=
      middle(sink, 40);
  }
}
function ask() {
  const lines = new Error().stack.split('\n').filter((line) => /\((leaf|middle|trunk) |at (leaf|middle|trunk) /.test(line));
  process.stderr.write(lines.map((line) => line.replace(/.*at (\w+) .*:(\d+):(\d+)\)/, '$1:$2:$3')).reverse().join(';') + '\n');
}
isAsked = true;
trunk(1);
isAsked = false;
takeTurns([
  { name: 'trunk@chain.js', weight: 3, run: trunk },
  { name: 'other@chain.js', run: other },
], process.argv[2]);

function other(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum * 3 + i) | 0;
  sink = sum;
}
