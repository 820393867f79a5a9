// The heat map's geometry: which columns to request, and where times and cells are. No DOM here.

import { Range, Rows } from './state';
import { rangeOf_ns } from './ranges';
import { STEPS_NS } from './times';

export const LEAST_CELL_PX = 4;
const LEAST_CELL_NS = 1e6;
const GOOD_COLUMN_PX = 16;
/** Fewer columns than this show no pattern. */
const GOOD_COLUMNS = 12;
const SECOND = 1e9;
/** Parts of a column, finest first; each makes a cell a round length of time. */
const PARTS = [100, 60, 50, 40, 30, 25, 24, 20, 12, 10, 6, 5, 4, 2, 1];
const MOST_PARTS = 60;

/** What is known before the request: the profile, the state and the available size. */
export interface Frame {
	duration_ns: number;
	/**
	 * The clock at the profile's start: ns since the last whole second. Columns that are aligned to
	 * it begin there.
	 */
	clock_ns: number;
	rows: Rows;
	align: 'start' | 'wall';
	window: Range | null;
	column_ns: number; // 0: chosen here
	width_px: number;
	height_px: number;
}

/** The grid to request. Its columns begin at from_ns + n * column_ns. */
export interface Plan {
	from_ns: number;
	column_ns: number;
	columns: number;
	parts: number; // rows of `offset`, else 1
}

/** Columns of offsets are seconds if they are wide enough to see, because people compare seconds. */
function offsetColumn(window_ns: number, width_px: number): number {
	const pixels = (step: number): number => width_px * step / window_ns;
	const isShort = window_ns < GOOD_COLUMNS * SECOND;
	if (pixels(SECOND) >= LEAST_CELL_PX && !isShort)
		return SECOND;
	const least = isShort ? GOOD_COLUMN_PX : LEAST_CELL_PX;
	return STEPS_NS.find((step) => step >= 10 * LEAST_CELL_NS && pixels(step) >= least) || STEPS_NS[STEPS_NS.length - 1];
}

function columnOf(frame: Frame, window_ns: number): number {
	if (frame.column_ns)
		return Math.max(frame.column_ns, LEAST_CELL_NS);
	if (frame.rows === 'offset')
		return offsetColumn(window_ns, frame.width_px);
	const least = window_ns * LEAST_CELL_PX / frame.width_px;
	return STEPS_NS.find((step) => step >= LEAST_CELL_NS && step >= least) || STEPS_NS[STEPS_NS.length - 1];
}

/** As many rows as fit, each a whole number of ns. */
export function partsOf(column_ns: number, height_px: number): number {
	const most = Math.min(MOST_PARTS, height_px / LEAST_CELL_PX, column_ns / LEAST_CELL_NS);
	return PARTS.find((parts) => parts <= most && column_ns % parts === 0) || 1;
}

/** The visible part of the time as [from, until) in ns: never empty, never outside the profile. */
export function windowOf(frame: Frame): [number, number] {
	const all = Math.max(frame.duration_ns, LEAST_CELL_NS);
	if (!frame.window)
		return [0, all];
	const from = Math.min(Math.max(0, frame.window.from * SECOND), all);
	const until = Math.min(frame.window.until * SECOND, all);
	return until > from ? [from, until] : [0, all];
}

export function planOf(frame: Frame): Plan {
	const [from, end] = windowOf(frame);
	const column_ns = columnOf(frame, end - from);
	// A chosen column width takes precedence over the window; the user can scroll to the rest.
	const most = Math.max(1, Math.floor(frame.width_px / LEAST_CELL_PX));
	const until = Math.min(end, from + most * column_ns);
	const phase = frame.align === 'wall' ? frame.clock_ns % SECOND : 0;
	const first = Math.floor((from + phase) / column_ns);
	const isAll = until >= frame.duration_ns;
	// The last sample is at duration_ns itself.
	const last = isAll ? Math.floor((until + phase) / column_ns) + 1 : Math.ceil((until + phase) / column_ns);
	return {
		from_ns: first * column_ns - phase,
		column_ns,
		columns: Math.max(1, last - first),
		parts: frame.rows === 'offset' ? partsOf(column_ns, frame.height_px) : 1,
	};
}

/** A grid on the screen. */
export interface Geometry extends Plan {
	rows: number; // of cells: parts, or threads and the like
	isOffset: boolean;
	width_px: number;
	height_px: number;
}

export interface Cell {
	column: number;
	row: number; // 0 is at the bottom for offsets, otherwise at the top
}

export function spanOf(plan: Plan): number {
	return plan.columns * plan.column_ns;
}

export function xOf(g: Geometry, time_ns: number): number {
	return (time_ns - g.from_ns) / spanOf(g) * g.width_px;
}

export function timeAt(g: Geometry, x: number): number {
	return g.from_ns + x / g.width_px * spanOf(g);
}

/** Edges are whole pixels, so that cells of one size have no seams. */
export function columnEdge(g: Geometry, column: number): number {
	return Math.round(column * g.width_px / g.columns);
}

/** The upper edge of the row-th row counted from the top. */
export function rowEdge(g: Geometry, fromTop: number): number {
	return Math.round(fromTop * g.height_px / g.rows);
}

/** Counted from the top of the picture. */
export function rowFromTop(g: Geometry, row: number): number {
	return g.isOffset ? g.rows - 1 - row : row;
}

function bounded(value: number, most: number): number {
	return Math.min(Math.max(0, value), most);
}

export function cellAt(g: Geometry, x: number, y: number): Cell {
	const column = bounded(Math.floor(x / g.width_px * g.columns), g.columns - 1);
	const fromTop = bounded(Math.floor(y / g.height_px * g.rows), g.rows - 1);
	return { column, row: rowFromTop(g, fromTop) };
}

/** The time of a cell: a part of its column for offsets, otherwise all of it. */
export function cellRange(g: Geometry, cell: Cell): Range {
	const start = g.from_ns + cell.column * g.column_ns;
	if (!g.isOffset)
		return rangeOf_ns(start, start + g.column_ns);
	const part_ns = g.column_ns / g.rows;
	return rangeOf_ns(start + cell.row * part_ns, start + (cell.row + 1) * part_ns);
}

export function columnRange(g: Geometry, column: number): Range {
	return cellRange({ ...g, isOffset: false }, { column, row: 0 });
}

/** The position of a time, for the outline of a range: its column, and how far up in it, from 0 to 1. */
function placeOf(g: Geometry, time_ns: number): { column: number; share: number } {
	const columns = bounded((time_ns - g.from_ns) / g.column_ns, g.columns);
	const column = Math.min(Math.floor(columns + 1e-9), g.columns);
	return { column, share: Math.max(0, columns - column) };
}

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/**
 * The outline of a range as polygons of [x, y]. For offsets, the range runs up one column and
 * continues at the foot of the next, so the outline has a step at its start and one at its end. Two
 * polygons if the range is two parts of neighbouring columns that do not touch; none if it is out
 * of view.
 */
export function outlinesOf(g: Geometry, range: Range): [number, number][][] {
	const from_ns = Math.max(range.from * SECOND, g.from_ns);
	const until_ns = Math.min(range.until * SECOND, g.from_ns + spanOf(g));
	if (until_ns <= from_ns)
		return [];
	if (!g.isOffset)
		return [rectangle(xOf(g, from_ns), xOf(g, until_ns), 0, g.height_px)];
	const a = placeOf(g, from_ns);
	const b = placeOf(g, until_ns);
	const y = (share: number): number => Math.round((1 - share) * g.height_px);
	const x = (column: number): number => columnEdge(g, column);
	if (a.column === b.column)
		return [rectangle(x(a.column), x(a.column + 1), y(b.share), y(a.share))];
	if (b.column === a.column + 1 && b.share > 0 && b.share <= a.share)
		return [rectangle(x(a.column), x(a.column + 1), 0, y(a.share)), rectangle(x(b.column), x(b.column + 1), y(b.share), g.height_px)];
	return [steps(g, a, b)];
}

function rectangle(left: number, right: number, top: number, bottom: number): [number, number][] {
	return [[left, top], [right, top], [right, bottom], [left, bottom]];
}

function steps(g: Geometry, a: { column: number; share: number }, b: { column: number; share: number }): [number, number][] {
	const y = (share: number): number => Math.round((1 - share) * g.height_px);
	const x = (column: number): number => columnEdge(g, column);
	const last = b.share > 0 ? b.column + 1 : b.column;
	const right: [number, number][] = b.share > 0 ?
		[[x(b.column), 0], [x(b.column), y(b.share)], [x(last), y(b.share)], [x(last), g.height_px]] :
		[[x(last), 0], [x(last), g.height_px]];
	const left: [number, number][] = a.share > 0 ?
		[[x(a.column + 1), g.height_px], [x(a.column + 1), y(a.share)], [x(a.column), y(a.share)]] :
		[[x(a.column), g.height_px]];
	return [[x(a.column), 0], ...right, ...left];
}

/** A window factor times as long, with at_ns in the same place; null: all. */
export function zoomed(window_ns: [number, number], duration_ns: number, at_ns: number, factor: number): Range | null {
	const [from, until] = window_ns;
	const length = Math.max((until - from) * factor, 20 * LEAST_CELL_NS);
	if (length >= duration_ns)
		return null;
	const share = bounded((at_ns - from) / (until - from), 1);
	return moved([at_ns - share * length, at_ns + (1 - share) * length], duration_ns, 0);
}

/** The window moved by by_ns, kept inside the profile. */
export function moved(window_ns: [number, number], duration_ns: number, by_ns: number): Range {
	const length = window_ns[1] - window_ns[0];
	const from = bounded(window_ns[0] + by_ns, Math.max(0, duration_ns - length));
	const step = Math.pow(10, Math.max(0, Math.floor(Math.log10(length)) - 3)); // drop digits too small to see
	return rangeOf_ns(Math.round(from / step) * step, Math.round((from + length) / step) * step);
}
