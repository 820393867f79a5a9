// A lane for each thread with its share of a CPU over time. A click shows only that thread.

import { plural } from '../flame/numbers';
import { Canvas } from './canvas';
import { edgeAt } from './edges';
import { button, make, rem, token } from './dom';
import { Grid } from './heat_grid';
import { Geometry, spanOf, timeAt, xOf } from './heat_layout';
import { Hint } from './hint';
import { idleLanes, IdleThread, Lane, LaneGrid, lanesOf, levelsOf, shareText } from './lanes_layout';
import { rangeOf_ns } from './ranges';
import { drawRanges } from './range_marks';
import { listen, Selecting } from './selecting';
import { Range } from './state';
import { STEPS_NS } from './times';
import { When } from './when';

export class Lanes {
	readonly box = make('div', { class: 'lanes' });
	lanes: Lane[] = [];
	private grid: LaneGrid | null = null;
	private threads: IdleThread[] = [];
	private readonly names = make('div', { class: 'lane-names', role: 'group', 'aria-label': 'Threads, busiest first' });
	private readonly plot = make('div', { class: 'lane-plot' });
	private readonly sight = make('div', { class: 'sight' });
	private readonly canvas: Canvas;
	private drawn = '';
	private arranged = '';
	private version = 0;

	constructor(private readonly when: When, selecting: Selecting, private readonly hint: Hint) {
		this.box.append(this.names, this.plot);
		this.plot.append(this.sight);
		this.canvas = new Canvas(this.sight, 'labels', () => when.drawSoon());
		const { element } = this.canvas;
		element.setAttribute('role', 'img');
		element.setAttribute('aria-label', 'Share of a CPU over time, one lane per thread');
		listen({
			element, isBaseline: () => when.isBaseline, unitAt: (event) => this.unitAt(event),
			columnAt: (event) => this.unitAt(event),
			edgeAt: (event) => edgeAt(this.geometry(), when.state, this.canvas.at(event).x),
		}, selecting);
		element.addEventListener('pointermove', (event) => this.hover(event));
		element.addEventListener('pointerleave', () => hint.hide());
		element.addEventListener('wheel', (event) => when.wheel(event, this.canvas.at(event).x), { passive: false });
		this.box.addEventListener('scroll', () => when.drawSoon());
	}

	show(grid: Grid): void {
		this.grid = grid;
		this.version++;
		this.arrange();
		this.when.drawSoon();
	}

	know(threads: IdleThread[]): void {
		this.threads = threads;
		this.version++;
		this.arrange();
	}

	/** Draws lanes and their names; names are elements, so that they can be focused and read out. */
	arrange(): void {
		const { state } = this.when;
		const filters = state.selection.where;
		const sums = JSON.stringify([this.version, this.when.shown_ns, filters, state.showsIdleThreads]);
		if (sums === this.arranged) // sums over all threads are not for every move of the pointer
			return;
		this.arranged = sums;
		const busy = this.grid ? lanesOf(this.grid, this.when.shown_ns, filters) : [];
		const idle = idleLanes(this.threads, busy, filters);
		this.lanes = state.showsIdleThreads ? [...busy, ...idle] : busy;
		const key = JSON.stringify([this.lanes.map((lane) => [lane.text, shareText(lane.share), lane.isChosen]), idle.length, filters]);
		if (key === this.drawn)
			return;
		this.drawn = key;
		this.names.replaceChildren(...this.lanes.map((lane) => this.nameOf(lane)), ...(idle.length ? [this.idleButton(idle.length)] : []));
	}

	private nameOf(lane: Lane): HTMLElement {
		const isOnly = lane.isChosen && this.when.state.selection.where.some((one) => one.startsWith('tid='));
		const element = button('', `${lane.text}: ${shareText(lane.share)} ${this.unit()}. Click to show only this thread, Shift + click to add it`,
			(event) => this.when.choose(lane.where, event.shiftKey), { class: 'lane', 'aria-pressed': String(isOnly) });
		element.append(make('span', { class: 'name' }, lane.text), make('span', { class: 'share' }, shareText(lane.share)));
		element.classList.toggle('off', !lane.isChosen);
		element.setAttribute('aria-label', `${lane.text}, ${shareText(lane.share)} ${this.unit()}`);
		return element;
	}

	private unit(): string {
		return this.grid && this.grid.per_cpu > 0 ? 'of a CPU' : 'of all samples';
	}

	private idleButton(count: number): HTMLElement {
		const isShown = this.when.state.showsIdleThreads;
		return button(`${plural(count, 'idle thread')} ${isShown ? '[hide]' : '[show]'}`, 'Threads without samples',
			() => this.when.change({ showsIdleThreads: !isShown }), { class: 'idle' });
	}

	/**
	 * Gives whole lanes as many of these pixels as they fill; the heat map gets the rest. Returns
	 * whether that changed.
	 */
	fill(most_px: number, width_px: number): boolean {
		const rows = this.names.childElementCount;
		const fitting = Math.max(1, Math.floor(most_px / this.laneHeight));
		const height = rows ? Math.min(rows, fitting) * this.laneHeight + 'px' : '0px';
		this.box.style.setProperty('--plot', width_px + 'px');
		const isChanged = this.box.style.height !== height;
		this.box.style.height = height;
		return isChanged;
	}

	/** `8 threads, % of a CPU`. */
	get title(): string {
		return this.lanes.length ? `${plural(this.lanes.length, 'thread')}, ${this.grid && this.grid.per_cpu > 0 ? '% of a CPU' : '% of all'}` : '';
	}

	private get laneHeight(): number {
		return 1.7 * rem();
	}

	draw(): void {
		this.sight.style.height = this.box.clientHeight + 'px';
		this.canvas.measure();
		const context = this.canvas.start();
		const g = this.geometry();
		const top = this.box.scrollTop;
		context.translate(0, -top);
		const { grid } = this;
		this.lanes.forEach((lane, i) => {
			const y = i * this.laneHeight;
			if (grid && y + this.laneHeight > top && y < top + this.canvas.height)
				this.drawLane(context, lane, y, levelsOf(grid, Math.max(lane.row, 0)));
		});
		drawRanges(context, { ...g, isOffset: false, height_px: Math.max(this.lanes.length * this.laneHeight, 1) }, this.when.state, top, false);
	}

	/** The heat map's time axis with the height of the lanes. */
	private geometry(): Geometry {
		return { ...this.when.geometry, isOffset: false };
	}

	private drawLane(context: CanvasRenderingContext2D, lane: Lane, top: number, levels: Float64Array): void {
		const grid = this.grid as LaneGrid;
		const g = this.geometry();
		const height = this.laneHeight - 4;
		const foot = Math.round(top + 2 + height);
		context.fillStyle = token('lane-ground');
		context.fillRect(0, Math.round(top + 2), g.width_px, foot - Math.round(top + 2));
		context.fillStyle = token(lane.isChosen ? 'lane' : 'lane-off');
		if (lane.row < 0)
			return;
		for (let column = 0; column < grid.columns; column++) {
			const x = Math.round(xOf(g, grid.from_ns + column * grid.column_ns));
			const end = Math.round(xOf(g, grid.from_ns + (column + 1) * grid.column_ns));
			const level = Math.ceil(levels[column] * height);
			if (level > 0 && end > 0 && x < g.width_px)
				context.fillRect(x, foot - level, Math.max(1, end - x), level);
		}
	}

	/** The time at a pixel, rounded to few digits. */
	private unitAt(event: MouseEvent): Range {
		const g = this.geometry();
		const time_ns = timeAt(g, this.canvas.at(event).x);
		const perPixel = spanOf(g) / g.width_px;
		const step = [...STEPS_NS].reverse().find((one) => one <= perPixel) || 1;
		const at = Math.max(0, Math.round(time_ns / step) * step);
		return rangeOf_ns(at, at + step);
	}

	private hover(event: PointerEvent): void {
		const { x, y } = this.canvas.at(event);
		const lane = this.lanes[Math.floor((y + this.box.scrollTop) / this.laneHeight)];
		const { grid } = this;
		if (!lane || !grid) {
			this.hint.hide();
			return;
		}
		const column = Math.floor((timeAt(this.geometry(), x) - grid.from_ns) / grid.column_ns);
		const start_ns = grid.from_ns + column * grid.column_ns;
		const isIn = lane.row >= 0 && column >= 0 && column < grid.columns;
		const value = isIn ? grid.value[column * grid.rows.length + lane.row] : 0;
		const all = grid.per_cpu > 0 ? grid.per_cpu * grid.column_ns : 0;
		this.hint.show(event, [lane.text, all ? `${shareText(value / all)} of a CPU` : plural(value, 'sample'),
			this.when.timeText(rangeOf_ns(start_ns, start_ns + grid.column_ns))]);
	}
}
