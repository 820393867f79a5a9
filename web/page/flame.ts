// The graph: one or two trees on a canvas as large as their visible part. The element scrolls, the canvas does not.

import { html, oncePerPicture } from '../flame/dom';
import { firstRow, Rated } from '../flame/first_look';
import { rulerFor } from '../flame/ruler';
import { Paints } from './colours';
import { frameAt, layOut, Sight, Strip, stripAt, Visible } from './flame_layout';
import { Brush, Ink, Marks, Painter, Scene } from './paint';
import { rowAt, Rows, rowsOf } from './rows';
import { Tree } from './tree';

/** A tree and its place in the graph. */
export interface Pane {
	tree: Tree;
	paints: Paints;
	isThin: Uint8Array; // rows, by depth
	base: number; // the zoomed node
	first: number; // rows before this depth are not shown
	isUp: boolean; // the root is at the bottom
	kinds: string[]; // whose code it is, by label: "app", "dependency", ...
}

/** A frame, or a strip of frames too narrow to draw. */
export interface Spot {
	pane: number;
	node: number;
	strip: Strip | null;
}

export interface Pointing {
	onHover(spot: Spot | null, x: number, y: number): void;
	onPick(spot: Spot, isDouble: boolean): void;
}

/** px of the window. */
interface Place {
	clientX: number;
	clientY: number;
}

interface Laid {
	pane: Pane;
	rows: Rows;
	top: number; // of the pane, px of the whole graph
	sight: Sight;
	visible: Visible;
}

const NO_MARKS: Marks = { found: null, selected: -1, focus: -1, hover: -1, zoom: 0 };
/** The characters of most names, measured before there is anything to draw. */
const FIRST_CHAR = 0x20;
const LAST_CHAR = 0x7e;
/** Browsers refuse larger canvases, device pixels. */
const LARGEST = 16000;
/** Frames with less than this share do not decide where a tall graph begins. */
const LEAST_SHARE = 0.0005;

function inkOf(element: Element): Ink {
	const style = getComputedStyle(element);
	const value = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
	return {
		text: '#000', place: 'rgba(0,0,0,0.76)', pale: value('--ink', '#000'), hit: 'rgb(230,0,230)',
		focus: value('--frame-focus', '#fff'), focusEdge: value('--frame-edge', '#000'),
		selected: value('--frame-selected', '#1a5fd0'), background: value('--frame-ground', '#fff'),
	};
}

/** The nodes that decide which row is in view first, for firstRow. */
function weighty(tree: Tree, kinds: string[]): Rated {
	const nodes: number[] = [];
	for (let i = 0; i < tree.size;) {
		const isWide = tree.total[i] >= tree.total[0] * LEAST_SHARE;
		if (isWide)
			nodes.push(i);
		i = isWide ? i + 1 : tree.end[i];
	}
	const column = (of: ArrayLike<number>) => nodes.map((i) => of[i]);
	return { size: nodes.length, depth: column(tree.depth), name: column(tree.label), kinds, value: { numbers: column(tree.total) } };
}

export class Flame {
	readonly scroller = html('div', { class: 'flame-scroll', tabindex: 0, role: 'application' });
	readonly canvas = html('canvas', { role: 'img' });
	readonly element = html('div', { class: 'flame' }, this.scroller, this.canvas);
	/** The graph's own height, px. */
	height = 0;
	/** How long the last drawing took, ms; 0 until the current graph was drawn. */
	cost_ms = 0;
	private readonly filler = html('div');
	private panes: Pane[] = [];
	private laid: Laid[] = [];
	private marks = NO_MARKS;
	private focus: Spot | null = null;
	private hover: Spot | null = null;
	private pointer: Place | null = null; // while it is over the graph
	private isMoved = false; // other frames may be under the pointer
	private brush: Brush | null = null;
	private painter: Painter | null = null;
	private isStale = false; // measured, but not laid out yet
	private measured = ''; // the size that the graph was measured for
	private begun = -1; // the initial scroll position; while it is there, nobody has scrolled
	private readonly redraw = oncePerPicture(() => this.draw());

	constructor(private readonly pointing: Pointing) {
		this.scroller.append(this.filler);
		this.scroller.addEventListener('scroll', this.redraw);
		new ResizeObserver(() => this.resize()).observe(this.element);
		this.listen();
	}

	private listen(): void {
		const { scroller } = this;
		scroller.addEventListener('pointermove', (event) => this.point(event));
		scroller.addEventListener('pointerleave', () => {
			this.pointer = this.hover = null;
			this.pointing.onHover(null, 0, 0);
			this.redraw();
		});
		scroller.addEventListener('click', (event) => {
			const spot = this.spotAt(event);
			if (spot)
				this.pointing.onPick(spot, event.detail > 1);
		});
	}

	private point(event: Place): void {
		this.pointer = { clientX: event.clientX, clientY: event.clientY };
		const spot = this.spotAt(event);
		const isOther = !spot || !this.hover || spot.node !== this.hover.node || spot.pane !== this.hover.pane;
		this.hover = spot;
		this.scroller.classList.toggle('over', !!spot);
		this.pointing.onHover(spot, event.clientX, event.clientY);
		if (isOther)
			this.redraw();
	}

	/** Call it after fonts, sizes or colours changed. */
	restyle(): void {
		this.brush = null;
		this.resize();
	}

	get rowHeight(): number {
		return this.ready().rowHeight;
	}

	get width(): number {
		return this.scroller.clientWidth;
	}

	private ready(): Brush {
		if (this.brush)
			return this.brush;
		const context = this.canvas.getContext('2d') as CanvasRenderingContext2D;
		const style = getComputedStyle(this.element);
		const size = parseFloat(style.fontSize);
		this.brush = {
			context, scale: devicePixelRatio || 1, font: `${style.fontSize} ${style.fontFamily}`,
			rowHeight: Math.round(size * 1.5), charWidth: rulerFor(this.element), ink: inkOf(this.element),
		};
		this.painter = new Painter(this.brush);
		for (let code = FIRST_CHAR; code <= LAST_CHAR; code++)
			this.brush.charWidth(code);
		return this.brush;
	}

	/** isOther: another graph than before, so it scrolls to its start; otherwise every frame keeps its row. */
	show(panes: Pane[], isOther: boolean): void {
		if (!this.panes.length || !panes.length || panes[0].tree.labels !== this.panes[0].tree.labels)
			this.painter?.forget();
		const isUp = this.panes.length ? this.panes[0].isUp : true;
		const { scroller } = this;
		const fromEnd = scroller.scrollHeight - scroller.scrollTop;
		this.panes = panes;
		this.hover = null;
		this.isMoved = true;
		this.cost_ms = 0;
		this.measure();
		if (isOther || this.begun < 0)
			this.lookFirst();
		else if (isUp && panes.length === 1 && panes[0].isUp)
			scroller.scrollTop = scroller.scrollHeight - fromEnd;
		this.redraw();
	}

	mark(found: Uint8Array | null, selected: number): void {
		this.marks = { ...this.marks, found, selected };
		this.redraw();
	}

	setFocus(spot: Spot | null): void {
		this.focus = spot;
		this.redraw();
	}

	private resize(): void {
		if (!this.element.clientWidth)
			return;
		const scale = devicePixelRatio || 1;
		const size = [this.scroller.clientWidth, this.scroller.clientHeight, scale].join();
		if (size === this.measured && this.brush)
			return;
		if (this.brush)
			this.brush.scale = scale;
		this.measure();
		if (this.panes.length && (this.begun < 0 || Math.abs(this.scroller.scrollTop - this.begun) < 2))
			this.lookFirst();
		this.draw();
	}

	/** Where each pane is, and how much there is to scroll. */
	private measure(): void {
		this.measured = [this.scroller.clientWidth, this.scroller.clientHeight, devicePixelRatio || 1].join();
		const { rowHeight } = this.ready();
		this.laid = [];
		this.isStale = true;
		let top = 0;
		for (const pane of this.panes) {
			const rows = rowsOf(pane.isThin, rowHeight, pane.first);
			const sight = { zoom: pane.base, width: 0, firstRow: 0, lastRow: -1 };
			this.laid.push({ pane, rows, top, sight, visible: { node: [], left: [], width: [], strips: [], steps: 0 } });
			top += rows.height;
		}
		this.height = top;
		this.filler.style.height = top + 'px';
		// A graph shorter than its window is aligned with the window's edge.
		const room = this.scroller.clientHeight - top;
		const isUp = this.panes.length === 1 && this.panes[0].isUp;
		if (room > 0 && isUp)
			this.laid.forEach((laid) => (laid.top += room));
	}

	/** Scrolls to the root, or to the user's own code if that would be out of view. */
	private lookFirst(): void {
		const { scroller } = this;
		const [first] = this.laid;
		if (!first)
			return;
		if (this.laid.length > 1) {
			scroller.scrollTop = Math.max(0, this.laid[1].top - scroller.clientHeight / 2);
		} else {
			const row = first.rows.top[this.firstSeen(first)];
			scroller.scrollTop = first.pane.isUp ? first.rows.height - row - scroller.clientHeight : row;
		}
		this.begun = scroller.scrollTop;
	}

	private firstSeen({ pane, rows }: Laid): number {
		const seen = Math.floor(this.scroller.clientHeight / this.ready().rowHeight);
		if (rows.height <= this.scroller.clientHeight || pane.base > 0 || pane.tree.isInTime)
			return Math.max(0, pane.tree.depth[pane.base] - 2);
		return firstRow(weighty(pane.tree, pane.kinds), seen);
	}

	private fitCanvas(): { width: number; height: number } {
		const { clientWidth: width, clientHeight: height } = this.scroller;
		const { scale } = this.ready();
		const size = [Math.round(width * scale), Math.round(height * scale)];
		if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
			[this.canvas.width, this.canvas.height] = size;
			this.canvas.style.width = width + 'px';
			this.canvas.style.height = height + 'px';
		}
		return { width, height };
	}

	private draw(): void {
		const begun = performance.now();
		const { context, scale, ink } = this.ready();
		const { width, height } = this.fitCanvas();
		if (!width || !height)
			return;
		context.setTransform(scale, 0, 0, scale, 0, 0);
		context.fillStyle = ink.background;
		context.fillRect(0, 0, width, height);
		const from = this.scroller.scrollTop;
		this.isStale = false;
		this.laid.forEach((laid, at) => {
			this.layOutRows(laid, width, from, from + height);
			(this.painter as Painter).paint(this.scene(laid, at, from));
		});
		this.cost_ms = performance.now() - begun;
		const { isMoved, pointer } = this;
		this.isMoved = false;
		if (isMoved && pointer)
			this.point(pointer);
	}

	/** Lays out the rows between two heights of the whole graph. */
	private layOutRows(laid: Laid, width: number, from: number, until: number): void {
		const { rows, pane, top } = laid;
		const clamp = (y: number) => Math.min(Math.max(y, 0), rows.height - 0.01);
		const near = pane.isUp ? top + rows.height - until : from - top;
		const far = pane.isUp ? top + rows.height - from : until - top;
		const isOut = far <= 0 || near >= rows.height || !rows.height;
		laid.sight = {
			zoom: pane.base, width,
			firstRow: isOut ? 1 : Math.max(pane.first, rowAt(rows, clamp(near))), lastRow: isOut ? 0 : rowAt(rows, clamp(far)),
		};
		laid.visible = layOut(pane.tree, laid.sight, this.marks.found);
	}

	private scene({ pane, rows, top, visible }: Laid, at: number, from: number): Scene {
		const spot = (where: Spot | null) => where && where.pane === at ? where.node : -1;
		return {
			tree: pane.tree, visible, paints: pane.paints,
			marks: { ...this.marks, zoom: pane.base, focus: spot(this.focus), hover: this.hover?.strip ? -1 : spot(this.hover) },
			rowBox: (depth) => {
				const height = rows.top[depth + 1] - rows.top[depth];
				return { top: (pane.isUp ? top + rows.height - rows.top[depth + 1] : top + rows.top[depth]) - from, height };
			},
		};
	}

	/** The panes and their visible parts. */
	private seen(): Laid[] {
		if (this.isStale)
			this.draw();
		return this.laid;
	}

	private spotAt(event: Place): Spot | null {
		const box = this.scroller.getBoundingClientRect();
		const x = event.clientX - box.left;
		const y = event.clientY - box.top + this.scroller.scrollTop;
		const seen = this.seen();
		for (let at = 0; at < seen.length; at++) {
			const { pane, rows, top, visible } = seen[at];
			const row = rowAt(rows, pane.isUp ? top + rows.height - y : y - top);
			if (row < 0)
				continue;
			const node = frameAt(pane.tree, visible, row, x);
			const strip = node < 0 ? stripAt(visible, row, x) : null;
			if (node >= 0 || strip)
				return { pane: at, node: strip ? strip.widest : node, strip };
		}
		return null;
	}

	/** Whether all the row's frames were folded away. */
	isThin(spot: Spot): boolean {
		const { pane } = this.laid[spot.pane];
		return !!pane.isThin[pane.tree.depth[spot.node]];
	}

	/** Scrolls as far as needed to see a frame's row. */
	reveal(spot: Spot): void {
		const { pane, rows, top } = this.laid[spot.pane];
		const depth = pane.tree.depth[spot.node];
		const near = pane.isUp ? top + rows.height - rows.top[depth + 1] : top + rows.top[depth];
		const { scroller } = this;
		const margin = this.ready().rowHeight;
		if (near - margin < scroller.scrollTop)
			scroller.scrollTop = near - margin;
		else if (near + 2 * margin > scroller.scrollTop + scroller.clientHeight)
			scroller.scrollTop = near + 2 * margin - scroller.clientHeight;
		this.redraw();
	}

	isDrawn({ pane, node }: Spot): boolean {
		return this.seen()[pane].visible.node.includes(node);
	}

	/** All frames that are drawn, px of the window. */
	boxes(): { spot: Spot; x: number; y: number; width: number; height: number }[] {
		const box = this.scroller.getBoundingClientRect();
		return this.seen().flatMap((laid, pane) => {
			const { rowBox } = this.scene(laid, pane, this.scroller.scrollTop);
			return laid.visible.node.map((node, at) => {
				const { top, height } = rowBox(laid.pane.tree.depth[node]);
				return { spot: { pane, node, strip: null }, x: box.left + laid.visible.left[at], y: box.top + top,
					width: laid.visible.width[at], height };
			});
		});
	}

	sightOf(pane: number): Sight {
		return this.laid[pane].sight;
	}

	/** Draws at once; for measuring. */
	drawNow(): number {
		this.draw();
		return this.cost_ms;
	}

	/** The whole graph as a picture, including what is out of view. */
	picture(): Promise<Blob | null> {
		const { width } = this;
		const canvas = html('canvas');
		const brush = { ...this.ready(), context: canvas.getContext('2d') as CanvasRenderingContext2D };
		const height = Math.min(this.height, LARGEST / brush.scale);
		canvas.width = Math.round(width * brush.scale);
		canvas.height = Math.round(height * brush.scale);
		brush.context.setTransform(brush.scale, 0, 0, brush.scale, 0, 0);
		brush.context.fillStyle = brush.ink.background;
		brush.context.fillRect(0, 0, width, height);
		const painter = new Painter(brush);
		let top = 0;
		this.laid.forEach((laid, at) => {
			const whole = { ...laid, top };
			this.layOutRows(whole, width, 0, height);
			painter.paint(this.scene(whole, at, 0));
			top += laid.rows.height;
		});
		return new Promise((done) => canvas.toBlob(done));
	}
}
