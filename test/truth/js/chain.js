// Two hot functions that the compiler puts into their caller, and that into its: node chain.js TRUTH. On standard error it
// prints what `new Error().stack` says in each of the two. They do the same, one three times as much; what they do can be
// compiled in one way only, so that it takes the same time in both.
'use strict';
const { takeTurns } = require('./turns.js');

let sink = 1, isAsked = false;
function leaf(n, rounds) {
  if (isAsked) ask();
  let sum = n;
  for (let i = 0; i < rounds; i++) sum = Math.imul(sum, 31) ^ i;
  return sum;
}
function twig(n, rounds) {
  if (isAsked) ask();
  let sum = n;
  for (let i = 0; i < rounds; i++) sum = Math.imul(sum, 31) ^ i;
  return sum;
}
function middle(n, rounds) {
  const often = leaf(n, rounds * 3);
  return often ^ twig(n + 1, rounds);
}
function trunk(rounds) {
  for (let i = 0; i < rounds; i++) {
    sink ^=
      middle(sink, 1000);
  }
}
function ask() {
  const places = new Error().stack.split('\n').map((line) => /at (leaf|twig|middle|trunk) .*:(\d+:\d+)\)$/.exec(line));
  process.stderr.write(places.filter(Boolean).map(([, name, place]) => `${name}:${place}`).reverse().join(';') + '\n');
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
