// Arithmetic of ranges and filters. No DOM here.

import { Range, Selection, State } from './state';

/** Times are exact to the ns, so that the pointer and the keyboard select the same range. */
export function rounded(seconds: number): number {
	return Math.round(seconds * 1e9) / 1e9;
}

export function rangeOf_ns(from_ns: number, until_ns: number): Range {
	return { from: rounded(from_ns / 1e9), until: rounded(until_ns / 1e9) };
}

/** From the start of the earlier one to the end of the later one. */
export function hull(a: Range, b: Range): Range {
	return { from: Math.min(a.from, b.from), until: Math.max(a.until, b.until) };
}

/** Sorts ranges and merges those that touch. */
export function merged(ranges: Range[]): Range[] {
	const out: Range[] = [];
	for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
		const last = out[out.length - 1];
		if (last && range.from <= last.until)
			last.until = Math.max(last.until, range.until);
		else
			out.push({ ...range });
	}
	return out;
}

/** The gaps between the ranges. The end belongs to no range, so the last gap ends after the last sample. */
export function rest(ranges: Range[], duration: number): Range[] {
	const out: Range[] = [];
	let at = 0;
	for (const range of merged(ranges)) {
		if (range.from > at)
			out.push({ from: at, until: range.from });
		at = Math.max(at, range.until);
	}
	if (at < duration)
		out.push({ from: at, until: rounded(duration + 0.001) });
	return out;
}

export function lengthOf(ranges: Range[]): number {
	return merged(ranges).reduce((sum, range) => sum + range.until - range.from, 0);
}

/** `tid=12,13` as its key and values. */
export function partsOf(where: string): { key: string; values: string[] } {
	const at = where.indexOf('=');
	return at < 0 ? { key: where, values: [] } : { key: where.slice(0, at), values: where.slice(at + 1).split(',') };
}

function whereOf(key: string, values: string[]): string {
	return key + '=' + values.join(',');
}

/** The values that the filters allow for a key; null if it is not filtered. */
export function valuesOf(where: string[], key: string): string[] | null {
	const meant = where.map(partsOf).filter((parts) => parts.key === key);
	return meant.length ? meant.flatMap((parts) => parts.values) : null;
}

export function withoutKey(where: string[], key: string): string[] {
	return where.filter((one) => partsOf(one).key !== key);
}

/**
 * Chooses an item of a list that filters: `only` that item, or toggles it. Choosing the only item again removes the
 * filter.
 */
export function chosen(where: string[], wanted: string, isAdded: boolean): string[] {
	const { key, values } = partsOf(wanted);
	const before = valuesOf(where, key) || [];
	const isIn = values.every((value) => before.includes(value));
	let after = values;
	if (isAdded)
		after = isIn ? before.filter((value) => !values.includes(value)) : [...before, ...values];
	else if (isIn && before.length === values.length)
		after = [];
	const others = withoutKey(where, key);
	return after.length ? [...others, whereOf(key, after)] : others;
}

function filtersOf(s: Selection): string {
	return JSON.stringify([s.files, s.where, s.only, s.without, s.noIdle]);
}

/** Changes a filter. A baseline that differs only in its times follows the change. */
export function withFilter(state: State, part: Partial<Selection>): Partial<State> {
	const selection = { ...state.selection, ...part };
	const { baseline } = state;
	if (!baseline || filtersOf(baseline) !== filtersOf(state.selection))
		return { selection };
	const shared = { ...part };
	delete shared.times;
	return { selection, baseline: { ...baseline, ...shared } };
}

export type Mode = 'set' | 'add' | 'baseline' | 'add to baseline';

/** The state after selecting a range. */
export function withRange(state: State, range: Range, mode: Mode): Partial<State> {
	const { selection, baseline } = state;
	if (mode === 'set')
		return { selection: { ...selection, times: [range] } };
	if (mode === 'add')
		return { selection: { ...selection, times: merged([...selection.times, range]) } };
	const base = baseline || { ...selection, times: [] };
	const times = mode === 'baseline' ? [range] : merged([...base.times, range]);
	return { baseline: { ...base, times }, ...(baseline ? {} : { view: 'diff' as const }) };
}

/** Without a baseline there is no difference to show. */
export function withoutBaseline(state: State): Partial<State> {
	return { baseline: null, ...(state.view === 'diff' ? { view: 'flame' as const } : {}) };
}

/** Esc: removes the ranges of both sides. A baseline with another file or filter stays. */
export function withoutRanges(state: State): Partial<State> {
	const selection = { ...state.selection, times: [] };
	if (!state.baseline || !state.baseline.times.length)
		return { selection };
	const baseline = { ...state.baseline, times: [] };
	return filtersOf(baseline) === filtersOf(selection) ?
		{ selection, ...withoutBaseline(state) } : { selection, baseline };
}
