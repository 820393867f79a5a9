// What the file says about its frames (doc/formats/flame-svg.md), as columns in the order of the frames: preorder, so a
// frame's descendants are the frames between it and `end`.

import { Unit } from './numbers';

/** A list of counts: doubles to draw with, exact to talk about. */
export class Column {
	readonly numbers: Float64Array;
	private readonly texts: string[] | null;

	constructor(list: string, size: number) {
		const texts = list ? list.split(' ') : [];
		this.numbers = new Float64Array(size);
		let largest = 0;
		for (let i = 0; i < size; i++) {
			const n = Number(texts[i]) || 0;
			this.numbers[i] = n;
			if (n > largest)
				largest = n;
		}
		this.texts = largest > Number.MAX_SAFE_INTEGER ? texts : null;
	}

	exact(i: number): bigint {
		return BigInt(this.texts ? this.texts[i] : this.numbers[i]);
	}

	text(i: number): string {
		return this.texts ? this.texts[i] : String(this.numbers[i]);
	}

	sum(frames: number[]): bigint {
		if (this.texts)
			return frames.reduce((sum, i) => sum + this.exact(i), BigInt(0));
		return BigInt(frames.reduce((sum, i) => sum + this.numbers[i], 0));
	}
}

export interface Diff {
	before: Column;
	beforeSelf: Column;
	after: Column;
	afterSelf: Column;
	beforeTotal: bigint;
	afterTotal: bigint;
	scale: number; // of the counts before
	noise: Int32Array;
	ownNoise: Int32Array;
	isAbsolute: boolean;
}

export interface Model {
	size: number;
	isFluid: boolean;
	isInverted: boolean;
	frameHeight: number;
	fontSize: number;
	pad: number;
	top: number;
	bottom: number;
	nameType: string;
	unit: Unit;
	total: bigint;
	narrowFrames: number;
	names: string[]; // as in folded stacks
	labels: string[]; // as short as they are drawn
	shown: string[]; // whole, as people read them
	notes: string[];
	kinds: string[]; // "app", "kernel", ...; empty where the profile has no kinds
	name: Int32Array;
	depth: Int32Array;
	start: Column;
	value: Column;
	self: Column;
	parent: Int32Array; // -1 for the root
	end: Int32Array; // the first frame after this one that is not below it
	diff: Diff | null;
}

function integers(list: string, size: number): Int32Array {
	const texts = list ? list.split(' ') : [];
	const numbers = new Int32Array(size);
	for (let i = 0; i < size; i++)
		numbers[i] = Number(texts[i]);
	return numbers;
}

/** Fills parent and end from the depths. */
function relate(depth: Int32Array): { parent: Int32Array; end: Int32Array } {
	const parent = new Int32Array(depth.length);
	const end = new Int32Array(depth.length).fill(depth.length);
	const open: number[] = [];
	for (let i = 0; i < depth.length; i++) {
		// Written this way round as the other has "]]>" in it, which ends a CDATA section.
		while (open.length && depth[i] <= depth[open[open.length - 1]])
			end[open.pop() as number] = i;
		parent[i] = open.length ? open[open.length - 1] : -1;
		open.push(i);
	}
	return { parent, end };
}

/** A list that holds only what differs from the name. */
function others(names: string[], list: string[] | null, otherwise: string[] | null): string[] {
	return names.map((name, i) => (list && list[i]) || (otherwise && otherwise[i]) || name);
}

/** The kind of code that each name is. */
function kindsOf(raw: { names: string[]; categories?: string[]; category?: string }): string[] {
	const words = raw.categories || [];
	return Array.from(integers(raw.category || '', words.length ? raw.names.length : 0), (i) => words[i] || '');
}

/** `elements` is how many frames the picture has: a model that is longer or shorter is not trusted beyond that. */
export function parse(json: string, elements: number): Model {
	const raw = JSON.parse(json);
	const size = Math.min(elements, raw.depth ? raw.depth.split(' ').length : 0);
	const depth = integers(raw.depth, size);
	const column = (field: string) => new Column(raw[field] || '', size);
	const diff = raw.kind !== 'diff' ? null : {
		before: column('before'),
		beforeSelf: column('before_self'),
		after: column('after'),
		afterSelf: column('after_self'),
		beforeTotal: BigInt(raw.before_total),
		afterTotal: BigInt(raw.after_total),
		scale: raw.scale,
		noise: integers(raw.noise, size),
		ownNoise: integers(raw.own_noise || raw.noise, size),
		isAbsolute: !!raw.absolute,
	};
	return {
		size,
		isFluid: !!raw.fluid,
		isInverted: !!raw.inverted,
		frameHeight: raw.frame_height,
		fontSize: raw.font_size,
		pad: raw.pad,
		top: raw.top,
		bottom: raw.bottom,
		nameType: raw.name_type,
		unit: { factor: raw.factor, decimals: raw.decimals, name: raw.count_name, ns: raw.count_ns || 0 },
		total: BigInt(raw.total),
		narrowFrames: Number(raw.narrow.frames),
		names: raw.names,
		labels: others(raw.names, raw.labels, raw.shown),
		shown: others(raw.names, raw.shown, null),
		notes: raw.notes,
		kinds: kindsOf(raw),
		name: integers(raw.name, size),
		depth,
		start: column('start'),
		value: column('value'),
		self: column('self'),
		...relate(depth),
		diff,
	};
}

export function nameOf(model: Model, frame: number): string {
	return model.names[model.name[frame]];
}

export function shownOf(model: Model, frame: number): string {
	return model.shown[model.name[frame]];
}

export function labelOf(model: Model, frame: number): string {
	return model.labels[model.name[frame]];
}

/** The frame and its callers, root first. */
export function pathTo(model: Model, frame: number): number[] {
	const path = [];
	for (let i = frame; i >= 0; i = model.parent[i])
		path.push(i);
	return path.reverse();
}

export function isWithin(model: Model, frame: number, ancestor: number): boolean {
	return frame >= ancestor && frame < model.end[ancestor];
}

/** The stack down to the frame as folded text; the root stands for the whole profile and is no part of it. */
export function folded(model: Model, frame: number): string {
	const path = pathTo(model, frame);
	return (path.length > 1 ? path.slice(1) : path).map((i) => nameOf(model, i)).join(';');
}
