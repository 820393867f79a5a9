// Texts about frames and counts. Names come from profiles, and nothing in them may break out of its line.

import { count, integer, plural, points, share, span } from '../flame/numbers';
import { Labels, Tree, Unit } from './tree';

/** Control characters, and characters that reverse text or have no width. */
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const LONGEST = 4000;

/** A name that is safe to show. */
export function clean(text: string): string {
	const part = text.length > LONGEST ? text.slice(0, LONGEST) + '\u2026' : text;
	return part.replace(UNSEEN, '\ufffd');
}

function exact(value: number): bigint {
	return BigInt(Math.round(value));
}

/** "1,234" or "12.5". */
export function amount(value: number, unit: Unit): string {
	return count(exact(value), { factor: 1, ...unit });
}

/** "1,234 samples", "1 sample". */
export function amountOf(value: number, unit: Unit): string {
	if (unit.name === 'ns')
		return time(value, unit);
	const text = amount(value, unit);
	return text + ' ' + (text === '1' ? unit.name.replace(/(\w{3}[^s])s$/, '$1') : unit.name);
}

/** "1.24 s", or '' if the unit is not time. */
export function time(value: number, unit: Unit): string {
	return unit.ns ? span(value / 10 ** unit.decimals * unit.ns) : '';
}

export function percent(part: number, whole: number): string {
	return share(exact(part), exact(whole));
}

/** The change of a value between the sides, in percent of the total after: "+1.25". */
export function changePoints(change: number, total: number): string {
	return total > 0 ? points(change / total) : '0.00';
}

/** A signed count: "+1,234", "-3", "0". */
export function signed(value: number, unit: Unit): string {
	const text = amount(value, unit);
	return value > 0 && text !== '0' ? '+' + text : text;
}

const TIERS: [number, string, string][] = [
	[1, '~', 'interpreter (Ignition)'], [2, '^', 'baseline (Sparkplug)'], [4, '+', 'Maglev'], [8, '*', 'optimized (TurboFan)'],
];

/** "^*" */
export function tierMarks(bits: number): string {
	return TIERS.filter(([bit]) => bits & bit).map(([, mark]) => mark).join('');
}

export function tierWords(bits: number): string {
	return TIERS.filter(([bit]) => bits & bit).map(([, , word]) => word).join(', ');
}

/** `parse lib/a.js:12` */
export function labelText(labels: Labels, label: number): string {
	const place = labels.place[label];
	return clean(labels.function[label] + (place ? ' ' + place : ''));
}

/** The size of the graph, for the crumbs and for screen readers: "8,506 samples, 17.0 s". */
export function sizeWords(tree: Tree): string {
	const { unit, change } = tree;
	const words = (value: number) => amountOf(value, unit) + (unit.ns && unit.name !== 'ns' ? ', ' + time(value, unit) : '');
	if (!tree.size)
		return '';
	return change ? `${unit.name === 'ns' ? time(change.before.total[0], unit) : amount(change.before.total[0], unit)} before, ${amountOf(change.after.total[0], unit)} after`
		: words(tree.total[0]);
}

/** One row of numbers about a frame: its own time, or all of it. */
export interface Measure {
	what: string; // "self", "total"
	count: string;
	time: string;
	shares: { of: string; text: string }[];
	change: string; // in a diff
}

export interface Wholes {
	zoom: number; // node
	all: number; // value of the whole profile; 0: unknown
}

function measure(tree: Tree, what: 'self' | 'total', node: number, wholes: Wholes): Measure {
	const { unit, change } = tree;
	const column = what === 'self' ? (change ? change.after.self : tree.self) : (change ? change.after.total : tree.total);
	const totals = change ? change.after.total : tree.total;
	const value = column[node];
	const shares = [];
	if (wholes.zoom > 0)
		shares.push({ of: 'view', text: percent(value, totals[wholes.zoom]) });
	shares.push({ of: change ? 'after' : 'range', text: percent(value, totals[0]) });
	if (wholes.all > 0 && wholes.all !== totals[0])
		shares.push({ of: 'all', text: percent(value, wholes.all) });
	return { what, count: amountOf(value, unit), time: time(value, unit), shares, change: changeWords(tree, what, node) };
}

/** "was 1,234 (12.3%), +1.25 points, within sampling noise" */
function changeWords(tree: Tree, what: 'self' | 'total', node: number): string {
	const { change, unit } = tree;
	if (!change)
		return '';
	const before = change.before[what][node];
	const more = change.after[what][node] - change.scale * before;
	const noise = (what === 'self' ? change.ownNoise : change.noise)[node];
	const size = `was ${amount(before, unit)} (${percent(before, change.before.total[0])})`;
	if (!more)
		return before ? size + ', no change' : '';
	return `${size}, ${changePoints(more, change.after.total[0])} points` + (noise ? ', within sampling noise' : '');
}

export function measures(tree: Tree, node: number, wholes: Wholes): Measure[] {
	return [measure(tree, 'self', node, wholes), measure(tree, 'total', node, wholes)];
}

/** What a label is, apart from its name: "built-in functions, node, optimized (TurboFan), inlined". */
export function natureWords(labels: Labels, label: number, category: string): string[] {
	const flags = labels.flags[label];
	return [
		category || labels.kind[label], clean(labels.module[label]), tierWords(labels.tiers[label]),
		flags & 1 ? 'inlined' : '', flags & 4 ? 'recursive calls merged' : '', flags & 8 ? 'folded' : '',
	].filter((word) => word);
}

export function tooNarrow(frames: number): string {
	return `${plural(frames, 'frame')} too narrow to draw at this zoom`;
}

export const TOO_SLOW = 'this expression takes too long';

/** "3 of 12 | 45.6% of view" */
export function hitWords(hits: { at: number; all: number; share: string; isComplete: boolean }): string {
	if (!hits.all)
		return hits.isComplete ? 'no match' : TOO_SLOW;
	const which = hits.at >= 0 ? `${integer(hits.at + 1)} of ${integer(hits.all)}` : plural(hits.all, 'hit');
	return (hits.isComplete ? '' : 'takes too long; so far ') + `${which} | ${hits.share} of view`;
}

export { integer, plural };
