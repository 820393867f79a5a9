// Makes functions without end, each of a file of its own with a long name, and runs each for a moment: node endless.js. Their
// texts differ, or V8 would look for each among all others.
'use strict';
const vm = require('vm');

const folder = 'a-folder-with-a-long-name/'.repeat(140);
console.log('ready');
for (let made = 0, sum = 0; ; made++) {
  const f = vm.runInThisContext(`(function made(sum) { for (let i = 0; i < 500; i++) sum += i; return sum + ${made}; })`,
    { filename: `/made/${folder}${made}.js` });
  sum = f(sum) % 1000;
}
