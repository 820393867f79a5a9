// Threads as lanes: their order, their shares, and which are folded away. No DOM here.

import { Column } from './engine';
import { withoutKey, valuesOf } from './ranges';

export interface LaneRow {
	text: string;
	where: string[];
	samples: number;
}

/** The answer of api/heatmap?rows=thread. */
export interface LaneGrid {
	rows: LaneRow[];
	from_ns: number;
	column_ns: number;
	columns: number;
	value: Column;
	per_cpu: number; // what one busy CPU adds in one ns; 0: unknown
	total: number;
	max: number;
}

export interface Lane {
	text: string;
	where: string[];
	samples: number;
	row: number; // in the grid; -1: it never ran
	/** Share of a CPU in the window; of all samples if that is unknown. */
	share: number;
	isChosen: boolean; // no filter, or in it
}

export interface IdleThread {
	pid: number;
	tid: number;
	comm: string;
	samples: number;
}

export function sumOf(grid: LaneGrid, row: number): number {
	let sum = 0;
	for (let at = row; at < grid.columns * grid.rows.length; at += grid.rows.length)
		sum += grid.value[at];
	return sum;
}

function shareOf(grid: LaneGrid, row: number, length_ns: number): number {
	const all = grid.per_cpu > 0 ? grid.per_cpu * length_ns : grid.total;
	return all > 0 ? sumOf(grid, row) / all : 0;
}

/** Whether a filter lets a row through. */
export function passes(filters: string[], where: string[]): boolean {
	return where.every((one) => {
		const at = one.indexOf('=');
		const values = valuesOf(filters, one.slice(0, at));
		return values === null || values.includes(one.slice(at + 1));
	});
}

/** Busiest first over the whole profile, so that lanes keep their places when the window moves. */
export function lanesOf(grid: LaneGrid, length_ns: number, filters: string[]): Lane[] {
	const lanes = grid.rows.map((row, i): Lane => ({
		text: row.text, where: row.where, samples: row.samples, row: i,
		share: shareOf(grid, i, length_ns), isChosen: passes(filters, row.where),
	}));
	return lanes.filter((lane) => lane.samples > 0).sort((a, b) => b.samples - a.samples || a.row - b.row);
}

/** Threads that are known but have no samples. */
export function idleLanes(threads: IdleThread[], lanes: Lane[], filters: string[]): Lane[] {
	const busy = new Set(lanes.flatMap((lane) => lane.where));
	return threads.filter((thread) => thread.samples === 0 && !busy.has('tid=' + thread.tid)).map((thread): Lane => {
		const where = ['tid=' + thread.tid];
		return {
			text: `${thread.comm} ${thread.tid}`, where, samples: 0, row: -1, share: 0, isChosen: passes(filters, where),
		};
	});
}

/** All lanes stay in view, whichever threads are selected. */
export function laneFilters(where: string[]): string[] {
	return withoutKey(where, 'tid');
}

/** Heights of a lane's bars, 0 to 1: of a CPU, or of the busiest cell of all lanes where that is unknown. */
export function levelsOf(grid: LaneGrid, row: number): Float64Array {
	const full = grid.per_cpu > 0 ? grid.per_cpu * grid.column_ns : grid.max;
	const levels = new Float64Array(grid.columns);
	for (let column = 0; column < grid.columns; column++)
		levels[column] = full > 0 ? Math.min(1, grid.value[column * grid.rows.length + row] / full) : 0;
	return levels;
}

/** Width of a lane's column: a few pixels, and long enough that a busy CPU has several samples, not 0 or 1. */
export function laneColumn_ns(span_ns: number, width_px: number, rate_hz: number): number {
	return Math.max(span_ns * 3 / width_px, rate_hz > 0 ? 4e9 / rate_hz : 0, 1e6);
}

export function shareText(share: number): string {
	const percent = 100 * share;
	if (percent <= 0)
		return '0%';
	return percent < 0.1 ? '<0.1%' : percent < 9.95 ? percent.toFixed(1) + '%' : Math.round(percent) + '%';
}
