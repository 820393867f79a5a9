// The colours of frames. Kinds, tiers and changes have the colours of SVG pictures
// (src/query/palette.c), so a page and an SVG of the same profile look alike. Black text is
// readable on all of them.

import { childrenOf, Change, FOLDED, Tree } from './tree';

export type Rgb = [number, number, number];
export type By = 'kind' | 'tier' | 'module' | 'thread' | 'change';

export interface LegendEntry {
	text: string;
	colour: string; // '' for no fill
	outline: string; // or ''
	isHatched?: boolean;
}

/** The colours of a tree's nodes. */
export interface Paints {
	css: string[];
	of(node: number): number; // index into css
	outlineOf(node: number): string; // or ''
	/** Whether only the baseline has the node. */
	isGone(node: number): boolean;
	legend: LegendEntry[];
}

export interface Category {
	name: string;
	text: string;
}

const OF_CATEGORY: { [name: string]: Rgb } = {
	process: [214, 207, 199], app: [247, 157, 61], dependency: [240, 203, 88], runtime: [146, 201, 122], builtin: [94, 184, 170],
	gc: [226, 118, 160], native: [240, 219, 178], kernel: [126, 166, 224], unknown: [189, 189, 189], regexp: [176, 125, 205],
};
const OF_TIER: { bit: number; colour: Rgb; text: string }[] = [
	{ bit: 1, colour: [232, 110, 92], text: '~ interpreter (Ignition)' },
	{ bit: 2, colour: [244, 178, 84], text: '^ baseline (Sparkplug)' },
	{ bit: 4, colour: [198, 214, 98], text: '+ Maglev' },
	{ bit: 8, colour: [104, 190, 130], text: '* optimized (TurboFan)' },
	{ bit: 0, colour: [205, 205, 205], text: 'not JavaScript' },
];
const NO_CHANGE: Rgb = [217, 217, 217];
const WEAK: { [direction: string]: Rgb } = { less: [198, 219, 239], more: [253, 221, 178] };
const STRONG: { [direction: string]: Rgb } = { less: [66, 146, 214], more: [236, 102, 18] };
/** How much paler folded runs are than their kind. */
const FOLDED_PALER = 0.6;
const SHADES = 8;
const STRENGTHS = 16;
/** All colours are dimmed by this factor in the dark scheme. */
const DIM = 0.9;

function css(colour: Rgb, isDark: boolean): string {
	const [r, g, b] = colour.map((channel) => Math.floor(channel * (isDark ? DIM : 1)));
	return `rgb(${r},${g},${b})`;
}

function between(a: Rgb, b: Rgb, share: number): Rgb {
	return [0, 1, 2].map((i) => Math.floor(a[i] + (b[i] - a[i]) * share)) as Rgb;
}

export function lighter(colour: Rgb, share: number): Rgb {
	return between(colour, [255, 255, 255], share);
}

/** A number from 0 to 1 from a name's characters, as in palette.c: one step of drand48, seeded with their sum. */
export function shadeOf(name: string): number {
	let sum = 0;
	for (const char of name)
		sum += char.codePointAt(0) as number;
	// (sum * 2^16 + 0x330E) * 0x5DEECE66D + 0xB modulo 2^48, in parts that a double holds.
	const high = 65536 * (Math.imul(sum, 0xdeece66d) >>> 0);
	return (high + 0x330e * 0x5deece66d + 0xb) % 2 ** 48 / 2 ** 48;
}

export function hash(text: string): number {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return (h ^ h >>> 15) >>> 0;
}

function channel(hue: number, n: number, saturation: number, lightness: number): number {
	const k = (n + hue / 30) % 12;
	const reach = saturation * Math.min(lightness, 1 - lightness);
	return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
}

/** A hue for a name without a meaning of its own; lightness stays within bounds that keep black text readable. */
export function colourOfName(text: string): Rgb {
	const h = hash(text);
	const hue = h % 24 * 15;
	const lightness = 0.66 + (h >>> 8) % 5 * 0.04;
	return [0, 8, 4].map((n) => channel(hue, n, 0.5, lightness)) as Rgb;
}

/** WCAG 2. */
export function contrastWithBlack([r, g, b]: Rgb): number {
	const linear = (c: number) => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
	return (0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) + 0.05) / 0.05;
}

export function changeColour(strength: number, isGrowth: boolean): Rgb {
	const direction = isGrowth ? 'more' : 'less';
	return between(WEAK[direction], STRONG[direction], strength);
}

/** Collects colours without duplicates. */
class Pots {
	readonly css: string[] = [];
	private readonly numbers = new Map<string, number>();

	constructor(private readonly isDark: boolean) {}

	add(colour: Rgb): number {
		const text = css(colour, this.isDark);
		let at = this.numbers.get(text);
		if (at === undefined) {
			at = this.css.push(text) - 1;
			this.numbers.set(text, at);
		}
		return at;
	}
}

const noOutline = () => '';
const notGone = () => false;

/** A colour by label, shaded by name so that neighbours of one kind are distinct. */
function byLabel(tree: Tree, isDark: boolean, colourOf: (label: number) => Rgb): Omit<Paints, 'legend'> {
	const pots = new Pots(isDark);
	const { labels, label } = tree;
	const chosen = new Int32Array(labels.name.length).fill(-1);
	const choose = (n: number): number => {
		if (labels.flags[n] & FOLDED)
			return pots.add(lighter(colourOf(n), FOLDED_PALER));
		const shade = n === label[0] ? 0 : Math.floor(shadeOf(labels.name[n]) * SHADES) / (SHADES - 1);
		return pots.add(lighter(colourOf(n), 0.3 * shade));
	};
	const of = (node: number) => {
		const n = label[node];
		return chosen[n] >= 0 ? chosen[n] : (chosen[n] = choose(n));
	};
	return { css: pots.css, of, outlineOf: noOutline, isGone: notGone };
}

/** By label: whether a node other than the root has it. */
function labelsInUse({ labels, label, size }: Tree): Uint8Array {
	const used = new Uint8Array(labels.name.length);
	for (let i = 1; i < size; i++)
		used[label[i]] = 1;
	return used;
}

/** Which of `n` values occur in the tree's labels. */
function inUse(used: Uint8Array, n: number, thingOf: (label: number) => number): boolean[] {
	const things = new Array(n).fill(false);
	used.forEach((isUsed, label) => {
		if (isUsed)
			things[thingOf(label)] = true;
	});
	return things;
}

function entry(text: string, colour: Rgb, isDark: boolean): LegendEntry {
	return { text, colour: css(lighter(colour, 0.15), isDark), outline: '' };
}

/** Folded stacks do not say what a frame is, so it gets a shade of one colour, without meaning or legend. */
function knowsKinds(tree: Tree): boolean {
	const { kind, module } = tree.labels;
	return kind.some((one) => one !== 'user') || module.some((one) => one !== '');
}

function byKind(tree: Tree, categories: Category[], isDark: boolean): Paints {
	if (!knowsKinds(tree))
		return { ...byLabel(tree, isDark, () => OF_CATEGORY.app), legend: [] };
	const colourOf = (category: number) => OF_CATEGORY[(categories[category] || { name: '' }).name] || OF_CATEGORY.unknown;
	const { category, flags } = tree.labels;
	const labels = labelsInUse(tree);
	const used = inUse(labels, categories.length, (label) => category[label]);
	const legend = categories.map(({ name, text }, i) => ({ i, name, text }))
		.filter(({ i, name }) => used[i] && name !== 'process')
		.map(({ i, text }) => entry(text, colourOf(i), isDark));
	if (inUse(labels, 2, (label) => flags[label] & FOLDED ? 1 : 0)[1])
		legend.push({ text: 'pale: folded; click to open', colour: css(lighter(OF_CATEGORY.runtime, FOLDED_PALER), isDark), outline: '' });
	return { ...byLabel(tree, isDark, (label) => colourOf(category[label])), legend };
}

/** The slowest of the tiers that ran. */
function tierAt(bits: number): number {
	const at = OF_TIER.findIndex(({ bit }) => (bits & bit) !== 0);
	return at < 0 ? OF_TIER.length - 1 : at;
}

function byTier(tree: Tree, isDark: boolean): Paints {
	const { tiers } = tree.labels;
	const used = inUse(labelsInUse(tree), OF_TIER.length, (label) => tierAt(tiers[label]));
	const legend = OF_TIER.filter((_, i) => used[i]).map(({ colour, text }) => entry(text, colour, isDark));
	return { ...byLabel(tree, isDark, (label) => OF_TIER[tierAt(tiers[label])].colour), legend };
}

const MOST_ENTRIES = 10;

/** The words with the largest self value in a tree. */
function largest(self: ArrayLike<number>, wordOf: (node: number) => string): string[] {
	const sums = new Map<string, number>();
	for (let i = 1; i < self.length; i++) {
		if (self[i] > 0)
			sums.set(wordOf(i), (sums.get(wordOf(i)) || 0) + self[i]);
	}
	return [...sums].sort((a, b) => b[1] - a[1]).slice(0, MOST_ENTRIES).map(([word]) => word);
}

function byModule(tree: Tree, isDark: boolean): Paints {
	const { module } = tree.labels;
	const colourOf = (word: string) => word ? colourOfName(word) : OF_CATEGORY.unknown;
	const legend = largest(tree.self, (i) => module[tree.label[i]])
		.map((word) => entry(word || 'unknown module', colourOf(word), isDark));
	return { ...byLabel(tree, isDark, (label) => colourOf(module[label])), legend };
}

/** By the frame below the root, which is the thread in a request with `tid`. */
function byThread(tree: Tree, isDark: boolean): Paints {
	const pots = new Pots(isDark);
	const colour = new Uint16Array(tree.size);
	const legend: LegendEntry[] = [];
	const named = new Set<string>();
	colour[0] = pots.add(OF_CATEGORY.process);
	for (const thread of childrenOf(tree, 0).sort((a, b) => tree.total[b] - tree.total[a])) {
		const name = tree.labels.name[tree.label[thread]];
		const rgb = colourOfName(name);
		colour.fill(pots.add(rgb), thread, tree.end[thread]);
		if (named.size < MOST_ENTRIES && !named.has(name) && named.add(name))
			legend.push({ text: name, colour: css(rgb, isDark), outline: '' });
	}
	return { css: pots.css, of: (node) => colour[node], outlineOf: noOutline, isGone: notGone, legend };
}

interface Judged {
	value: Float64Array; // change by node
	noise: ArrayLike<number>;
	largest: number;
}

function judge(change: Change, bySelf: boolean): Judged {
	const side = bySelf ? 'self' : 'total';
	const noise = bySelf ? change.ownNoise : change.noise;
	const before = change.before[side];
	const after = change.after[side];
	const value = new Float64Array(after.length);
	let most = 0;
	for (let i = 0; i < value.length; i++) {
		value[i] = after[i] - change.scale * before[i];
		if (!noise[i])
			most = Math.max(most, Math.abs(value[i]));
	}
	return { value, noise, largest: most };
}

/** Bits by node: 1 if a callee grew beyond noise, 2 if one shrank. */
function calledChanges(tree: Tree, own: Judged): Uint8Array {
	const called = new Uint8Array(tree.size);
	for (let i = tree.size - 1; i > 0; i--) {
		const bit = own.noise[i] ? 0 : own.value[i] > 0 ? 1 : own.value[i] < 0 ? 2 : 0;
		called[tree.parent[i]] |= called[i] | bit;
	}
	return called;
}

/**
 * When colours show the change in self, frames that only call changed functions get an outline. When they show the
 * change in total, frames whose own time changed get one: the cause among its callers.
 */
function outlines(tree: Tree, change: Change, bySelf: boolean, isDark: boolean): (node: number) => string {
	const own = judge(change, true);
	const all = judge(change, false);
	const called = calledChanges(tree, own);
	const strong = [css(changeColour(1, false), isDark), css(changeColour(1, true), isDark)];
	return (node) => {
		if (node === 0)
			return '';
		const grew = all.value[node] > 0;
		const onlyCalls = own.noise[node] && !all.noise[node] && called[node] & (grew ? 1 : 2);
		if (bySelf)
			return onlyCalls ? strong[grew ? 1 : 0] : '';
		return own.noise[node] || own.value[node] === 0 ? '' : isDark ? '#fff' : '#000';
	};
}

function byChange(tree: Tree, change: Change, bySelf: boolean, isDark: boolean): Paints {
	const pots = new Pots(isDark);
	const same = pots.add(NO_CHANGE);
	const { value, noise, largest: most } = judge(change, bySelf);
	const of = (node: number) => {
		if (noise[node] || !value[node] || !most)
			return same;
		const strength = Math.ceil(Math.sqrt(Math.abs(value[node]) / most) * STRENGTHS) / STRENGTHS;
		return pots.add(changeColour(Math.min(1, strength), value[node] > 0));
	};
	const full = (isGrowth: boolean) => css(changeColour(0.8, isGrowth), isDark);
	const grey = css(NO_CHANGE, isDark);
	const legend = [
		{ text: 'grew', colour: full(true), outline: '' },
		{ text: 'shrank', colour: full(false), outline: '' },
		...(bySelf ? [
			{ text: 'calls functions that grew', colour: grey, outline: css(changeColour(1, true), isDark) },
			{ text: 'calls functions that shrank', colour: grey, outline: css(changeColour(1, false), isDark) },
		] : [{ text: 'self time changed', colour: '', outline: isDark ? '#fff' : '#000' }]),
		{ text: 'no change, or within sampling noise', colour: grey, outline: '' },
		{ text: 'only in the baseline', colour: full(false), outline: '', isHatched: true },
	];
	const isGone = (node: number) => change.after.total[node] === 0;
	return { css: pots.css, of, outlineOf: outlines(tree, change, bySelf, isDark), isGone, legend };
}

export interface Look {
	by: By;
	bySelf: boolean;
	isDark: boolean;
	categories: Category[];
}

export function paintsFor(tree: Tree, look: Look): Paints {
	switch (look.by) {
	case 'change':
		return tree.change ? byChange(tree, tree.change, look.bySelf, look.isDark) : byKind(tree, look.categories, look.isDark);
	case 'tier':
		return byTier(tree, look.isDark);
	case 'module':
		return byModule(tree, look.isDark);
	case 'thread':
		return byThread(tree, look.isDark);
	default:
		return byKind(tree, look.categories, look.isDark);
	}
}
