// The graph and its interaction: which trees are drawn and how, the zoom, the focused frame.

import { Trees } from './answers';
import { Category, Look, Paints, paintsFor } from './colours';
import { Flame, Pane, Spot } from './flame';
import { Direction, neighbour } from './flame_layout';
import { thinRows } from './rows';
import { State } from './state';
import { ancestry, FOLDED, folded, follow, functionOf, isWithin, leftHeavy, nameOf, pathOf, PROCESS, subjectOf, Tree, Width, withWidths } from './tree';

export interface GraphHost {
	change(part: Partial<State>): void;
	/** The current frame changed; x, y: the pointer, or null if something else changed it. */
	onSpot(pointer: { x: number; y: number } | null): void;
	openFolds(): void;
}

/** What was derived from a tree, kept so that it is derived once. */
interface Made {
	thin: Uint8Array;
	kinds: string[]; // by label
	heavy?: Tree;
	widths: Map<Width, Tree>;
	paints: Map<string, Paints>;
}

export class Graph {
	readonly flame: Flame;
	focus: Spot | null = null;
	hover: Spot | null = null;
	width: Width = 'union'; // of a diff
	private trees: Trees | null = null;
	private state: State | null = null;
	private panes: Pane[] = [];
	private categories: Category[] = [];
	private focusPath: string[] = [];
	private trail: string[][] = [];
	private look = ''; // what the graph shows, apart from the samples
	private made = new WeakMap<object, Made>();

	constructor(private readonly host: GraphHost) {
		this.flame = new Flame({
			onHover: (spot, x, y) => {
				this.hover = spot;
				this.host.onSpot({ x, y });
			},
			onPick: (spot, isDouble) => this.pick(spot, isDouble),
		});
	}

	/** The main tree as it is drawn. */
	get tree(): Tree | null {
		return this.panes[0]?.tree || null;
	}

	get zoom(): number {
		return this.isSandwich ? 0 : this.panes[0]?.base || 0;
	}

	get legend(): Paints['legend'] {
		return this.panes[0]?.paints.legend || [];
	}

	private get isSandwich(): boolean {
		return this.panes.length > 1;
	}

	treeOf(spot: Spot): Tree {
		return this.panes[spot.pane].tree;
	}

	/** Draws the trees according to the state. */
	show(trees: Trees, state: State, categories: Category[], isDark: boolean): void {
		const isOther = trees !== this.trees;
		const isZoomed = this.state && this.state.zoom !== state.zoom;
		const look = JSON.stringify([state.view, state.isIcicle, state.transforms, state.selection.files, state.view === 'sandwich' && state.subject]);
		const isNewLook = look !== this.look;
		this.look = look;
		if (this.state && this.state.view !== state.view)
			this.trail = [];
		this.trees = trees;
		this.state = state;
		this.categories = categories;
		const by = state.view === 'diff' ? 'change' : state.colour;
		this.panes = this.panesOf(trees, state, { by, bySelf: state.bySelf, isDark, categories });
		if (isOther) {
			this.hover = null;
			this.refocus();
		}
		this.flame.show(this.panes, isNewLook);
		this.flame.setFocus(this.focus);
		if (isZoomed && !isNewLook && this.panes.length === 1)
			this.flame.reveal({ pane: 0, node: this.zoom, strip: null });
	}

	private panesOf(trees: Trees, state: State, look: Look): Pane[] {
		const { callers, callees } = trees;
		if (state.view === 'sandwich') {
			if (!callers || !callees)
				return [];
			const top = subjectOf(callers, state.subject);
			const below = subjectOf(callees, state.subject);
			return [
				{ ...this.pane(this.heavy(callers), look, top), first: callers.depth[top] + 1, isUp: true },
				{ ...this.pane(this.heavy(callees), look, below), first: callees.depth[below], isUp: false },
			];
		}
		const tree = this.drawn(trees.main, state);
		const nodes = follow(tree, state.zoom);
		const base = nodes.length ? nodes[nodes.length - 1] : 0;
		return tree.size ? [{ ...this.pane(tree, look, base), first: 0, isUp: !state.isIcicle }] : [];
	}

	private pane(tree: Tree, look: Look, base: number): Omit<Pane, 'first' | 'isUp'> {
		const made = this.madeOf(tree);
		const key = [look.by, look.bySelf, look.isDark].join();
		const paints = made.paints.get(key) || paintsFor(tree, look);
		made.paints.set(key, paints);
		return { tree, paints, isThin: made.thin, base, kinds: made.kinds };
	}

	private madeOf(tree: Tree): Made {
		let made = this.made.get(tree);
		if (made)
			return made;
		const kinds = tree.labels.category.map((category) => (this.categories[category] || { name: '' }).name);
		made = { thin: thinRows(tree), kinds, widths: new Map(), paints: new Map() };
		this.made.set(tree, made);
		return made;
	}

	/** Views that show what is to blame put the heaviest first. */
	private heavy(tree: Tree): Tree {
		const made = this.madeOf(tree);
		return made.heavy || (made.heavy = leftHeavy(tree));
	}

	/** The tree with the widths and the order of the view. */
	private drawn(main: Tree, state: State): Tree {
		const made = this.madeOf(main);
		if (state.view === 'left' || state.view === 'callers')
			return this.heavy(main);
		if (state.view !== 'diff' || !main.change)
			return main;
		const tree = made.widths.get(this.width) || withWidths(main, this.width);
		made.widths.set(this.width, tree);
		return tree;
	}

	/** Finds the focused frame in other trees. */
	private refocus(): void {
		const spot = this.focus;
		const pane = spot && this.panes[spot.pane];
		const nodes = pane ? follow(pane.tree, this.focusPath) : [];
		this.focus = spot && nodes.length === this.focusPath.length + 1
			? { pane: spot.pane, node: nodes[nodes.length - 1], strip: null } : null;
	}

	// The current frame

	/** The frame under the pointer, else the focused one, else the zoomed one. */
	get spot(): Spot | null {
		return this.hover || this.focus || (this.zoom > 0 ? { pane: 0, node: this.zoom, strip: null } : null);
	}

	setFocus(spot: Spot | null, isRevealed: boolean): void {
		this.focus = spot;
		this.focusPath = spot ? pathOf(this.treeOf(spot), spot.node) : [];
		this.flame.setFocus(spot);
		if (spot && isRevealed)
			this.flame.reveal(spot);
		if (isRevealed)
			this.hover = null;
		this.host.onSpot(null);
	}

	/** Focuses the widest frame of a function. */
	focusFunction(name: string): void {
		const { tree, zoom } = this;
		if (!tree || this.isSandwich)
			return;
		let best = -1;
		for (let i = zoom; i < tree.end[zoom]; i++) {
			if (nameOf(tree, i) === name && (best < 0 || tree.total[i] > tree.total[best]))
				best = i;
		}
		if (best >= 0)
			this.setFocus({ pane: 0, node: best, strip: null }, true);
	}

	move(to: Direction): void {
		const { focus } = this;
		if (!focus || !this.panes[focus.pane]) {
			if (this.panes.length)
				this.setFocus({ pane: this.panes.length - 1, node: this.panes[this.panes.length - 1].base, strip: null }, true);
			return;
		}
		const { tree, base, first } = this.panes[focus.pane];
		const sight = { ...this.flame.sightOf(focus.pane), zoom: base, width: this.flame.width };
		if (this.isSandwich && this.crosses(focus, to))
			return;
		const node = neighbour(tree, focus.node, to, sight);
		if (tree.depth[node] >= first)
			this.setFocus({ pane: focus.pane, node, strip: null }, true);
	}

	/** From the function in the middle to the callers, and back. */
	private crosses(focus: Spot, to: Direction): boolean {
		const { tree, first, base } = this.panes[focus.pane];
		if (to !== 'shallower' || tree.depth[focus.node] !== first)
			return false;
		const other = 1 - focus.pane;
		const start = this.panes[other];
		const sight = { zoom: start.base, width: this.flame.width, firstRow: 0, lastRow: 0 };
		const node = other === 0 ? neighbour(start.tree, start.base, 'deeper', sight) : start.base;
		if (focus.node === base || other === 1)
			this.setFocus({ pane: other, node, strip: null }, true);
		return true;
	}

	/** The meaning of an arrow depends on where the root is. */
	arrow(key: string): void {
		const isUp = this.panes[this.focus?.pane ?? 0]?.isUp;
		const directions: { [key: string]: Direction } = {
			ArrowLeft: 'left', ArrowRight: 'right',
			ArrowUp: isUp ? 'deeper' : 'shallower', ArrowDown: isUp ? 'shallower' : 'deeper',
		};
		this.move(directions[key]);
	}

	/** The first or the last frame of the focused row. */
	edge(isFirst: boolean): void {
		const { focus } = this;
		if (!focus)
			return;
		const tree = this.treeOf(focus);
		const row = tree.depth[focus.node];
		const nodes = this.flame.boxes().map(({ spot }) => spot).filter((spot) => spot.pane === focus.pane && tree.depth[spot.node] === row);
		nodes.sort((a, b) => tree.start[a.node] - tree.start[b.node]);
		if (nodes.length)
			this.setFocus(nodes[isFirst ? 0 : nodes.length - 1], true);
	}

	// Zoom

	private pick(spot: Spot, isDouble: boolean): void {
		const tree = this.treeOf(spot);
		const flags = tree.labels.flags[tree.label[spot.node]];
		if (!spot.strip && flags & FOLDED) {
			this.host.openFolds();
			return;
		}
		const frame = spot.strip ? this.outOfStrip(spot) : spot.node;
		this.setFocus({ pane: spot.pane, node: frame, strip: null }, false);
		const subject = frame > 0 && !(flags & PROCESS) ? nameOf(tree, frame) : '';
		if (!this.isSandwich)
			this.zoomTo(frame, subject && !spot.strip ? { subject } : {});
		else if (isDouble && subject)
			this.host.change({ subject });
	}

	/** The frame that a strip belongs to, or its widest frame if that one is already zoomed. */
	private outOfStrip(spot: Spot): number {
		const tree = this.treeOf(spot);
		let frame = tree.parent[spot.node];
		while (frame > 0 && !this.flame.isDrawn({ pane: spot.pane, node: frame, strip: null }))
			frame = tree.parent[frame];
		return isWithin(tree, this.zoom, frame) ? spot.node : frame;
	}

	/** more: what changes with it. */
	zoomTo(node: number, more: Partial<State> = {}): void {
		const { tree, state } = this;
		if (!tree || !state)
			return;
		const zoom = pathOf(tree, node);
		if (zoom.join('\n') !== state.zoom.join('\n'))
			this.trail.push(state.zoom);
		this.host.change({ zoom, ...more });
	}

	zoomToFocus(): void {
		const { focus } = this;
		if (focus)
			this.pick(focus, true);
	}

	back(): void {
		const { state } = this;
		const before = this.trail.pop();
		if (before)
			this.host.change({ zoom: before });
		else if (state && state.zoom.length)
			this.host.change({ zoom: state.zoom.slice(0, -1) });
	}

	fit(): void {
		if (this.tree && this.state?.zoom.length)
			this.zoomTo(0);
	}

	/** Zooms so that a frame can be seen, and focuses it. */
	reach(node: number): void {
		const { tree, zoom } = this;
		if (!tree)
			return;
		const isSeen = (from: number) => isWithin(tree, node, from) && tree.total[node] / tree.total[from] * this.flame.width >= 3;
		if (!isSeen(zoom)) {
			const path = ancestry(tree, node);
			let common = zoom;
			while (!isWithin(tree, node, common))
				common = tree.parent[common];
			this.zoomTo(isSeen(common) ? common : path.find(isSeen) ?? node);
		}
		this.setFocus({ pane: 0, node, strip: null }, true);
	}

	// Texts

	name(): string {
		const { spot } = this;
		if (!spot)
			return '';
		const { labels, label } = this.treeOf(spot);
		const at = label[spot.node];
		return labels.function[at] + (labels.place[at] ? ' ' + labels.place[at] : '');
	}

	stack(): string {
		const { spot } = this;
		return spot ? folded(this.treeOf(spot), spot.node) : '';
	}

	/** Everything at and below the zoomed frame as folded stacks. */
	foldedAll(): string {
		const { tree, zoom } = this;
		if (!tree)
			return '';
		const lines: string[] = [];
		const self = tree.change ? tree.change.after.self : tree.self;
		for (let i = zoom; i < tree.end[zoom]; i++) {
			if (self[i] > 0)
				lines.push(folded(tree, i) + ' ' + self[i] / 10 ** tree.unit.decimals);
		}
		return lines.join('\n') + '\n';
	}

	functionNumber(name: string): number {
		const { tree } = this;
		const label = tree && name ? tree.labels.name.indexOf(name) : -1;
		return tree && label >= 0 ? tree.labels.functionOf[label] : -1;
	}

	functionOf(spot: Spot): number {
		return functionOf(this.treeOf(spot), spot.node);
	}
}
