// Where a picture that is taller than its window begins: neither at the loops of a runtime that
// every stack begins with, nor at the tips of the tallest stacks, but where most of the reader's
// own code is. No DOM here.

/** The parts of a model (model.ts) that this needs. */
export interface Rated {
	size: number;
	kinds: string[]; // by name
	name: ArrayLike<number>;
	depth: ArrayLike<number>;
	value: { numbers: ArrayLike<number> };
}

/** Code with less than this share of the whole in every row does not matter here. */
const LEAST_SHARE = 0.05;
/** This much of the most code visible at once is enough; nearer to the root is better. */
const ENOUGH = 0.8;
/** The middle of that code is no further up than this share of the window, so that its callees are visible. */
const HIGHEST_MIDDLE = 2 / 3;

/** How much of each row is code of one of the kinds. */
function rowsOf(model: Rated, kinds: string[]): Float64Array {
	let deepest = 0;
	for (let i = 0; i < model.size; i++)
		deepest = Math.max(deepest, model.depth[i]);
	const rows = new Float64Array(deepest + 1);
	const isMeant = model.kinds.map((kind) => kinds.includes(kind));
	for (let i = 0; i < model.size; i++) {
		if (isMeant[model.name[i]])
			rows[model.depth[i]] += model.value.numbers[i];
	}
	return rows;
}

/** For a window of `seen` rows from each row on: how much is in it, and at which row the middle of that is. */
function windows(rows: Float64Array, seen: number): { sum: number; middle: number }[] {
	return Array.from(rows, (_, first) => {
		let sum = 0;
		let moment = 0;
		for (let i = first; i < Math.min(first + seen, rows.length); i++) {
			sum += rows[i];
			moment += rows[i] * (i + 0.5 - first);
		}
		return { sum, middle: moment / sum };
	});
}

/** The depth of the row nearest to the root that is seen first, where `seen` rows fit the window. */
export function firstRow(model: Rated, seen: number): number {
	const least = LEAST_SHARE * model.value.numbers[0];
	for (const kinds of [['app'], ['app', 'dependency']]) {
		const rows = rowsOf(model, kinds);
		if (!rows.some((part) => part > least))
			continue;
		const looks = windows(rows, seen);
		const most = looks.reduce((a, b) => Math.max(a, b.sum), 0);
		const last = Math.max(0, rows.length - seen);
		const first = looks.findIndex(({ sum, middle }) => sum >= ENOUGH * most && middle <= HIGHEST_MIDDLE * seen);
		return first < 0 ? last : Math.min(last, first);
	}
	return 0;
}
