// The help: gestures, and all keys that parts of the page registered.

import { button, make } from './dom';
import { Key } from './page';

const GESTURES: [string, string][] = [
	['drag', 'select a range; the graph follows'],
	['click, click', 'select from one cell to another'],
	['double click', 'select a whole column; so does a click on the time axis'],
	['Shift + drag', 'add a range'],
	['Ctrl + drag', 'set the baseline of a comparison'],
	['click on a thread', 'show only this thread; with Shift, add it'],
	['Ctrl + wheel', 'zoom in or out'],
	['wheel sideways, drag the axis', 'move in time'],
	['drop a file', 'open it; it stays in memory'],
];

const HEAT_KEYS: [string, string][] = [
	['\u2190 \u2191 \u2193 \u2192', 'move to another cell'],
	['Enter', 'start and end a range'],
	['Shift+Enter', 'start and end another range'],
	['b', 'start and end the baseline'],
	['w', 'select the whole column'],
	['Page Up, Page Down, Home, End', 'move farther'],
	['+ \u2212 0', 'zoom in, zoom out, show all'],
];

function section(name: string, rows: [string, string][]): HTMLElement {
	return make('section', {}, make('h3', {}, name), make('table', {}, make('tbody', {},
		...rows.map(([keys, does]) => make('tr', {}, make('th', { scope: 'row' }, keys), make('td', {}, does))))));
}

export class Help {
	private readonly dialog = make('dialog', { id: 'help', 'aria-label': 'Help' });

	constructor(private readonly keys: Key[]) {
		document.body.append(this.dialog);
		this.dialog.addEventListener('click', (event) => {
			if (event.target === this.dialog) // its backdrop
				this.dialog.close();
		});
		this.dialog.addEventListener('keydown', (event) => {
			if (event.key === '?')
				this.dialog.close();
		});
	}

	open(): void {
		const groups = [...new Set(this.keys.map((key) => key.group))];
		const columns = make('div', { class: 'columns' }, section('On the heat map and the lanes', GESTURES),
			section('With the heat map focused', HEAT_KEYS),
			...groups.map((group) => section(group, this.keys.filter((key) => key.group === group && key.shown).map((key) => [key.shown, key.does]))));
		this.dialog.replaceChildren(make('div', { class: 'title' }, make('h2', {}, 'Help'),
			button('Close', 'Close (Esc)', () => this.dialog.close())), columns);
		this.dialog.showModal();
	}
}
