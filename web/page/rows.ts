// The height of each row of a graph. A row of only folded runs is thin: it just shows that something was folded.

import { FOLDED, PROCESS, Tree } from './tree';

/** Nodes with less than this share of the whole do not prevent a thin row. */
const LEAST_SHARE = 0.001;
export const THIN = 0.4;

export interface Rows {
	top: Float64Array; // by depth: from the root's row, px; one more than there are rows
	isThin: Uint8Array;
	height: number; // of all rows
}

/** By depth: whether all its nodes are folded runs, or the process they belong to. */
export function thinRows(tree: Tree): Uint8Array {
	const { flags } = tree.labels;
	const least = LEAST_SHARE * (tree.total[0] || 0);
	const hasFolded = new Uint8Array(tree.maxDepth + 1);
	const hasOthers = new Uint8Array(tree.maxDepth + 1);
	for (let i = 1; i < tree.size;) {
		const isNarrow = tree.total[i] < least;
		const flag = isNarrow ? PROCESS : flags[tree.label[i]];
		if (flag & FOLDED)
			hasFolded[tree.depth[i]] = 1;
		else if (!(flag & PROCESS))
			hasOthers[tree.depth[i]] = 1;
		i = isNarrow ? tree.end[i] : i + 1;
	}
	return hasFolded.map((folded, depth) => folded && !hasOthers[depth] ? 1 : 0);
}

/** Rows above `first` have no height: a graph of a function's callers begins at the function. */
export function rowsOf(isThin: Uint8Array, rowHeight: number, first = 0): Rows {
	const top = new Float64Array(isThin.length + 1);
	const thin = Math.max(4, Math.round(rowHeight * THIN));
	for (let depth = 0; depth < isThin.length; depth++)
		top[depth + 1] = top[depth] + (depth < first ? 0 : isThin[depth] ? thin : rowHeight);
	return { top, isThin, height: top[isThin.length] };
}

/** The row at a distance from the root's edge, or -1. */
export function rowAt(rows: Rows, y: number): number {
	if (y < 0 || y >= rows.height)
		return -1;
	let low = 0;
	let high = rows.isThin.length;
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if (rows.top[middle] <= y)
			low = middle;
		else
			high = middle;
	}
	return low;
}
