// A strip above the heat map: garbage collections, lost samples, starts and exits of processes.

import { span } from '../flame/numbers';
import { Canvas } from './canvas';
import { make, token } from './dom';
import { Hint } from './hint';
import { linesOf, Mark, PlacedMark, placeMarks, summaryOf } from './mark_layout';
import { clock } from './times';
import { When } from './when';

const NEAR_PX = 5;
const COLOURS: { [kind: string]: string } = { gc: 'mark-gc', lost: 'mark-lost', start: 'mark-start', exit: 'mark-exit' };

export class Marks {
	readonly name = make('div', { class: 'marks-name' });
	readonly box = make('div', { class: 'marks' });
	private readonly canvas: Canvas;
	private placed: PlacedMark[] = [];

	constructor(private readonly when: When, hint: Hint) {
		this.canvas = new Canvas(this.box, 'strip', () => when.drawSoon());
		const { element } = this.canvas;
		element.setAttribute('role', 'img');
		element.addEventListener('pointermove', (event) => {
			const lines = linesOf(this.near(this.canvas.at(event).x), (mark) => this.timeOf(mark));
			if (lines.length)
				hint.show(event, lines);
			else
				hint.hide();
		});
		element.addEventListener('pointerleave', () => hint.hide());
	}

	draw(marks: Mark[]): void {
		this.name.hidden = this.box.hidden = marks.length === 0;
		if (!marks.length)
			return;
		this.name.textContent = this.name.title = summaryOf(marks);
		this.canvas.element.setAttribute('aria-label', 'Marks: ' + summaryOf(marks));
		this.canvas.measure();
		const context = this.canvas.start();
		this.placed = placeMarks(marks, this.when.geometry, 3);
		for (const mark of this.placed)
			this.drawOne(context, mark);
	}

	/**
	 * Draws a bar for durations, a triangle for losses and half a bar for starts and exits, so that
	 * colour is not the only cue.
	 */
	private drawOne(context: CanvasRenderingContext2D, mark: PlacedMark): void {
		const { height } = this.canvas;
		const x = Math.round(mark.x);
		const width = Math.max(3, Math.round(mark.width));
		context.fillStyle = token(COLOURS[mark.kind] || 'mark-exit');
		if (mark.kind === 'lost') {
			context.beginPath();
			context.moveTo(x - 4, 1);
			context.lineTo(x + width + 4, 1);
			context.lineTo(x + width / 2, height - 1);
			context.fill();
		} else if (mark.kind === 'start')
			context.fillRect(x, Math.round(height / 2), width, height - 1 - Math.round(height / 2));
		else if (mark.kind === 'exit')
			context.fillRect(x, 1, width, Math.round(height / 2) - 1);
		else
			context.fillRect(x, 2, width, height - 4);
	}

	private near(x: number): PlacedMark[] {
		return this.placed.filter((mark) => x >= mark.x - NEAR_PX && x <= mark.x + mark.width + NEAR_PX);
	}

	private timeOf(mark: Mark): string {
		return clock(mark.time_ns, 1e6) + ' s' + (mark.duration_ns > 0 ? ` for ${span(mark.duration_ns)}` : '');
	}

	/** For tests. */
	shown(): PlacedMark[] {
		return this.placed;
	}
}
