// The functions of a tree: how much each has by itself and with what it calls. Recursion counts once. No DOM here.

import { Labels, Tree } from './tree';

export interface FunctionRow {
	label: number;
	self: number;
	total: number;
	change: number; // of self, against the scaled baseline; 0 without one
	totalChange: number;
}

/** The column to sort by; a leading `-` means ascending. */
export type Order = string;

/** Sums by function of a node's total, leaving out nodes inside another of the same function. */
function outermost(tree: Tree, total: ArrayLike<number>): Float64Array {
	const { labels: { functionOf, labelOf }, label, end } = tree;
	const sums = new Float64Array(labelOf.length);
	const until = new Uint32Array(labelOf.length);
	for (let i = 0; i < tree.size; i++) {
		const fn = functionOf[label[i]];
		if (i < until[fn])
			continue;
		sums[fn] += total[i];
		until[fn] = end[i];
	}
	return sums;
}

/** In a tree of callers, the leaves of the stacks are right below the root, so the self values are there. */
function selfSums(tree: Tree, self: ArrayLike<number>, total: ArrayLike<number>, isReversed: boolean): Float64Array {
	const { labels: { functionOf, labelOf }, label, depth } = tree;
	const sums = new Float64Array(labelOf.length);
	for (let i = 0; i < tree.size; i++) {
		if (!isReversed)
			sums[functionOf[label[i]]] += self[i];
		else if (depth[i] === 1)
			sums[functionOf[label[i]]] += total[i];
	}
	return sums;
}

/** Without the root, which is not a function. */
export function functionRows(tree: Tree, isReversed: boolean): FunctionRow[] {
	const { labels, change } = tree;
	const root = tree.size ? labels.functionOf[tree.label[0]] : -1;
	const now = change ? change.after : { self: tree.self, total: tree.total };
	const self = selfSums(tree, now.self, now.total, isReversed);
	const total = outermost(tree, now.total);
	const selfBefore = change ? selfSums(tree, change.before.self, change.before.total, isReversed) : null;
	const totalBefore = change ? outermost(tree, change.before.total) : null;
	const scale = change ? change.scale : 0;
	const rows: FunctionRow[] = [];
	for (let fn = 0; fn < labels.labelOf.length; fn++) {
		const was = totalBefore ? totalBefore[fn] : 0;
		if (fn === root || (!total[fn] && !was))
			continue;
		rows.push({
			label: labels.labelOf[fn], self: self[fn], total: total[fn],
			change: selfBefore ? self[fn] - scale * selfBefore[fn] : 0,
			totalChange: totalBefore ? total[fn] - scale * was : 0,
		});
	}
	return rows;
}

type Compare = (a: FunctionRow, b: FunctionRow) => number;

function compareBy(column: string, labels: Labels): Compare {
	const text = (list: string[]): Compare => (a, b) => {
		const x = list[a.label];
		const y = list[b.label];
		return x < y ? -1 : x > y ? 1 : 0;
	};
	switch (column) {
	case 'total': return (a, b) => b.total - a.total;
	case 'delta': return (a, b) => Math.abs(b.change) - Math.abs(a.change);
	case 'name': return text(labels.function);
	case 'module': return text(labels.module);
	case 'tiers': return (a, b) => labels.tiers[b.label] - labels.tiers[a.label];
	default: return (a, b) => b.self - a.self;
	}
}

/** Ties are broken by self, total and name, so that the order is always the same. */
export function sortRows(rows: FunctionRow[], order: Order, labels: Labels): FunctionRow[] {
	const direction = order.startsWith('-') ? -1 : 1;
	const first = compareBy(order.replace(/^-/, ''), labels);
	const name = compareBy('name', labels);
	return rows.sort((a, b) => direction * first(a, b) || b.self - a.self || b.total - a.total || name(a, b));
}

export function filterRows(rows: FunctionRow[], found: Uint8Array | null): FunctionRow[] {
	return found ? rows.filter((row) => found[row.label]) : rows;
}
