// A canvas that fills its box at the resolution of the screen.

import { make, rem } from './dom';

export class Canvas {
	readonly element: HTMLCanvasElement;
	readonly context: CanvasRenderingContext2D;
	/** CSS pixels. */
	width = 0;
	height = 0;
	ratio = 1;

	/** resized is called when the size of the box changes, which clears the canvas. */
	constructor(parent: HTMLElement, name: string, resized: () => void) {
		this.element = make('canvas', { class: name });
		this.context = this.element.getContext('2d') as CanvasRenderingContext2D;
		parent.append(this.element);
		new ResizeObserver(() => {
			if (this.measure())
				resized();
		}).observe(parent);
	}

	/** Returns whether the size has changed. */
	measure(): boolean {
		const parent = this.element.parentElement as HTMLElement;
		const ratio = window.devicePixelRatio || 1;
		const { clientWidth, clientHeight } = parent;
		if (clientWidth === this.width && clientHeight === this.height && ratio === this.ratio)
			return false;
		this.width = clientWidth;
		this.height = clientHeight;
		this.ratio = ratio;
		this.element.width = Math.round(clientWidth * ratio);
		this.element.height = Math.round(clientHeight * ratio);
		return true;
	}

	/** Clears the canvas; coordinates are CSS pixels. */
	start(): CanvasRenderingContext2D {
		const { context, ratio } = this;
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.clearRect(0, 0, this.element.width, this.element.height);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.font = `${Math.round(rem() * 0.85)}px ${getComputedStyle(document.body).fontFamily}`;
		context.textBaseline = 'middle';
		return context;
	}

	/** The position of the pointer, in CSS pixels of the canvas. */
	at(event: MouseEvent): { x: number; y: number } {
		const box = this.element.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top };
	}
}
