// From a cell's value to its colour. No DOM here.

export type Rgb = [number, number, number];

/**
 * The position of a value on the scale: 0 for no samples, at least LEAST for the smallest value, so
 * that one sample is visible, and 1 from `top` up.
 */
const LEAST = 0.12;

export function shareOf(value: number, top: number, isLog: boolean): number {
	if (!(value > 0))
		return 0;
	if (!(top > 0) || value >= top)
		return 1;
	const share = isLog ? Math.log1p(value) / Math.log1p(top) : value / top;
	return LEAST + (1 - LEAST) * share;
}

/** Interpolates in a list of colours that covers 0 to 1. */
export function onRamp(ramp: Rgb[], share: number): Rgb {
	const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
	const low = Math.min(Math.floor(at), ramp.length - 2);
	const part = at - low;
	return [0, 1, 2].map((i) => Math.round(ramp[low][i] + (ramp[low + 1][i] - ramp[low][i]) * part)) as Rgb;
}

/** `#rgb`, `#rrggbb` or `rgb(r, g, b)`, as CSS returns it. */
export function parseColour(text: string): Rgb {
	const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim());
	if (hex && hex[1].length === 3)
		return [...hex[1]].map((digit) => parseInt(digit + digit, 16)) as Rgb;
	if (hex)
		return [0, 2, 4].map((at) => parseInt(hex[1].slice(at, at + 2), 16)) as Rgb;
	const numbers = (text.match(/[\d.]+/g) || []).slice(0, 3).map(Number);
	return numbers.length === 3 ? numbers as Rgb : [0, 0, 0];
}

/** Values of the legend: round numbers from 1 to the top, few enough to read. */
export function legendValues(top: number): number[] {
	if (!(top > 0))
		return [];
	const middle = top >= 3 ? [Math.round(top / 2)] : [];
	return [...new Set([Math.min(1, top), ...middle, top])];
}
