// Converts times to text and back, and places the labels of an axis. No DOM here.

import { span } from '../flame/numbers';
import { Range } from './state';

const SECOND = 1e9;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Round lengths of time, ns. */
export const STEPS_NS = [
	...[1e3, 1e4, 1e5, 1e6, 1e7, 1e8].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
	...[1, 2, 5, 10, 20, 30].map((n) => n * SECOND),
	...[1, 2, 5, 10, 20, 30].map((n) => n * MINUTE),
	...[1, 2, 3, 6, 12].map((n) => n * HOUR),
	...[1, 2, 5, 10, 30, 100, 365].map((n) => n * DAY),
];

/** The shortest of them that is at least this long. */
export function stepOf(least_ns: number): number {
	return STEPS_NS.find((step) => step >= least_ns) || STEPS_NS[STEPS_NS.length - 1];
}

/** Digits after the point of seconds, so that neighbours a step apart differ. */
function decimalsOf(step_ns: number): number {
	return step_ns >= SECOND ? 0 : Math.min(9, Math.ceil(-Math.log10(step_ns / SECOND) - 1e-9));
}

function padded(n: number): string {
	return String(n).padStart(2, '0');
}

/** A time from the start as a clock: `12.40`, `1:02.5`, `2:00:00`. step_ns sets the precision. */
export function clock(time_ns: number, step_ns: number): string {
	const decimals = decimalsOf(step_ns);
	const scale = Math.pow(10, decimals);
	const all = Math.round(Math.abs(time_ns) / SECOND * scale);
	const seconds = Math.floor(all / scale);
	const fraction = decimals ? '.' + String(all % scale).padStart(decimals, '0') : '';
	const sign = time_ns < 0 && all > 0 ? '\u2212' : '';
	if (seconds < 60)
		return sign + seconds + fraction;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60)
		return sign + minutes + ':' + padded(seconds % 60) + fraction;
	return sign + Math.floor(minutes / 60) + ':' + padded(minutes % 60) + ':' + padded(seconds % 60) + fraction;
}

/** The time of day, in the browser's time zone: `14:02:07.25`. */
export function timeOfDay(unix_ns: bigint, step_ns: number): string {
	const decimals = decimalsOf(step_ns);
	const fraction = decimals ? '.' + String(unix_ns % BigInt(SECOND)).padStart(9, '0').slice(0, decimals) : '';
	const date = new Date(Number(unix_ns / BigInt(1e6)));
	const seconds = step_ns < MINUTE ? ':' + padded(date.getSeconds()) + fraction : '';
	return padded(date.getHours()) + ':' + padded(date.getMinutes()) + seconds;
}

/** A day's name, for recordings that are longer than a day: `Nov 16`. */
export function dayOf(unix_ns: bigint): string {
	return new Date(Number(unix_ns / BigInt(1e6))).toLocaleDateString('en', { month: 'short', day: 'numeric' });
}

/** The coarsest step, at most 10 ms, at which both ends are right to the thousandth of the length. */
function stepOfRange(range: Range): number {
	const length_ns = (range.until - range.from) * SECOND;
	for (let step = 1e7; step > 1; step /= 10) {
		const isRight = [range.from, range.until].every((end) => Math.abs(Math.round(end * SECOND / step) * step - end * SECOND) <= length_ns / 1000);
		if (isRight)
			return step;
	}
	return 1;
}

export function rangeText(range: Range): string {
	const step_ns = stepOfRange(range);
	const from = clock(range.from * SECOND, step_ns);
	const until = clock(range.until * SECOND, step_ns);
	return from + '\u2013' + until + (range.until < 60 ? ' s' : '');
}

const UNITS: { [name: string]: number } = { '': 1, s: 1, ms: 1e-3, us: 1e-6, '\u00b5s': 1e-6, ns: 1e-9, m: 60, min: 60, h: 3600, d: 86400 };

/** `12.5`, `200ms`, `1.5m`, `1:02.5`: in seconds; null if it is none of these. */
export function parseTime(text: string): number | null {
	const parts = text.trim().split(':');
	if (parts.length > 1) {
		if (parts.length > 3 || !parts.every((part) => /^\d+(\.\d*)?$/.test(part)))
			return null;
		return parts.reduce((sum, part) => 60 * sum + Number(part), 0);
	}
	const match = /^([-\u2212]?\d*\.?\d+|\d+\.)\s*([a-z\u00b5]*)$/.exec(parts[0]);
	if (!match || !Object.prototype.hasOwnProperty.call(UNITS, match[2]))
		return null;
	return Number(match[1].replace('\u2212', '-')) * UNITS[match[2]];
}

/** `12.4,13.9` or `12.4-13.9 s`: a range with an end after its start, or null. */
export function parseRange(text: string): Range | null {
	const parts = text.trim().split(/\s*[,\u2013-]\s*/);
	if (parts.length !== 2)
		return null;
	const from = parseTime(parts[0]);
	const until = parseTime(parts[1]);
	return from === null || until === null || until <= from ? null : { from, until };
}

/** Bytes for people: `3.4 MB`. */
export function bytesText(bytes: number): string {
	const units = ['B', 'kB', 'MB', 'GB', 'TB'];
	let at = 0;
	while (bytes >= 999.5 && at < units.length - 1) {
		bytes /= 1000;
		at++;
	}
	return (at === 0 || bytes >= 99.5 ? String(Math.round(bytes)) : bytes.toPrecision(2)) + ' ' + units[at];
}

export interface Tick {
	at_ns: number;
	text: string;
}

/**
 * Labels of an axis: as many round times from from_ns as fit. Round times are multiples of the step after origin_ns;
 * textOf formats one.
 */
export function ticksOf(from_ns: number, until_ns: number, most: number, origin_ns: number,
	textOf: (at_ns: number, step_ns: number) => string): Tick[] {
	const step = stepOf((until_ns - from_ns) / Math.max(1, most));
	const ticks: Tick[] = [];
	for (let n = Math.ceil((from_ns - origin_ns) / step - 1e-9); origin_ns + n * step <= until_ns; n++)
		ticks.push({ at_ns: origin_ns + n * step, text: textOf(origin_ns + n * step, step) });
	return ticks;
}

/** A length of time without zeros at its end: `30 s`, `200 ms`, `1.25 s`, `12 min 20 s`, `1 h 5 min`, `2 d`. */
export function spanText(ns: number): string {
	if (ns < 119.5 * SECOND && ns !== MINUTE)
		return span(ns).replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' ');
	const units: [number, string][] = [[DAY, 'd'], [HOUR, 'h'], [MINUTE, 'min'], [SECOND, 's']];
	const unitOf = (length_ns: number): number => units.findIndex(([size]) => length_ns >= size);
	const smallest = units[unitOf(ns) + 1][0];
	const rounded_ns = Math.round(ns / smallest) * smallest; // 59 min 59.9 s is an hour
	const [[size, name], [part, partName]] = units.slice(unitOf(rounded_ns));
	const rest = Math.round(rounded_ns % size / part);
	return `${Math.floor(rounded_ns / size)} ${name}` + (rest ? ` ${rest} ${partName}` : '');
}
