// As deep.js, with frames so large that 401 of them are more than the kernel copies of a stack. Goes on until it is ended.
'use strict';
const burns = () => { let sum = 0; for (let i = 1; i < 20000; i++) sum += Math.sqrt(i) / i; return sum; };
const goesDown = (depth, a, b, c, d, e, f, g) => {
	const p = a + b, q = b * 2, r = c + d, s = e - f, t = g | 1, u = p + q, v = r + s, w = t + u;
	if (depth === 0)
		return burns() + w;
	return goesDown(depth - 1, p % 9, q % 9, r % 9, s % 9, t % 9, u % 9, v % 9) + p + q + r + s + t + u + v + w;
};
let total = 0;
for (let i = 0; i < 2000; i++) total += goesDown(400, 1, 2, 3, 4, 5, 6, 7); // warm
console.log('ready');
for (;;) total += goesDown(400, 1, 2, 3, 4, 5, 6, 7);
