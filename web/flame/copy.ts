// To the clipboard, or where a page may not write there, into a field with the text selected.

import { html, set, svg } from './dom';
import { Box } from './help';

export class Copier {
	private readonly field = html('textarea', { readonly: '', 'aria-label': 'Text to copy', rows: 3 });
	private readonly box = svg('foreignObject', { id: 'copy' },
		html('div', { class: 'card' }, html('p', {}, 'Press Ctrl-C to copy, Esc to close'), this.field));

	constructor(
		private readonly picture: SVGElement,
		private readonly where: () => Box,
		private readonly say: (remark: string) => void,
		private readonly onClose: () => void,
	) {
		this.field.addEventListener('blur', () => this.box.remove());
		this.field.addEventListener('keydown', (event) => {
			if (event.key !== 'Escape')
				return;
			event.stopPropagation();
			this.onClose(); // which takes the focus away
		});
	}

	copy(text: string, what: string): void {
		const offer = () => this.offer(text);
		if (!navigator.clipboard) {
			offer();
			return;
		}
		navigator.clipboard.writeText(text).then(() => this.say(what + ' copied'), offer);
	}

	private offer(text: string): void {
		const { x, y, width, height } = this.where();
		const wide = Math.min(width - 20, 640);
		set(this.box, { x: x + (width - wide) / 2, y: y + height / 2 - 60, width: wide, height: 140 });
		this.picture.append(this.box);
		this.field.value = text;
		this.field.focus({ preventScroll: true });
		this.field.select();
	}
}
