// The bar above the frames (title, ledger, controls) and the one below (legend, details). Both stay in sight: a picture
// that has the window to itself is as tall as that, and its frames scroll between the bars. In a page with other things
// the picture has its whole height, and the bars follow the page's scrolling.

import { detailsHeight } from './details';
import { byId, html, set, svg } from './dom';
import { CharWidth, cutEnd, textWidth } from './label';
import { Model } from './model';
import { rulerFor } from './ruler';
import { Scroller } from './scroller';

const CONTROLS_HEIGHT = 44;
/** In a window narrower than this the copy buttons are below the details. */
const BUTTONS_BESIDE = 560;
/** With less room than this for the title the controls get a row of their own. */
const TITLE_ROOM = 260;
const LEGEND_ROW = 20;
/** A window with room for fewer rows than this scrolls the page. */
const LEAST_ROWS = 4;
/** Between the frames and the footer. */
const BELOW_FRAMES = 2;

/** The part of the picture that is in the window, px of the picture. */
interface Sight {
	left: number;
	top: number;
	right: number;
	bottom: number;
}

function sightOf(picture: SVGSVGElement): Sight {
	const box = picture.getBoundingClientRect();
	const root = document.documentElement;
	const width = Math.min(innerWidth, root.clientWidth || innerWidth);
	const height = Math.min(innerHeight, root.clientHeight || innerHeight);
	return {
		left: Math.max(0, -box.left),
		top: Math.max(0, -box.top),
		right: Math.min(box.width, width - box.left),
		bottom: Math.min(box.height, height - box.top),
	};
}

/** Between the parts of the ledger. */
const DOT = ' \u00b7 ';
const MOST_LINES = 3;

/** A text that breaks between its parts; what still has no room is cut, and the whole is its tooltip. */
class Line {
	private readonly text: string;
	private readonly charWidth: CharWidth;

	constructor(private readonly element: SVGElement) {
		this.text = element.textContent || '';
		this.charWidth = rulerFor(element);
	}

	/** Returns how many lines it has. */
	place(x: number, y: number, room: number, lineHeight: number): number {
		const fits = (text: string) => textWidth(text, this.charWidth) <= room;
		const lines: string[] = [];
		for (const part of this.text.split(DOT)) {
			const last = lines.length - 1;
			const joined = lines[last] + DOT + part;
			if (last >= 0 && (fits(joined) || lines.length === MOST_LINES))
				lines[last] = joined;
			else
				lines.push(part);
		}
		this.element.textContent = '';
		lines.forEach((line, i) => this.element.append(svg('tspan', { x, y: y + i * lineHeight },
			fits(line) ? line : cutEnd(line, '\u2026', room, this.charWidth))));
		if (!lines.every(fits))
			this.element.prepend(svg('title', {}, this.text));
		set(this.element, { x, y, 'text-anchor': 'start' });
		return lines.length;
	}
}

/** The legend's entries, in as many rows as the window needs. */
class Legend {
	private readonly charWidth: CharWidth | null;

	constructor(private readonly group: SVGElement | null) {
		const text = group && group.querySelector('text');
		this.charWidth = text && rulerFor(text);
	}

	/** Returns its height. */
	place(left: number, room: number): number {
		const { charWidth } = this;
		if (!this.group || !charWidth)
			return 0;
		let x = left;
		let y = 8;
		const texts = this.group.querySelectorAll('text');
		this.group.querySelectorAll('rect').forEach((swatch, i) => {
			const text = texts[i];
			const size = Number(swatch.getAttribute('width'));
			const width = size + 5 + textWidth(text.textContent || '', charWidth) + 18;
			if (x > left && x + width > left + room) {
				x = left;
				y += LEGEND_ROW;
			}
			set(swatch, { x, y });
			set(text, { x: x + size + 5, y: y + size - 2 });
			x += width;
		});
		return y + LEGEND_ROW - 8;
	}
}

export class Bars {
	readonly controls = html('div', { id: 'controls' });
	readonly actions = html('div', { id: 'actions' });
	/** Room for the details' lines, px. */
	detailsRoom = 0;
	private readonly header = svg('g', { id: 'header' });
	private readonly footer = svg('g', { id: 'footer' });
	private readonly headerBack = svg('rect', { class: 'bar' });
	private readonly footerBack = svg('rect', { class: 'bar' });
	private readonly controlsBox = svg('foreignObject', {}, this.controls);
	private readonly actionsBox = svg('foreignObject', {}, this.actions);
	private readonly lines: Line[] = [];
	private readonly legend: Legend;
	private readonly legendGroup = byId('legend');
	private readonly framesHeight: number;
	private readonly scroller: Scroller;
	private isPrinting = false;
	private controlsWidth = 0; // when they are in one row
	private headerHeight = 0;
	private footerHeight = 0;
	private footerTop = 0;

	constructor(
		private readonly model: Model,
		private readonly picture: SVGSVGElement,
		private readonly frames: SVGElement,
		private readonly details: SVGElement,
		onScroll: () => void,
	) {
		this.framesHeight = parseFloat(picture.getAttribute('height') || '0') - model.top - model.bottom;
		if (this.isAlone)
			picture.setAttribute('height', String(innerHeight)); // else the page's scroll bar comes and goes
		this.scroller = new Scroller(picture, frames, () => {
			this.float();
			onScroll();
		});
		this.legend = new Legend(this.legendGroup);
		this.header.append(this.headerBack);
		for (const id of ['title', 'ledger', 'subtitle']) {
			const element = byId(id);
			if (!element)
				continue;
			this.lines.push(new Line(element));
			this.header.append(element);
		}
		this.header.append(this.controlsBox);
		this.footer.append(this.footerBack, details, this.actionsBox);
		if (this.legendGroup)
			this.footer.append(this.legendGroup);
		picture.append(this.header, this.footer);
		picture.style.fontFamily = getComputedStyle(details).fontFamily;
		this.paintBacks();
		for (const type of ['beforeprint', 'afterprint'])
			addEventListener(type, () => this.print(type === 'beforeprint'));
	}

	/** Nothing else is in the page. */
	private get isAlone(): boolean {
		const { parentNode } = this.picture;
		return this.picture === (document.documentElement as Element) ||
			(parentNode === document.body && document.body.childElementCount === 1);
	}

	/** px that the frames have for themselves, right of which the scroll bar is. */
	get framesWidth(): number {
		return this.picture.getBoundingClientRect().width - 2 * this.model.pad - this.scroller.width;
	}

	/** Rows that can be seen at once. */
	get rowsSeen(): number {
		return Math.floor(this.scroller.pageHeight / this.model.frameHeight);
	}

	/** On paper the picture is whole. */
	private print(isPrinting: boolean): void {
		this.isPrinting = isPrinting;
		this.fit();
	}

	/** The bars have the colours that the background has at its ends. */
	private paintBacks(): void {
		const background = byId('background');
		if (!background)
			return;
		set(background, { x: 0, y: 0, width: '100%', height: '100%' });
		const fill = background.getAttribute('fill') || '#fff';
		const gradient = /^url\((#[\w-]+)\)$/.exec(fill);
		const stops = gradient ? document.querySelectorAll(gradient[1] + ' stop') : [];
		const colour = (at: number) => (stops.length && stops[at].getAttribute('stop-color')) || fill;
		this.headerBack.setAttribute('fill', colour(0));
		this.footerBack.setAttribute('fill', colour(stops.length - 1));
	}

	/** Lays the bars out for the width there is. */
	fit(): void {
		const sight = sightOf(this.picture);
		const width = sight.right - sight.left;
		const { pad, fontSize } = this.model;
		const wanted = this.controlsWidth || (this.controlsWidth = this.controls.scrollWidth);
		// The right end of a picture narrower than the window is somewhere in the middle of it.
		const isStacked = width - wanted - 3 * pad < TITLE_ROOM || (!this.model.isFluid && width < innerWidth * 0.9);
		const room = isStacked ? width - 2 * pad : width - wanted - 4 * pad;
		let base = Math.round(fontSize * 1.4) + 5;
		const lineHeight = Math.round(fontSize * 1.55);
		for (const line of this.lines)
			base += line.place(pad, base, room, lineHeight) * lineHeight;
		const textHeight = base + 10 - lineHeight;
		this.headerHeight = Math.max(this.model.top, textHeight + (isStacked ? CONTROLS_HEIGHT + 4 : 0));
		this.controls.classList.toggle('stacked', isStacked);
		set(this.controlsBox, {
			x: isStacked ? pad : width - pad - wanted,
			y: isStacked ? textHeight : 7,
			width: isStacked ? width - 2 * pad : wanted,
			height: CONTROLS_HEIGHT,
		});
		this.fitFooter(width);
		this.fitPicture(sight);
		set(this.headerBack, { width, height: this.headerHeight - (this.scroller.isShown ? 0 : 2) });
		set(this.footerBack, { width, height: this.footerHeight });
		this.float();
	}

	private fitFooter(width: number): void {
		const { pad } = this.model;
		const legendHeight = this.legend.place(pad, width - 2 * pad);
		const actionsWidth = this.actions.scrollWidth;
		const height = detailsHeight(this.model.fontSize);
		const isBeside = width >= BUTTONS_BESIDE;
		this.detailsRoom = width - 2 * pad - (isBeside ? pad + actionsWidth : 0);
		this.details.setAttribute('transform', 'translate(' + pad + ' ' + legendHeight + ')');
		set(this.actionsBox, {
			x: isBeside ? width - pad - actionsWidth : pad,
			y: legendHeight + (isBeside ? 10 : height),
			width: actionsWidth,
			height: 28,
		});
		this.footerHeight = legendHeight + height + (isBeside ? 0 : 36);
	}

	private fitPicture(sight: Sight): void {
		this.footerTop = this.headerHeight + this.framesHeight + BELOW_FRAMES;
		const whole = this.footerTop + this.footerHeight;
		const bars = this.headerHeight + this.footerHeight + BELOW_FRAMES;
		const least = bars + LEAST_ROWS * this.model.frameHeight;
		const windowHeight = Math.min(innerHeight, document.documentElement.clientHeight || innerHeight);
		const above = this.picture.getBoundingClientRect().top + sight.top;
		const room = Math.max(windowHeight - Math.max(0, above), least);
		const isAlone = this.isAlone && !this.isPrinting;
		const height = isAlone && (whole > room || this.model.isFluid) ? room : whole;
		this.scroller.fit(this.framesHeight, this.wholeRows(Math.min(height, whole) - bars));
		this.picture.setAttribute('height', String(height));
	}

	/** Frames that scroll have room for whole rows; what is left of it is the footer's. */
	private wholeRows(page: number): number {
		if (this.framesHeight <= page)
			return page;
		const rest = page % this.model.frameHeight;
		this.footerHeight += rest + BELOW_FRAMES;
		this.footerTop -= BELOW_FRAMES;
		return page - rest;
	}

	/** Keeps the bars in sight. */
	float(): void {
		const sight = sightOf(this.picture);
		const lowest = Math.max(0, this.footerTop - this.headerHeight);
		const top = Math.min(sight.top, lowest);
		const bottom = Math.min(this.footerTop, sight.bottom - this.footerHeight);
		const shift = this.headerHeight - this.model.top - this.scroller.top;
		this.frames.setAttribute('transform', 'translate(0 ' + shift + ')');
		this.header.setAttribute('transform', 'translate(' + sight.left + ' ' + top + ')');
		this.footer.setAttribute('transform', 'translate(' + sight.left + ' ' + Math.max(0, bottom) + ')');
		this.header.classList.toggle('floating', top + this.scroller.top > 0);
		this.footer.classList.toggle('floating', bottom + this.scroller.top < this.footerTop);
		this.scroller.place(sight.right, this.headerHeight);
	}

	/** Scrolls so that a row of frames is between the bars. */
	reveal(rowTop: number): void {
		const sight = sightOf(this.picture);
		const y = this.rowAt(rowTop).top;
		const first = sight.top + this.headerHeight;
		const last = Math.min(this.footerTop, sight.bottom - this.footerHeight) - this.model.frameHeight;
		const distance = y < first ? y - first - this.model.frameHeight : y > last ? y - last + this.model.frameHeight : 0;
		if (distance && !this.scroller.by(distance))
			scrollBy(0, distance);
	}

	/** The row nearest to the root that is seen, by its depth. */
	get rootRow(): number {
		const { top, pageHeight, isShown } = this.scroller;
		const fromRoot = this.model.isInverted ? top : this.framesHeight - top - pageHeight;
		return isShown ? fromRoot / this.model.frameHeight : 0;
	}

	/** Scrolls so that a row is the one nearest to the root that is seen. */
	begin(depth: number): void {
		const fromRoot = depth * this.model.frameHeight;
		this.scroller.to(this.model.isInverted ? fromRoot : this.framesHeight - fromRoot - this.scroller.pageHeight);
	}

	/** Returns whether there was more to see there. */
	scrollPages(pages: number): boolean {
		return this.scroller.by(pages * Math.max(this.model.frameHeight, this.scroller.pageHeight - this.model.frameHeight));
	}

	/** Where a row is in the picture, by its top among the frames. */
	rowAt(rowTop: number): { top: number; bottom: number } {
		const top = rowTop + this.headerHeight - this.model.top - this.scroller.top;
		return { top, bottom: top + this.model.frameHeight };
	}

	/** The middle of what is seen, for what lies above everything. */
	middle(): { x: number; y: number; width: number; height: number } {
		const sight = sightOf(this.picture);
		return { x: sight.left, y: sight.top, width: sight.right - sight.left, height: sight.bottom - sight.top };
	}
}
