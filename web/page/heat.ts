// The heat map: its cells, its ranges, and its pointer and keyboard handling.

import { Canvas } from './canvas';
import { edgeAt } from './edges';
import { integer } from '../flame/numbers';
import { make, token } from './dom';
import { cellColours, Grid, paintCells, valueAt } from './heat_grid';
import { Cell, cellAt, cellRange, columnEdge, columnRange, Geometry, rowEdge, rowFromTop } from './heat_layout';
import { movedCell } from './heat_keys';
import { palette } from './heat_palette';
import { Hint } from './hint';
import { drawRanges } from './range_marks';
import { Range } from './state';
import { listen, Selecting } from './selecting';
import { rangeText, spanText } from './times';
import { When } from './when';

const HELP = 'Heat map of samples over time. Arrow keys move. Enter starts and ends a range, Shift+Enter another range, b the baseline. ' +
	'w selects the column.';

export class Heat {
	readonly box = make('div', { class: 'heat' });
	grid: Grid | null = null;
	private readonly inner = make('div', { class: 'inner' });
	private readonly sight = make('div', { class: 'sight' });
	private readonly cells: Canvas;
	private readonly overlay: Canvas;
	private readonly nothing = make('p', { class: 'nothing', hidden: true }, 'No samples match the filters.');
	private readonly speech = make('div', { class: 'speech', 'aria-live': 'polite' });
	private cursor: Cell = { column: 0, row: 0 };
	/** What was painted last: the cells need no repainting while a range is dragged. */
	private painted = '';
	private version = 0;

	constructor(private readonly when: When, private readonly selecting: Selecting, private readonly hint: Hint) {
		this.box.append(this.inner, this.nothing, this.speech);
		this.inner.append(this.sight);
		this.cells = new Canvas(this.sight, 'cells', () => when.resized());
		this.overlay = new Canvas(this.sight, 'overlay', () => when.resized());
		const { element } = this.overlay;
		element.tabIndex = 0;
		element.setAttribute('role', 'application');
		element.setAttribute('aria-roledescription', 'heat map');
		element.setAttribute('aria-label', HELP);
		listen({
			element, isBaseline: () => when.isBaseline,
			unitAt: (event) => cellRange(this.geometry, this.at(event)),
			columnAt: (event) => columnRange(this.geometry, this.at(event).column),
			edgeAt: (event) => (this.geometry.isOffset ? null : edgeAt(this.geometry, when.state, this.overlay.at(event).x)),
		}, selecting);
		this.hover(element);
		element.addEventListener('keydown', (event) => this.pressed(event));
		element.addEventListener('focus', () => this.drawOverlay());
		element.addEventListener('blur', () => this.drawOverlay());
		new ResizeObserver(() => when.resized()).observe(this.box); // the canvases keep their size when it shrinks
		this.box.addEventListener('scroll', () => when.drawSoon());
	}

	/** The size available to the map. */
	get room(): { width: number; height: number } {
		return { width: this.box.clientWidth, height: this.box.clientHeight };
	}

	get scrollTop(): number {
		return this.box.scrollTop;
	}

	get geometry(): Geometry {
		return this.when.geometry;
	}

	show(grid: Grid): void {
		this.grid = grid;
		this.version++;
		this.nothing.hidden = grid.total > 0 || this.when.isCut;
		this.when.drawSoon();
	}

	draw(): void {
		const g = this.geometry;
		this.inner.style.height = Math.max(g.height_px, this.box.clientHeight) + 'px';
		this.sight.style.height = this.box.clientHeight + 'px';
		this.cells.measure();
		this.overlay.measure();
		this.drawCells(g);
		this.drawOverlay();
	}

	private drawCells(g: Geometry): void {
		const { element, context, ratio } = this.cells;
		const key = JSON.stringify([this.version, g, this.when.state.isLog, document.documentElement.dataset.scheme, this.scrollTop, element.width, element.height]);
		if (key === this.painted || !this.grid || !element.width || !element.height)
			return;
		this.painted = key;
		const image = context.createImageData(element.width, element.height);
		const scaled = { ...g, width_px: Math.round(g.width_px * ratio), height_px: Math.round(g.height_px * ratio) };
		const colours = cellColours(this.grid, palette(this.when.state.isLog));
		paintCells(new Uint32Array(image.data.buffer), element.width, Math.round(this.scrollTop * ratio), this.grid, scaled, colours);
		context.putImageData(image, 0, 0);
	}

	drawOverlay(): void {
		const context = this.overlay.start();
		const g = this.geometry;
		context.translate(0, -this.scrollTop);
		drawRanges(context, g, this.when.state, this.scrollTop);
		this.drawThumb(context, g);
		if (document.activeElement === this.overlay.element && this.overlay.element.matches(':focus-visible'))
			this.drawCursor(context, g);
	}

	/** Shows how many rows are out of view. A scrollbar would take width that the time axis below does not lose. */
	private drawThumb(context: CanvasRenderingContext2D, g: Geometry): void {
		const height = this.box.clientHeight;
		if (g.height_px <= height)
			return;
		context.fillStyle = token('line-strong');
		context.fillRect(g.width_px - 5, this.scrollTop + this.scrollTop / g.height_px * height, 5, Math.max(12, height * height / g.height_px));
	}

	private drawCursor(context: CanvasRenderingContext2D, g: Geometry): void {
		const x = columnEdge(g, this.cursor.column);
		const fromTop = rowFromTop(g, this.cursor.row);
		const y = rowEdge(g, fromTop);
		const width = columnEdge(g, this.cursor.column + 1) - x;
		const height = rowEdge(g, fromTop + 1) - y;
		for (const [colour, line] of [[token('ground'), 4], [token('ink'), 2]] as [string, number][]) {
			context.strokeStyle = colour;
			context.lineWidth = line;
			context.strokeRect(x - 1, y - 1, width + 1, height + 1);
		}
	}

	private at(event: MouseEvent): Cell {
		const { x, y } = this.overlay.at(event);
		return cellAt(this.geometry, x, y + this.scrollTop);
	}

	private hover(element: HTMLElement): void {
		element.addEventListener('pointermove', (event) => this.hint.show(event, this.describe(this.at(event))));
		element.addEventListener('pointerleave', () => this.hint.hide());
		element.addEventListener('wheel', (event) => this.when.wheel(event, this.overlay.at(event).x), { passive: false });
	}

	/** Describes a cell: its time, its row and its value. */
	describe(cell: Cell): string[] {
		const g = this.geometry;
		const range = cellRange(g, cell);
		const { grid } = this;
		const count = grid ? valueAt(grid, g, cell.column, cell.row) : 0;
		const hits = grid && grid.hits ? valueAt(grid, g, cell.column, cell.row, grid.hits) : null;
		const unit = grid ? grid.unit : 'samples';
		const lines = [unit === 'ns' ? spanText(count) : `${integer(Math.round(count * 1000) / 1000)} ${count === 1 ? unit.replace(/s$/, '') : unit}`, this.when.timeText(range)];
		if (hits !== null)
			lines[0] += `, ${unit === 'ns' ? spanText(hits) : integer(hits)} match the search`;
		if (g.isOffset) {
			const part_ns = g.column_ns / g.rows;
			lines.push(`offset ${spanText(cell.row * part_ns)} to ${spanText((cell.row + 1) * part_ns)}`);
		} else if (grid && grid.rows[cell.row])
			lines.push(grid.rows[cell.row].text);
		if (this.selecting.isOpen)
			lines.push(this.selectedText());
		return lines;
	}

	private selectedText(): string {
		const { times } = this.when.state.selection;
		return times.length ? 'selected ' + times.map((range: Range) => rangeText(range)).join(', ') : '';
	}

	private pressed(event: KeyboardEvent): void {
		const g = this.geometry;
		if (event.altKey || (event.ctrlKey && event.key !== 'Enter'))
			return;
		const next = movedCell(event.key, this.cursor, g);
		if (!next && !this.act(event))
			return;
		event.preventDefault();
		event.stopPropagation();
		if (next)
			this.moveTo(next);
	}

	private moveTo(cell: Cell): void {
		const range = cellRange(this.geometry, cell);
		this.cursor = cell;
		this.reveal(cell);
		if (this.selecting.isOpen)
			this.selecting.follow(range);
		this.drawOverlay();
		this.speech.textContent = this.describe(cell).join(', ');
	}

	private reveal(cell: Cell): void {
		const g = this.geometry;
		const fromTop = rowFromTop(g, cell.row);
		const height = this.box.clientHeight;
		this.box.scrollTop = Math.min(Math.max(this.scrollTop, rowEdge(g, fromTop + 1) - height), rowEdge(g, fromTop));
	}

	/** Returns whether the key was handled. */
	private act(event: KeyboardEvent): boolean {
		const { key } = event;
		const range = cellRange(this.geometry, this.cursor);
		if (key === 'Enter' || key === ' ')
			this.mark(range, event.ctrlKey ? 'baseline' : event.shiftKey ? 'add' : 'set');
		else if (key === 'b' || key === 'B')
			this.mark(range, event.shiftKey ? 'add to baseline' : 'baseline');
		else if (key === 'w')
			this.selecting.take(columnRange(this.geometry, this.cursor.column), this.when.isBaseline ? 'baseline' : 'set');
		else if (key === '+' || key === '=')
			this.when.zoom(0.5, range.from * 1e9);
		else if (key === '-')
			this.when.zoom(2, range.from * 1e9);
		else if (key === '0')
			this.when.fit();
		else
			return false;
		return true;
	}

	private mark(range: Range, mode: 'set' | 'add' | 'baseline' | 'add to baseline'): void {
		if (this.selecting.isOpen) {
			this.selecting.end(range);
			this.speech.textContent = this.selectedText();
			return;
		}
		this.selecting.begin(range, mode);
		this.speech.textContent = `${mode === 'set' || mode === 'add' ? 'range' : 'baseline'} starts at ${this.when.timeText(range)}`;
	}
}
