// The tooltip of a frame, next to the pointer.

import { html } from '../flame/dom';
import { limit } from '../flame/label';

/** From the pointer and the window's edges, px. */
const GAP = 14;
const EDGE = 6;

export interface Tip {
	name: string;
	notes: string[]; // muted
	facts: string[];
}

export class Tooltip {
	private readonly element = html('div', { class: 'frame-tip', 'aria-hidden': 'true' });
	private shown: Tip | null = null;

	constructor() {
		this.element.hidden = true;
		document.body.append(this.element);
	}

	show(tip: Tip, x: number, y: number): void {
		if (tip !== this.shown) {
			const line = (className: string, text: string) => html('div', { class: className }, html('bdi', {}, limit(text)));
			this.element.replaceChildren(
				line('name', tip.name), ...tip.notes.map((text) => line('muted', text)), ...tip.facts.map((text) => line('', text)));
			this.shown = tip;
		}
		this.element.hidden = false;
		this.place(x, y);
	}

	hide(): void {
		this.element.hidden = true;
		this.shown = null;
	}

	private place(x: number, y: number): void {
		const { offsetWidth: width, offsetHeight: height, style } = this.element;
		const left = x + GAP + width + EDGE > innerWidth ? x - GAP - width : x + GAP;
		const top = y + GAP + height + EDGE > innerHeight ? y - GAP - height : y + GAP;
		style.left = Math.max(EDGE, Math.min(left, innerWidth - width - EDGE)) + 'px';
		style.top = Math.max(EDGE, top) + 'px';
	}
}
