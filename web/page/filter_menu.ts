// The menu that adds a filter, a transform or a preset.

import { button, make } from './dom';
import { Ledger } from './page';
import { Popup } from './popup';
import { isOn, presetsOf, toggled } from './presets';
import { merged, withFilter } from './ranges';
import { Session } from './session';
import { State } from './state';
import { parseRange } from './times';

interface Kind {
	word: string;
	text: string;
	hint: string;
	/** The choices, as value and name. */
	values: (ledger: Ledger) => [string, string][];
}

const none = (): [string, string][] => [];

function unique(pairs: [string, string][]): [string, string][] {
	return [...new Map(pairs).entries()];
}

const KINDS: Kind[] = [
	{ word: 'only', text: 'only stacks with', hint: 'regular expression', values: none },
	{ word: 'without', text: 'only stacks without', hint: 'regular expression', values: none },
	{ word: 'hide', text: 'hide frames', hint: 'regular expression', values: none },
	{ word: 'root', text: 'start stacks at', hint: 'regular expression', values: none },
	{ word: 'time', text: 'time', hint: '12.4, 13.9', values: none },
	{ word: 'tid', text: 'thread', hint: 'thread ID', values: (ledger) => ledger.threads.map((one) => [String(one.tid), one.comm]) },
	{ word: 'pid', text: 'process', hint: 'process ID', values: (ledger) => unique(ledger.threads.map((one) => [String(one.pid), one.comm])) },
	{ word: 'comm', text: 'thread name', hint: 'name', values: (ledger) => unique(ledger.threads.map((one) => [one.comm, ''])) },
	{ word: 'cpu', text: 'CPU', hint: 'number', values: none },
	{ word: 'event', text: 'event', hint: 'name', values: (ledger) => ledger.events.map((one) => [one.name, '']) },
	{
		word: 'container', text: 'container', hint: 'name',
		values: (ledger) => unique(ledger.threads.filter((one) => one.container).map((one) => [one.container, ''])),
	},
	{ word: 'module', text: 'module of the leaf', hint: 'libc.so.6', values: none },
	{ word: 'kind', text: 'kind of the leaf', hint: 'kernel', values: none },
];

/** The state with one more filter; null if the value is empty or invalid. */
export function added(state: State, word: string, value: string): Partial<State> | null {
	const { selection } = state;
	if (value === '')
		return null;
	switch (word) {
	case 'only':
	case 'without':
		return withFilter(state, { [word]: [...selection[word], value] });
	case 'hide':
	case 'root':
		return { transforms: [...state.transforms, { word, value }] };
	case 'time': {
		const range = parseRange(value);
		return range && { selection: { ...selection, times: merged([...selection.times, range]) } };
	}
	default:
		return withFilter(state, { where: [...selection.where, `${word}=${value}`] });
	}
}

export class FilterMenu {
	private readonly popup: Popup;

	constructor(opener: HTMLButtonElement, private readonly session: Session) {
		this.popup = new Popup(opener, 'Add a filter or a transform', (panel) => this.fill(panel));
	}

	open(): void {
		this.popup.open();
	}

	private fill(panel: HTMLElement): void {
		panel.classList.add('filters');
		const { store } = this.session;
		const { ledger } = this.session;
		const options = presetsOf(ledger).map((preset) =>
			this.option(preset.name, preset.text, isOn(store.state, preset), () => toggled(store.state, preset, ledger)));
		options.push(this.option('no idle', 'Leave out stacks that end in the kernel\u2019s idle loop', store.state.selection.noIdle,
			() => withFilter(store.state, { noIdle: !store.state.selection.noIdle })));
		options.push(this.option('count periods', 'Weight each sample by its period', store.state.weight === 'period',
			() => ({ weight: store.state.weight === 'period' ? 'auto' : 'period' })));
		panel.append(this.form(), make('div', { class: 'options' }, ...options));
	}

	private form(): HTMLElement {
		const kind = make('select', { 'aria-label': 'What to filter by' }, ...KINDS.map((one) => make('option', { value: one.word }, one.text)));
		const list = make('datalist', { id: 'values' });
		const value = make('input', { 'aria-label': 'Value', list: 'values', autocomplete: 'off', spellcheck: 'false' });
		const chosen = (): void => {
			const found = KINDS.find((one) => one.word === kind.value) as Kind;
			value.placeholder = found.hint;
			const pairs = this.session.ledger ? found.values(this.session.ledger) : [];
			list.replaceChildren(...pairs.slice(0, 1000).map(([one, name]) => make('option', { value: one, label: name || one })));
		};
		const form: HTMLFormElement = make('form', {}, kind, value, list, button('Add', 'Add the filter', () => form.requestSubmit()));
		form.addEventListener('submit', (event) => {
			event.preventDefault();
			this.add(kind.value, value.value.trim());
		});
		kind.addEventListener('change', chosen);
		chosen();
		return form;
	}

	private add(word: string, value: string): void {
		const part = added(this.session.store.state, word, value);
		if (!part) {
			this.session.remark(word === 'time' ? 'Type a range as two times, such as 12.4, 13.9 or 200ms, 1.5s.' : 'Type a value first.');
			return;
		}
		this.popup.close();
		this.session.store.change(part);
	}

	private option(name: string, text: string, isOn: boolean, part: () => Partial<State>): HTMLElement {
		const box = make('input', { type: 'checkbox' });
		box.checked = isOn;
		box.addEventListener('change', () => {
			this.session.store.change(part());
			this.popup.refresh(); // presets may replace each other
		});
		return make('label', {}, box, make('span', {}, make('b', {}, name), make('span', { class: 'muted' }, text)));
	}
}
