// The answers of api/tree and api/diff as columns in preorder: a node's descendants are the nodes
// between it and `end`.

import { Answer } from './engine';

export interface Unit {
	name: string;
	decimals: number; // values are in units of 10^-decimals
	ns: number; // the time one unit stands for; 0: unknown
}

/** Of Labels.flags. */
export const INLINED = 1;
export const PROCESS = 2;
export const RECURSIVE = 4;
export const FOLDED = 8;

/** The names of nodes. Labels with the same name are one function. */
export interface Labels {
	id: string;
	name: string[];
	function: string[];
	place: string[];
	module: string[];
	kind: string[];
	category: number[];
	tiers: number[];
	flags: number[];
	/** By label: which function it is. */
	functionOf: Uint32Array;
	/** By function: a label that it has. */
	labelOf: number[];
}

export interface Side {
	self: ArrayLike<number>;
	total: Float64Array;
}

/** What a diff adds. Widths combine both sides; counts are those of each side. */
export interface Change {
	scale: number; // of `before`
	before: Side;
	after: Side;
	noise: ArrayLike<number>;
	ownNoise: ArrayLike<number>;
}

/** What determines the widths of a diff. */
export type Width = 'union' | 'after' | 'before';

export interface Tree {
	size: number;
	labels: Labels;
	label: ArrayLike<number>;
	depth: ArrayLike<number>;
	parent: Int32Array; // -1 for the root
	end: Uint32Array; // the first node after this one that is not below it
	maxDepth: number;
	self: ArrayLike<number>; // the part of the width that is the node's own
	total: Float64Array; // widths
	start: Float64Array; // from the left, in the same unit
	isInTime: boolean; // start is where the node begins in time order
	unit: Unit;
	change: Change | null;
	empty: string; // why there is nothing, or ''
	leftOut: number;
	samples: { [reason: string]: number };
}

type Names = Pick<Labels, 'name' | 'function' | 'place' | 'module' | 'kind' | 'category' | 'tiers' | 'flags'>;

/** Whose file a script function is in: `express` of a package, `node`, or the file. */
export function scriptModule(name: string, place: string): string {
	const packages = name.split('/node_modules/');
	const inPackage = packages.length > 1 ? /^(@[^/]+\/[^/]+|[^/]+)/.exec(packages[packages.length - 1]) : null;
	if (inPackage)
		return inPackage[1];
	return / node:/.test(name) ? 'node' : place.replace(/:\d+$/, '');
}

/** The module of code compiled at run time names only its compiler, so this names whose code it is. */
function modulesOf({ name, place, module }: Names): string[] {
	return module.map((text, i) => text.startsWith('[JIT]') && place[i] ? scriptModule(name[i], place[i]) : text);
}

/** Gives labels of one name the same number. */
export function labelsFrom(id: string, names: Names): Labels {
	const numbers = new Map<string, number>();
	const labelOf: number[] = [];
	const functionOf = Uint32Array.from(names.name, (name, label) => {
		const known = numbers.get(name);
		if (known !== undefined)
			return known;
		numbers.set(name, labelOf.length);
		return labelOf.push(label) - 1;
	});
	return { ...names, module: modulesOf(names), id, functionOf, labelOf };
}

/** Parents and ends follow from the depths. */
export function relate(depth: ArrayLike<number>): { parent: Int32Array; end: Uint32Array; maxDepth: number } {
	const size = depth.length;
	const parent = new Int32Array(size);
	const end = new Uint32Array(size);
	const last: number[] = [-1]; // by depth + 1: the node that a deeper one is below
	let maxDepth = 0;
	for (let i = 0; i < size; i++) {
		const row = Math.min(depth[i], maxDepth + 1);
		parent[i] = last[row];
		last[row + 1] = i;
		if (row > maxDepth)
			maxDepth = row;
	}
	// Until the end is known, it holds the number of nodes below.
	for (let i = size - 1; i > 0; i--) {
		end[parent[i]] += end[i] + 1;
		end[i] += i + 1;
	}
	if (size)
		end[0] = size;
	return { parent, end, maxDepth };
}

/** A copy; made this way as `from` goes through an iterator. */
function numbers(column: ArrayLike<number>): Float64Array {
	const copy = new Float64Array(column.length);
	for (let i = 0; i < copy.length; i++)
		copy[i] = column[i];
	return copy;
}

/** A node's own value and that of everything below it. */
export function totalsOf(self: ArrayLike<number>, parent: Int32Array): Float64Array {
	const total = numbers(self);
	for (let i = total.length - 1; i > 0; i--)
		total[parent[i]] += total[i];
	return total;
}

/** Siblings in the order they came in, a node's own part left of what it calls. */
function startsInOrder(self: ArrayLike<number>, total: Float64Array, parent: Int32Array): Float64Array {
	const start = new Float64Array(total.length);
	const next = new Float64Array(total.length);
	for (let i = 0; i < total.length; i++) {
		if (i > 0) {
			start[i] = next[parent[i]];
			next[parent[i]] += total[i];
		}
		next[i] = start[i] + self[i];
	}
	return start;
}

/** The same tree with the heaviest sibling on the left and a node's own part on the right. */
export function leftHeavy(tree: Tree): Tree {
	const { total } = tree;
	const start = new Float64Array(tree.size);
	for (let i = 0; i < tree.size; i++) {
		const children = childrenOf(tree, i);
		if (children.length > 1)
			children.sort((a, b) => total[b] - total[a] || a - b);
		let at = start[i];
		for (const child of children) {
			start[child] = at;
			at += total[child];
		}
	}
	return { ...tree, start };
}

/** The same diff with other widths. */
export function withWidths(tree: Tree, width: Width): Tree {
	const { change } = tree;
	if (!change)
		return tree;
	const { before, after, scale } = change;
	const self = new Float64Array(tree.size);
	for (let i = 0; i < tree.size; i++) {
		const scaled = scale * before.self[i];
		const value = after.self[i];
		self[i] = width === 'after' ? value : width === 'before' ? scaled : Math.max(value, scaled);
	}
	const total = totalsOf(self, tree.parent);
	return { ...tree, self, total, start: startsInOrder(self, total, tree.parent) };
}

function changeOf(answer: Answer, parent: Int32Array): Change {
	const { columns, header } = answer;
	const side = (self: ArrayLike<number>) => ({ self, total: totalsOf(self, parent) });
	return {
		scale: header.scale ?? 1,
		before: side(columns.self0),
		after: side(columns.self1),
		noise: columns.noise || new Uint8Array(parent.length),
		ownNoise: columns.own_noise || new Uint8Array(parent.length),
	};
}

/** An answer without labels of its own uses those passed in. */
export function treeFrom(answer: Answer, labels: Labels): Tree {
	const { header, columns } = answer;
	const { parent, end, maxDepth } = relate(columns.depth);
	const change = header.values === 2 ? changeOf(answer, parent) : null;
	const self = change ? change.after.self : columns.self;
	const total = change ? change.after.total : totalsOf(self, parent);
	const isInTime = !!columns.start;
	return {
		size: parent.length, labels, label: columns.label, depth: columns.depth, parent, end, maxDepth, self, total,
		start: isInTime ? numbers(columns.start) : startsInOrder(self, total, parent),
		isInTime, unit: header.unit, change, empty: header.empty || '', leftOut: header.left_out || 0,
		samples: header.samples || {},
	};
}

export function childrenOf(tree: Tree, node: number): number[] {
	const children = [];
	for (let i = node + 1; i < tree.end[node]; i = tree.end[i])
		children.push(i);
	return children;
}

/** The node and its callers, root first. */
export function ancestry(tree: Tree, node: number): number[] {
	const path = [];
	for (let i = node; i >= 0; i = tree.parent[i])
		path.push(i);
	return path.reverse();
}

export function isWithin(tree: Tree, node: number, ancestor: number): boolean {
	return node >= ancestor && node < tree.end[ancestor];
}

export function nameOf(tree: Tree, node: number): string {
	return tree.labels.name[tree.label[node]];
}

export function functionOf(tree: Tree, node: number): number {
	return tree.labels.functionOf[tree.label[node]];
}

/** The names from below the root to the node: what the URL remembers of it. */
export function pathOf(tree: Tree, node: number): string[] {
	return ancestry(tree, node).slice(1).map((i) => nameOf(tree, i));
}

/** The nodes of a path as far as they are in this tree, root first. */
export function follow(tree: Tree, path: string[]): number[] {
	const nodes = tree.size ? [0] : [];
	for (const name of path) {
		const found = childrenOf(tree, nodes[nodes.length - 1]).find((child) => nameOf(tree, child) === name);
		if (found === undefined)
			break;
		nodes.push(found);
	}
	return nodes;
}

/** The stack down to the node as folded text, without the root, which stands for everything. */
export function folded(tree: Tree, node: number): string {
	return (node > 0 ? pathOf(tree, node) : [nameOf(tree, 0)]).join(';');
}

/** Where the frames of a function begin in the tree of its callers or callees. */
export function subjectOf(tree: Tree, name: string): number {
	const first = childrenOf(tree, 0);
	return tree.size && nameOf(tree, 0) !== name && first.length === 1 && nameOf(tree, first[0]) === name ? first[0] : 0;
}
