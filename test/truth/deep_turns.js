// Five functions that call each other in turn, as often as the first argument says, one of them by way of Array.map; the last
// one burns. Goes on until it is ended.
'use strict';
const depth = Number(process.argv[2]);
function burns() { let sum = 0; for (let i = 1; i < 20000; i++) sum += Math.sqrt(i) / i; return sum; }
function first(n) { return n <= 0 ? burns() : second(n - 1) + 1; }
function second(n) { return n <= 0 ? burns() : third(n - 1) + 1; }
function third(n) { return n <= 0 ? burns() : fourth(n - 1) + 1; }
function fourth(n) { return n <= 0 ? burns() : fifth(n - 1) + 1; }
function fifth(n) { return n <= 0 ? burns() : [n].map(callsBack)[0] + 1; }
function callsBack(n) { return first(n - 1); }
let total = 0;
for (let i = 0; i < 200; i++) total += first(depth); // warm
console.log('ready');
for (;;) total += first(depth);
