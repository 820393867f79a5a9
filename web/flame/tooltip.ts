// What the details say, beside the pointer or the focused frame: below its row or above, so that it hides neither the
// frame nor its own end.

import { html, set, svg } from './dom';
import { limit } from './label';
import { Words } from './words';

const WIDEST = 560;
/** px to the row, to the pointer and to the window's edges. */
const GAP = 6;

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** A row of frames, px of the picture, and where in it the tooltip belongs. */
export interface Anchor {
	x: number;
	top: number;
	bottom: number;
}

export class Tooltip {
	private readonly card = html('div', { id: 'tooltip', 'aria-hidden': 'true' });
	private readonly box = svg('foreignObject', { 'pointer-events': 'none' }, this.card);
	private size = { width: 0, height: 0 };
	private anchor: Anchor = { x: 0, top: 0, bottom: 0 };

	constructor(private readonly picture: SVGSVGElement, private readonly sight: () => Box) {}

	/** title: what --nameattr says of the frame, or "". */
	show(words: Words, title: string, anchor: Anchor): void {
		const line = (className: string, text: string) => html('div', { class: className }, html('bdi', {}, text));
		this.card.textContent = '';
		this.card.append(line('name', limit(words.name)));
		for (const text of [title, words.note].filter((part) => part))
			this.card.append(line('muted', limit(text)));
		for (const fact of words.facts)
			this.card.append(line('', fact));
		this.anchor = anchor;
		this.measure();
		this.place();
	}

	/** The pointer moved along the row. */
	moveTo(x: number): void {
		if (!this.box.parentNode || x === this.anchor.x)
			return;
		this.anchor.x = x;
		this.place();
	}

	hide(): void {
		this.box.remove();
	}

	private measure(): void {
		const { x, y, width, height } = this.sight();
		const most = Math.max(0, width - 2 * GAP);
		this.card.style.maxWidth = Math.min(WIDEST, most) + 'px';
		this.card.style.maxHeight = 'none';
		set(this.box, { x, y, width, height });
		if (!this.box.parentNode)
			this.picture.append(this.box);
		this.size = { width: this.card.offsetWidth, height: this.card.offsetHeight };
	}

	private place(): void {
		const sight = this.sight();
		const { top, bottom } = this.anchor;
		const below = sight.y + sight.height - bottom - 2 * GAP;
		const above = top - sight.y - 2 * GAP;
		const isBelow = this.size.height <= below || below >= above;
		const height = Math.min(this.size.height, Math.max(0, isBelow ? below : above));
		const right = sight.x + sight.width - this.size.width - GAP;
		this.card.style.maxHeight = height + 'px';
		set(this.box, {
			x: Math.max(sight.x + GAP, Math.min(this.anchor.x + 2 * GAP, right)),
			y: isBelow ? bottom + GAP : top - GAP - height,
			width: this.size.width,
			height,
		});
	}
}
