// The contents of the row of chips: each active selection and transform, and the state without it. No DOM here.

import { merged, partsOf, withFilter, withoutBaseline, withRange } from './ranges';
import { CHARGED, isOn, Preset } from './presets';
import { Range, Selection, State, Transform } from './state';
import { rangeText } from './times';

export interface Chip {
	kind: 'range' | 'filter' | 'transform' | 'baseline';
	text: string;
	title: string;
	remove: Partial<State>;
	/** For ranges, which can be edited. */
	range?: Range;
	replace?: (range: Range) => Partial<State>;
}

function without<T>(list: T[], at: number): T[] {
	return list.filter((_, i) => i !== at);
}

function rangeChips(state: State): Chip[] {
	const { times } = state.selection;
	return times.map((range, at) => ({
		kind: 'range', text: rangeText(range), title: `Samples from ${range.from} to ${range.until} s`, range,
		remove: { selection: { ...state.selection, times: without(times, at) } },
		replace: (wanted) => ({ selection: { ...state.selection, times: merged([...without(times, at), wanted]) } }),
	}));
}

/** names: display names for ids, such as `worker 3` for `tid=12`. */
export type Names = (key: string, value: string) => string;

const KEYS: { [key: string]: string } = { tid: 'thread', pid: 'process', comm: 'name', cpu: 'CPU', event: 'event', container: 'container' };

export function whereText(where: string, names: Names): string {
	const { key, values } = partsOf(where);
	const shown = values.slice(0, 3).map((value) => names(key, value)).join(', ');
	return `${KEYS[key] || key}: ${shown}${values.length > 3 ? ` and ${values.length - 3} more` : ''}`;
}

function filterChips(state: State, names: Names): Chip[] {
	const { selection } = state;
	const list = (key: 'where' | 'only' | 'without', textOf: (value: string) => string): Chip[] =>
		selection[key].map((value, at) => ({
			kind: 'filter', text: textOf(value), title: `--${key} ${value}`,
			remove: withFilter(state, { [key]: without(selection[key], at) }),
		}));
	const idle: Chip[] = selection.noIdle ? [{ kind: 'filter', text: 'no idle', title: '--no-idle', remove: withFilter(state, { noIdle: false }) }] : [];
	return [
		...list('where', (value) => whereText(value, names)), ...list('only', (value) => 'only ' + value),
		...list('without', (value) => 'without ' + value), ...idle,
	];
}

function transformText(transform: Transform): string {
	if (transform.word === 'your-code')
		return CHARGED.name; // not `your code`: that is the button, which may do something else
	return transform.word.replace(/-/g, ' ') + (transform.value === null ? '' : ': ' + transform.value);
}

/** Your code has its own button. */
function transformChips(state: State, yourCode: Preset): Chip[] {
	const isHidden = (transform: Transform): boolean =>
		isOn(state, yourCode) && yourCode.words.some((word) => word.word === transform.word && word.value === transform.value);
	return state.transforms.map((transform, at): Chip => ({
		kind: 'transform', text: transformText(transform), title: `--${transform.word}${transform.value === null ? '' : ' ' + transform.value}`,
		remove: { transforms: without(state.transforms, at) },
	})).filter((_, at) => !isHidden(state.transforms[at]));
}

function baselineName(baseline: Selection, state: State, names: Names, fileName: (id: string) => string): string {
	const files = baseline.files.join() === state.selection.files.join() ? [] : baseline.files.map(fileName);
	const where = baseline.where.join() === state.selection.where.join() ? [] : baseline.where.map((one) => whereText(one, names));
	const words = [...files, ...where, ...baseline.only.map((one) => 'only ' + one)];
	return words.join(', ') || 'whole profile';
}

function baselineChips(state: State, names: Names, fileName: (id: string) => string): Chip[] {
	const { baseline } = state;
	if (!baseline)
		return [];
	const own = baselineName(baseline, state, names, fileName);
	if (!baseline.times.length)
		return [{ kind: 'baseline', text: 'baseline: ' + own, title: 'Baseline of the comparison', remove: withoutBaseline(state) }];
	return baseline.times.map((range, at) => {
		const times = without(baseline.times, at);
		return {
			kind: 'baseline', text: `baseline: ${rangeText(range)}${own === 'whole profile' ? '' : ' of ' + own}`, title: 'Baseline of the comparison', range,
			remove: times.length ? { baseline: { ...baseline, times } } : withoutBaseline(state),
			replace: (wanted: Range) => withRange({ ...state, baseline: { ...baseline, times } }, wanted, 'add to baseline'),
		};
	});
}

export function chipsOf(state: State, yourCode: Preset, names: Names, fileName: (id: string) => string): Chip[] {
	return [
		...rangeChips(state), ...filterChips(state, names), ...transformChips(state, yourCode), ...baselineChips(state, names, fileName),
	];
}
