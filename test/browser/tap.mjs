// Tests as TAP: `ok N - name`, diagnostics after #, the plan at the end.

import { isDeepStrictEqual } from 'node:util';

let ran = 0;
let failed = 0;

export function note(text) {
	for (const line of String(text).split('\n'))
		console.log('# ' + line);
}

/** A test throws to fail. */
export async function test(name, body) {
	ran++;
	try {
		await body();
		console.log(`ok ${ran} - ${name}`);
	} catch (error) {
		failed++;
		console.log(`not ok ${ran} - ${name}`);
		note(error.stack || error);
	}
}

export function equal(actual, expected, what = '') {
	if (!isDeepStrictEqual(actual, expected))
		throw new Error(`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}

export function ok(condition, what) {
	if (!condition)
		throw new Error(what);
}

/** Prints the plan; returns the exit status. */
export function finish() {
	console.log(`1..${ran}`);
	return failed ? 1 : 0;
}
