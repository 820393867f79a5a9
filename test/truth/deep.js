// A stack of 401 frames of one function, in which another one burns. Goes on until it is ended.
'use strict';
const burns = () => { let sum = 0; for (let i = 1; i < 20000; i++) sum += Math.sqrt(i) / i; return sum; };
const goesDown = (depth) => depth === 0 ? burns() : goesDown(depth - 1) + 1;
let total = 0;
for (let i = 0; i < 2000; i++) total += goesDown(400); // warm
console.log('ready');
for (;;) total += goesDown(400);
