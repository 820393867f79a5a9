// Half of its time in a loop of its own, half in V8's own functions: sorting, and JSON. Says `ready`, and goes on until it is ended.
'use strict';
function loops(n) { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i) / 3; return sum; }
function sorts() {
	const list = [];
	for (let i = 0; i < 3000; i++) list.push((i * 7919) % 3001);
	list.sort((a, b) => a - b);
	return JSON.stringify(list).length;
}
for (let i = 0; i < 50; i++) loops(1000) + sorts();
console.log('ready');
for (;;) loops(200000) + sorts();
