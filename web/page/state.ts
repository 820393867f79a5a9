// What the page shows. All of it is in the URL's hash, so a link, a reload and the back button restore it.

import { Parameters } from './engine';

/** Seconds from the profile's first sample. */
export interface Range {
	from: number;
	until: number;
}

/** Which samples: named as on the command line. */
export interface Selection {
	files: string[]; // ids; empty: those shown at first
	times: Range[]; // a sample in any of them; empty: all
	where: string[]; // KEY=VALUE, all must match
	only: string[];
	without: string[];
	noIdle: boolean;
}

/** A transform: a word of the command line and its value, null for a flag. */
export interface Transform {
	word: string; // hide, root, skip-after, fold, your-code, merge-tiers, split-tiers, collapse-recursion, no-inline
	value: string | null;
}

export type View = 'flame' | 'callers' | 'left' | 'time' | 'sandwich' | 'diff';
export type Colour = 'kind' | 'tier' | 'module' | 'thread' | 'change';
export type Rows = 'offset' | 'cpu' | 'thread' | 'process' | 'event';
export type Panel = 'functions' | 'source';
export type Scheme = 'auto' | 'dark' | 'light';

export interface Search {
	text: string;
	isPlain: boolean;
	matchesCase: boolean;
}

export interface State {
	selection: Selection;
	baseline: Selection | null;
	transforms: Transform[];
	weight: 'auto' | 'samples' | 'period';
	search: Search;
	// WHEN
	rows: Rows;
	column_ns: number; // width of a heat map column; 0: chosen by the page
	window: Range | null; // the visible part of the time; null: all
	isLog: boolean;
	align: 'start' | 'wall';
	showsIdleThreads: boolean;
	// WHERE
	view: View;
	isIcicle: boolean;
	colour: Colour;
	zoom: string[]; // names of the frames from below the root to the zoomed one
	subject: string; // the function that sandwich, source and details are about: its name, or ''
	panel: Panel;
	order: string; // the table's column, a leading '-' means ascending
	// diff
	isAbsolute: boolean;
	bySelf: boolean;
	bands: { when: number; why: number }; // heights as a percentage of the window; 0: chosen by the page
	scheme: Scheme;
}

export const EVERYTHING: Selection = { files: [], times: [], where: [], only: [], without: [], noIdle: false };

export const START: State = {
	selection: EVERYTHING,
	baseline: null,
	transforms: [],
	weight: 'auto',
	search: { text: '', isPlain: false, matchesCase: false },
	rows: 'offset',
	column_ns: 0,
	window: null,
	isLog: false,
	align: 'start',
	showsIdleThreads: false,
	view: 'flame',
	isIcicle: false,
	colour: 'kind',
	zoom: [],
	subject: '',
	panel: 'functions',
	order: 'self',
	isAbsolute: false,
	bySelf: true,
	bands: { when: 0, why: 0 },
	scheme: 'auto',
};

/** The parameters of doc/api.md for a selection; prefix is `base.` for a baseline. */
export function selectionParameters(s: Selection, prefix = ''): Parameters {
	const list = (name: string, values: string[]): Parameters => values.map((v) => [prefix + name, v]);
	return [
		...list('file', s.files),
		...list('time', s.times.map((r) => `${r.from},${r.until}`)),
		...list('where', s.where),
		...list('only', s.only),
		...list('without', s.without),
		...(s.noIdle ? [[prefix + 'no-idle', null] as [string, null]] : []),
	];
}

export function transformParameters(state: State): Parameters {
	const words: Parameters = state.transforms.map((t) => [t.word, t.value]);
	return state.weight === 'auto' ? words : [...words, ['weight', state.weight]];
}

/** Selection, baseline and transforms. */
export function stateParameters(state: State): Parameters {
	return [
		...selectionParameters(state.selection),
		...(state.baseline ? selectionParameters(state.baseline, 'base.') : []),
		...transformParameters(state),
	];
}

/**
 * Holds the state and notifies listeners. A change is `kept` (a new entry in the browser's history,
 * undone by Back and by undo) or `passing` (while dragging; the next one replaces it).
 */
export interface Store {
	readonly state: State;
	change(part: Partial<State>, how?: 'kept' | 'passing'): void;
	/** Calls back after each change, with the previous state. */
	watch(callback: (state: State, before: State) => void): void;
	undo(): void;
	redo(): void;
	readonly canUndo: boolean;
	readonly canRedo: boolean;
}
