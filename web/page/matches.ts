// Which functions a search finds, and their share of the view. An expression is tried once per distinct name.

import { Search } from './state';
import { functionOf, Labels, Tree } from './tree';

/** How many characters of a name are searched. */
const LONGEST = 1000;
const PATIENCE_MS = 400;
/** How many names to match between checks of the clock. */
const CHUNK = 8;

export interface Matches {
	isValid: boolean;
	isComplete: boolean; // false: it took too long, so later names were not tried
	labels: Uint8Array | null; // by label; null without a search
}

const NONE: Matches = { isValid: true, isComplete: true, labels: null };

export function compile(search: Search): RegExp | null {
	const text = search.isPlain ? search.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : search.text;
	try {
		return new RegExp(text, search.matchesCase ? '' : 'i');
	} catch {
		return null;
	}
}

/**
 * An expression with a repeated group, or with many repetitions, may take very long on a single name. It runs only
 * after Enter, never just because a link contains it, and in a worker (trial.ts).
 */
export function isRisky(search: Search): boolean {
	if (search.isPlain)
		return false;
	const repeats = search.text.match(/[^\\](?:[*+]|\{\d+,\d*\})/g) || [];
	const options = search.text.match(/[^\\(]\?/g) || [];
	const hasRepeatedGroup = /(^|[^\\])(\\\\)*\)[*+{]/.test(search.text);
	return hasRepeatedGroup || repeats.length > 2 || options.length > 8 || /\\(\d|k<)/.test(search.text);
}

/** The name as in folded stacks, and as displayed. */
export function textsOf(labels: Labels, label: number): [string, string] {
	const shown = labels.function[label];
	const place = labels.place[label];
	return [labels.name[label].slice(0, LONGEST), (place ? shown + ' ' + place : shown).slice(0, LONGEST)];
}

export function match(labels: Labels, search: Search): Matches {
	if (!search.text)
		return NONE;
	const pattern = compile(search);
	if (!pattern)
		return { ...NONE, isValid: false };
	const found = new Uint8Array(labels.name.length);
	const end = performance.now() + PATIENCE_MS;
	for (let label = 0; label < found.length; label++) {
		found[label] = textsOf(labels, label).some((text) => pattern.test(text)) ? 1 : 0;
		if (label % CHUNK === CHUNK - 1 && performance.now() > end)
			return { isValid: true, isComplete: false, labels: found };
	}
	return { isValid: true, isComplete: true, labels: found };
}

export interface Found {
	value: number; // of the outermost hits at and below the zoomed frame: a match inside a match is not counted again
	count: number; // hits in the whole tree
}

export function measureHits(tree: Tree, found: Uint8Array, zoom: number): Found {
	let value = 0;
	for (let i = zoom; i < tree.end[zoom];) {
		const isHit = found[tree.label[i]];
		if (isHit)
			value += tree.total[i];
		i = isHit ? tree.end[i] : i + 1;
	}
	let count = 0;
	for (let i = 0; i < tree.size; i++)
		count += found[tree.label[i]];
	return { value, count };
}

/** The matching nodes, widest first. */
export function hitsOf(tree: Tree, found: Uint8Array): Uint32Array {
	const hits = new Uint32Array(tree.size);
	let n = 0;
	for (let i = 0; i < tree.size; i++) {
		if (found[tree.label[i]] && tree.total[i] > 0)
			hits[n++] = i;
	}
	return hits.subarray(0, n).sort((a, b) => tree.total[b] - tree.total[a] || a - b);
}

export interface FunctionHit {
	label: number;
	value: number; // outermost hits only
	frames: number;
	widest: number; // node
}

/** The hits by function, heaviest first, including those too narrow to see. */
export function hitsByFunction(tree: Tree, found: Uint8Array): FunctionHit[] {
	const hits = new Map<number, FunctionHit & { until: number }>();
	for (let i = 0; i < tree.size; i++) {
		if (!found[tree.label[i]])
			continue;
		const fn = functionOf(tree, i);
		let hit = hits.get(fn);
		if (!hit)
			hits.set(fn, hit = { label: tree.label[i], value: 0, frames: 0, widest: i, until: 0 });
		hit.frames++;
		if (tree.total[i] > tree.total[hit.widest])
			hit.widest = i;
		if (i >= hit.until) {
			hit.value += tree.total[i];
			hit.until = tree.end[i];
		}
	}
	return [...hits.values()].sort((a, b) => b.value - a.value);
}
