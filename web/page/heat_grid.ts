// An answer of api/heatmap, and its cells as pixels. No DOM here.

import { Answer, Column } from './engine';
import { Rgb, onRamp, shareOf } from './heat_scale';
import { Geometry, columnEdge, rowEdge, xOf } from './heat_layout';

export interface Grid {
	from_ns: number;
	column_ns: number;
	columns: number;
	rowCount: number;
	rows: { text: string; where: string[]; samples: number }[];
	value: Column;
	hits: Column | null;
	max: number;
	top: number;
	total: number;
	unit: string;
	per_cpu: number;
}

export function gridOf(answer: Answer): Grid {
	const { header, columns } = answer;
	return {
		from_ns: header.from_ns, column_ns: header.column_ns, columns: header.columns_count, rowCount: header.rows_count,
		rows: Array.isArray(header.rows) ? header.rows : [], value: columns.value, hits: columns.hits || null,
		max: header.max, top: header.top, total: header.total, per_cpu: header.per_cpu || 0,
		unit: typeof header.unit === 'string' ? header.unit : header.unit?.name || 'samples',
	};
}

/** The value of a cell of the geometry, which need not be aligned with the grid's cells. */
export function valueAt(grid: Grid, g: Geometry, column: number, row: number, of: Column = grid.value): number {
	const at = Math.floor((g.from_ns + (column + 0.5) * g.column_ns - grid.from_ns) / grid.column_ns);
	return at >= 0 && at < grid.columns && row < grid.rowCount ? of[at * grid.rowCount + row] : 0;
}

export interface Colours {
	ramp: Rgb[]; // for values, from a little to the top
	hits: Rgb[]; // for cells with search hits
	rest: Rgb[]; // for the other cells during a search
	isLog: boolean;
}

function packed(colour: Rgb): number {
	return (255 << 24 | colour[2] << 16 | colour[1] << 8 | colour[0]) >>> 0; // the bytes of ImageData, little-endian
}

const SHADES = 256;

function shades(ramp: Rgb[]): Uint32Array {
	return Uint32Array.from({ length: SHADES }, (_, i) => packed(onRamp(ramp, i / (SHADES - 1))));
}

/** A colour for each cell, 0 for nothing. */
export function cellColours(grid: Grid, colours: Colours): Uint32Array {
	const plain = shades(grid.hits ? colours.rest : colours.ramp);
	const hit = shades(colours.hits);
	const out = new Uint32Array(grid.value.length);
	for (let i = 0; i < out.length; i++) {
		const found = grid.hits ? grid.hits[i] : 0;
		const value = found || grid.value[i];
		if (value > 0)
			out[i] = (found ? hit : plain)[Math.round(shareOf(value, grid.top, colours.isLog) * (SHADES - 1))];
	}
	return out;
}

/** Where the grid's columns are on the screen, in pixels: the edges of each. */
function edgesOf(grid: Grid, g: Geometry): Int32Array {
	const isSame = grid.from_ns === g.from_ns && grid.column_ns === g.column_ns;
	return Int32Array.from({ length: grid.columns + 1 }, (_, column) =>
		(isSame ? columnEdge(g, column) : Math.round(xOf(g, grid.from_ns + column * grid.column_ns))));
}

/**
 * Fills pixels, which are width * height and show the geometry from top on, with the grid's cells. Cells that are
 * large enough have a gap between them.
 */
export function paintCells(pixels: Uint32Array, width: number, top: number, grid: Grid, g: Geometry, colours: Uint32Array): void {
	const edges = edgesOf(grid, g);
	const height = pixels.length / width;
	const columnGap = g.width_px / g.columns >= 8 ? 1 : 0;
	const rowGap = g.height_px / grid.rowCount >= 7 ? 1 : 0;
	const line = new Uint32Array(width);
	const scaled = { ...g, rows: grid.rowCount };
	for (let fromTop = 0; fromTop < grid.rowCount; fromTop++) {
		const start = Math.max(rowEdge(scaled, fromTop) - top, 0);
		const end = Math.min(rowEdge(scaled, fromTop + 1) - rowGap - top, height);
		if (end <= start)
			continue;
		fillLine(line, edges, columnGap, colours, g.isOffset ? grid.rowCount - 1 - fromTop : fromTop, grid.rowCount);
		for (let y = start; y < end; y++)
			pixels.set(line, y * width);
	}
}

function fillLine(line: Uint32Array, edges: Int32Array, gap: number, colours: Uint32Array, row: number, rows: number): void {
	line.fill(0);
	for (let column = 0; column < edges.length - 1; column++) {
		const start = Math.max(0, edges[column]);
		const end = Math.min(line.length, edges[column + 1] - gap);
		if (end > start)
			line.fill(colours[column * rows + row], start, end);
	}
}
