// The row of chips between When and Where: selections, the baseline and transforms. Each can be
// removed; ranges can be edited.

import { button, make } from './dom';
import { Chip, chipsOf } from './chip_list';
import { FilterMenu } from './filter_menu';
import { isOn, toggled, yourCodeOf } from './presets';
import { rest } from './ranges';
import { Session } from './session';
import { parseRange } from './times';

export class Chips {
	private readonly yourCode = button('your code', 'Switch between your code and all frames (y)', () => this.toggleYourCode(), { class: 'toggle' });
	private readonly list = make('div', { class: 'list', role: 'list' });
	private readonly restButton = button('compare with the rest', 'Use everything outside the range as the baseline', () => this.compareWithRest());
	private readonly swapButton = button('swap sides', 'Swap the selection and the baseline', () => this.swap());
	private readonly undoButton = button('\u21b6', 'Undo (Ctrl+Z)', () => this.session.store.undo());
	private readonly redoButton = button('\u21b7', 'Redo (Ctrl+Shift+Z)', () => this.session.store.redo());

	constructor(element: HTMLElement, private readonly session: Session) {
		const adder = make('button', { type: 'button', class: 'adder', title: 'Add a filter or a transform (a)' }, '+ filter');
		const menu = new FilterMenu(adder, session);
		element.append(this.yourCode, this.list, adder, this.restButton, this.swapButton, make('div', { class: 'end' }, this.undoButton, this.redoButton));
		session.store.watch(() => this.show());
		session.watchLedger(() => this.show());
		session.addKeys([
			{ keys: ['y'], shown: 'y', does: 'switch between your code and all frames', group: 'Selection', run: () => this.toggleYourCode() },
			{ keys: ['a'], shown: 'a', does: 'add a filter or a transform', group: 'Selection', run: () => menu.open() },
			{ keys: ['r'], shown: 'r', does: 'compare the range with the rest', group: 'Selection', run: () => this.compareWithRest() },
			{ keys: ['Ctrl+z'], shown: 'Ctrl+Z', does: 'undo', group: 'Selection', run: () => session.store.undo() },
			{ keys: ['Ctrl+Shift+z', 'Ctrl+y'], shown: 'Ctrl+Shift+Z', does: 'redo', group: 'Selection', run: () => session.store.redo() },
		]);
		this.show();
	}

	private toggleYourCode(): void {
		this.session.store.change(toggled(this.session.store.state, yourCodeOf(this.session.ledger), this.session.ledger));
	}

	private compareWithRest(): void {
		const { state } = this.session.store;
		const { ledger } = this.session;
		if (!ledger || !state.selection.times.length) {
			this.session.remark('Select a range first: drag on the heat map.');
			return;
		}
		const times = rest(state.selection.times, ledger.duration_ns / 1e9);
		if (times.length)
			this.session.store.change({ baseline: { ...state.selection, times }, view: 'diff' });
		else
			this.session.remark('The range covers the whole profile, so there is no rest to compare it with.');
	}

	private swap(): void {
		const { selection, baseline } = this.session.store.state;
		if (baseline)
			this.session.store.change({ selection: baseline, baseline: selection });
	}

	private show(): void {
		const { store } = this.session;
		const { state } = store;
		const yourCode = yourCodeOf(this.session.ledger);
		this.yourCode.hidden = this.session.ledger?.has.kinds === false; // the profile does not say whose code it is
		this.yourCode.setAttribute('aria-pressed', String(isOn(state, yourCode)));
		this.yourCode.title = `Switch between your code and all frames (y). Your code: ${yourCode.text}`;
		this.undoButton.disabled = !store.canUndo;
		this.redoButton.disabled = !store.canRedo;
		this.swapButton.hidden = state.baseline === null;
		this.restButton.hidden = state.selection.times.length === 0 || state.baseline !== null;
		const chips = chipsOf(state, yourCode, (key, value) => this.nameOf(key, value), (id) => this.fileName(id));
		const isWhole = !chips.some((chip) => chip.kind === 'range' || chip.kind === 'filter');
		this.list.replaceChildren(...(isWhole ? [make('span', { class: 'muted', role: 'listitem' }, 'whole profile')] : []),
			...chips.map((chip) => this.element(chip)));
	}

	private fileName(id: string): string {
		return this.session.list.files.find((file) => file.id === id)?.name || `file ${id}`;
	}

	private nameOf(key: string, value: string): string {
		const threads = this.session.ledger ? this.session.ledger.threads : [];
		if (key !== 'tid' && key !== 'pid')
			return value;
		const thread = threads.find((one) => String(one[key]) === value && (key === 'tid' || one.tid === one.pid)) ||
			threads.find((one) => String(one[key]) === value);
		return thread ? `${thread.comm} ${value}` : value;
	}

	private element(chip: Chip): HTMLElement {
		const remove = button('\u00d7', `Remove ${chip.text}`, () => this.session.store.change(chip.remove), { class: 'remove' });
		const element = make('span', { class: 'chip ' + chip.kind, role: 'listitem', title: chip.title });
		if (chip.replace)
			element.append(button(chip.text, 'Edit the range', () => this.edit(element, chip), { class: 'text' }), remove);
		else
			element.append(make('span', { class: 'text' }, chip.text), remove);
		return element;
	}

	private edit(element: HTMLElement, chip: Chip): void {
		const { range, replace } = chip;
		if (!range || !replace)
			return;
		const input = make('input', { class: 'text', value: `${range.from}, ${range.until}`, 'aria-label': 'Range: start and end, in seconds or with a unit' });
		input.addEventListener('keydown', (event) => {
			event.stopPropagation();
			if (event.key === 'Escape')
				this.show();
			if (event.key !== 'Enter')
				return;
			const wanted = parseRange(input.value);
			if (wanted)
				this.session.store.change(replace(wanted));
			else
				this.session.remark('Type a range as two times, such as 12.4, 13.9 or 200ms, 1.5s.');
			this.show();
		});
		input.addEventListener('blur', () => this.show());
		element.replaceChildren(input);
		input.select();
		input.focus();
	}
}
