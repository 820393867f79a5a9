// The labels left of the heat map: offsets, or the names of its rows. A click on a name shows only that row.

import { Canvas } from './canvas';
import { make, rem, token } from './dom';
import { Grid } from './heat_grid';
import { Geometry, rowEdge } from './heat_layout';
import { spanText, ticksOf } from './times';

/** Shortens a text to fit; keeps its start, where thread names differ. */
export function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
	if (context.measureText(text).width <= width)
		return text;
	let least = 0;
	let most = text.length;
	while (least < most) {
		const middle = Math.ceil((least + most) / 2);
		if (context.measureText(text.slice(0, middle) + '\u2026').width <= width)
			least = middle;
		else
			most = middle - 1;
	}
	return least ? text.slice(0, least) + '\u2026' : '';
}

export class RowNames {
	readonly box = make('div', { class: 'row-names' });
	private readonly canvas: Canvas;
	private grid: Grid | null = null;
	private geometry: Geometry | null = null;
	private top = 0;

	constructor(resized: () => void, choose: (where: string[], isAdded: boolean) => void) {
		this.canvas = new Canvas(this.box, 'labels', resized);
		this.canvas.element.addEventListener('click', (event) => {
			const row = this.rowAt(event);
			if (row)
				choose(row.where, event.shiftKey);
		});
	}

	draw(g: Geometry, grid: Grid | null, top: number): void {
		this.geometry = g;
		this.grid = grid;
		this.top = top;
		this.canvas.measure();
		const context = this.canvas.start();
		context.fillStyle = token('muted');
		this.canvas.element.style.cursor = g.isOffset ? 'default' : 'pointer';
		if (g.isOffset)
			this.drawOffsets(context, g);
		else if (grid)
			this.drawNames(context, g, grid);
	}

	private drawOffsets(context: CanvasRenderingContext2D, g: Geometry): void {
		const half = rem() * 0.5;
		const { width, height } = this.canvas;
		context.fillText(`offset in ${spanText(g.column_ns)}`, 0, half + 1);
		context.textAlign = 'right';
		context.strokeStyle = token('line-strong');
		context.beginPath();
		for (const tick of ticksOf(0, g.column_ns, height / (2 * rem()), 0, spanText)) {
			const y = height - tick.at_ns / g.column_ns * height;
			const middle = Math.min(Math.max(half + 1, y), height - half);
			const nearTop = middle < 1.6 * rem() && context.measureText(tick.text).width + context.measureText(`offset in ${spanText(g.column_ns)}`).width > width - 20;
			if (!nearTop)
				context.fillText(tick.text, width - 8, middle);
			context.moveTo(width - 4, Math.min(Math.max(0.5, Math.round(y) + 0.5), height - 0.5));
			context.lineTo(width, Math.min(Math.max(0.5, Math.round(y) + 0.5), height - 0.5));
		}
		context.stroke();
		context.textAlign = 'left';
	}

	private drawNames(context: CanvasRenderingContext2D, g: Geometry, grid: Grid): void {
		const { width, height } = this.canvas;
		let end = -Infinity;
		grid.rows.forEach((row, i) => {
			const middle = (rowEdge(g, i) + rowEdge(g, i + 1)) / 2;
			const y = Math.max(middle, rem() * 0.5) - this.top;
			if (y < -rem() || y > height + rem() || y - rem() * 0.55 < end)
				return;
			end = y + rem() * 0.55;
			context.fillText(fitted(context, row.text, width - 8), 0, y);
		});
	}

	private rowAt(event: MouseEvent): { where: string[] } | null {
		const { geometry: g, grid } = this;
		if (!g || !grid || g.isOffset)
			return null;
		return grid.rows[Math.floor((this.canvas.at(event).y + this.top) / g.height_px * g.rows)] || null;
	}
}
