// Functions that become hot, are compiled, and are gone soon after: node gone.js TRUTH. Each turn has one of its own, and
// leaves so much garbage behind that it is collected while others run.
'use strict';
const vm = require('vm');
const { takeTurns, random } = require('./turns.js');

let made = 0, garbage = [];
function make(name, body) {
  made++;
  return vm.runInThisContext(`(function ${name}(rounds) {
    let sum = ${made};
    for (let i = 0; i < rounds; i++) ${body}
    return sum;
  })`, { filename: `/made/${name}-${made}.js` });
}
function part(name, weight, body) {
  let f = null;
  return {
    name: `${name}@made`, weight,
    prepare() {
      f = make(name, body);
      for (let i = 0; i < 2000; i++) garbage.push([i, random()]);
      if (garbage.length > 40000) garbage = [];
    },
    run(rounds) {
      for (let i = 0; i < 8; i++) f(rounds);
      f = null;
    },
  };
}
takeTurns([
  part('goneSums', 5, 'sum = (sum + (i ^ (sum << 1))) | 0;'),
  part('goneDivides', 3, 'sum = (sum % ((i & 15) + 3) + i * 7) | 0;'),
  part('goneShifts', 2, 'sum = (sum ^ (sum << 3) ^ i) | 0;'),
], process.argv[2]);
