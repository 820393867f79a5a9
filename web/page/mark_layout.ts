// Marks over time: where each is drawn, and which are merged. No DOM here.

import { Geometry, xOf } from './heat_layout';
import { plural } from '../flame/numbers';
import { Ledger } from './page';

export type Mark = Ledger['marks'][number];

export interface PlacedMark {
	x: number;
	width: number;
	kind: string;
	marks: Mark[];
}

/** Merges marks of one kind that would touch, and drops those out of view. */
export function placeMarks(marks: Mark[], g: Geometry, least_px: number): PlacedMark[] {
	const placed: PlacedMark[] = [];
	const last: { [kind: string]: PlacedMark } = Object.create(null);
	for (const mark of [...marks].sort((a, b) => a.time_ns - b.time_ns)) {
		const x = xOf(g, mark.time_ns);
		const end = Math.max(xOf(g, mark.time_ns + mark.duration_ns), x + least_px);
		if (end < 0 || x > g.width_px)
			continue;
		const before = last[mark.kind];
		if (before && x <= before.x + before.width + 1) {
			before.width = Math.max(before.width, end - before.x);
			before.marks.push(mark);
		} else {
			last[mark.kind] = { x, width: end - x, kind: mark.kind, marks: [mark] };
			placed.push(last[mark.kind]);
		}
	}
	return placed;
}

/** `12 gc, 1 lost`. */
export function summaryOf(marks: Mark[]): string {
	const counts = new Map<string, number>();
	for (const mark of marks)
		counts.set(mark.kind, (counts.get(mark.kind) || 0) + 1);
	return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

export function linesOf(placed: PlacedMark[], timeOf: (mark: Mark) => string): string[] {
	const marks = placed.flatMap((one) => one.marks);
	const lines = marks.slice(0, 6).map((mark) => `${mark.kind} ${timeOf(mark)} ${mark.text}`);
	return marks.length > 6 ? [...lines, plural(marks.length - 6, 'more mark')] : lines;
}
