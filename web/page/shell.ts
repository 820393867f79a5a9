// The layout of the page: a header and three bands, When, Where and Why. The heights of When and Why can be changed.

import { button, make } from './dom';
import { Status } from './session';
import { Store } from './state';

type Band = 'when' | 'why';

const LEAST_PERCENT = 8;
const MOST_PERCENT = 75;
const REMARK_MS = 6000;

export class Shell {
	readonly header = make('header', { id: 'head' });
	readonly when = make('section', { id: 'when', 'aria-label': 'When: samples over time' });
	readonly chips = make('section', { id: 'chips', 'aria-label': 'Selections and transforms' });
	readonly where = make('section', { id: 'where', 'aria-label': 'Where: flame graph and functions' });
	readonly why = make('section', { id: 'why', 'aria-label': 'Why: details of a frame' });
	private readonly problemText = make('span');
	private readonly problemBar = make('div', { id: 'problem', role: 'alert', hidden: true }, this.problemText);
	private readonly remarkBox = make('div', { id: 'remark', role: 'status', 'aria-live': 'polite' });
	private readonly card = make('section', { id: 'card', 'aria-live': 'polite', hidden: true });
	private readonly page = make('main', { id: 'page' });
	private readonly separators: { [band in Band]: HTMLElement };
	private remarkTimer = 0;

	constructor(private readonly store: Store) {
		this.separators = { when: this.separator('when', 'Height of When'), why: this.separator('why', 'Height of Why') };
		this.page.append(this.header, this.problemBar, this.when, this.separators.when, this.chips, this.where,
			this.separators.why, this.why, this.card);
		document.body.append(this.page, this.remarkBox);
		store.watch((state, before) => {
			if (state.bands !== before.bands)
				this.size();
		});
		this.size();
	}

	/** Shows the bands, or a card that says what is going on instead. */
	status(status: Status): void {
		const isShown = status.kind === 'shown';
		this.page.dataset.status = status.kind;
		this.card.hidden = isShown;
		if (status.kind !== 'shown')
			this.card.replaceChildren(make('div', { class: status.kind },
				make('h2', {}, status.title), ...status.text.split('\n').map((line) => make('p', {}, line)),
				...(status.kind === 'refused' ? status.ways.map(({ text, go }) => button(text, text, go)) : [])));
	}

	/** Without times there is nothing to resize. */
	collapseWhen(isCollapsed: boolean): void {
		this.page.classList.toggle('timeless', isCollapsed);
	}

	problem(sentence: string): void {
		this.problemText.textContent = sentence;
		this.problemBar.hidden = sentence === '';
	}

	remark(sentence: string): void {
		this.remarkBox.textContent = sentence;
		this.remarkBox.classList.add('shown');
		clearTimeout(this.remarkTimer);
		this.remarkTimer = window.setTimeout(() => this.remarkBox.classList.remove('shown'), REMARK_MS);
	}

	private size(): void {
		const { bands } = this.store.state;
		for (const band of ['when', 'why'] as Band[]) {
			this.page.style.setProperty(`--${band}-height`, bands[band] ? bands[band] + 'vh' : '');
			this.separators[band].setAttribute('aria-valuenow', String(Math.round(this.percent(band))));
		}
		this.page.classList.toggle('sized-why', bands.why > 0);
	}

	private percent(band: Band): number {
		return this.store.state.bands[band] || 100 * this[band].offsetHeight / innerHeight;
	}

	private separator(band: Band, name: string): HTMLElement {
		const element = make('div', {
			class: 'separator', role: 'separator', tabindex: 0, 'aria-orientation': 'horizontal', 'aria-label': name,
			'aria-valuemin': LEAST_PERCENT, 'aria-valuemax': MOST_PERCENT, title: name + ': drag, or press Up or Down; double-click to reset',
		});
		const sign = band === 'when' ? 1 : -1; // Why grows upwards
		element.addEventListener('pointerdown', (event) => this.drag(element, band, sign, event));
		element.addEventListener('dblclick', () => this.setHeight(band, 0, 'kept'));
		element.addEventListener('keydown', (event) => {
			const step = event.key === 'ArrowDown' ? 2 : event.key === 'ArrowUp' ? -2 : 0;
			if (!step)
				return;
			event.preventDefault();
			this.setHeight(band, this.percent(band) + sign * step, 'kept');
		});
		return element;
	}

	private drag(element: HTMLElement, band: Band, sign: number, start: PointerEvent): void {
		const before = this.percent(band);
		element.setPointerCapture(start.pointerId);
		const at = (event: PointerEvent): number => before + sign * 100 * (event.clientY - start.clientY) / innerHeight;
		const move = (event: PointerEvent): void => this.setHeight(band, at(event), 'passing');
		element.addEventListener('pointermove', move);
		element.addEventListener('lostpointercapture', () => {
			element.removeEventListener('pointermove', move);
			this.store.change({}, 'kept');
		}, { once: true });
	}

	private setHeight(band: Band, percent: number, how: 'kept' | 'passing'): void {
		const bounded = percent && Math.round(10 * Math.min(Math.max(percent, LEAST_PERCENT), MOST_PERCENT)) / 10;
		this.store.change({ bands: { ...this.store.state.bands, [band]: bounded } }, how);
	}
}
