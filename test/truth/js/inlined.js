// Functions that the compiler puts into their callers, and that call nothing themselves: node inlined.js TRUTH. Each part
// runs loops of one kind, in functions of which one does so many times as much as the other. On standard error it says
// who was called by whom, and what each has of its part's work, at least and at most: part;caller;function 0.2 0.3. What is in a
// function that has no instruction to be known by may be shown as its caller's, but never as another one's.
'use strict';
const { takeTurns } = require('./turns.js');

let sink = 1, float = 1.5;
const numbers = Array.from({ length: 1000 }, (_, i) => i), floats = new Float64Array(1000).fill(0.5);

// Two loops, one after the other.
function firstMixes(n, rounds) {
  for (let i = 0; i < rounds; i++) n = Math.imul(n, 31) ^ i;
  return n;
}
function secondMixes(n, rounds) {
  for (let i = 0; i < rounds; i++) n = Math.imul(n, 31) ^ i;
  return n;
}
function mixes(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= firstMixes(sink, 3000) ^ secondMixes(sink, 1000);
}

// Nothing in them can fail: no check, no call.
function firstFloats(x, rounds) {
  for (let i = 0; i < rounds; i++) x = x * 0.5 + 1.25;
  return x;
}
function secondFloats(x, rounds) {
  for (let i = 0; i < rounds; i++) x = x * 0.5 + 1.25;
  return x;
}
function floatings(rounds) {
  for (let i = 0; i < rounds; i++) float = firstFloats(float, 1000) + secondFloats(float, 2000);
}

// Each in the other, with a loop of its own behind that of the inner one.
function innermost(n, rounds) {
  for (let i = 0; i < rounds; i++) n = Math.imul(n, 31) ^ i;
  return n;
}
function inner(n, rounds) {
  n = innermost(n, rounds * 3);
  for (let i = 0; i < rounds; i++) n = Math.imul(n, 31) ^ i;
  return n;
}
function nested(rounds) {
  let n = sink;
  for (let i = 0; i < rounds; i++) {
    n = inner(n, 500);
    for (let k = 0; k < 1000; k++) n = Math.imul(n, 31) ^ k;
  }
  sink = n;
}

// Loops with checks, of the array's bounds and of what is in it.
function firstElements(n, list) {
  for (let i = 0; i < list.length; i++) n = Math.imul(n, 31) ^ list[i];
  return n;
}
function secondElements(n, list) {
  for (let i = 0; i < list.length; i++) n = Math.imul(n, 31) ^ list[i];
  return n;
}
function elements(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= firstElements(sink, numbers) ^ secondElements(sink, numbers);
}

// The caller's loop, with all the work in it; the function that is called in it only has the check.
function element(list, i) {
  return list[i & 1023] | 0;
}
function callersLoop(rounds) {
  for (let i = 0; i < rounds; i++) {
    let x = float;
    for (let k = 0; k < 990; k++) x = (x / 1.5 + 1.25) * 0.5 + element(numbers, k);
    float = x;
  }
}

// Functions without loops, in a loop of their caller.
function half(x) {
  return x * 0.5 + 1.25;
}
function rooted(x) {
  return Math.sqrt(x) + 1;
}
function smallOnes(rounds) {
  for (let i = 0; i < rounds; i++) for (let k = 0; k < 1000; k++) floats[k] = rooted(half(floats[k]));
}

const work = {
  'mixes;firstMixes': [3 / 4], 'mixes;secondMixes': [1 / 4],
  'floatings;firstFloats': [1 / 3], 'floatings;secondFloats': [2 / 3],
  'nested;inner;innermost': [3 / 6], 'nested;inner': [1 / 6], 'nested': [2 / 6],
  'elements;firstElements': [1 / 2], 'elements;secondElements': [1 / 2],
  'callersLoop': [0.5, 1], 'callersLoop;element': [0, 0.5],
  'smallOnes;half': [0, 0.5],
};
process.stderr.write(Object.entries(work).map(([chain, [least, most = least]]) => `${chain} ${least} ${most}\n`).join(''));
takeTurns([mixes, floatings, nested, elements, callersLoop, smallOnes].map((run) => ({ name: `${run.name}@inlined.js`, run })), process.argv[2]);
