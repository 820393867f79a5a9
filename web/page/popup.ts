// A panel attached to a button. Esc or a click elsewhere closes it, and focus returns to the button.

import { make } from './dom';

export class Popup {
	private static shown: Popup | null = null;
	readonly panel: HTMLElement;

	/** fill makes the contents each time it opens. */
	constructor(private readonly opener: HTMLButtonElement, name: string, private readonly fill: (panel: HTMLElement) => void) {
		this.panel = make('div', { class: 'popup', role: 'dialog', 'aria-label': name, tabindex: -1, hidden: true });
		document.body.append(this.panel);
		opener.setAttribute('aria-haspopup', 'dialog');
		opener.setAttribute('aria-expanded', 'false');
		opener.addEventListener('click', () => (this.isOpen ? this.close() : this.open()));
		this.panel.addEventListener('keydown', (event) => this.pressed(event));
		document.addEventListener('pointerdown', (event) => {
			if (this.isOpen && !this.has(event.target))
				this.close(false);
		});
		window.addEventListener('resize', () => this.place());
	}

	get isOpen(): boolean {
		return !this.panel.hidden;
	}

	open(): void {
		if (Popup.shown && Popup.shown !== this)
			Popup.shown.close(false);
		Popup.shown = this;
		this.panel.replaceChildren();
		this.fill(this.panel);
		this.panel.hidden = false;
		this.opener.setAttribute('aria-expanded', 'true');
		this.place();
		const first = this.panel.querySelector<HTMLElement>('input:not([type=checkbox]):not([hidden]), select, button, a, [tabindex]');
		(first || this.panel).focus();
	}

	close(givesFocus = true): void {
		if (!this.isOpen)
			return;
		this.panel.hidden = true;
		this.opener.setAttribute('aria-expanded', 'false');
		if (givesFocus)
			this.opener.focus();
	}

	/** Fills it again if it is open. */
	refresh(): void {
		if (!this.isOpen || this.panel.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement)
			return;
		const { scrollTop } = this.panel;
		this.panel.replaceChildren();
		this.fill(this.panel);
		this.panel.scrollTop = scrollTop;
	}

	private has(target: EventTarget | null): boolean {
		return target instanceof Node && (this.panel.contains(target) || this.opener.contains(target));
	}

	private pressed(event: KeyboardEvent): void {
		event.stopPropagation(); // not a key for the page
		if (event.key !== 'Escape')
			return;
		event.preventDefault();
		this.close();
	}

	private place(): void {
		if (!this.isOpen)
			return;
		const box = this.opener.getBoundingClientRect();
		const { style } = this.panel;
		style.top = box.bottom + 4 + 'px';
		style.maxHeight = innerHeight - box.bottom - 16 + 'px';
		style.left = Math.max(8, Math.min(box.left, innerWidth - this.panel.offsetWidth - 8)) + 'px';
	}
}
