// The bands WHERE (graph, functions, source) and WHY (details): requests what the state selects, and shows it.

import { html, set } from '../flame/dom';
import { Answers, Latest, questionOf, Trees } from './answers';
import { copyText, download } from './copy';
import { Details } from './details';
import { dividerOf } from './divider';
import { blockers, sandwichBlockers } from './empty';
import { ExportMenu } from './export';
import { frameActions } from './frame_actions';
import { Functions } from './functions';
import { Graph } from './graph';
import { Hits } from './hits';
import { Parameters } from './engine';
import { graphKeys } from './keys_graph';
import { Page } from './page';
import { SearchBox } from './search';
import { Source, SourceAnswer } from './source';
import { functionAtLine } from './source_lines';
import { Search, selectionParameters, State, transformParameters } from './state';
import { factsOf, tipOf } from './talk';
import { Crumb, Crumbs, Legend, Toolbar } from './toolbar';
import { Tooltip } from './tooltip';
import { follow, Labels, nameOf, Tree } from './tree';
import { clean, labelText, sizeWords } from './words';

/** The request that the trees answer. */
interface Answered {
	key: string;
	state: State;
}

export class Where {
	private readonly graph: Graph;
	private readonly answers: Answers;
	private readonly latest = new Latest();
	private readonly latestSource = new Latest();
	private readonly toolbar: Toolbar;
	private readonly crumbs: Crumbs;
	private readonly legend = new Legend();
	private readonly functions: Functions;
	private readonly source: Source;
	private readonly details: Details;
	private readonly search: SearchBox;
	private readonly hits: Hits;
	private readonly tooltip = new Tooltip();
	private readonly empty = html('div', { class: 'graph-empty', role: 'status' });
	private readonly live = html('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
	private readonly tabs = html('div', { class: 'panel-tabs', role: 'tablist', 'aria-label': 'Panel' });
	private readonly panel = html('section', { class: 'panel' });
	private trees: Trees | null = null;
	private answered: Answered | null = null;
	private asked = '';
	private askedSource = '';
	private found: Uint8Array | null = null;
	private pointer: { x: number; y: number } | null = null; // of the last hover

	constructor(where: HTMLElement, why: HTMLElement, search: HTMLElement, private readonly page: Page) {
		this.answers = new Answers(page.engine);
		this.graph = new Graph({
			change: (part) => this.change(part),
			onSpot: (pointer) => this.talk(pointer),
			openFolds: () => this.openFolds(),
		});
		const menu = new ExportMenu({
			picture: () => this.graph.flame.picture(),
			file: (as) => this.exportFile(as),
			copyFolded: () => this.copy(this.graph.foldedAll(), 'graph as folded stacks'),
			fail: (error) => page.fail(error),
		}, (blob) => download('flame.png', blob));
		this.toolbar = new Toolbar({
			change: (part) => this.change(part),
			setWidth: (width) => {
				this.graph.width = width;
				this.draw();
			},
		}, menu.element);
		this.crumbs = new Crumbs(this.toolbar.diff);
		this.functions = new Functions({
			onSelect: (name) => this.change({ subject: name }),
			onOpen: (name) => this.change({ subject: name, view: 'sandwich' }),
			onOrder: (order) => this.change({ order }),
		});
		this.source = new Source(() => this.total(), (line) => this.pickLine(line));
		this.details = new Details(why, frameActions({
			...this.commands(),
			name: () => this.graph.spot ? nameOf(this.graph.treeOf(this.graph.spot), this.graph.spot.node) : '',
		}));
		this.hits = new Hits(this.graph);
		this.search = new SearchBox(search, {
			onSearch: (wanted) => this.change({ search: wanted }),
			onStep: (step) => this.step(step),
			hits: () => this.hits.listed(),
			onLeave: () => this.graph.flame.scroller.focus(),
		}, page.gate);
		this.build(where);
		this.begin();
	}

	private build(where: HTMLElement): void {
		const { flame } = this.graph;
		flame.element.append(this.empty);
		this.empty.hidden = true;
		const graph = html('section', { class: 'graph', 'aria-label': 'Graph' },
			this.toolbar.element, this.crumbs.element, flame.element, this.legend.element, this.live);
		for (const [panel, text] of [['functions', 'Functions'], ['source', 'Source']]) {
			const tab = html('button', { type: 'button', role: 'tab', 'data-panel': panel }, text);
			tab.addEventListener('click', () => this.change({ panel: panel as State['panel'] }));
			this.tabs.append(tab);
		}
		this.panel.append(this.tabs, this.functions.element, this.source.element);
		where.classList.add('where-band');
		where.append(graph, dividerOf(where, this.panel), this.panel);
	}

	private begin(): void {
		const { page } = this;
		page.store.watch((state, before) => this.follow(state, before));
		page.watchLedger(() => this.ledgerCame());
		page.addKeys(graphKeys(this.commands()));
		const restyle = () => {
			this.graph.flame.restyle();
			this.draw();
		};
		new MutationObserver(restyle).observe(document.documentElement, { attributes: true, attributeFilter: ['data-scheme', 'class', 'style'] });
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);
		addEventListener('resize', restyle);
		this.showState(page.store.state);
		if (page.ledger)
			this.ask();
		this.expose();
	}

	private commands() {
		return {
			graph: this.graph,
			state: () => this.page.store.state,
			change: (part: Partial<State>) => this.change(part),
			focusSearch: () => this.search.focus(),
			step: (step: number) => this.step(step),
			copyName: () => this.copy(this.graph.name(), 'name'),
			copyStack: () => this.copy(this.graph.stack(), 'stack'),
		};
	}

	// The state

	private change(part: Partial<State>): void {
		const { state } = this.page.store;
		// The frames of callers, threads and a sandwich have other paths.
		const isTurned = part.view && part.view !== state.view && /callers|sandwich|time/.test(part.view + state.view);
		this.page.store.change(isTurned && !part.zoom ? { ...part, zoom: [] } : part, 'kept');
	}

	private follow(state: State, before: State): void {
		this.showState(state);
		this.ask();
		const isDrawnOtherwise = ['view', 'isIcicle', 'zoom', 'colour', 'bySelf', 'subject', 'scheme']
			.some((key) => state[key as keyof State] !== before[key as keyof State]);
		if (isDrawnOtherwise)
			this.draw();
		if (state.subject !== before.subject)
			this.subjectChanged(state.subject);
		if (state.search !== before.search)
			this.find();
	}

	private showState(state: State): void {
		this.toolbar.show(state);
		this.functions.setOrder(state.order);
		this.functions.select(state.subject);
		for (const tab of this.tabs.children)
			tab.setAttribute('aria-selected', String(tab.getAttribute('data-panel') === state.panel));
		this.functions.element.hidden = state.panel !== 'functions';
		this.source.element.hidden = state.panel !== 'source';
		this.askSource(state);
	}

	private subjectChanged(name: string): void {
		const { spot } = this.graph;
		const isTalkedOf = spot && nameOf(this.graph.treeOf(spot), spot.node) === name;
		if (name && !isTalkedOf)
			this.graph.focusFunction(name);
		else
			this.talk(null);
	}

	// Requests

	private ledgerCame(): void {
		this.asked = this.askedSource = '';
		this.ask();
		this.askSource(this.page.store.state);
	}

	private ask(): void {
		const { state } = this.page.store;
		const question = questionOf(state);
		const key = JSON.stringify(question);
		if (key === this.asked)
			return;
		this.asked = key;
		this.latest.run(async () => {
			try {
				this.came(await this.answers.ask(question), { key, state });
			} catch (error) {
				this.asked = '';
				this.page.fail(error);
			}
		});
	}

	private came(trees: Trees, answered: Answered): void {
		const hadLabels = this.trees?.main.labels;
		this.trees = trees;
		this.answered = answered;
		if (trees.main.labels !== hadLabels)
			this.match(trees.main.labels);
		this.draw();
		requestAnimationFrame(() => setTimeout(() => this.fillTable(trees), 0));
	}

	/** After the graph, which people look at first. */
	private fillTable(trees: Trees): void {
		if (trees !== this.trees)
			return;
		this.functions.show(trees.main, trees.isReversed);
		this.functions.setFound(this.found);
		this.source.refresh();
		this.sayHits();
		this.talk(this.graph.hover ? this.pointer : null, false);
	}

	private askSource(state: State): void {
		if (state.panel !== 'source')
			return;
		if (!state.subject) {
			this.askedSource = '';
			this.source.say('Choose a function in the graph or in the table to see its source.');
			return;
		}
		const parameters: Parameters = [['function', state.subject], ...selectionParameters(state.selection), ...transformParameters(state)];
		const key = JSON.stringify(parameters);
		if (key === this.askedSource)
			return;
		this.askedSource = key;
		this.latestSource.run(async () => {
			try {
				this.source.show(await this.page.engine.json<SourceAnswer>('source', parameters));
			} catch (error) {
				this.source.say(error instanceof Error ? error.message : String(error));
			}
		});
	}

	private pickLine(line: number): void {
		const labels = this.trees?.main.labels;
		const name = labels ? functionAtLine(labels, this.source.source().file, line) : '';
		if (name)
			this.change({ subject: name });
	}

	private async exportFile(as: string): Promise<void> {
		const { main } = questionOf(this.page.store.state);
		const { name, type, bytes } = await this.page.engine.file('export', [...main, ['as', as]]);
		download(name, new Blob([bytes as BlobPart], { type }));
	}

	// Display

	private isDark(): boolean {
		const { scheme } = document.documentElement.dataset;
		return scheme ? scheme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
	}

	private total(): number {
		const main = this.trees?.main;
		return main && main.size ? (main.change ? main.change.after.total : main.total)[0] : 0;
	}

	/** The state that the trees belong to; the old graph stays while another answer is pending. */
	private drawnState(): State {
		const { state } = this.page.store;
		const { answered } = this;
		return !answered || JSON.stringify(questionOf(state)) === answered.key ? state : answered.state;
	}

	private draw(): void {
		const { trees, graph } = this;
		if (!trees)
			return;
		const state = this.drawnState();
		const categories = this.page.ledger?.categories || [];
		graph.show(trees, state, categories, this.isDark());
		graph.flame.mark(this.found, graph.functionNumber(state.subject));
		this.legend.show(graph.legend);
		this.showEmpty(trees.main, state);
		this.showCrumbs(state);
		const size = trees.main.size ? sizeWords(trees.main) : '';
		set(graph.flame.canvas, { 'aria-label': `${state.view} graph, ${size}` });
		set(graph.flame.scroller, { 'aria-label': `${state.view} graph, ${size}. Arrow keys move, Enter zooms, Backspace goes back.` });
	}

	private showEmpty(main: Tree, state: State): void {
		const isEmpty = !!main.empty || !main.size || !this.total() && !main.change;
		const isMissing = !isEmpty && state.view === 'sandwich' && !!state.subject && !this.trees?.callers;
		const sentence = isEmpty ? main.empty || 'No samples match.' : isMissing ? `${clean(state.subject)} is not in this selection.`
			: state.view === 'diff' && !main.change ? 'Set a baseline to compare with: hold Ctrl and drag over the heat map.'
				: state.view === 'sandwich' && !state.subject ? 'Choose a function in the table to see all its callers and callees.' : '';
		const ways = isMissing ? sandwichBlockers(state, main.samples) : main.empty || !this.total() ? blockers(state, main.samples) : [];
		this.empty.replaceChildren();
		this.empty.hidden = !sentence;
		if (!sentence)
			return;
		this.empty.append(html('p', {}, sentence));
		for (const { text, part } of ways) {
			const button = html('button', { type: 'button' }, text);
			button.addEventListener('click', () => this.change(part));
			this.empty.append(button);
		}
	}

	private showCrumbs(state: State): void {
		const { tree } = this.graph;
		if (!tree || state.view === 'sandwich') {
			this.crumbs.show(this.subjectCrumb(state), tree ? sizeWords(tree) : '');
			return;
		}
		const nodes = follow(tree, state.zoom);
		const text = (i: number) => nodes[i] === undefined ? clean(state.zoom[i - 1]) : clean(tree.labels.function[tree.label[nodes[i]]]);
		const crumbs = [''].concat(state.zoom).map((_, i) => ({
			text: text(i), isMissing: nodes[i] === undefined, go: () => this.change({ zoom: state.zoom.slice(0, i) }),
		}));
		this.crumbs.show(crumbs, sizeWords(tree));
	}

	private subjectCrumb({ subject }: State): Crumb[] {
		const labels = this.trees?.main.labels;
		const label = labels ? labels.name.indexOf(subject) : -1;
		const text = labels && label >= 0 ? labelText(labels, label) : clean(subject);
		return subject ? [{ text, isMissing: label < 0, go: () => {} }] : [];
	}

	/** Describes the frame under the pointer, or the focused one; isSpoken: also for screen readers. */
	private talk(pointer: { x: number; y: number } | null, isSpoken = !pointer): void {
		const { graph } = this;
		const { spot } = graph;
		this.pointer = pointer;
		if (!spot) {
			this.tooltip.hide();
			this.details.say('Point at a frame, or move with the arrow keys. Click to zoom in.');
			return;
		}
		const context = {
			tree: graph.treeOf(spot), zoom: graph.zoom, categories: this.page.ledger?.categories || [], all: this.whole(),
			row: this.functions.rowOf(nameOf(graph.treeOf(spot), spot.node)),
		};
		this.details.show(factsOf(spot, context));
		const isFunction = graph.treeOf(spot).parent[spot.node] >= 0;
		for (const id of ['sandwich', 'source', 'hide', 'root', 'only'])
			this.details.allow(id, isFunction);
		const tip = tipOf(spot, context);
		if (pointer && graph.hover)
			this.tooltip.show(tip, pointer.x, pointer.y);
		else
			this.tooltip.hide();
		if (isSpoken)
			this.live.textContent = [tip.name, ...tip.notes, ...tip.facts].join(', ');
	}

	/** The value of the whole profile, or 0 if unknown. */
	private whole(): number {
		const { trees, page } = this;
		const isCounted = trees && trees.main.unit.name === 'samples' && trees.main.unit.decimals === 0;
		return isCounted && page.ledger ? trees.main.samples.in || page.ledger.samples : 0;
	}

	// Search

	private find(): void {
		this.search.show(this.page.store.state.search);
		if (!this.trees)
			return;
		this.match(this.trees.main.labels);
		this.showFound();
	}

	private match(labels: Labels): void {
		const { gate, store: { state: { search } } } = this.page;
		this.search.show(search);
		if (!gate.isHeld(search) && gate.isRisky(search)) {
			this.found = null;
			this.hits.tryMatch(labels, search, (found, isComplete) => this.tried(search, found, isComplete));
		} else {
			this.found = this.hits.match(labels, gate.isHeld(search) ? { ...search, text: '' } : search);
		}
	}

	private tried(search: Search, found: Uint8Array | null, isComplete: boolean): void {
		this.found = found;
		this.showFound();
		if (isComplete)
			this.page.gate.pass(search);
	}

	private showFound(): void {
		this.graph.flame.mark(this.found, this.graph.functionNumber(this.page.store.state.subject));
		this.functions.setFound(this.found);
		this.sayHits();
	}

	private sayHits(): void {
		const { words, isWrong } = this.hits.words(this.page.gate.isHeld(this.page.store.state.search));
		this.search.say(words, isWrong);
	}

	private step(step: number): void {
		this.hits.step(step);
		this.sayHits();
	}

	// Actions on a frame

	private copy(text: string, what: string): void {
		if (text)
			copyText(text, what, (sentence) => this.page.remark(sentence));
	}

	private openFolds(): void {
		const { transforms } = this.page.store.state;
		const left = transforms.filter(({ word }) => !/^(fold|charge|your-code|preset)$/.test(word));
		if (left.length < transforms.length)
			this.change({ transforms: left });
	}

	/** For tests. */
	private expose(): void {
		const { graph } = this;
		(window as unknown as { plumeWhere: object }).plumeWhere = {
			frames: () => graph.flame.boxes().map(({ spot, x, y, width, height }) => {
				const tree = graph.treeOf(spot);
				return { name: nameOf(tree, spot.node), x, y, w: width, h: height, depth: tree.depth[spot.node], pane: spot.pane,
					self: tree.self[spot.node], total: tree.total[spot.node] };
			}),
			table: () => this.functions.table(),
			source: () => this.source.source(),
			hits: () => this.hits.listed().map(({ name, value, note }) => ({ name, value, note })),
			unit: () => this.trees?.main.unit,
			total: () => this.total(),
			isIdle: () => this.latest.isIdle && this.latestSource.isIdle,
			drawNow: () => graph.flame.drawNow(),
			cost: () => graph.flame.cost_ms,
		};
	}
}
