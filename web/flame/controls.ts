// The search box and the buttons.

import { html } from './dom';
import { Query } from './search';

export interface ControlHandlers {
	/** isAsked: by Enter or a button, not while typing. */
	onSearch(query: Query, isAsked: boolean): void;
	onStep(step: number): void;
	onLeave(): void;
	onResetZoom(): void;
	onHelp(): void;
}

export class Controls {
	readonly input = html('input', {
		type: 'search', id: 'search', placeholder: 'Search (/)', 'aria-label': 'Search frames', spellcheck: 'false',
		autocomplete: 'off',
	});
	private readonly mindCase = toggle('Aa', 'Mind case (i)');
	private readonly regex = toggle('.*', 'Regular expression (r)');
	private readonly result = html('div', { id: 'matched', role: 'status', 'aria-live': 'polite' });
	private readonly resetZoom = button('Reset zoom', 'Show the whole picture (f)');
	private timer = 0;

	constructor(parent: Element, private readonly handlers: ControlHandlers, private readonly delay_ms: number) {
		const previous = button('\u2039', 'Previous hit (N)');
		const next = button('\u203a', 'Next hit (n)');
		const help = button('?', 'Keys and help (?)');
		this.resetZoom.id = 'reset-zoom';
		previous.id = 'previous';
		next.id = 'next';
		help.id = 'help-button';
		this.mindCase.id = 'mind-case';
		this.regex.id = 'regex';
		const row = html('div', { class: 'row' }, this.resetZoom, this.input, this.mindCase, this.regex, previous, next, help);
		parent.append(row, this.result);
		this.input.addEventListener('input', () => this.later());
		this.input.addEventListener('keydown', (event) => this.onKey(event));
		this.mindCase.addEventListener('click', () => this.flip(this.mindCase));
		this.regex.addEventListener('click', () => this.flip(this.regex));
		previous.addEventListener('click', () => this.step(-1));
		next.addEventListener('click', () => this.step(1));
		help.addEventListener('click', () => handlers.onHelp());
		this.resetZoom.addEventListener('click', () => handlers.onResetZoom());
	}

	/** Shows a query that came from elsewhere, such as the address. */
	show(query: Query): void {
		if (this.input.value !== query.text)
			this.input.value = query.text;
		press(this.mindCase, query.mindsCase);
		press(this.regex, !query.isPlain);
	}

	showResult(text: string, isValid: boolean): void {
		this.result.textContent = text;
		this.result.classList.toggle('wrong', !isValid);
		this.input.setAttribute('aria-invalid', String(!isValid));
		this.input.title = isValid ? '' : text;
	}

	showZoom(isZoomed: boolean): void {
		this.resetZoom.style.visibility = isZoomed ? 'visible' : 'hidden';
	}

	flipCase(): void {
		this.flip(this.mindCase);
	}

	flipRegex(): void {
		this.flip(this.regex);
	}

	focus(): void {
		this.input.focus({ preventScroll: true });
		this.input.select();
	}

	private flip(which: HTMLButtonElement): void {
		press(which, which.getAttribute('aria-pressed') !== 'true');
		this.now(false);
	}

	private step(step: number): void {
		this.now(true);
		this.handlers.onStep(step);
	}

	private onKey(event: KeyboardEvent): void {
		if (event.key === 'Enter') {
			this.step(event.shiftKey ? -1 : 1);
			event.preventDefault();
		} else if (event.key === 'Escape') {
			this.input.value = '';
			this.now(false);
			this.handlers.onLeave();
			event.preventDefault();
			event.stopPropagation();
		}
	}

	private later(): void {
		clearTimeout(this.timer);
		this.timer = window.setTimeout(() => this.now(false), this.delay_ms);
	}

	private now(isAsked: boolean): void {
		clearTimeout(this.timer);
		this.handlers.onSearch({
			text: this.input.value,
			isPlain: this.regex.getAttribute('aria-pressed') !== 'true',
			mindsCase: this.mindCase.getAttribute('aria-pressed') === 'true',
		}, isAsked);
	}
}

export function button(label: string, title: string): HTMLButtonElement {
	return html('button', { type: 'button', title }, label);
}

function toggle(label: string, title: string): HTMLButtonElement {
	const made = button(label, title);
	made.classList.add('toggle');
	made.setAttribute('aria-pressed', 'false');
	return made;
}

function press(which: Element, isPressed: boolean): void {
	which.setAttribute('aria-pressed', String(isPressed));
}
