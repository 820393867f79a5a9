// Time order, thread by thread: in plain order of time, threads that run at the same time would cut each other into
// slivers. So each thread's runs are placed together, busiest thread first. No DOM here.

import { childrenOf, relate, totalsOf, Tree } from './tree';

/** The frames below the root (runs of threads), grouped by thread. */
function runsByThread(tree: Tree): number[][] {
	const threads = new Map<number, number[]>();
	for (const run of childrenOf(tree, 0)) {
		const runs = threads.get(tree.label[run]);
		if (runs)
			runs.push(run);
		else
			threads.set(tree.label[run], [run]);
	}
	const total = (runs: number[]) => runs.reduce((sum, run) => sum + tree.total[run], 0);
	return [...threads.values()].sort((a, b) => total(b) - total(a));
}

/** A tree that grows from left to right. */
class Growing {
	readonly label: number[] = [];
	readonly depth: number[] = [];
	readonly self: number[] = [];
	readonly start: number[] = [];
	private readonly until: number[] = []; // the end of each node so far
	private readonly open: number[] = []; // by depth: the last node

	/** Merges a frame with the same frame that ended where it starts. */
	add(node: { label: number; depth: number; self: number; start: number }, total: number): void {
		const last = node.depth < this.open.length ? this.open[node.depth] : -1;
		if (last >= 0 && this.label[last] === node.label && this.until[last] === node.start) {
			this.self[last] += node.self;
			this.until[last] += total;
			return;
		}
		this.open.length = node.depth;
		this.open.push(this.label.length);
		this.label.push(node.label);
		this.depth.push(node.depth);
		this.self.push(node.self);
		this.start.push(node.start);
		this.until.push(node.start + total);
	}
}

/** tree: in time order, with threads below the root. */
export function threadByThread(tree: Tree): Tree {
	const { label, depth, self, start, total, end } = tree;
	const grown = new Growing();
	if (!tree.size)
		return tree;
	grown.add({ label: label[0], depth: 0, self: self[0], start: 0 }, total[0]);
	let at = 0;
	for (const run of runsByThread(tree).flat()) {
		const shift = at - start[run];
		for (let i = run; i < end[run]; i++)
			grown.add({ label: label[i], depth: depth[i], self: self[i], start: start[i] + shift }, total[i]);
		at += total[run];
	}
	const relations = relate(grown.depth);
	return {
		...tree, ...relations, size: grown.label.length, label: grown.label, depth: grown.depth, self: grown.self,
		total: totalsOf(grown.self, relations.parent), start: Float64Array.from(grown.start),
	};
}
