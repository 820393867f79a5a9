// A module of WebAssembly, put together here: `outer` calls `heavy` and `light`, which loop 300,000 and 100,000 times, and an
// imported function. Arguments: which names it has (all, exports, none; or `forever`: all, and both loops take 7,000 times as long),
// and where to write the module's bytes instead of running it. Says `ready`, and goes on until it is ended.
'use strict';
const [which, file] = process.argv.slice(2);
const leb = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >>> 7)]);
const signedLeb = (n) => (n >= -64 && n < 64 ? [n & 127] : [(n & 127) | 128, ...signedLeb(n >> 7)]);
const text = (s) => [...leb(s.length), ...Buffer.from(s)];
const list = (items) => [...leb(items.length), ...items.flat()];
const section = (id, content) => [id, ...leb(content.length), ...content];
const I32 = 0x7f;
const local = { get: 0x20, set: 0x21, tee: 0x22 };
const constant = (n) => [0x41, ...signedLeb(n)];
const add = 0x6a, sub = 0x6b, mul = 0x6c, xor = 0x73, end = 0x0b, call = 0x10;
// (x) => { n = times; do { sum = (sum * n + k) ^ x } while (--n); return sum }
const loops = (times, k) => [1, 2, I32, ...constant(times), local.set, 1, 0x03, 0x40, local.get, 2, local.get, 1, mul, ...constant(k), add,
	local.get, 0, xor, local.set, 2, local.get, 1, ...constant(1), sub, local.tee, 1, 0x0d, 0, end, local.get, 2, end];
const outer = [0, local.get, 0, call, 1, local.get, 0, call, 2, add, local.get, 0, call, 0, add, end];
const names = [[0, ...text('tick')], [1, ...text('heavy')], [2, ...text('light')], [3, ...text('outer')]];
const times = which === 'forever' ? 7000 : 1;
const bytes = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
	...section(1, list([[0x60, ...list([[I32]]), ...list([[I32]])]])),
	...section(2, list([[...text('env'), ...text('tick'), 0, 0]])),
	...section(3, list([[0], [0], [0]])),
	...section(7, list([[...text(which === 'none' ? 'x' : 'outer'), 0, 3]])),
	...section(10, list([loops(300000 * times, 7), loops(100000 * times, 5), outer].map((body) => [...leb(body.length), ...body]))),
	...(which === 'all' || which === 'forever' ? section(0, [...text('name'), ...section(0, text('sums')), ...section(1, list(names))]) : [])]);
if (file) {
	require('fs').writeFileSync(file, bytes);
	process.exit();
}
const exported = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { tick: (x) => (x + 1) | 0 } }).exports;
const run = exported.outer || exported.x;
function callsWasm(n) {
	let sum = 0;
	for (let i = 0; i < n; i++) sum = (sum + run(i)) | 0;
	return sum;
}
if (which !== 'forever') callsWasm(100);
console.log('ready');
for (;;) callsWasm(100);
