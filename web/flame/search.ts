// Which frames match, and how much of the view they are.

import { isWithin, Model } from './model';

export interface Query {
	text: string;
	isPlain: boolean;
	mindsCase: boolean;
}

export interface Result {
	isValid: boolean;
	isComplete: boolean; // false: the expression was too slow, names after a while were not looked at
	matches: Uint8Array | null; // per frame; null when nothing is searched
	hits: number[]; // the matching frames, the widest first
}

/** Characters of a name that are looked at: an expression that backtracks must not meet 100 kB. */
const LONGEST = 10000;
const PATIENCE_MS = 1500;

function compile(query: Query): RegExp | null {
	const text = query.isPlain ? query.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : query.text;
	try {
		return new RegExp(text, query.mindsCase ? '' : 'i');
	} catch (e) {
		return null;
	}
}

/**
 * An expression in which a group repeats may take longer than anybody waits, on one name. So it is not run while it is
 * being typed, nor because a link says so.
 */
export function isRisky(query: Query): boolean {
	return !query.isPlain && /[^\\]\)[*+{]|^\)[*+{]/.test(query.text);
}

export function isSame(a: Query, b: Query): boolean {
	return a.text === b.text && a.isPlain === b.isPlain && a.mindsCase === b.mindsCase;
}

/** A name as in folded stacks, as people read it, or as it is drawn. */
function matchesAny(model: Model, n: number, pattern: RegExp): boolean {
	const { names, shown, labels } = model;
	const texts = [names[n], shown[n], labels[n]];
	return texts.some((text, i) => texts.indexOf(text) === i && pattern.test(text.slice(0, LONGEST)));
}

function matchNames(model: Model, pattern: RegExp): { matches: Uint8Array; isComplete: boolean } {
	const matches = new Uint8Array(model.names.length);
	const started = Date.now();
	for (let n = 0; n < model.names.length; n++) {
		matches[n] = matchesAny(model, n, pattern) ? 1 : 0;
		if (n % 16 === 15 && Date.now() - started > PATIENCE_MS)
			return { matches, isComplete: false };
	}
	return { matches, isComplete: true };
}

export function search(model: Model, query: Query): Result {
	const nothing = { isValid: true, isComplete: true, matches: null, hits: [] };
	if (!query.text)
		return nothing;
	const pattern = compile(query);
	if (!pattern)
		return { ...nothing, isValid: false };
	const names = matchNames(model, pattern);
	const matches = new Uint8Array(model.size);
	const hits = [];
	for (let i = 0; i < model.size; i++) {
		matches[i] = names.matches[model.name[i]];
		if (matches[i])
			hits.push(i);
	}
	const value = model.value.numbers;
	hits.sort((a, b) => value[b] - value[a] || a - b);
	return { isValid: true, isComplete: names.isComplete, matches, hits };
}

/** The value of the matching frames at and below the zoomed one; a match inside a match is not counted again. */
export function matchedValue(model: Model, matches: Uint8Array, zoom: number): bigint {
	const outermost = [];
	for (let i = zoom; i < model.end[zoom];) {
		if (matches[i])
			outermost.push(i);
		i = matches[i] ? model.end[i] : i + 1;
	}
	return model.value.sum(outermost);
}

/** How many of the hits are at or below the zoomed frame. */
export function hitsWithin(model: Model, hits: number[], zoom: number): number {
	return zoom === 0 ? hits.length : hits.filter((hit) => isWithin(model, hit, zoom)).length;
}

/** Which hit a first step goes to: one inside the view when there is one. */
export function firstHit(model: Model, hits: number[], zoom: number, step: number): number {
	const last = hits.length - 1;
	for (let at = step > 0 ? 0 : last; at >= 0 && at <= last; at += step) {
		if (isWithin(model, hits[at], zoom))
			return at;
	}
	return step > 0 ? 0 : last;
}
