// A function of the same name as one in forms.js.
'use strict';
let sink = 1;
exports.work = function work(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum * 13 + i) | 0;
  sink = sum;
};
