// Tiny functions that are called all the time, by way of a table, so that no compiler puts them into their caller: what is
// sampled is often the first or the last instruction of one, where it has no frame: node tiny.js TRUTH.
'use strict';
const { takeTurns } = require('./turns.js');

const left = [
  function leftA(i) { return i + 1; }, function leftB(i) { return i ^ 3; }, function leftC(i) { return i & 0xffff; },
  function leftD(i) { return i | 1; }, function leftE(i) { return i - 5; }, function leftF(i) { return i << 1; },
  function leftG(i) { return i >> 1; }, function leftH(i) { return i; },
];
const right = [
  function rightA(i) { return i + 2; }, function rightB(i) { return i ^ 5; }, function rightC(i) { return i & 0xfff; },
  function rightD(i) { return i | 2; }, function rightE(i) { return i - 7; }, function rightF(i) { return i << 2; },
  function rightG(i) { return i >> 2; }, function rightH(i) { return 1; },
];
let sink = 1;
function callLeft(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = left[(i ^ sum) & 7](sum);
  sink = sum | 1;
}
function callRight(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = right[(i * 5 ^ sum) & 7](sum);
  sink = sum | 1;
}
takeTurns([
  { name: 'callLeft@tiny.js', weight: 7, run: callLeft },
  { name: 'callRight@tiny.js', weight: 3, run: callRight },
], process.argv[2]);
