// The time axis under the heat map: labels; a click selects a column, a drag moves in time.

import { Canvas } from './canvas';
import { make, rem, token } from './dom';
import { cellAt, columnRange, Geometry, spanOf, timeAt, xOf } from './heat_layout';
import { modeOf, Selecting } from './selecting';
import { clock, ticksOf, timeOfDay } from './times';
import { When } from './when';

const MOVED_PX = 3;

/** Labels that fit; those at the ends are moved inside. */
export function axisLabels(g: Geometry, most: number, clock_ns: number, textOf: (at_ns: number, step_ns: number) => string): { x: number; text: string }[] {
	return ticksOf(g.from_ns, g.from_ns + spanOf(g), most, -clock_ns, textOf).map((tick) => ({ x: xOf(g, tick.at_ns), text: tick.text }));
}

export class TimeAxis {
	readonly box = make('div', { class: 'axis', title: 'Click to select the column, drag to move in time, Ctrl + wheel to zoom' });
	private readonly canvas: Canvas;

	constructor(private readonly when: When, private readonly selecting: Selecting) {
		this.canvas = new Canvas(this.box, 'labels', () => when.drawSoon());
		const { element } = this.canvas;
		element.addEventListener('pointerdown', (event) => this.pressed(event));
		element.addEventListener('wheel', (event) => when.wheel(event, this.canvas.at(event).x), { passive: false });
	}

	draw(): void {
		this.canvas.measure();
		const context = this.canvas.start();
		const g = this.when.geometry;
		const sample = context.measureText(this.textOf(spanOf(g) + g.from_ns, g.column_ns)).width;
		const most = g.width_px / (sample + 2.2 * rem());
		context.fillStyle = token('muted');
		context.strokeStyle = token('line-strong');
		context.beginPath();
		let end = -Infinity;
		for (const { x, text } of axisLabels(g, most, this.clock_ns, (at, step) => this.textOf(at, step))) {
			const width = context.measureText(text).width;
			const left = Math.min(Math.max(0, x - width / 2), g.width_px - width);
			context.moveTo(Math.round(x) + 0.5, 0);
			context.lineTo(Math.round(x) + 0.5, 4);
			if (left < end)
				continue;
			context.fillText(text, left, this.canvas.height / 2 + 2);
			end = left + width + rem() / 2;
		}
		context.stroke();
	}

	private get clock_ns(): number {
		return this.when.state.align === 'wall' ? this.when.clock_ns : 0;
	}

	private textOf(at_ns: number, step_ns: number): string {
		if (this.when.state.align === 'wall')
			return timeOfDay(this.when.start_unix_ns + BigInt(Math.round(at_ns)), step_ns);
		const text = clock(at_ns, step_ns);
		return text.includes(':') ? text : text + ' s';
	}

	private pressed(start: PointerEvent): void {
		const { element } = this.canvas;
		const window_ns = this.when.window_ns;
		const perPixel = spanOf(this.when.geometry) / this.when.geometry.width_px;
		let isDragged = false;
		element.setPointerCapture(start.pointerId);
		const move = (event: PointerEvent): void => {
			isDragged = isDragged || Math.abs(event.clientX - start.clientX) > MOVED_PX;
			if (isDragged)
				this.when.moveFrom(window_ns, (start.clientX - event.clientX) * perPixel);
		};
		element.addEventListener('pointermove', move);
		element.addEventListener('lostpointercapture', (event) => {
			element.removeEventListener('pointermove', move);
			if (!isDragged)
				this.take(event);
		}, { once: true });
	}

	private take(event: PointerEvent): void {
		const g = this.when.geometry;
		const { x } = this.canvas.at(event);
		if (timeAt(g, x) < g.from_ns)
			return;
		this.selecting.take(columnRange(g, cellAt(g, x, 0).column), modeOf(event, this.when.isBaseline));
	}
}
