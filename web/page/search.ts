// The search box: its input, its result, and the list of hits.

import { html } from '../flame/dom';
import { SearchGate } from './search_gate';
import { Search } from './state';

/** The search starts when typing pauses for this long. */
const PAUSE_MS = 60;
const MOST_LISTED = 100;

export interface ListedHit {
	name: string;
	place: string;
	value: string; // "12.3%"
	note: string; // "too narrow to see", "240 frames"
	go(): void;
}

export interface SearchHost {
	onSearch(search: Search): void;
	onStep(step: number): void;
	hits(): ListedHit[];
	onLeave(): void;
}

export class SearchBox {
	private readonly field = html('input', {
		type: 'search', placeholder: 'Search /', 'aria-label': 'Search functions', spellcheck: 'false', autocomplete: 'off',
	});
	private readonly result = html('output', { class: 'search-result', 'aria-live': 'polite' });
	private readonly list = html('div', { class: 'search-list', role: 'listbox', 'aria-label': 'Hits' });
	private readonly regex = this.toggle('.*', 'Regular expression', () => this.send({ isPlain: !this.search.isPlain }));
	private readonly letters = this.toggle('Aa', 'Match case', () => this.send({ matchesCase: !this.search.matchesCase }));
	private readonly steps = html('span', { class: 'search-steps' });
	private search: Search = { text: '', isPlain: false, matchesCase: false };
	private timer = 0;

	constructor(element: HTMLElement, private readonly host: SearchHost, private readonly gate: SearchGate) {
		element.classList.add('search-box');
		for (const [step, text, says] of [[-1, '\u2039', 'Previous hit (N)'], [1, '\u203a', 'Next hit (n)']] as [number, string, string][])
			this.steps.append(this.button(text, says, () => host.onStep(step)));
		this.steps.append(this.button('list', 'List of hits', () => this.flipList()));
		element.append(this.field, this.regex, this.letters, this.steps, this.result, this.list);
		this.list.hidden = true;
		this.field.addEventListener('input', () => this.typed());
		this.field.addEventListener('keydown', (event) => this.key(event));
		element.addEventListener('focusout', (event) => {
			if (!element.contains(event.relatedTarget as Node | null))
				this.list.hidden = true;
		});
		this.show(this.search);
	}

	private button(text: string, says: string, run: () => void): HTMLButtonElement {
		const button = html('button', { type: 'button', title: says, 'aria-label': says }, text);
		button.addEventListener('click', run);
		return button;
	}

	private toggle(text: string, says: string, run: () => void): HTMLButtonElement {
		const button = this.button(text, says, run);
		button.classList.add('toggle');
		return button;
	}

	focus(): void {
		this.field.focus();
		this.field.select();
	}

	private typed(): void {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.send({ text: this.field.value }), PAUSE_MS) as unknown as number;
	}

	private send(part: Partial<Search>): void {
		clearTimeout(this.timer);
		this.host.onSearch({ ...this.search, ...part });
	}

	private key(event: KeyboardEvent): void {
		if (event.key === 'Enter') {
			const isNew = this.field.value !== this.search.text;
			if (isNew || this.gate.isHeld(this.search)) {
				this.gate.confirm({ ...this.search, text: this.field.value });
				this.send({ text: this.field.value });
			} else {
				this.host.onStep(event.shiftKey ? -1 : 1);
			}
		} else if (event.key === 'Escape') {
			if (this.field.value)
				this.send({ text: '' });
			this.field.blur();
			this.host.onLeave();
		} else if (event.key === 'ArrowDown') {
			this.openList();
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	/** Takes over the state's search. */
	show(search: Search): void {
		this.search = search;
		if (document.activeElement !== this.field || this.field.value.length > 0 !== search.text.length > 0)
			this.field.value = search.text;
		this.regex.setAttribute('aria-pressed', String(!search.isPlain));
		this.letters.setAttribute('aria-pressed', String(search.matchesCase));
		this.steps.hidden = !search.text;
		if (!search.text)
			this.list.hidden = true;
	}

	say(words: string, isWrong: boolean): void {
		this.result.textContent = words;
		this.result.classList.toggle('wrong', isWrong);
		this.field.setAttribute('aria-invalid', String(isWrong));
		if (!this.list.hidden)
			this.openList();
	}

	private flipList(): void {
		if (this.list.hidden)
			this.openList();
		else
			this.list.hidden = true;
	}

	private openList(): void {
		const hits = this.host.hits();
		this.list.replaceChildren(...hits.slice(0, MOST_LISTED).map((hit) => this.entry(hit)));
		if (hits.length > MOST_LISTED)
			this.list.append(html('div', { class: 'muted' }, `and ${hits.length - MOST_LISTED} more in the table`));
		this.list.hidden = !hits.length;
	}

	private entry(hit: ListedHit): HTMLElement {
		const entry = html('button', { type: 'button', role: 'option', class: 'search-hit' },
			html('bdi', { class: 'name' }, hit.name), html('bdi', { class: 'muted' }, hit.place),
			html('span', { class: 'muted' }, hit.note), html('span', { class: 'number' }, hit.value));
		entry.addEventListener('click', () => hit.go());
		entry.addEventListener('keydown', (event) => {
			const other = event.key === 'ArrowDown' ? entry.nextElementSibling : event.key === 'ArrowUp' ? entry.previousElementSibling : null;
			if (event.key === 'Escape') {
				this.list.hidden = true;
				this.field.focus();
			} else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
				((other || this.field) as HTMLElement).focus();
			} else {
				return;
			}
			event.preventDefault();
			event.stopPropagation();
		});
		return entry;
	}
}
