// Where a picture that is taller than its window begins: neither at the loops of a runtime that every stack begins with,
// nor at the tips of the tallest stacks, but where most of the reader's own code is. No DOM here.

import { Model } from './model';

/** Code that never has this share of the whole in any row is not what the picture is about. */
const LEAST_SHARE = 0.05;
/** So much of the code that could be seen at once is enough: the nearer to the root the better. */
const ENOUGH = 0.8;

/** How much of each row is code of one of the kinds. */
function rowsOf(model: Model, kinds: string[]): Float64Array {
	const rows = new Float64Array(model.depth.reduce((most, depth) => Math.max(most, depth), 0) + 1);
	const isMeant = model.kinds.map((kind) => kinds.includes(kind));
	for (let i = 0; i < model.size; i++) {
		if (isMeant[model.name[i]])
			rows[model.depth[i]] += model.value.numbers[i];
	}
	return rows;
}

/** What is in a window of `seen` rows that begins at each row. */
function windows(rows: Float64Array, seen: number): number[] {
	const sums = [];
	let sum = 0;
	for (let i = 0; i < Math.min(seen, rows.length); i++)
		sum += rows[i];
	for (let first = 0; first < rows.length; first++) {
		sums.push(sum);
		sum += (first + seen < rows.length ? rows[first + seen] : 0) - rows[first];
	}
	return sums;
}

/** The depth of the row nearest to the root that is seen first, where `seen` rows fit the window. */
export function firstRow(model: Model, seen: number): number {
	const least = LEAST_SHARE * model.value.numbers[0];
	for (const kinds of [['app'], ['app', 'dependency']]) {
		const rows = rowsOf(model, kinds);
		if (!rows.some((part) => part > least))
			continue;
		const sums = windows(rows, seen);
		const most = sums.reduce((a, b) => Math.max(a, b), 0);
		const last = Math.max(0, rows.length - seen);
		return Math.min(last, sums.findIndex((sum) => sum >= ENOUGH * most));
	}
	return 0;
}
