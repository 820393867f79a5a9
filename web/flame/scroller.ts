// Scrolls the frames inside a picture that is taller than its window, so that the page itself never moves: title and
// details keep their places, and a screenshot shows what a person sees.

import { html, set, svg } from './dom';

export class Scroller {
	private readonly tall = html('div');
	private readonly bar = html('div', { id: 'scrollbar', tabindex: -1, 'aria-hidden': 'true' }, this.tall);
	private readonly box = svg('foreignObject', {}, this.bar);
	private page = 0; // px that are seen at once
	private told = 0; // the top that was told last
	isShown = false; // there is more than can be seen at once

	constructor(private readonly picture: SVGSVGElement, frames: SVGElement, private readonly onScroll: () => void) {
		this.bar.addEventListener('scroll', () => this.tell());
		picture.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
		this.listenToTouch(frames);
	}

	get top(): number {
		return this.isShown ? this.bar.scrollTop : 0;
	}

	/** px that the bar takes from the frames. */
	get width(): number {
		return this.isShown ? this.bar.offsetWidth - this.bar.clientWidth : 0;
	}

	get pageHeight(): number {
		return this.page;
	}

	/** The frames have `height` px, of which `page` can be seen; where the bar goes is up to place(). */
	fit(height: number, page: number): void {
		const before = this.top;
		this.page = page;
		this.isShown = height > page;
		if (!this.isShown) {
			this.box.remove();
			return;
		}
		set(this.box, { width: this.bar.offsetWidth || 40, height: page });
		this.bar.style.height = page + 'px';
		this.tall.style.height = height + 'px';
		if (!this.box.parentNode)
			this.picture.append(this.box);
		this.bar.scrollTop = before;
	}

	place(right: number, top: number): void {
		const width = this.bar.offsetWidth;
		set(this.box, { x: right - width, y: top, width });
	}

	/** Returns whether it moved. */
	to(top: number): boolean {
		const before = this.top;
		this.bar.scrollTop = top;
		this.tell();
		return this.top !== before;
	}

	by(distance: number): boolean {
		return this.isShown && this.to(this.top + distance);
	}

	/** The browser says "scrolled" later, also of what was told already. */
	private tell(): void {
		if (this.top === this.told)
			return;
		this.told = this.top;
		this.onScroll();
	}

	private wheel(event: WheelEvent): void {
		if (event.ctrlKey || event.shiftKey || (event.target as Element).closest('#scrollbar, .card'))
			return;
		const px = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? this.page : 1;
		if (this.by(event.deltaY * px))
			event.preventDefault();
	}

	/** One finger scrolls; two are the browser's, which zooms the page. */
	private listenToTouch(frames: SVGElement): void {
		let lastY = 0;
		frames.addEventListener('touchstart', (event) => {
			lastY = event.touches[0].clientY;
		}, { passive: true });
		frames.addEventListener('touchmove', (event) => {
			const y = event.touches[0].clientY;
			const isPageZoomed = !!window.visualViewport && window.visualViewport.scale > 1;
			if (event.touches.length === 1 && !isPageZoomed && this.by(lastY - y))
				event.preventDefault();
			lastY = y;
		}, { passive: false });
	}
}
