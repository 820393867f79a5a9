// Converts the state to the URL's hash, with the names of the command line, and back. No DOM here.

import { Colour, EVERYTHING, Panel, Range, Rows, Scheme, Selection, START, State, Transform, View } from './state';
import { rounded } from './ranges';

const FLAGS = [
	'your-code', 'merge-tiers', 'split-tiers', 'collapse-recursion', 'no-inline', 'pid', 'tid', 'kernel', 'jit', 'srcline', 'context',
];
const VALUED = ['hide', 'root', 'skip-after', 'fold', 'charge', 'preset'];
const VIEWS: View[] = ['flame', 'callers', 'left', 'time', 'sandwich', 'diff'];
const COLOURS: Colour[] = ['kind', 'tier', 'module', 'thread', 'change'];
const ROWS: Rows[] = ['offset', 'cpu', 'thread', 'process', 'event'];
const PANELS: Panel[] = ['functions', 'source'];
const SCHEMES: Scheme[] = ['auto', 'dark', 'light'];
const WEIGHTS: State['weight'][] = ['auto', 'samples', 'period'];
const MOST_FILES = 100000;

/** Stays readable: encodes only what would end a word or the hash. */
function encoded(text: string): string {
	return encodeURIComponent(text).replace(/%(2C|3D|3A|2F|40|3B|24|5B|5D|7C|7B|7D|5E|3F)/g, decodeURIComponent);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text.replace(/\+/g, ' '));
	} catch {
		return text;
	}
}

function rangeWord(range: Range): string {
	return `${rounded(range.from)},${rounded(range.until)}`;
}

/** `1,2,3,7` as `1-3,7`. Ids are digits. */
export function idList(ids: string[]): string {
	const out: string[] = [];
	for (let at = 0; at < ids.length;) {
		let end = at + 1;
		while (end < ids.length && Number(ids[end]) === Number(ids[at]) + end - at)
			end++;
		out.push(end - at > 2 ? `${ids[at]}-${ids[end - 1]}` : ids.slice(at, end).join(','));
		at = end;
	}
	return out.join(',');
}

export function idsOf(text: string): string[] {
	const ids: string[] = [];
	for (const part of text.split(',')) {
		const match = /^(\d{1,9})-(\d{1,9})$/.exec(part);
		if (!match)
			ids.push(...(/^\d+$/.test(part) ? [part] : []));
		else
			for (let id = Number(match[1]); id <= Number(match[2]) && ids.length < MOST_FILES; id++)
				ids.push(String(id));
	}
	return ids;
}

type Words = [string, string | null][];

function selectionWords(s: Selection, prefix: string): Words {
	const list = (name: string, values: string[]): Words => values.map((value) => [prefix + name, value]);
	return [
		...list('file', s.files.length ? [idList(s.files)] : []),
		...list('time', s.times.map(rangeWord)),
		...list('where', s.where),
		...list('only', s.only),
		...list('without', s.without),
		...(s.noIdle ? [[prefix + 'no-idle', null]] as Words : []),
	];
}

function shownWords(state: State): Words {
	const words: Words = [];
	const add = (name: string, value: string | number, unless: string | number): void => {
		if (value !== unless)
			words.push([name, String(value)]);
	};
	const flag = (name: string, is: boolean): void => {
		if (is)
			words.push([name, null]);
	};
	add('search', state.search.text, '');
	flag('plain', state.search.isPlain);
	flag('case', state.search.matchesCase);
	add('rows', state.rows, START.rows);
	add('column', state.column_ns / 1e9, 0);
	if (state.window)
		words.push(['window', rangeWord(state.window)]);
	flag('log', state.isLog);
	add('align', state.align, START.align);
	flag('idle-threads', state.showsIdleThreads);
	add('view', state.view, ''); // always: a hash without a view is a first look
	flag('icicle', state.isIcicle);
	add('colour', state.colour, START.colour);
	words.push(...state.zoom.map((name): [string, string] => ['zoom', name]));
	add('subject', state.subject, '');
	add('panel', state.panel, START.panel);
	add('order', state.order, START.order);
	flag('absolute', state.isAbsolute);
	add('delta', state.bySelf ? 'self' : 'total', 'self');
	add('when', state.bands.when, 0);
	add('why', state.bands.why, 0);
	add('scheme', state.scheme, START.scheme);
	return words;
}

/** Without the '#'. */
export function formatHash(state: State): string {
	const baseline = state.baseline ? selectionWords(state.baseline, 'base.') : [];
	const words: Words = [
		...selectionWords(state.selection, ''),
		...(state.baseline && !baseline.length ? [['base', null]] as Words : baseline),
		...state.transforms.map((t): [string, string | null] => [t.word, t.value]),
		...(state.weight === 'auto' ? [] : [['weight', state.weight]] as Words),
		...shownWords(state),
	];
	return words.map(([name, value]) => name + (value === null ? '' : '=' + encoded(value))).join('&');
}

function rangeOf(text: string): Range | null {
	const [from, until, more] = text.split(',');
	const range = { from: Number(from || 0), until: Number(until) };
	return more === undefined && until && isFinite(range.from) && isFinite(range.until) && range.until > range.from ? range : null;
}

function readSelection(s: Selection, name: string, value: string): boolean {
	const range = name === 'time' ? rangeOf(value) : null;
	switch (name) {
	case 'file': s.files = [...s.files, ...idsOf(value)]; return true;
	case 'time': s.times = range ? [...s.times, range] : s.times; return range !== null;
	case 'where': s.where = [...s.where, value]; return value.includes('=');
	case 'only': s.only = [...s.only, value]; return true;
	case 'without': s.without = [...s.without, value]; return true;
	case 'no-idle': s.noIdle = true; return true;
	}
	return false;
}

/** Applies a word to the state; false if the page does not know it. */
type Reader = (state: State, value: string) => boolean;

function oneOf<K extends keyof State>(key: K, values: State[K][]): Reader {
	return (state, value) => {
		const found = values.find((one) => one === value);
		if (found !== undefined)
			state[key] = found;
		return found !== undefined;
	};
}

function flagOf(key: 'isLog' | 'showsIdleThreads' | 'isIcicle' | 'isAbsolute'): Reader {
	return (state) => state[key] = true;
}

function number(set: (state: State, value: number) => void, most: number): Reader {
	return (state, value) => {
		const n = Number(value);
		if (!(n >= 0 && n <= most))
			return false;
		set(state, n);
		return true;
	};
}

function text(key: 'subject' | 'order'): Reader {
	return (state, value) => {
		state[key] = value;
		return true;
	};
}

function search(part: (value: string) => Partial<State['search']>): Reader {
	return (state, value) => {
		state.search = { ...state.search, ...part(value) };
		return true;
	};
}

const READERS: { [name: string]: Reader } = {
	weight: oneOf('weight', WEIGHTS),
	search: search((text) => ({ text })),
	plain: search(() => ({ isPlain: true })),
	case: search(() => ({ matchesCase: true })),
	rows: oneOf('rows', ROWS),
	column: number((state, seconds) => state.column_ns = Math.round(seconds * 1e9), 1e9),
	window: (state, value) => (state.window = rangeOf(value)) !== null,
	log: flagOf('isLog'),
	align: oneOf('align', ['start', 'wall']),
	'idle-threads': flagOf('showsIdleThreads'),
	view: oneOf('view', VIEWS),
	icicle: flagOf('isIcicle'),
	colour: oneOf('colour', COLOURS),
	zoom: (state, value) => (state.zoom = [...state.zoom, value]).length > 0,
	subject: text('subject'),
	panel: oneOf('panel', PANELS),
	order: text('order'),
	absolute: flagOf('isAbsolute'),
	delta: (state, value) => {
		state.bySelf = value !== 'total';
		return value === 'self' || value === 'total';
	},
	when: number((state, percent) => state.bands = { ...state.bands, when: percent }, 90),
	why: number((state, percent) => state.bands = { ...state.bands, why: percent }, 90),
	scheme: oneOf('scheme', SCHEMES),
};

function readTransform(state: State, name: string, value: string | null): boolean {
	const isKnown = value === null ? FLAGS.includes(name) : VALUED.includes(name);
	const transform: Transform = { word: name, value };
	if (isKnown)
		state.transforms = [...state.transforms, transform];
	return isKnown;
}

function readWord(state: State, name: string, value: string | null): boolean {
	if (name === 'base' || name.startsWith('base.')) {
		state.baseline = state.baseline || { ...EVERYTHING };
		return name === 'base' || readSelection(state.baseline, name.slice(5), value || '');
	}
	if (readTransform(state, name, value) || readSelection(state.selection, name, value || ''))
		return true;
	const reader = Object.prototype.hasOwnProperty.call(READERS, name) ? READERS[name] : null;
	return reader !== null && reader(state, value || '');
}

export interface Parsed {
	state: State;
	/** Words that this page does not know. */
	unknown: string[];
	/** No view was chosen yet, so the page picks one. */
	isFirstLook: boolean;
}

export function parseHash(hash: string): Parsed {
	const state: State = { ...START, selection: { ...EVERYTHING } };
	const unknown: string[] = [];
	let isFirstLook = true;
	for (const word of hash.replace(/^#/, '').split('&').filter((one) => one !== '')) {
		const at = word.indexOf('=');
		const name = at < 0 ? word : word.slice(0, at);
		isFirstLook = isFirstLook && name !== 'view' && !FLAGS.includes(name) && !VALUED.includes(name);
		if (!readWord(state, decoded(name), at < 0 ? null : decoded(word.slice(at + 1))))
			unknown.push(decoded(word));
	}
	return { state, unknown, isFirstLook };
}
