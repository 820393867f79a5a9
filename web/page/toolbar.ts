// The bars above and below the graph: views, colours, the path of the zoom, and the legend.

import { html } from '../flame/dom';
import { LegendEntry } from './colours';
import { Colour, State, View } from './state';
import { Width } from './tree';

export const VIEWS: { view: View; text: string; says: string }[] = [
	{ view: 'flame', text: 'Flame', says: 'Callers below, callees above' },
	{ view: 'callers', text: 'Callers', says: 'Functions that took the time, and their callers' },
	{ view: 'left', text: 'Left heavy', says: 'The heaviest callee on the left' },
	{ view: 'time', text: 'Time order', says: 'Each thread\'s stacks side by side, in time order' },
	{ view: 'sandwich', text: 'Sandwich', says: 'All callers and all callees of one function' },
	{ view: 'diff', text: 'Diff', says: 'What changed from the baseline' },
];
const COLOURS: [Colour, string][] = [
	['kind', 'kind'], ['tier', 'V8 tier'], ['module', 'module'], ['thread', 'thread'], ['change', 'change'],
];
const WIDTHS: [Width, string][] = [['union', 'width: either side'], ['after', 'width: after'], ['before', 'width: before']];

export interface ToolbarHost {
	change(part: Partial<State>): void;
	setWidth(width: Width): void;
}

function select<T extends string>(name: string, options: [T, string][], run: (value: T) => void): HTMLSelectElement {
	const element = html('select', { 'aria-label': name, title: name },
		...options.map(([value, text]) => html('option', { value }, text)));
	element.addEventListener('change', () => run(element.value as T));
	return element;
}

export class Toolbar {
	readonly element = html('div', { class: 'graph-bar' });
	private readonly views = html('div', { class: 'choice', role: 'group', 'aria-label': 'View' });
	private readonly icicle = html('button', { type: 'button', title: 'Root at the top (i)' }, 'Icicle');
	private readonly colour: HTMLSelectElement;
	private readonly colourLabel: HTMLElement;
	readonly diff = html('span', { class: 'graph-diff' });
	private readonly own = html('button', { type: 'button', title: 'Colour by the change in a function\'s self time, and outline its callers' }, 'self time');
	private readonly absolute = html('button', { type: 'button', title: 'Compare raw counts, without scaling the baseline' }, 'absolute');
	private state: State | null = null;

	constructor(host: ToolbarHost, more: HTMLElement) {
		VIEWS.forEach(({ view, text, says }, i) => {
			const button = html('button', { type: 'button', 'data-view': view, title: `${says} (${view === 'diff' ? 'd' : i + 1})` }, text);
			button.addEventListener('click', () => host.change({ view }));
			this.views.append(button);
		});
		this.colour = select('Colour', COLOURS, (colour) => host.change({ colour }));
		this.colourLabel = html('label', {}, 'colour ', this.colour);
		this.icicle.addEventListener('click', () => host.change({ isIcicle: !this.state?.isIcicle }));
		this.own.addEventListener('click', () => host.change({ bySelf: !this.state?.bySelf }));
		this.absolute.addEventListener('click', () => host.change({ isAbsolute: !this.state?.isAbsolute }));
		this.diff.append(select('Width of a frame', WIDTHS, (width) => host.setWidth(width)), this.own, this.absolute);
		this.element.append(this.views, this.icicle,
			html('span', { class: 'spring' }), this.colourLabel, more);
	}

	show(state: State): void {
		this.state = state;
		for (const button of this.views.children)
			button.setAttribute('aria-pressed', String(button.getAttribute('data-view') === state.view));
		const isDiff = state.view === 'diff';
		this.icicle.setAttribute('aria-pressed', String(state.isIcicle));
		this.icicle.hidden = state.view === 'sandwich';
		this.diff.hidden = !isDiff;
		this.own.setAttribute('aria-pressed', String(state.bySelf));
		this.absolute.setAttribute('aria-pressed', String(state.isAbsolute));
		this.colourLabel.hidden = isDiff; // a diff is coloured by the change
		this.colour.value = state.colour === 'change' && !state.baseline ? 'kind' : state.colour;
		(this.colour.querySelector('[value=change]') as HTMLOptionElement).disabled = !state.baseline;
	}
}

export interface Crumb {
	text: string;
	isMissing: boolean; // not in this selection
	go(): void;
}

/** With more crumbs than this, those in the middle are left out. */
const MOST_CRUMBS = 5;

/** The path of the zoomed frame. */
export class Crumbs {
	private readonly path = html('nav', { class: 'crumbs', 'aria-label': 'Zoom' });
	private readonly size = html('span', { class: 'muted size' });
	readonly element: HTMLElement;

	constructor(more: HTMLElement) {
		this.element = html('div', { class: 'crumb-bar' }, this.path, more, this.size);
	}

	show(crumbs: Crumb[], size: string): void {
		const shown = crumbs.length <= MOST_CRUMBS ? crumbs : [crumbs[0], null, ...crumbs.slice(-MOST_CRUMBS + 1)];
		this.size.textContent = size;
		this.path.replaceChildren(...shown.flatMap((crumb, i) => [
			i ? html('span', { class: 'muted', 'aria-hidden': 'true' }, '\u203a') : '',
			crumb ? this.crumb(crumb, crumb === crumbs[crumbs.length - 1]) : html('span', { class: 'muted' }, '\u2026'),
		]));
	}

	private crumb(crumb: Crumb, isLast: boolean): HTMLElement {
		const button = html('button', { type: 'button', class: crumb.isMissing ? 'missing' : '' }, html('bdi', {}, crumb.text));
		if (isLast)
			button.setAttribute('aria-current', 'location');
		button.title = crumb.isMissing ? crumb.text + ' is not in this selection' : crumb.text;
		button.addEventListener('click', () => crumb.go());
		return button;
	}
}

export class Legend {
	readonly element = html('ul', { class: 'graph-legend', 'aria-label': 'Colours' });

	show(entries: LegendEntry[]): void {
		this.element.replaceChildren(...entries.map(({ text, colour, outline, isHatched }) => {
			const swatch = html('span', { class: 'swatch', 'aria-hidden': 'true' });
			swatch.style.backgroundColor = colour || 'transparent';
			swatch.classList.toggle('hatched', !!isHatched);
			if (outline)
				swatch.style.boxShadow = `inset 0 0 0 2px ${outline}`;
			return html('li', {}, swatch, html('bdi', {}, text));
		}));
	}
}
