// Selecting a range with the pointer or the keyboard: it starts, follows, and ends or is cancelled.

import { Edge, withoutEdge } from './edges';
import { hull, Mode, withRange } from './ranges';
import { Range, State } from './state';
import { UrlStore } from './store';

const MOVED_PX = 3;

export function modeOf(event: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }, isBaseline: boolean): Mode {
	if (event.ctrlKey || event.metaKey || isBaseline)
		return event.shiftKey ? 'add to baseline' : 'baseline';
	return event.shiftKey ? 'add' : 'set';
}

export class Selecting {
	private first: Range | null = null;
	/** The state that the range is added to: the kept one, without the range whose edge is dragged. */
	private base: State | null = null;
	private mode: Mode = 'set';
	/** Elements where ranges are selected. A click elsewhere ends a selection that was started. */
	readonly surfaces: HTMLElement[] = [];

	/** ended is called after a range is selected. */
	constructor(private readonly store: UrlStore, private readonly ended: () => void) {
		document.addEventListener('pointerdown', (event) => {
			if (!this.surfaces.some((surface) => surface.contains(event.target as Node)))
				this.settle();
		});
	}

	get isOpen(): boolean {
		return this.first !== null;
	}

	begin(unit: Range, mode: Mode): void {
		this.first = unit;
		this.mode = mode;
		this.base = null;
		this.follow(unit);
	}

	/** Drags an end of a range: the other stays. */
	adjust(edge: Edge): void {
		const other = edge.end === 'from' ? edge.range.until : edge.range.from;
		this.first = { from: other, until: other };
		this.mode = edge.isBaseline ? 'add to baseline' : 'add';
		this.base = withoutEdge(this.store.keptState, edge);
	}

	follow(unit: Range): void {
		if (this.first)
			this.store.change(withRange(this.base || this.store.keptState, hull(this.first, unit), this.mode), 'passing');
	}

	end(unit: Range): void {
		if (!this.first)
			return;
		const range = hull(this.first, unit);
		this.first = null;
		this.store.change(withRange(this.base || this.store.keptState, range, this.mode));
		this.ended();
	}

	/** Selects a single unit. */
	take(unit: Range, mode: Mode): void {
		this.begin(unit, mode);
		this.end(unit);
	}

	/** A double click has just selected a cell; this replaces it with the whole column. */
	widen(unit: Range, mode: Mode): void {
		if (this.isOpen)
			this.take(unit, mode);
		else
			this.store.settle(withRange(this.store.keptState, unit, mode));
	}

	/** The pointer left before the second click. */
	recede(): void {
		if (this.first)
			this.follow(this.first);
	}

	private settle(): void {
		if (this.first)
			this.end(this.first);
	}

	cancel(): void {
		if (!this.first)
			return;
		this.first = null;
		this.store.cancel();
	}
}

interface Surface {
	element: HTMLElement;
	/** The smallest range that can be selected here. */
	unitAt: (event: PointerEvent | MouseEvent) => Range;
	/** What a double click selects. */
	columnAt: (event: MouseEvent) => Range;
	isBaseline: () => boolean;
	/** The end of a range at the pointer, if ranges have ends that can be dragged here. */
	edgeAt?: (event: PointerEvent) => Edge | null;
}

/** Drag, or click twice in different places; a double click selects a column. */
export function listen(surface: Surface, selecting: Selecting): void {
	const { element } = surface;
	selecting.surfaces.push(element);
	let press: PointerEvent | null = null;
	let isDragged = false;
	let wasOpen = false;
	let isEdge = false;
	element.addEventListener('pointerdown', (event) => {
		if (event.button !== 0)
			return;
		element.setPointerCapture(event.pointerId);
		press = event;
		isDragged = false;
		wasOpen = selecting.isOpen;
		const edge = !wasOpen && surface.edgeAt ? surface.edgeAt(event) : null;
		if (edge)
			selecting.adjust(edge);
		else if (!wasOpen)
			selecting.begin(surface.unitAt(event), modeOf(event, surface.isBaseline()));
		isEdge = edge !== null;
	});
	element.addEventListener('pointermove', (event) => {
		if (press && !isDragged)
			isDragged = Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) > MOVED_PX;
		if (!press)
			element.style.cursor = surface.edgeAt && surface.edgeAt(event) ? 'ew-resize' : '';
		if (!press || isDragged)
			selecting.follow(surface.unitAt(event));
	});
	element.addEventListener('pointerup', (event) => {
		if (press && (isDragged || wasOpen))
			selecting.end(surface.unitAt(event));
		else if (press && isEdge)
			selecting.cancel(); // a click on an edge changes nothing
		press = null;
	});
	element.addEventListener('pointercancel', () => {
		press = null;
		selecting.cancel();
	});
	element.addEventListener('pointerleave', () => {
		if (!press)
			selecting.recede();
	});
	element.addEventListener('dblclick', (event) => selecting.widen(surface.columnAt(event), modeOf(event, surface.isBaseline())));
	element.addEventListener('contextmenu', (event) => {
		if (event.ctrlKey) // a click with Ctrl on macOS
			event.preventDefault();
	});
}
