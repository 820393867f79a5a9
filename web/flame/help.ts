// The help overlay: what the picture means, the keys, and the copying for those with a mouse.

import { html, set, svg } from './dom';
import { button } from './controls';

const KEYS: [string, string][] = [
	['/', 'search'],
	['n  N', 'next, previous hit; the widest is the first'],
	['i  r', 'mind case, regular expression'],
	['arrows', 'move from frame to frame'],
	['Enter', 'zoom to the frame, as a click does'],
	['PgUp  PgDn', 'scroll a tall picture; Home, End: to its ends'],
	['Backspace', 'back to the zoom before'],
	['f', 'whole picture'],
	['0', 'back to the start: no zoom, no search'],
	['c', 'copy the name'],
	['s', 'copy the stack'],
	['Esc', 'close, clear the search, zoom out'],
	['?', 'this help'],
];

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

export class Help {
	private readonly box = svg('foreignObject', { id: 'help' });
	private readonly close = button('Close', 'Close (Esc)');

	constructor(
		private readonly picture: SVGElement,
		private readonly where: () => Box,
		private readonly onClose: () => void,
		meaning: string,
		reset: () => void,
	) {
		const again = button('Start again', 'No zoom, no search (0)');
		again.addEventListener('click', () => {
			this.hide();
			reset();
		});
		this.close.addEventListener('click', () => this.hide());
		const rows = KEYS.map(([key, what]) => html('tr', {}, html('th', { scope: 'row' }, ...caps(key)), html('td', {}, what)));
		const card = html('div', { class: 'card', role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Help' },
			html('p', {}, meaning), html('table', {}, html('tbody', {}, ...rows)),
			html('div', { class: 'row' }, again, this.close));
		// There is nothing to reach behind it: Tab goes to and fro between its two buttons.
		card.addEventListener('keydown', (event) => {
			if (event.key !== 'Tab')
				return;
			event.preventDefault();
			(event.target === this.close ? again : this.close).focus();
		});
		const veil = html('div', { class: 'veil' }, card);
		veil.addEventListener('click', (event) => {
			if (event.target === veil)
				this.hide();
		});
		this.box.append(veil);
	}

	get isShown(): boolean {
		return !!this.box.parentNode;
	}

	show(): void {
		this.picture.append(this.box);
		this.fit();
		this.close.focus({ preventScroll: true });
	}

	hide(): void {
		if (!this.isShown)
			return;
		this.box.remove();
		this.onClose();
	}

	fit(): void {
		if (this.isShown)
			set(this.box, { ...this.where() });
	}
}

function caps(keys: string): Node[] {
	return keys.split('  ').map((key) => html('kbd', {}, key));
}
