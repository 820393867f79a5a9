// The details bar: a name on its first line, what was counted on the second.

import { svg } from './dom';
import { CharWidth, cutEnd, cutMiddle, textWidth } from './label';
import { Words } from './words';

/** Lines are this many font sizes apart. */
const LEADING = 1.5;
/** Keeps a right-to-left name from turning the words around it. */
const isolated = (text: string) => '\u2068' + text + '\u2069';

export function detailsHeight(fontSize: number): number {
	return 2 * LEADING * fontSize + 10;
}

export class Details {
	private words: Words | null = null;
	private room = 0;

	private readonly lineHeight: number;

	constructor(private readonly element: SVGElement, private readonly charWidth: CharWidth, fontSize: number) {
		this.lineHeight = fontSize * LEADING;
		element.setAttribute('role', 'status');
		element.setAttribute('aria-live', 'polite');
		for (const name of ['x', 'y', 'text-anchor'])
			element.removeAttribute(name);
	}

	fit(room: number): void {
		this.room = room;
		this.draw();
	}

	/** null: the hint for those who have not begun. */
	show(words: Words | null): void {
		this.words = words;
		this.draw();
	}

	/** A short word on the second line, until something else is shown. */
	remark(text: string): void {
		this.draw(text);
	}

	private draw(remark = ''): void {
		const words = this.words || {
			type: '',
			name: '',
			note: 'Click a frame to zoom, press / to search, ? for all keys',
			facts: [],
		};
		const cut = (text: string) => width(text) > this.room ? cutEnd(text, '\u2026', this.room, this.charWidth) : text;
		const width = (text: string) => textWidth(text, this.charWidth);
		const before = words.type && words.name ? words.type + ' ' : '';
		const after = words.name ? (words.note && '  ' + words.note) : cut(words.note);
		const name = cutMiddle(words.name, this.room - width(before + after), this.charWidth);
		const facts = cut((remark ? [remark] : []).concat(words.facts).join(' | '));
		this.element.textContent = '';
		this.element.append(
			svg('tspan', { x: 0, y: this.lineHeight },
				svg('tspan', { class: 'muted' }, before),
				svg('tspan', { class: 'name' }, name ? isolated(name) : ''),
				svg('tspan', { class: 'muted' }, after)),
			svg('tspan', { class: 'facts', x: 0, y: 2 * this.lineHeight }, facts),
		);
	}
}
