// The band WHY: everything about the current frame, and what can be done with it.

import { html } from '../flame/dom';
import { Measure } from './words';

export interface Facts {
	name: string;
	place: string;
	nature: string[]; // kind, module, tier, caller
	measures: Measure[];
}

export interface Action {
	id: string;
	text: string;
	says: string;
	run(): void;
}

export class Details {
	private readonly name = html('h2', { class: 'why-name' });
	private readonly nature = html('p', { class: 'why-nature' });
	private readonly table = html('table', { class: 'why-measures' });
	private readonly actions = html('div', { class: 'why-actions', role: 'toolbar', 'aria-label': 'Actions for the frame' });
	private readonly hint = html('p', { class: 'why-hint muted' });
	private readonly body = html('div', { class: 'why-body' }, html('div', { class: 'why-what' }, this.name, this.nature), this.table);
	private readonly buttons = new Map<string, HTMLButtonElement>();

	constructor(element: HTMLElement, actions: Action[]) {
		element.classList.add('why-band');
		element.append(this.body, this.hint, this.actions);
		for (const { id, text, says, run } of actions) {
			const button = html('button', { type: 'button', title: says, 'data-action': id }, text);
			button.addEventListener('click', run);
			this.buttons.set(id, button);
			this.actions.append(button);
		}
		this.say('Point at a frame, or move with the arrow keys. Click to zoom in.');
	}

	say(sentence: string): void {
		this.hint.textContent = sentence;
		this.hint.hidden = false;
		this.body.hidden = this.actions.hidden = true;
	}

	show(facts: Facts): void {
		this.hint.hidden = true;
		this.body.hidden = this.actions.hidden = false;
		this.name.replaceChildren(html('bdi', {}, facts.name), ' ', html('bdi', { class: 'muted' }, facts.place));
		this.name.title = facts.name + (facts.place ? '\n' + facts.place : '');
		this.nature.replaceChildren(...facts.nature.flatMap((words, i) => [i ? ' \u00b7 ' : '', html('bdi', {}, words)]));
		this.nature.title = facts.nature.join('\n');
		this.table.replaceChildren(...facts.measures.map((measure) => this.row(measure)));
	}

	/** Hides an action where it makes no sense. */
	allow(id: string, isAllowed: boolean): void {
		const button = this.buttons.get(id);
		if (button)
			button.disabled = !isAllowed;
	}

	private row(measure: Measure): HTMLTableRowElement {
		const cells = [
			html('th', { scope: 'row' }, measure.what),
			html('td', { class: 'number' }, measure.count),
			html('td', { class: 'number' }, measure.time),
			...measure.shares.map(({ of, text }) => html('td', { class: 'number' }, text + ' ', html('span', { class: 'muted' }, 'of ' + of))),
			html('td', { title: measure.change }, measure.change),
		];
		return html('tr', {}, ...cells);
	}
}
