// Draws a layout: strips, boxes by colour, then labels, then outlines.

import { CharWidth } from '../flame/label';
import { Paints } from './colours';
import { fitLabel, Fitted, GAP } from './fit';
import { Strip, Visible } from './flame_layout';
import { Tree } from './tree';
import { clean } from './words';

/** Colours that do not depend on the profile. */
export interface Ink {
	text: string;
	place: string;
	pale: string; // text on faded frames
	hit: string;
	focus: string;
	focusEdge: string;
	selected: string;
	background: string;
}

/** Highlights drawn over the frames' colours. */
export interface Marks {
	found: Uint8Array | null; // labels, by label
	selected: number; // function, or -1
	focus: number; // node, or -1
	hover: number; // node, or -1
	zoom: number;
}

export interface Brush {
	context: CanvasRenderingContext2D;
	scale: number; // device pixels per px
	font: string;
	rowHeight: number;
	charWidth: CharWidth;
	ink: Ink;
}

/** The place of a row on the canvas. */
export type RowBox = (depth: number) => { top: number; height: number };

const LABEL_PAD = 4;
/** Narrower frames have no label, px. */
const LEAST_LABEL = 24;
const FADED = 0.38;
/** Narrower frames have no outline for what changed, px. */
const LEAST_OUTLINE = 8;
/** Between the lines of a hatching, px. */
const HATCH = 6;

export interface Scene {
	tree: Tree;
	visible: Visible;
	paints: Paints;
	marks: Marks;
	rowBox: RowBox;
}

/** Boxes grouped by colour, because changing the colour of a canvas is slow. */
type Groups = Map<string, number[]>;

function group(groups: Groups, colour: string, ...box: number[]): void {
	const list = groups.get(colour);
	if (list)
		list.push(...box);
	else
		groups.set(colour, box);
}

export class Painter {
	private readonly labels = new Map<string, Fitted>();

	constructor(private readonly brush: Brush) {}

	paint(scene: Scene): void {
		const { context } = this.brush;
		this.paintStrips(scene);
		this.paintBoxes(scene);
		context.globalAlpha = 1;
		this.paintHatching(scene);
		this.paintLabels(scene);
		this.paintOutlines(scene);
	}

	/** To a whole device pixel, so that edges are sharp. */
	private snap(x: number): number {
		return Math.round(x * this.brush.scale) / this.brush.scale;
	}

	private fill(groups: Groups): void {
		const { context } = this.brush;
		for (const [colour, boxes] of groups) {
			context.fillStyle = colour;
			for (let i = 0; i < boxes.length; i += 4)
				context.fillRect(boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]);
		}
	}

	private stripBox(strip: Strip, rowBox: RowBox): number[] {
		const { top, height } = rowBox(strip.depth);
		return [strip.left, top, Math.max(strip.right - strip.left, 0.5), height - 1];
	}

	private paintStrips(scene: Scene): void {
		const { context, ink } = this.brush;
		const pale: Groups = new Map();
		const hits: Groups = new Map();
		for (const strip of scene.visible.strips) {
			const box = this.stripBox(strip, scene.rowBox);
			if (strip.isHit)
				group(hits, ink.hit, ...box);
			else
				group(pale, scene.paints.css[scene.paints.of(strip.widest)], ...box);
		}
		context.globalAlpha = scene.marks.found ? FADED * 0.6 : 0.6;
		this.fill(pale);
		context.globalAlpha = 1;
		this.fill(hits);
	}

	private paintBoxes(scene: Scene): void {
		const { context, ink } = this.brush;
		const { tree, visible, paints, marks } = scene;
		const plain: Groups = new Map();
		const faded: Groups = new Map();
		for (let at = 0; at < visible.node.length; at++) {
			const node = visible.node[at];
			const isHit = marks.found && marks.found[tree.label[node]];
			const colour = isHit ? ink.hit : paints.css[paints.of(node)];
			group(this.isPale(scene, node) ? faded : plain, colour, ...this.box(scene, at));
		}
		context.globalAlpha = FADED;
		this.fill(faded);
		context.globalAlpha = 1;
		this.fill(plain);
	}

	/** Hatches frames that only the baseline has, from the lower left to the upper right. */
	private paintHatching(scene: Scene): void {
		const { context } = this.brush;
		const { tree, visible, paints } = scene;
		if (!tree.change)
			return;
		context.strokeStyle = 'rgba(255,255,255,0.75)';
		context.lineWidth = 1.5;
		for (let at = 0; at < visible.node.length; at++) {
			if (visible.width[at] < HATCH || !paints.isGone(visible.node[at]))
				continue;
			const [left, top, width, height] = this.box(scene, at);
			context.save();
			context.beginPath();
			context.rect(left, top, width, height);
			context.clip();
			context.beginPath();
			for (let x = left - height; x < left + width; x += HATCH) {
				context.moveTo(x, top + height);
				context.lineTo(x + height, top);
			}
			context.stroke();
			context.restore();
		}
	}

	/** With a gap to the right and below, where there is room for one. */
	private box(scene: Scene, at: number): [number, number, number, number] {
		const left = this.snap(scene.visible.left[at]);
		const right = this.snap(scene.visible.left[at] + scene.visible.width[at]);
		const { top, height } = scene.rowBox(scene.tree.depth[scene.visible.node[at]]);
		const gap = right - left > 3 ? 1 : right - left > 1.5 ? 0.5 : 0;
		return [left, top, Math.max(right - left - gap, 1 / this.brush.scale), height - 1];
	}

	private fitted(tree: Tree, label: number, room: number): Fitted {
		const whole = Math.floor(room);
		const key = label + ' ' + whole;
		let fitted = this.labels.get(key);
		if (!fitted) {
			const { labels } = tree;
			fitted = fitLabel(clean(labels.function[label]), clean(labels.place[label]), whole, this.brush.charWidth);
			this.labels.set(key, fitted);
		}
		return fitted;
	}

	/** Call it when the labels changed. */
	forget(): void {
		this.labels.clear();
	}

	private paintLabels(scene: Scene): void {
		const { context, font, ink, rowHeight } = this.brush;
		const { tree, visible } = scene;
		context.font = font;
		context.textBaseline = 'middle';
		context.fillStyle = ink.text;
		const places: [string, number, number][] = [];
		const pale: [string, number, number][] = [];
		for (let at = 0; at < visible.node.length; at++) {
			if (visible.width[at] < LEAST_LABEL)
				continue;
			const { top, height } = scene.rowBox(tree.depth[visible.node[at]]);
			if (height < rowHeight)
				continue;
			const x = visible.left[at] + LABEL_PAD;
			const y = top + height / 2;
			const label = this.fitted(tree, tree.label[visible.node[at]], visible.width[at] - 2 * LABEL_PAD);
			const isPale = this.isPale(scene, visible.node[at]);
			if (label.name && isPale)
				pale.push([label.name, x, y]);
			else if (label.name)
				context.fillText(label.name, x, y);
			if (label.place)
				(isPale ? pale : places).push([label.place, x + label.nameWidth + GAP, y]);
		}
		this.write(places, ink.place);
		this.write(pale, ink.pale);
	}

	private write(texts: [string, number, number][], colour: string): void {
		const { context } = this.brush;
		context.fillStyle = colour;
		for (const [text, x, y] of texts)
			context.fillText(text, x, y);
	}

	/** Fades the zoomed frame's callers and, during a search, frames that do not match. */
	private isPale({ tree, marks }: Scene, node: number): boolean {
		return (!!marks.found && !marks.found[tree.label[node]]) || tree.depth[node] < tree.depth[marks.zoom];
	}

	private outline(box: number[], colour: string, width: number): void {
		const { context } = this.brush;
		context.strokeStyle = colour;
		context.lineWidth = width;
		context.strokeRect(box[0] + width / 2, box[1] + width / 2, Math.max(box[2] - width, 0.5), box[3] - width);
	}

	private paintOutlines(scene: Scene): void {
		const { ink } = this.brush;
		const { tree, visible, paints, marks } = scene;
		for (let at = 0; at < visible.node.length; at++) {
			const node = visible.node[at];
			const colour = paints.outlineOf(node);
			if (colour && visible.width[at] >= LEAST_OUTLINE)
				this.outline(this.box(scene, at), colour, 2);
			if (marks.selected >= 0 && tree.labels.functionOf[tree.label[node]] === marks.selected)
				this.outline(this.box(scene, at), ink.selected, 2);
			if (node === marks.hover && node !== marks.focus)
				this.outline(this.box(scene, at), ink.focusEdge, 1);
			if (node === marks.focus) {
				this.outline(this.box(scene, at), ink.focus, 3);
				this.outline(this.box(scene, at), ink.focusEdge, 2);
			}
		}
	}
}
