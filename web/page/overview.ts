// A thin strip of the whole profile, shown while only a part is in view: shows where that part is, and moves it.

import { Latest } from './asking';
import { Canvas } from './canvas';
import { make, token } from './dom';
import { Grid, gridOf } from './heat_grid';
import { spanOf } from './heat_layout';
import { Session } from './session';
import { When } from './when';
import { timelessParameters } from './when_questions';

const COLUMN_PX = 2;

export class Overview {
	readonly box = make('div', { class: 'overview', hidden: true, title: 'The whole profile: drag to move in it' });
	private readonly canvas: Canvas;
	private readonly asking: Latest;
	private grid: Grid | null = null;
	private asked = '';

	constructor(private readonly when: When, private readonly session: Session) {
		this.canvas = new Canvas(this.box, 'labels', () => when.drawSoon());
		this.asking = new Latest((error) => session.fail(error));
		this.canvas.element.addEventListener('pointerdown', (event) => this.pressed(event));
	}

	update(): void {
		const isHidden = !this.when.isCut;
		if (this.box.hidden !== isHidden) {
			this.box.hidden = isHidden;
			requestAnimationFrame(() => this.when.resized());
		}
		if (isHidden)
			return;
		const column = Math.max(1e6, Math.ceil(this.when.duration_ns * COLUMN_PX / this.when.geometry.width_px));
		const parameters: [string, string | null][] = [...timelessParameters(this.when.state), ['rows', 'total'], ['column', String(column)]];
		const key = JSON.stringify([parameters, this.session.ledger?.revision]);
		if (key === this.asked)
			return;
		this.asked = key;
		this.asking.ask(async () => {
			this.grid = gridOf(await this.session.engine.binary('heatmap', parameters));
			this.when.drawSoon();
		});
	}

	draw(): void {
		if (this.box.hidden)
			return;
		this.canvas.measure();
		const context = this.canvas.start();
		const { width, height } = this.canvas;
		const { grid } = this;
		context.fillStyle = token('lane-ground');
		context.fillRect(0, 0, width, height);
		context.fillStyle = token('lane-off');
		for (let column = 0; grid && column < grid.columns; column++) {
			const level = Math.min(1, grid.value[column] / (grid.top || 1)) * (height - 2);
			const x = Math.round(this.xOf(grid.from_ns + column * grid.column_ns));
			const end = Math.round(this.xOf(grid.from_ns + (column + 1) * grid.column_ns));
			context.fillRect(x, height - level, Math.max(1, end - x), level);
		}
		this.drawThumb(context, height);
	}

	private drawThumb(context: CanvasRenderingContext2D, height: number): void {
		const { geometry } = this.when;
		const x = this.xOf(geometry.from_ns);
		const width = Math.max(6, this.xOf(geometry.from_ns + spanOf(geometry)) - x);
		context.globalAlpha = 0.2;
		context.fillStyle = token('accent');
		context.fillRect(x, 0, width, height);
		context.globalAlpha = 1;
		context.strokeStyle = token('accent');
		context.lineWidth = 2;
		context.strokeRect(x + 1, 1, width - 2, height - 2);
	}

	private xOf(time_ns: number): number {
		return time_ns / Math.max(1, this.when.duration_ns) * this.canvas.width;
	}

	private pressed(start: PointerEvent): void {
		const { element } = this.canvas;
		const { geometry } = this.when;
		const perPixel = this.when.duration_ns / this.canvas.width;
		const span = spanOf(geometry);
		const { x } = this.canvas.at(start);
		const isOnThumb = x >= this.xOf(geometry.from_ns) && x <= this.xOf(geometry.from_ns + span);
		const first = isOnThumb ? geometry.from_ns : x * perPixel - span / 2;
		const move = (event: PointerEvent): void =>
			this.when.moveFrom([first, first + span], (event.clientX - start.clientX) * perPixel);
		element.setPointerCapture(start.pointerId);
		if (!isOnThumb)
			move(start);
		element.addEventListener('pointermove', move);
		element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', move), { once: true });
	}
}
