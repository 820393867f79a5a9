// A small tooltip at the pointer.

import { make } from './dom';

const GAP_PX = 14;

export class Hint {
	private readonly element = make('div', { class: 'hint', 'aria-hidden': 'true', hidden: true });

	constructor() {
		document.body.append(this.element);
	}

	/** The first line is emphasized. */
	show(event: { clientX: number; clientY: number }, lines: string[]): void {
		this.element.replaceChildren(...lines.map((line, i) => make('div', { class: i ? 'muted' : 'strong' }, line)));
		this.element.hidden = false;
		const { offsetWidth, offsetHeight } = this.element;
		const left = event.clientX + GAP_PX + offsetWidth > innerWidth ? event.clientX - GAP_PX - offsetWidth : event.clientX + GAP_PX;
		const top = event.clientY + GAP_PX + offsetHeight > innerHeight ? event.clientY - GAP_PX - offsetHeight : event.clientY + GAP_PX;
		this.element.style.left = Math.max(4, left) + 'px';
		this.element.style.top = Math.max(4, top) + 'px';
	}

	hide(): void {
		this.element.hidden = true;
	}
}
