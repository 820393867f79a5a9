// A frame's label: the function, then its place, each shortened as little as possible.

import { CharWidth, shorten, textWidth } from '../flame/label';

export interface Fitted {
	name: string;
	place: string;
	nameWidth: number; // px
}

/** Between the function and its place, px. */
export const GAP = 8;
/** With less room than this, the place is omitted, px. */
const LEAST_PLACE = 40;
/** The end of a place tells files apart: a place that would lose it is omitted. */
const KEPT_END = 4;

/** The function's own name is cut only if it does not fit by itself. */
export function fitLabel(name: string, place: string, room: number, charWidth: CharWidth): Fitted {
	const nameWidth = textWidth(name, charWidth);
	if (nameWidth > room) {
		const short = shorten(name, room, charWidth);
		return { name: short, place: '', nameWidth: textWidth(short, charWidth) };
	}
	const left = room - nameWidth - GAP;
	if (!place || left < LEAST_PLACE)
		return { name, place: '', nameWidth };
	const short = shorten(place, left, charWidth);
	return { name, place: short.endsWith(place.slice(-KEPT_END)) ? short : '', nameWidth };
}
