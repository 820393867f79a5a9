// The frames in the document. Only those that can be seen are in it; the others wait outside.

import { svg } from './dom';
import { CharWidth, shorten, textWidth } from './label';
import { hitStrips, Piece, positionOf, Strip, View } from './layout';
import { labelOf, Model, shownOf } from './model';
import { Result } from './search';

const TEXT_INSET = 3;

/** White text where black would be hard to read, by the relative luminance of WCAG 2; the writer has the same rule. */
function isDark(fill: string): boolean {
	const rgb = /^rgb\((\d+), ?(\d+), ?(\d+)\)/.exec(fill);
	if (!rgb)
		return false;
	const [r, g, b] = rgb.slice(1).map((channel) => {
		const c = Number(channel) / 255;
		return c <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b < 0.175;
}

/** One frame's elements, and what they were last told. */
class Frame {
	readonly rect: SVGElement;
	private text: SVGElement | null;
	private left = -1;
	private width = -1;
	private label = '';

	constructor(readonly element: Element) {
		this.rect = element.querySelector('rect') as SVGElement;
		// The browser would show the title beside the viewer's own tooltip.
		const title = element.querySelector('title');
		if (title)
			title.replaceWith(svg('desc', {}, title.textContent || ''));
		this.text = element.querySelector('text');
		this.label = this.text ? this.text.textContent || '' : '';
	}

	place(left: number, width: number): void {
		if (left !== this.left) {
			this.rect.setAttribute('x', left.toFixed(2));
			if (this.text)
				this.text.setAttribute('x', (left + TEXT_INSET).toFixed(2));
		}
		if (width !== this.width)
			this.rect.setAttribute('width', width.toFixed(2));
		this.left = left;
		this.width = width;
	}

	say(label: string): void {
		if (label === this.label && this.text)
			return;
		this.label = label;
		if (!label) {
			if (this.text)
				this.text.remove();
			return;
		}
		if (!this.text)
			this.text = this.makeText();
		if (!this.text.parentNode) {
			this.text.setAttribute('x', (this.left + TEXT_INSET).toFixed(2));
			this.element.append(this.text);
		}
		this.text.textContent = label;
	}

	private makeText(): SVGElement {
		const top = Number(this.rect.getAttribute('y'));
		const middle = top + Number(this.rect.getAttribute('height')) / 2;
		const text = svg('text', { y: middle + 3 });
		if (isDark(this.rect.getAttribute('fill') || ''))
			text.setAttribute('class', 'light');
		return text;
	}
}

/** rgb() with channels rounded, so that few colours are left. */
function coarse(fill: string): string {
	return fill.replace(/\d+/g, (channel) => String(Math.min(255, Math.round(Number(channel) / 24) * 24)));
}

export class Frames {
	charWidth: CharWidth = () => 8;
	view: View | null = null;
	private readonly frames: (Frame | undefined)[] = [];
	private readonly elements: Element[];
	private readonly indices = new Map<Element, number>();
	private readonly nameWidths: Float32Array;
	private readonly rowHeight: number;
	private readonly rootTop: number;
	private readonly strips = svg('g', { id: 'strips' });
	private readonly hits = svg('path', { id: 'strip-hits' });
	private readonly focus = svg('g', { id: 'focus' }, svg('rect'), svg('rect'));
	private readonly marked = new Set<Element>();

	constructor(private readonly model: Model, private readonly group: SVGElement) {
		this.elements = Array.from(group.children).slice(0, model.size);
		this.elements.forEach((element, i) => this.indices.set(element, i));
		this.nameWidths = new Float32Array(model.names.length);
		this.rowHeight = model.frameHeight;
		this.rootTop = model.size ? Number(this.frame(0).rect.getAttribute('y')) : 0;
		group.textContent = '';
		group.append(this.strips, this.hits, this.focus);
	}

	/** The top of a row, px in the group. */
	top(depth: number): number {
		return this.rootTop + (this.model.isInverted ? depth : -depth) * this.rowHeight;
	}

	depthAt(y: number): number {
		const rows = Math.floor((y - this.rootTop) / this.rowHeight);
		return this.model.isInverted ? rows : -rows;
	}

	/** The frame that an element of the picture belongs to, or -1. */
	indexOf(target: EventTarget | null): number {
		let element = target as Element | null;
		while (element && element.parentNode !== this.group)
			element = element.parentNode as Element | null;
		const index = element ? this.indices.get(element) : undefined;
		return index === undefined ? -1 : index;
	}

	/** The title that --nameattr gave the frame, or "". */
	ownTitle(i: number): string {
		const text = (this.elements[i].querySelector('desc, title') || { textContent: '' }).textContent || '';
		return text.startsWith(shownOf(this.model, i) + ' (') ? '' : text;
	}

	isStrip(target: EventTarget | null): boolean {
		return target === this.hits || this.strips.contains(target as Node | null);
	}

	show(view: View): void {
		const callers = positionOf(view, view.zoom);
		this.exchange(view.frames);
		for (let at = 0; at < view.frames.length; at++) {
			const frame = this.frame(view.frames[at]);
			frame.place(view.left[at], view.widths[at]);
			frame.say(this.label(view.frames[at], view.widths[at] - 2 * TEXT_INSET));
			frame.element.classList.toggle('faded', at < callers);
		}
		this.view = view;
		this.drawPieces(view.pieces);
	}

	/** Marks what was found among the frames in the document. */
	mark(result: Result): void {
		const view = this.view as View;
		const { matches } = result;
		for (const element of this.marked) {
			if (!matches || !matches[this.indices.get(element) as number]) {
				element.classList.remove('hit');
				this.marked.delete(element);
			}
		}
		if (matches) {
			for (const i of view.frames) {
				if (matches[i] && !this.marked.has(this.elements[i])) {
					this.elements[i].classList.add('hit');
					this.marked.add(this.elements[i]);
				}
			}
		}
		const strips = matches ? hitStrips(this.model, view, result.hits) : [];
		this.hits.setAttribute('d', this.outline(strips, 1));
	}

	/** Draws the outline of the focused frame, or none with -1. */
	outlineFrame(index: number): void {
		const at = this.view ? positionOf(this.view, index) : -1;
		this.focus.style.display = at < 0 ? 'none' : '';
		if (at < 0)
			return;
		const view = this.view as View;
		const rects = Array.from(this.focus.children);
		for (const rect of rects) {
			rect.setAttribute('x', (view.left[at] - 0.5).toFixed(2));
			rect.setAttribute('y', (this.top(this.model.depth[index]) - 0.5).toFixed(2));
			rect.setAttribute('width', Math.max(view.widths[at] + 1, 2).toFixed(2));
			rect.setAttribute('height', String(this.rowHeight));
		}
	}

	private frame(i: number): Frame {
		return this.frames[i] || (this.frames[i] = new Frame(this.elements[i]));
	}

	/** Takes out what is no longer seen and puts in what is, in order; what stays is not touched. */
	private exchange(next: number[]): void {
		const before = this.view ? this.view.frames : [];
		let at = 0;
		for (const i of before) {
			while (at < next.length && next[at] < i)
				at++;
			if (next[at] !== i)
				this.elements[i].remove();
		}
		let reference: Element = this.focus;
		for (let k = next.length - 1; k >= 0; k--) {
			const element = this.elements[next[k]];
			if (element.parentNode !== this.group)
				this.group.insertBefore(element, reference);
			reference = element;
		}
	}

	private label(i: number, room: number): string {
		if (room < this.model.fontSize || this.model.frameHeight < this.model.fontSize)
			return '';
		const name = labelOf(this.model, i);
		const index = this.model.name[i];
		if (!this.nameWidths[index])
			this.nameWidths[index] = textWidth(name.slice(0, 1000), this.charWidth);
		if (this.nameWidths[index] <= room && name.length <= 1000)
			return name;
		return shorten(name, room, this.charWidth);
	}

	/** A path for each colour, of which there are few: shades that are near each other are one. */
	private drawPieces(pieces: Piece[]): void {
		const byColour = new Map<string, Piece[]>();
		for (const piece of pieces) {
			const colour = coarse(this.frame(piece.widest).rect.getAttribute('fill') || '');
			const alike = byColour.get(colour);
			if (alike)
				alike.push(piece);
			else
				byColour.set(colour, [piece]);
		}
		this.strips.textContent = '';
		byColour.forEach((alike, fill) => this.strips.append(svg('path', { fill, d: this.outline(alike, 0) })));
	}

	/** One path for all the parts; with a least width so that a search's needle shows in the haystack. */
	private outline(strips: (Strip | Piece)[], minWidth: number): string {
		const height = this.rowHeight - 1;
		const parts = [];
		for (const strip of strips) {
			const right = Math.max(strip.right, strip.left + minWidth);
			const left = strip.left.toFixed(1);
			parts.push('M' + left + ' ' + this.top(strip.depth) + 'H' + right.toFixed(1) +
				'v' + height + 'H' + left + 'z');
		}
		return parts.join('');
	}
}
