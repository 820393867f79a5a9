// The table of functions: click a column to sort; it is linked to the graph.

import { html, set } from '../flame/dom';
import { CharWidth } from '../flame/label';
import { rulerFor } from '../flame/ruler';
import { fitLabel } from './fit';
import { filterRows, FunctionRow, functionRows, sortRows } from './function_table';
import { Labels, Tree } from './tree';
import { VirtualRows } from './virtual';
import { amount, changePoints, clean, integer, percent, signed, tierMarks, time } from './words';

export type Shows = 'share' | 'count' | 'time';

export interface FunctionsHost {
	onSelect(name: string): void;
	onOpen(name: string): void;
	onOrder(order: string): void;
}

interface ColumnHead {
	id: string; // of State.order
	text: string;
	says: string;
}

const COLUMNS: ColumnHead[] = [
	{ id: 'self', text: 'Self', says: 'time in the function itself' },
	{ id: 'total', text: 'Total', says: 'time in the function and what it calls; recursion counts once' },
	{ id: 'delta', text: 'Change', says: 'change in self from the baseline' },
	{ id: 'tiers', text: 'Tier', says: 'V8 compilers: ~ interpreter, ^ baseline, + Maglev, * optimized' },
	{ id: 'name', text: 'Function', says: 'function, and where it is defined' },
	{ id: 'module', text: 'Module', says: 'program, library or package' },
];
const SHOWS: [Shows, string][] = [['share', '%'], ['count', 'count'], ['time', 'time']];

function cell(className: string): HTMLElement {
	return html('div', { class: className, role: 'gridcell' });
}

export class Functions {
	readonly element = html('div', { class: 'functions' });
	private readonly head = html('div', { class: 'function-row function-head', role: 'row' });
	private readonly status = html('span', { class: 'muted', role: 'status' });
	private readonly list: VirtualRows;
	private readonly heads = new Map<string, HTMLElement>();
	private readonly choice = html('span', { class: 'choice', role: 'group', 'aria-label': 'Values' });
	private tree: Tree | null = null;
	private all: FunctionRow[] = [];
	private rows: FunctionRow[] = [];
	private found: Uint8Array | null = null;
	private order = 'self';
	private shows: Shows = 'share';
	private nameRoom = 200; // px
	private charWidth: CharWidth = () => 7;
	private mostSelf = 0; // the longest bars
	private mostTotal = 0;
	private selected = '';
	private active = -1; // the row with keyboard focus

	constructor(private readonly host: FunctionsHost) {
		this.list = new VirtualRows({ make: () => this.makeRow(), fill: (row, i) => this.fillRow(row, i) });
		const grid = html('div', { class: 'grid', role: 'grid', 'aria-label': 'Functions', tabindex: 0 }, this.head, this.list.element);
		this.element.append(html('div', { class: 'panel-bar' }, this.status, this.choice), grid);
		this.list.element.setAttribute('role', 'rowgroup');
		COLUMNS.forEach((column) => this.addHead(column));
		SHOWS.forEach(([shows, text]) => this.addChoice(shows, text));
		new ResizeObserver(() => this.refill()).observe(grid);
		grid.addEventListener('keydown', (event) => this.key(event));
		this.list.element.addEventListener('click', (event) => this.click(event, (name) => this.host.onSelect(name)));
		this.list.element.addEventListener('dblclick', (event) => this.click(event, (name) => this.host.onOpen(name)));
	}

	private addHead({ id, text, says }: ColumnHead): void {
		const button = html('button', { type: 'button', title: says, tabindex: -1 }, text);
		const head = html('div', { class: id === 'name' ? 'function-name' : id, role: 'columnheader' }, button);
		button.addEventListener('click', () => this.host.onOrder(this.order === id ? '-' + id : id));
		this.heads.set(id, head);
		this.head.append(head);
	}

	private addChoice(shows: Shows, text: string): void {
		const button = html('button', { type: 'button', 'data-shows': shows, 'aria-pressed': String(shows === this.shows) }, text);
		button.addEventListener('click', () => {
			this.shows = shows;
			for (const other of this.choice.children)
				other.setAttribute('aria-pressed', String(other === button));
			this.refill();
		});
		this.choice.append(button);
	}

	show(tree: Tree, isReversed: boolean): void {
		this.tree = tree;
		this.all = functionRows(tree, isReversed);
		this.mostSelf = this.all.reduce((most, { self }) => Math.max(most, self), 0);
		this.mostTotal = this.all.reduce((most, { total }) => Math.max(most, total), 0);
		this.element.classList.toggle('has-change', !!tree.change);
		this.element.classList.toggle('has-tiers', this.all.some((row) => tree.labels.tiers[row.label] > 0));
		(this.choice.querySelector('[data-shows=time]') as HTMLElement).hidden = !tree.unit.ns;
		if (!tree.unit.ns && this.shows === 'time')
			this.shows = 'count';
		this.arrange();
	}

	setFound(found: Uint8Array | null): void {
		this.found = found;
		this.arrange();
	}

	setOrder(order: string): void {
		if (order === this.order)
			return;
		this.order = order;
		this.arrange();
	}

	/** Selects a function without telling the host. */
	select(name: string): void {
		if (name === this.selected)
			return;
		this.selected = name;
		const at = this.indexOf(name);
		this.active = at;
		if (at >= 0)
			this.list.reveal(at);
		this.refill();
	}

	private indexOf(name: string): number {
		const { tree } = this;
		return tree && name ? this.rows.findIndex((row) => tree.labels.name[row.label] === name) : -1;
	}

	private arrange(): void {
		if (!this.tree)
			return;
		const { labels } = this.tree;
		this.rows = sortRows(filterRows(this.all, this.found), this.order, labels);
		this.active = this.indexOf(this.selected);
		const column = this.order.replace(/^-/, '');
		for (const [id, head] of this.heads) {
			const isAscending = /^(name|module)$/.test(id) !== this.order.startsWith('-');
			set(head, { 'aria-sort': id !== column ? 'none' : isAscending ? 'ascending' : 'descending' });
		}
		const all = integer(this.all.length);
		this.status.textContent = this.found ? `${integer(this.rows.length)} of ${all} functions` : `${all} functions`;
		set(this.head.parentElement as HTMLElement, { 'aria-rowcount': this.rows.length + 1 });
		this.refill();
	}

	private refill(): void {
		const name = this.list.element.querySelector<HTMLElement>('.function-name');
		if (name && name.clientWidth) {
			this.nameRoom = name.clientWidth - 2;
			this.charWidth = rulerFor(name);
		}
		this.list.show(this.rows.length);
	}

	private makeRow(): HTMLElement {
		const number = (name: string) => {
			const box = cell(name + ' number');
			box.append(html('span', { class: 'bar' }), html('span'));
			return box;
		};
		const name = cell('function-name');
		name.append(html('bdi'), html('bdi', { class: 'place' }));
		return html('div', { class: 'function-row', role: 'row' },
			number('self'), number('total'), cell('delta number'), cell('tiers'), name, cell('module'));
	}

	private value(value: number, whole: number, unit: Tree['unit']): string {
		switch (this.shows) {
		case 'count': return amount(value, unit);
		case 'time': return value > 0 ? time(value, unit) : '0';
		default: return percent(value, whole);
		}
	}

	private fillNumber(box: HTMLElement, value: number, most: number, tree: Tree): void {
		const whole = tree.change ? tree.change.after.total[0] : tree.total[0];
		const [bar, text] = box.children as unknown as HTMLElement[];
		bar.style.width = (most > 0 ? 100 * value / most : 0) + '%';
		text.textContent = this.value(value, whole, tree.unit);
	}

	private fillRow(element: HTMLElement, index: number): void {
		const row = this.rows[index];
		const { tree } = this;
		if (!row || !tree)
			return;
		const { labels } = tree;
		const [self, total, delta, tiers, name, module] = element.children as unknown as HTMLElement[];
		this.fillNumber(self, row.self, this.mostSelf, tree);
		this.fillNumber(total, row.total, this.mostTotal, tree);
		delta.textContent = tree.change ? this.change(row.change, tree) : '';
		delta.classList.toggle('grew', row.change > 0);
		tiers.textContent = tierMarks(labels.tiers[row.label]);
		this.fillName(name, labels, row.label);
		module.textContent = clean(labels.module[row.label]);
		const isSelected = labels.name[row.label] === this.selected;
		set(element, { 'aria-rowindex': index + 2, 'aria-selected': String(isSelected), 'data-index': index, id: 'function-' + index });
		element.classList.toggle('active', index === this.active);
	}

	private fillName(box: HTMLElement, labels: Labels, label: number): void {
		const place = clean(labels.place[label]);
		const fitted = fitLabel(clean(labels.function[label]), place, this.nameRoom, this.charWidth);
		box.children[0].textContent = fitted.name;
		box.children[1].textContent = fitted.place;
		box.title = clean(labels.function[label]) + (place ? '\n' + place : '');
	}

	private change(change: number, tree: Tree): string {
		const whole = tree.change ? tree.change.after.total[0] : 0;
		return this.shows === 'share' ? changePoints(change, whole) : signed(change, tree.unit);
	}

	private nameAt(index: number): string {
		return this.tree && this.rows[index] ? this.tree.labels.name[this.rows[index].label] : '';
	}

	private click(event: Event, run: (name: string) => void): void {
		const row = (event.target as Element).closest('[data-index]');
		if (row)
			run(this.nameAt(Number(row.getAttribute('data-index'))));
	}

	private key(event: KeyboardEvent): void {
		const steps: { [key: string]: number } = {
			ArrowDown: 1, ArrowUp: -1, PageDown: this.list.page, PageUp: -this.list.page, Home: -Infinity, End: Infinity,
		};
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key in steps) {
			const at = Math.max(0, Math.min(this.rows.length - 1, this.active + steps[event.key]));
			this.active = at;
			this.list.reveal(at);
			this.host.onSelect(this.nameAt(at));
			this.head.parentElement?.setAttribute('aria-activedescendant', 'function-' + at);
		} else if (event.key === 'Enter' && this.active >= 0) {
			this.host.onOpen(this.nameAt(this.active));
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	/** All frames of a function together. */
	rowOf(name: string): FunctionRow | null {
		const { tree } = this;
		return tree && this.all.find((row) => tree.labels.name[row.label] === name) || null;
	}

	/** For tests: what the table holds, in its order. */
	table(): { name: string; self: number; total: number; change: number }[] {
		const { tree } = this;
		return tree ? this.rows.map(({ label, self, total, change }) => ({ name: tree.labels.name[label], self, total, change })) : [];
	}
}
