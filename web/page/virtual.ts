// A list of any length; only the visible rows are elements.

import { html, oncePerPicture } from '../flame/dom';

/** Extra rows beyond the edges, so that scrolling shows no gaps. */
const SPARE = 4;

export interface RowSource {
	/** Makes an empty row. */
	make(): HTMLElement;
	/** Fills a row with the item at an index. */
	fill(row: HTMLElement, index: number): void;
}

export class VirtualRows {
	readonly element = html('div', { class: 'rows' });
	private readonly filler = html('div', { class: 'rows-filler' });
	private readonly pool: HTMLElement[] = [];
	private count = 0;
	private rowHeight = 0;
	private readonly redraw = oncePerPicture(() => this.draw());

	constructor(private readonly source: RowSource) {
		this.element.append(this.filler);
		this.element.addEventListener('scroll', this.redraw);
		new ResizeObserver(() => {
			this.rowHeight = 0;
			this.redraw();
		}).observe(this.element);
	}

	show(count: number): void {
		this.count = count;
		this.redraw();
	}

	private height(): number {
		if (this.rowHeight)
			return this.rowHeight;
		const row = this.row(0);
		row.hidden = false;
		this.rowHeight = row.getBoundingClientRect().height || 20;
		return this.rowHeight;
	}

	private row(at: number): HTMLElement {
		while (this.pool.length <= at) {
			const fresh = this.source.make();
			this.pool.push(fresh);
			this.filler.append(fresh);
		}
		return this.pool[at];
	}

	private draw(): void {
		const { element } = this;
		const height = this.height();
		this.filler.style.height = this.count * height + 'px';
		const first = Math.max(0, Math.floor(element.scrollTop / height) - SPARE);
		const last = Math.min(this.count, Math.ceil((element.scrollTop + element.clientHeight) / height) + SPARE);
		for (let i = first; i < last; i++) {
			const row = this.row(i - first);
			row.hidden = false;
			row.style.transform = `translateY(${i * height}px)`;
			this.source.fill(row, i);
		}
		for (let at = Math.max(0, last - first); at < this.pool.length; at++)
			this.pool[at].hidden = true;
	}

	/** Scrolls as little as needed or, if the row is far away, centres it. */
	reveal(index: number, isCentred = false): void {
		const height = this.height();
		const { element } = this;
		const top = index * height;
		this.filler.style.height = this.count * height + 'px';
		if (isCentred)
			element.scrollTop = top - element.clientHeight / 2;
		else if (top < element.scrollTop)
			element.scrollTop = top;
		else if (top + height > element.scrollTop + element.clientHeight)
			element.scrollTop = top + height - element.clientHeight;
		this.redraw();
	}

	/** Rows that can be seen at once. */
	get page(): number {
		return Math.max(1, Math.floor(this.element.clientHeight / this.height()) - 1);
	}
}
