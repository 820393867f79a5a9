// Which nodes are visible at a zoom, and where. The cost depends on pixels: a subtree too narrow to
// see is skipped in one step, and rows out of view are not laid out. No DOM here.

import { ancestry, Tree } from './tree';

/** Below this many px a frame is not drawn by itself. */
const MIN_WIDTH = 0.5;
/** A subtree this narrow is not visible in the rows beyond its own, px. */
const NOTHING = 0.1;
/** Frames too narrow to be drawn share cells of this many px. */
export const CELL = 4;

export interface Sight {
	zoom: number;
	width: number; // of the zoomed frame, px
	firstRow: number; // by depth, both included
	lastRow: number;
}

/** Frames too narrow to be drawn, in one cell of a row. */
export interface Strip {
	depth: number;
	left: number;
	right: number;
	widest: number;
	count: number;
	isHit: boolean;
}

export interface Visible {
	node: number[];
	left: number[];
	width: number[];
	strips: Strip[];
	steps: number; // nodes visited
}

/** Cells of the visible rows, created when something falls into them. */
class Strips {
	readonly done: Strip[] = [];
	private readonly cells: (Strip | undefined)[] = [];

	constructor(private readonly sight: Sight) {}

	add(node: { i: number; depth: number; isHit: boolean }, left: number, width: number, total: Float64Array): void {
		const perRow = Math.ceil(this.sight.width / CELL) + 1;
		const at = (node.depth - this.sight.firstRow) * perRow + Math.floor(left / CELL);
		const cell = this.cells[at];
		if (!cell) {
			const fresh = { depth: node.depth, left, right: left + width, widest: node.i, count: 1, isHit: node.isHit };
			this.cells[at] = fresh;
			this.done.push(fresh);
			return;
		}
		cell.left = Math.min(cell.left, left);
		cell.right = Math.max(cell.right, left + width);
		cell.count++;
		cell.isHit = cell.isHit || node.isHit;
		if (total[node.i] > total[cell.widest])
			cell.widest = node.i;
	}
}

/** The callers of the zoomed frame: drawn as wide as it, whatever their values. */
function callers(tree: Tree, sight: Sight, out: Visible): void {
	for (const node of ancestry(tree, sight.zoom)) {
		if (tree.depth[node] < sight.firstRow || tree.depth[node] > sight.lastRow)
			continue;
		out.node.push(node);
		out.left.push(0);
		out.width.push(sight.width);
	}
}

/** matches: by label, to mark strips that hide a hit; null without a search. */
export function layOut(tree: Tree, sight: Sight, matches: Uint8Array | null = null): Visible {
	const { depth, end, total, start, label } = tree;
	const { zoom, firstRow, lastRow } = sight;
	const out: Visible = { node: [], left: [], width: [], strips: [], steps: 0 };
	if (!tree.size || !(total[zoom] > 0))
		return out;
	callers(tree, sight, out);
	const perValue = sight.width / total[zoom];
	const strips = new Strips(sight);
	for (let i = zoom + 1; i < end[zoom]; out.steps++) {
		const row = depth[i];
		const width = total[i] * perValue;
		const left = (start[i] - start[zoom]) * perValue;
		if (width >= MIN_WIDTH && row >= firstRow && row <= lastRow) {
			out.node.push(i);
			out.left.push(left);
			out.width.push(width);
		} else if (width > 0 && row >= firstRow && row <= lastRow) {
			strips.add({ i, depth: row, isHit: !!matches && !!matches[label[i]] }, left, width, total);
		}
		i = width < NOTHING || row >= lastRow ? end[i] : i + 1;
	}
	out.strips = strips.done;
	return out;
}

/** How wide a node would be if `zoom` were zoomed, px. */
export function widthAt(tree: Tree, node: number, zoom: number, width: number): number {
	return tree.total[zoom] > 0 ? width * tree.total[node] / tree.total[zoom] : 0;
}

/** The visible frame at a position, or -1. */
export function frameAt(tree: Tree, visible: Visible, row: number, x: number): number {
	for (let at = 0; at < visible.node.length; at++) {
		const left = visible.left[at];
		if (x >= left && x < left + visible.width[at] && tree.depth[visible.node[at]] === row)
			return visible.node[at];
	}
	return -1;
}

/** The strip at a position, or within 2 px of it. */
export function stripAt(visible: Visible, row: number, x: number): Strip | null {
	let best: Strip | null = null;
	let distance = 2;
	for (const strip of visible.strips) {
		if (strip.depth !== row)
			continue;
		const away = Math.max(strip.left - x, x - strip.right, 0);
		if (away < distance) {
			best = strip;
			distance = away;
		}
	}
	return best;
}

export type Direction = 'shallower' | 'deeper' | 'left' | 'right';

/** The nearest frame of at least 0.5 px in a direction, or the node itself. */
export function neighbour(tree: Tree, node: number, to: Direction, sight: Sight): number {
	if (to === 'shallower')
		return tree.parent[node] < 0 ? node : tree.parent[node];
	const row = tree.depth[node] + (to === 'deeper' ? 1 : 0);
	const { node: nodes } = layOut(tree, { ...sight, firstRow: row, lastRow: row });
	if (to === 'deeper') {
		const below = nodes.filter((i) => tree.parent[i] === node);
		return below.reduce((best, i) => tree.total[i] > tree.total[best] || best === node ? i : best, node);
	}
	const inOrder = nodes.sort((a, b) => tree.start[a] - tree.start[b]);
	return inOrder[inOrder.indexOf(node) + (to === 'left' ? -1 : 1)] ?? node;
}
