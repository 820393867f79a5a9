// A strip of all files over time, shown if there are several: click to show one, drag to show several.

import { integer, plural } from '../flame/numbers';
import { Canvas } from './canvas';
import { make, token } from './dom';
import { Day, dayOf, fileAt, filesBetween } from './day_layout';
import { Hint } from './hint';
import { FileEntry, Session } from './session';
import { dayOf as dateOf, timeOfDay } from './times';

export class DayStrip {
	readonly name = make('div', { class: 'day-name', hidden: true });
	readonly box = make('div', { class: 'day', hidden: true, title: '' });
	private readonly canvas: Canvas;
	private day: Day | null = null;
	/** The files being dragged over. */
	private dragged: FileEntry[] | null = null;

	constructor(private readonly session: Session, private readonly hint: Hint, private readonly changed: () => void) {
		this.canvas = new Canvas(this.box, 'strip', () => this.update());
		const { element } = this.canvas;
		element.setAttribute('role', 'img');
		element.addEventListener('pointerdown', (event) => this.pressed(event));
		element.addEventListener('pointermove', (event) => this.hover(event));
		element.addEventListener('pointerleave', () => hint.hide());
		session.watchFiles(() => this.update());
		session.store.watch((state, before) => {
			if (state.selection.files !== before.selection.files || state.baseline !== before.baseline)
				this.draw();
		});
	}

	private update(): void {
		this.canvas.measure();
		this.day = dayOf(this.session.list.files, this.canvas.width || 1);
		const isHidden = this.day === null;
		if (this.box.hidden !== isHidden) {
			this.box.hidden = this.name.hidden = isHidden;
			this.changed();
		}
		if (this.day) {
			this.name.textContent = `${plural(this.day.files.length, 'file')}, ${dateOf(this.day.from_ns)}`;
			const span = `${this.timeOf(this.day.from_ns)} to ${this.timeOf(this.day.until_ns)}`;
			this.canvas.element.setAttribute('aria-label', `Files from ${span}; [ and ] show the previous and the next`);
		}
		this.draw();
	}

	draw(): void {
		if (!this.day || this.box.hidden)
			return;
		this.canvas.measure();
		const context = this.canvas.start();
		const { width, height } = this.canvas;
		const shown = new Set(this.dragged || this.session.shownFiles());
		const baseline = new Set(this.session.store.state.baseline?.files || []);
		context.fillStyle = token('lane-ground');
		context.fillRect(0, 0, width, height);
		for (const { file, x, width: length } of this.day.files) {
			const isShown = shown.has(file);
			const colour = isShown ? 'accent' : baseline.has(file.id) ? 'baseline' : file.state === 'failed' ? 'mark-lost' : 'lane-off';
			const top = isShown || baseline.has(file.id) ? 1 : Math.round(height * 0.35); // not told apart by colour alone
			const left = Math.round(x);
			const gap = length > 4 ? 1 : 0;
			context.fillStyle = token(colour);
			context.fillRect(left, top, Math.max(1, Math.round(x + length) - left - gap), height - top - 1);
		}
	}

	private timeOf(at_ns: bigint): string {
		return timeOfDay(at_ns, 1e9);
	}

	private hover(event: PointerEvent): void {
		if (!this.day)
			return;
		const { file } = fileAt(this.day, this.canvas.at(event).x);
		const facts = file.state === 'failed' ? file.reason : file.samples > 0 ? `${integer(file.samples)} samples` : 'not read yet';
		const start = BigInt(file.start_unix_ns);
		this.hint.show(event, this.dragged ? [plural(this.dragged.length, 'file')] :
			[file.name, `${dateOf(start)} ${this.timeOf(start)}`, facts]);
	}

	private pressed(start: PointerEvent): void {
		const { element } = this.canvas;
		const from = this.canvas.at(start).x;
		const move = (event: PointerEvent): void => {
			this.dragged = this.day && filesBetween(this.day, from, this.canvas.at(event).x);
			this.draw();
		};
		element.setPointerCapture(start.pointerId);
		move(start);
		element.addEventListener('pointermove', move);
		element.addEventListener('lostpointercapture', () => {
			element.removeEventListener('pointermove', move);
			this.take(start);
		}, { once: true });
	}

	private take(event: PointerEvent): void {
		const files = this.dragged || [];
		const ids = files.map((file) => file.id);
		this.dragged = null;
		if (!ids.length)
			return;
		if (event.ctrlKey || event.metaKey)
			this.session.showFiles(this.session.shownFiles().map((file) => file.id), ids);
		else
			this.session.showFiles(event.shiftKey ? [...new Set([...this.session.shownFiles().map((file) => file.id), ...ids])] : ids);
	}
}
