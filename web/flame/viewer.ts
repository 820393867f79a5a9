// The viewer's state and what may be done with it.

import { Bars } from './bars';
import { button, Controls } from './controls';
import { Copier } from './copy';
import { Details } from './details';
import { byId, oncePerPicture } from './dom';
import { firstRow } from './first_look';
import { Frames } from './frames';
import { Help } from './help';
import { Commands } from './keys';
import { framesOf, layout, positionOf, Strip, stripAt, View } from './layout';
import { folded, isWithin, Model, shownOf } from './model';
import { share } from './numbers';
import { rulerFor } from './ruler';
import { firstHit, hitsWithin, isRisky, isSame, matchedValue, Query, Result, search } from './search';
import { Tooltip } from './tooltip';
import { goBack, isOwnPlace, pushPlace, replacePlace } from './trail';
import { format, parse, Place } from './url';
import { Direction, neighbour } from './walk';
import { describe, describeStrip, hitWords, meaning, Words } from './words';

/** With more names than this a search waits until the typing pauses. */
const MANY_NAMES = 20000;
/** A hit narrower than this is zoomed to, px. */
const HIT_WIDTH = 3;
const START: Query = { text: '', isPlain: false, mindsCase: false };

export class Viewer implements Commands {
	private readonly frames: Frames;
	private readonly bars: Bars;
	private readonly details: Details;
	private readonly controls: Controls;
	private readonly help: Help;
	private readonly copier: Copier;
	private readonly tooltip: Tooltip;
	private view: View;
	private query = START;
	private result: Result;
	private isHeld = false; // the query waits for Enter
	private hit = -1; // which of result.hits was stepped to
	private focus = -1;
	private isFocusDrawn = false;
	private hover = -1;
	private hoverX = 0; // of the pointer, px of the picture
	private tellsFocus = false; // the focused frame has the tooltip: the keyboard was used last
	private strip: Strip | null = null; // under the pointer
	private begun = 0; // the row that the first look begins with; while it is still there, nobody has scrolled

	constructor(
		private readonly model: Model,
		private readonly picture: SVGSVGElement,
		private readonly group: SVGElement,
	) {
		// First of all the frames are taken out: everything after this asks for styles, which would be made for all of them.
		this.frames = new Frames(model, group);
		const details = byId('details') as SVGElement;
		this.bars = new Bars(model, picture, group, details, () => this.hideTooltip());
		const ruler = rulerFor(details);
		this.frames.charWidth = ruler;
		this.details = new Details(details, ruler, model.fontSize);
		const delay_ms = model.names.length > MANY_NAMES ? 200 : 30;
		this.controls = new Controls(this.bars.controls, {
			onSearch: (query, isAsked) => this.search(query, isAsked),
			onStep: (step) => this.step(step),
			onLeave: () => this.focusFrames(),
			onResetZoom: () => this.resetZoom(),
			onHelp: () => this.toggleHelp(),
		}, delay_ms);
		const where = () => this.bars.middle();
		const back = () => this.focusFrames();
		this.tooltip = new Tooltip(picture, where);
		this.help = new Help(picture, where, back, meaning(model), () => this.resetAll());
		this.copier = new Copier(picture, where, (remark) => this.details.remark(remark), back);
		this.addButtons();
		this.result = search(model, START);
		this.view = layout(model, 0, 1);
		new ResizeObserver(oncePerPicture(() => this.fit(this.view.zoom))).observe(picture);
		addEventListener('resize', oncePerPicture(() => this.fit(this.view.zoom)));
	}

	/** Takes over the picture as it was written. */
	begin(): void {
		const place = parse(this.model, location.hash);
		this.adopt(place.query);
		replacePlace(location.hash);
		this.fit(place.zoom);
		this.details.show(null);
		this.revealZoomed();
	}

	// Commands

	focusSearch(): void {
		this.controls.focus();
	}

	step(step: number): void {
		const { hits } = this.result;
		if (!hits.length)
			return;
		this.hit = this.hit < 0 ? firstHit(this.model, hits, this.view.zoom, step)
			: (this.hit + step + hits.length) % hits.length;
		this.reach(hits[this.hit]);
		this.setFocus(hits[this.hit]);
		this.showResult();
	}

	move(direction: Direction): void {
		const isThere = positionOf(this.view, this.focus) >= 0;
		this.setFocus(isThere ? neighbour(this.model, this.view, this.focus, direction) : this.view.zoom);
		this.group.focus({ preventScroll: true });
	}

	zoomToFocus(): void {
		if (this.focus >= 0)
			this.zoom(this.focus);
	}

	back(): void {
		if (!goBack() && this.view.zoom > 0)
			this.zoom(this.model.parent[this.view.zoom]);
	}

	resetZoom(): void {
		this.zoom(0);
	}

	resetAll(): void {
		this.controls.show(START);
		this.search(START, true);
		this.zoom(0);
		this.focus = this.hover = -1;
		this.lookFirst();
		this.describe();
	}

	scrollPages(pages: number): boolean {
		return this.bars.scrollPages(pages);
	}

	copyName(): void {
		const frame = this.subject();
		if (frame >= 0)
			this.copier.copy(shownOf(this.model, frame), 'name');
	}

	copyStack(): void {
		const frame = this.subject();
		if (frame >= 0)
			this.copier.copy(folded(this.model, frame), 'stack');
	}

	flipCase(): void {
		this.controls.flipCase();
	}

	flipRegex(): void {
		this.controls.flipRegex();
	}

	toggleHelp(): void {
		this.hideTooltip();
		if (this.help.isShown)
			this.help.hide();
		else
			this.help.show();
	}

	escape(): void {
		this.hideTooltip();
		if (this.help.isShown) {
			this.help.hide();
		} else if (this.query.text) {
			this.controls.show({ ...this.query, text: '' });
			this.search({ ...this.query, text: '' }, true);
		} else {
			this.resetZoom();
		}
	}

	// What the pointer does

	/** The pointer is over a frame, or with -1 over none. */
	pointAt(frame: number, clientX = 0): void {
		this.hoverX = clientX - this.picture.getBoundingClientRect().left;
		if (frame === this.hover && !this.strip && !this.tellsFocus) {
			this.tooltip.moveTo(this.hoverX);
			return;
		}
		this.hover = frame;
		this.strip = null;
		this.tellsFocus = false;
		this.describe();
	}

	/** The pointer is over frames too narrow to be drawn, at a place in the picture. */
	pointAtStrip(x: number, y: number): void {
		this.hover = -1;
		this.hoverX = x;
		this.strip = stripAt(this.view, this.frames.depthAt(y), x);
		this.tellsFocus = false;
		this.describe();
	}

	pick(frame: number): void {
		this.focus = frame;
		this.isFocusDrawn = this.tellsFocus = false;
		this.zoom(frame);
		this.redraw();
		this.focusFrames();
	}

	/** Zooms to what a strip belongs to, or into the strip when that is zoomed already. */
	pickStrip(): void {
		if (!this.strip)
			return;
		const narrow = framesOf(this.model, this.view, this.strip);
		let frame = narrow.length ? this.model.parent[narrow[0]] : 0;
		while (frame > 0 && positionOf(this.view, frame) < 0)
			frame = this.model.parent[frame];
		const widest = narrow.reduce((best, i) =>
			this.model.value.numbers[i] > this.model.value.numbers[best] ? i : best, narrow[0]);
		this.pick(isWithin(this.model, this.view.zoom, frame) ? widest : frame);
	}

	indexOf(target: EventTarget | null): number {
		return this.frames.indexOf(target);
	}

	isStrip(target: EventTarget | null): boolean {
		return this.frames.isStrip(target);
	}

	/** Focus came to the frames from the keyboard. */
	enter(): void {
		this.setFocus(this.focus >= 0 ? this.focus : this.view.zoom);
	}

	/** Focus left the frames. */
	leave(): void {
		if (this.tellsFocus)
			this.hideTooltip();
	}

	/** The address changed: a link was followed, or the browser went back, which undoes a zoom and keeps the search. */
	go(): void {
		const place = parse(this.model, location.hash);
		const isStep = isOwnPlace();
		if (!isStep)
			this.adopt(place.query);
		this.focus = place.zoom || this.focus;
		this.show(place.zoom);
		this.revealZoomed();
		if (isStep)
			replacePlace(format(this.model, this.place()));
	}

	get isHelpShown(): boolean {
		return this.help.isShown;
	}

	scrolled(): void {
		this.bars.float();
		this.help.fit();
	}

	// The state and its picture

	private place(): Place {
		return { zoom: this.view.zoom, query: this.query };
	}

	private zoom(frame: number): void {
		if (frame === this.view.zoom)
			return;
		this.show(frame);
		pushPlace(format(this.model, this.place()));
	}

	/** Takes a query over from the address. */
	private adopt(query: Query): void {
		this.controls.show(query);
		this.run(query, false);
	}

	private run(query: Query, isAsked: boolean): void {
		this.query = query;
		this.hit = -1;
		this.isHeld = !isAsked && isRisky(query);
		this.result = search(this.model, this.isHeld ? START : query);
	}

	private search(query: Query, isAsked: boolean): void {
		if (isSame(this.query, query) && !(this.isHeld && isAsked))
			return;
		this.run(query, isAsked);
		this.frames.mark(this.result);
		this.showResult();
		replacePlace(format(this.model, this.place()));
	}

	/** Zooms out or in until a frame can be seen. */
	private reach(frame: number): void {
		const isSeenIn = (view: View) => {
			const at = positionOf(view, frame);
			return at >= 0 && view.widths[at] >= HIT_WIDTH;
		};
		if (isSeenIn(this.view))
			return;
		let common = this.view.zoom;
		while (!isWithin(this.model, frame, common))
			common = this.model.parent[common];
		for (const zoom of [common, Math.max(0, this.model.parent[frame]), frame]) {
			if (isSeenIn(layout(this.model, zoom, this.view.width)) || zoom === frame) {
				this.zoom(zoom);
				return;
			}
		}
	}

	private setFocus(frame: number): void {
		this.focus = frame;
		this.isFocusDrawn = true;
		this.hover = -1;
		this.strip = null;
		this.bars.reveal(this.frames.top(this.model.depth[frame]));
		this.tellsFocus = true;
		this.redraw();
	}

	private lookFirst(): void {
		this.bars.begin(firstRow(this.model, this.bars.rowsSeen));
		this.begun = this.bars.rootRow;
	}

	private revealZoomed(): void {
		if (this.view.zoom > 0)
			this.bars.reveal(this.frames.top(this.model.depth[this.view.zoom]));
	}

	private focusFrames(): void {
		this.group.focus({ preventScroll: true });
	}

	private fit(zoom: number): void {
		if (this.model.isFluid)
			this.picture.setAttribute('width', '100%');
		this.picture.removeAttribute('viewBox');
		const row = this.bars.rootRow;
		this.bars.fit();
		if (row === this.begun)
			this.lookFirst();
		else
			this.bars.begin(row);
		this.details.fit(this.bars.detailsRoom);
		this.help.fit();
		const width = this.bars.framesWidth;
		if (width !== this.view.width || zoom !== this.view.zoom)
			this.show(zoom, Math.max(1, width));
	}

	private show(zoom: number, width = this.view.width): void {
		this.view = layout(this.model, zoom, width);
		this.frames.show(this.view);
		this.frames.mark(this.result);
		this.controls.showZoom(zoom > 0);
		this.hover = -1;
		this.strip = null;
		this.showResult();
		this.redraw();
	}

	private redraw(): void {
		this.frames.outlineFrame(this.isFocusDrawn ? this.focus : -1);
		this.describe();
	}

	/** The frame that is talked about: under the pointer, else focused, else zoomed. */
	private subject(): number {
		if (this.hover >= 0)
			return this.hover;
		if (this.focus >= 0)
			return this.focus;
		return this.view.zoom > 0 ? this.view.zoom : -1;
	}

	private describe(): void {
		const frame = this.subject();
		const words = this.strip ? describeStrip(this.model, this.view, this.strip)
			: frame < 0 ? null : describe(this.model, frame, this.view.zoom);
		this.details.show(words);
		if (words && (this.strip || this.hover >= 0 || this.tellsFocus))
			this.showTooltip(words, this.strip ? -1 : frame);
		else
			this.tooltip.hide();
	}

	/** frame: -1 for the strip under the pointer. */
	private showTooltip(words: Words, frame: number): void {
		const depth = this.strip ? this.strip.depth : this.model.depth[frame];
		const at = positionOf(this.view, frame);
		const x = this.hover >= 0 || this.strip ? this.hoverX : at < 0 ? 0 : this.view.left[at];
		const title = frame < 0 ? '' : this.frames.ownTitle(frame);
		this.tooltip.show(words, title, { x, ...this.bars.rowAt(this.frames.top(depth)) });
	}

	private hideTooltip(): void {
		this.tellsFocus = false;
		this.tooltip.hide();
	}

	private showResult(): void {
		const { matches, hits, isValid, isComplete } = this.result;
		if (this.isHeld) {
			this.controls.showResult('press Enter to search', true);
			return;
		}
		if (!isValid || !matches) {
			this.controls.showResult(isValid ? '' : 'not a valid expression', isValid);
			return;
		}
		const matched = matchedValue(this.model, matches, this.view.zoom);
		const words = hitWords({
			at: this.hit,
			all: hits.length,
			inView: hitsWithin(this.model, hits, this.view.zoom),
			share: share(matched, this.model.value.exact(this.view.zoom)),
			isPartial: this.model.narrowFrames > 0,
		});
		this.controls.showResult(isComplete ? words : 'too slow an expression, so far ' + words, true);
	}

	private addButtons(): void {
		const name = button('copy name', 'Copy the name (c)');
		const stack = button('copy stack', 'Copy the stack as folded text (s)');
		name.id = 'copy-name';
		stack.id = 'copy-stack';
		name.addEventListener('click', () => this.copyName());
		stack.addEventListener('click', () => this.copyStack());
		this.bars.actions.append(name, stack);
	}
}
