// Where frames are at a zoom: which are wide enough to be drawn, and what stands for the rest. No DOM here.

import { isWithin, Model, pathTo } from './model';

/** Below this many px a frame is not drawn by itself. */
const MIN_WIDTH = 0.5;
/** Frames drawn at once: what a browser moves well within 100 ms. With more the narrowest go into the strips. */
const MAX_FRAMES = 4000;
/** A subtree this narrow adds nothing to see above its own row, in px. */
const NOTHING = 0.02;

/** Frames of one row, side by side, too narrow to be drawn: from the first to the last of them. */
export interface Strip {
	depth: number;
	left: number;
	right: number;
	first: number;
	last: number;
}

/** A short part of a strip, drawn in the colour of its widest frame. */
export interface Piece {
	depth: number;
	left: number;
	right: number;
	widest: number;
}

export interface View {
	zoom: number;
	width: number; // of the zoomed frame, px
	minWidth: number;
	frames: number[]; // in preorder: the zoomed frame's callers, the frame, and what is below it
	left: Float64Array; // px, per entry of frames
	widths: Float64Array;
	strips: Strip[];
	pieces: Piece[];
}

interface Scale {
	start: number;
	pad: number;
	perValue: number;
}

function scaleOf(model: Model, zoom: number, width: number): Scale {
	const value = model.value.numbers[zoom];
	return {
		start: model.start.numbers[zoom],
		pad: model.pad,
		perValue: value > 0 ? width / value : 0,
	};
}

/** The frames at and below the zoomed one that are at least minWidth px wide; a narrower subtree costs one step. */
function wideFrames(model: Model, zoom: number, perValue: number, minWidth: number): number[] {
	const { end } = model;
	const value = model.value.numbers;
	const frames = [zoom];
	for (let i = zoom + 1; i < end[zoom];) {
		if (value[i] * perValue >= minWidth) {
			frames.push(i);
			i++;
		} else {
			i = end[i];
		}
	}
	return frames;
}

/** The width below which frames are left to the strips so that at most MAX_FRAMES are drawn. */
function chooseMinWidth(model: Model, frames: number[], perValue: number): number {
	if (frames.length <= MAX_FRAMES)
		return MIN_WIDTH;
	const widths = Float64Array.from(frames, (i) => model.value.numbers[i] * perValue).sort();
	return widths[widths.length - MAX_FRAMES] + 1e-9;
}

/** Narrow frames of a row melt into one strip when no gap between them could be seen. */
class Strips {
	readonly done: Strip[] = [];
	private readonly open: (Strip | undefined)[] = [];

	add(frame: number, depth: number, left: number, right: number): void {
		const strip = this.open[depth];
		if (strip && left - strip.right < MIN_WIDTH) {
			strip.right = right;
			strip.last = frame;
			return;
		}
		const fresh = { depth, left, right, first: frame, last: frame };
		this.open[depth] = fresh;
		this.done.push(fresh);
	}
}

/** Cuts what the strips are made of into pieces that are short, but not too many. */
class Pieces {
	readonly done: Piece[] = [];
	private readonly open: (Piece | undefined)[] = [];

	constructor(private readonly longest: number, private readonly value: ArrayLike<number>) {}

	add(frame: number, depth: number, left: number, right: number): void {
		const piece = this.open[depth];
		if (piece && left - piece.right < MIN_WIDTH && right - piece.left <= this.longest) {
			piece.right = right;
			if (this.value[frame] > this.value[piece.widest])
				piece.widest = frame;
			return;
		}
		const fresh = { depth, left, right, widest: frame };
		this.open[depth] = fresh;
		this.done.push(fresh);
	}
}

function isVisible(part: Strip | Piece): boolean {
	return part.right - part.left >= 0.1;
}

function narrowStrips(model: Model, zoom: number, scale: Scale, view: { width: number; minWidth: number }):
{ strips: Strip[]; pieces: Piece[] } {
	const { depth, end } = model;
	const value = model.value.numbers;
	const start = model.start.numbers;
	const strips = new Strips();
	const pieces = new Pieces(Math.max(6, view.width / 200), value);
	for (let i = zoom + 1; i < end[zoom];) {
		const width = value[i] * scale.perValue;
		if (width < view.minWidth) {
			const left = scale.pad + (start[i] - scale.start) * scale.perValue;
			strips.add(i, depth[i], left, left + width);
			pieces.add(i, depth[i], left, left + width);
		}
		i = width < NOTHING ? end[i] : i + 1;
	}
	return { strips: strips.done.filter(isVisible), pieces: pieces.done.filter(isVisible) };
}

/** Strips of matching frames alone, so that a search shows what is too narrow to be drawn. */
export function hitStrips(model: Model, view: View, hits: number[]): Strip[] {
	const scale = scaleOf(model, view.zoom, view.width);
	const strips = new Strips();
	for (const i of hits.slice().sort((a, b) => a - b)) {
		const width = model.value.numbers[i] * scale.perValue;
		if (!isWithin(model, i, view.zoom) || i === view.zoom || width >= view.minWidth)
			continue;
		const left = scale.pad + (model.start.numbers[i] - scale.start) * scale.perValue;
		strips.add(i, model.depth[i], left, left + width);
	}
	return strips.done;
}

export function layout(model: Model, zoom: number, width: number): View {
	const scale = scaleOf(model, zoom, width);
	let below = wideFrames(model, zoom, scale.perValue, MIN_WIDTH);
	const minWidth = chooseMinWidth(model, below, scale.perValue);
	if (minWidth > MIN_WIDTH)
		below = wideFrames(model, zoom, scale.perValue, minWidth);
	const callers = pathTo(model, zoom).slice(0, -1);
	const frames = callers.concat(below);
	const left = new Float64Array(frames.length).fill(model.pad);
	const widths = new Float64Array(frames.length).fill(width);
	for (let at = callers.length + 1; at < frames.length; at++) {
		const i = frames[at];
		left[at] = scale.pad + (model.start.numbers[i] - scale.start) * scale.perValue;
		widths[at] = model.value.numbers[i] * scale.perValue;
	}
	const narrow = narrowStrips(model, zoom, scale, { width, minWidth });
	return { zoom, width, minWidth, frames, left, widths, ...narrow };
}

/** How wide a frame would be, px, if `zoom` were zoomed. */
export function widthAt(model: Model, frame: number, zoom: number, width: number): number {
	return model.value.numbers[frame] * scaleOf(model, zoom, width).perValue;
}

/** The strip at a place, and of its frames the one nearest to it. */
export function stripAt(view: View, depth: number, x: number): Strip | null {
	let best: Strip | null = null;
	let distance = 2;
	for (const strip of view.strips) {
		if (strip.depth !== depth)
			continue;
		const away = Math.max(strip.left - x, x - strip.right, 0);
		if (away < distance) {
			best = strip;
			distance = away;
		}
	}
	return best;
}

/** The frames that a strip stands for. */
export function framesOf(model: Model, view: View, strip: Strip): number[] {
	const frames = [];
	for (let i = strip.first; i <= strip.last; i++) {
		const isNarrow = widthAt(model, i, view.zoom, view.width) < view.minWidth;
		if (model.depth[i] === strip.depth && isNarrow)
			frames.push(i);
	}
	return frames;
}

/** Position of a frame in view.frames, or -1. */
export function positionOf(view: View, frame: number): number {
	let low = 0;
	let high = view.frames.length - 1;
	while (low <= high) {
		const middle = (low + high) >> 1;
		if (view.frames[middle] === frame)
			return middle;
		if (view.frames[middle] < frame)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return -1;
}
