// Files sorted by time: a folder of recordings as a day to scroll through. No DOM here.

import { FileEntry } from './session';

export interface PlacedFile {
	file: FileEntry;
	x: number;
	width: number;
}

export interface Day {
	from_ns: bigint;
	until_ns: bigint;
	files: PlacedFile[];
}

const LEAST_PX = 1;

/** Files whose start is known; null if there are fewer than two. */
export function dayOf(files: FileEntry[], width_px: number): Day | null {
	const known = files.filter((file) => BigInt(file.start_unix_ns || '0') > BigInt(0))
		.map((file) => ({ file, start: BigInt(file.start_unix_ns) })).sort((a, b) => Number(a.start - b.start));
	if (known.length < 2)
		return null;
	const from_ns = known[0].start;
	const until_ns = known.reduce((last, { file, start }) => {
		const end = start + BigInt(Math.max(1, Math.round(file.duration_ns)));
		return end > last ? end : last;
	}, from_ns + BigInt(1));
	const perNs = width_px / Number(until_ns - from_ns);
	return {
		from_ns, until_ns,
		files: known.map(({ file, start }) => ({
			file, x: Number(start - from_ns) * perNs, width: Math.max(LEAST_PX, file.duration_ns * perNs),
		})),
	};
}

function distance(file: PlacedFile, x: number): number {
	return Math.max(file.x - x, x - file.x - file.width, 0);
}

/** The file at a position, or the nearest one. */
export function fileAt(day: Day, x: number): PlacedFile {
	return day.files.reduce((best, one) => (distance(one, x) < distance(best, x) ? one : best));
}

/** The files that can be shown and that a drag touches; the nearest if it touches none. */
export function filesBetween(day: Day, a: number, b: number): FileEntry[] {
	const [left, right] = [Math.min(a, b), Math.max(a, b)];
	const shown = day.files.filter(({ file }) => file.state !== 'failed');
	const touched = shown.filter((one) => one.x < right && one.x + one.width > left);
	if (touched.length || !shown.length)
		return touched.map((one) => one.file);
	return [fileAt({ ...day, files: shown }, a).file];
}
