// The tools above the heat map: rows, columns, colours, zoom and the legend.

import { button, Choice, make } from './dom';
import { Grid } from './heat_grid';
import { palette } from './heat_palette';
import { legendValues, onRamp, shareOf } from './heat_scale';
import { integer } from '../flame/numbers';
import { Ledger } from './page';
import { Rows, State, Store } from './state';
import { spanText } from './times';
import { When } from './when';

const COLUMNS_NS = [1e6, 1e7, 1e8, 5e8, 1e9, 5e9, 1e10, 3e10, 6e10, 3e11, 6e11, 1.8e12, 3.6e12, 8.64e13];

const ROWS: { value: Rows; text: string; title: string }[] = [
	{ value: 'offset', text: 'offset', title: 'A row for each slice of a column: what repeats every second shows as a line' },
	{ value: 'cpu', text: 'CPU', title: 'A row for each CPU' },
	{ value: 'thread', text: 'thread', title: 'A row for each thread' },
	{ value: 'process', text: 'process', title: 'A row for each process' },
	{ value: 'event', text: 'event', title: 'A row for each event' },
];

export class Tools {
	readonly element = make('div', { class: 'tools' });
	private readonly rows: Choice<Rows>;
	private readonly scale: Choice<'linear' | 'log'>;
	private readonly align: Choice<State['align']>;
	private readonly columns = make('select', { title: 'Width of a column', 'aria-label': 'Width of a column' });
	private readonly baseline: HTMLButtonElement;
	private readonly fit: HTMLButtonElement;
	private readonly legendBox = make('div', { class: 'scale' });
	private grid: Grid | null = null;

	constructor(private readonly when: When, private readonly store: Store) {
		this.rows = new Choice('Rows of the heat map', ROWS, (rows) => store.change({ rows }));
		this.scale = new Choice('Scale of the colours', [
			{ value: 'linear', text: 'linear', title: 'Colours follow the counts (l)' },
			{ value: 'log', text: 'log', title: 'Colours follow the logarithm of the counts, so small ones stand out (l)' },
		], (scale) => store.change({ isLog: scale === 'log' }));
		this.align = new Choice('Start of the columns', [
			{ value: 'start', text: 'start', title: 'Columns and times start at the first sample' },
			{ value: 'wall', text: 'clock', title: 'Columns start at whole seconds of the clock; times are times of day' },
		], (align) => store.change({ align }));
		this.baseline = button('baseline', 'Make the next range the baseline (b, or Ctrl + drag)', () => when.arm(!when.isBaseline), { class: 'baseline' });
		this.fit = button('fit', 'Show the whole profile (0)', () => when.fit());
		this.columns.addEventListener('change', () => store.change({ column_ns: Number(this.columns.value) }));
		this.element.append(make('h2', {}, 'When'), this.labelled('rows', this.rows.element), this.labelled('column', this.columns),
			this.labelled('scale', this.scale.element), this.labelled('from', this.align.element),
			make('div', { class: 'choice', role: 'group', 'aria-label': 'Zoom' },
				button('\u2212', 'Zoom out (\u2212)', () => when.zoom(2)), button('+', 'Zoom in (+, or Ctrl + wheel)', () => when.zoom(0.5)), this.fit),
			this.baseline, this.legendBox);
	}

	private labelled(text: string, element: HTMLElement): HTMLElement {
		return make('div', { class: 'labelled' }, make('span', { class: 'muted', 'aria-hidden': 'true' }, text), element);
	}

	know(ledger: Ledger): void {
		const { has } = ledger;
		const isAllowed = { offset: true, cpu: has.cpu, thread: has.threads, process: has.threads, event: ledger.events.length > 1 };
		this.rows.allow((rows) => isAllowed[rows]);
		this.align.allow(() => BigInt(ledger.start_unix_ns || '0') > BigInt(0));
		(this.align.element.parentElement as HTMLElement).hidden = BigInt(ledger.start_unix_ns || '0') === BigInt(0);
	}

	show(): void {
		const { state } = this.store;
		this.rows.show(state.rows);
		this.scale.show(state.isLog ? 'log' : 'linear');
		this.align.show(state.align);
		this.baseline.setAttribute('aria-pressed', String(this.when.isBaseline));
		this.fit.disabled = state.window === null && state.column_ns === 0;
		this.showColumns(state.column_ns);
		this.showLegend();
	}

	private showColumns(chosen: number): void {
		const values = COLUMNS_NS.includes(chosen) || chosen === 0 ? COLUMNS_NS : [...COLUMNS_NS, chosen].sort((a, b) => a - b);
		const shown = spanText(this.when.geometry.column_ns);
		if (this.columns.dataset.shown === `${chosen} ${shown}`)
			return;
		this.columns.dataset.shown = `${chosen} ${shown}`;
		this.columns.replaceChildren(make('option', { value: 0 }, `auto: ${shown}`), ...values.map((value) => make('option', { value }, spanText(value))));
		this.columns.value = String(chosen);
	}

	legend(grid: Grid): void {
		this.grid = grid;
		this.showLegend();
	}

	private showLegend(): void {
		const { grid } = this;
		const key = grid ? JSON.stringify([grid.top, grid.max, grid.hits !== null, this.store.state.isLog, document.documentElement.dataset.scheme]) : '';
		if (this.legendBox.dataset.key === key)
			return;
		this.legendBox.dataset.key = key;
		this.legendBox.replaceChildren();
		if (grid && grid.max > 0)
			this.fillLegend(grid);
	}

	private fillLegend(grid: Grid): void {
		const colours = palette(this.store.state.isLog);
		const isTime = grid.unit === 'ns';
		const textOf = (value: number): string => (isTime ? spanText(value) : integer(value));
		const ramp = grid.hits ? colours.hits : colours.ramp;
		for (const value of legendValues(grid.top)) {
			const swatch = make('i', { 'aria-hidden': 'true' });
			swatch.style.background = `rgb(${onRamp(ramp, shareOf(value, grid.top, colours.isLog)).join()})`;
			this.legendBox.append(swatch, make('span', {}, textOf(value) + (value === grid.top && grid.max > grid.top ? '+' : '')));
		}
		const more = grid.max > grid.top ? `, at most ${textOf(grid.max)}` : '';
		this.legendBox.append(make('span', { class: 'muted' }, `${grid.hits ? 'hits ' : isTime ? '' : grid.unit + ' '}per cell${more}`));
	}
}
