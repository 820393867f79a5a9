// JavaScript that calls itself through builtins (map, JSON.stringify with toJSON) and ends in the C library, which has no frame
// pointers. Goes on until it is ended.
'use strict';
const { compare } = Buffer;
const a = Buffer.alloc(1 << 16, 1), b = Buffer.alloc(1 << 16, 1);
const compares = () => { let sum = 0; for (let i = 0; i < 8; i++) sum += compare(a, b); return sum; };
class Text { constructor(depth) { this.depth = depth; } toJSON() { return visits(this.depth); } }
const visits = (depth) => depth === 0 ? compares()
	: depth % 3 === 0 ? JSON.stringify(new Text(depth - 1)).length
		: [depth].map((d) => visits(d - 1))[0] + 1;
let total = 0;
const all = () => { total += visits(17) + visits(11) + visits(5) + visits(1); };
for (let i = 0; i < 2000; i++) all(); // warm
console.log('ready');
for (;;) all();
