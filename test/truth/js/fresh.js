// Functions that are new each time and run once, so that no compiler gets to see them: node fresh.js TRUTH. They are gone
// with the next garbage collection.
'use strict';
const vm = require('vm');
const { takeTurns } = require('./turns.js');

let made = 0;
// The parenthesis makes V8 compile it at once, not in the turn. Few rounds: a longer loop would be compiled while it runs.
const ROUNDS = 400;
function make(name, body) {
  made++;
  return vm.runInThisContext(`(function ${name}(sink) { for (let i = 0; i < ${ROUNDS}; i++) ${body} return sink + ${made}; })`,
    { filename: `/made/${name}-${made}.js` });
}
function part(name, weight, body) {
  let functions = [], sink = 1;
  return {
    name: `${name}@made`, weight,
    prepare(rounds) {
      functions = Array.from({ length: Math.max(1, Math.floor(rounds)) }, () => make(name, body));
    },
    run() {
      for (const f of functions) sink = f(sink) | 0;
      functions = [];
    },
  };
}
takeTurns([
  part('freshSums', 5, 'sink = (sink + (i ^ (sink << 1))) | 0;'),
  part('freshTexts', 3, 'sink ^= String(i).length;'),
  part('freshPairs', 2, '{ const pair = { i, sink }; sink ^= pair.i + pair.sink; }'),
], process.argv[2]);
