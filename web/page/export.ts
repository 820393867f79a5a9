// The menu that saves the current view as a picture, or as a profile for other tools.

import { html } from '../flame/dom';

export interface ExportHost {
	picture(): Promise<Blob | null>;
	file(as: string): Promise<void>;
	copyFolded(): void;
	fail(error: unknown): void;
}

const FORMATS: [string, string][] = [
	['svg', 'SVG picture'], ['folded', 'Folded stacks'], ['pprof', 'pprof'], ['speedscope', 'speedscope'],
	['firefox', 'Firefox Profiler'], ['cpuprofile', 'V8 .cpuprofile'], ['json', 'JSON'], ['csv', 'CSV'], ['plume', '.plume profile'],
];

export class ExportMenu {
	readonly element: HTMLElement;
	private readonly menu = html('div', { class: 'export-menu', role: 'menu', 'aria-label': 'Export' });
	private readonly opener = html('button', {
		type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', title: 'Save the current view',
	}, 'Export');

	constructor(private readonly host: ExportHost, save: (blob: Blob) => void) {
		this.element = html('div', { class: 'export' }, this.opener, this.menu);
		this.menu.hidden = true;
		this.add('png', 'PNG picture', () => host.picture().then((blob) => blob && save(blob)));
		FORMATS.forEach(([as, text]) => this.add(as, text, () => host.file(as)));
		this.add('copy', 'Copy as folded stacks', async () => host.copyFolded());
		this.opener.addEventListener('click', () => this.open(this.menu.hidden));
		this.element.addEventListener('keydown', (event) => this.key(event));
		this.element.addEventListener('focusout', (event) => {
			if (!this.element.contains(event.relatedTarget as Node | null))
				this.open(false);
		});
	}

	private add(as: string, text: string, run: () => Promise<unknown>): void {
		const item = html('button', { type: 'button', role: 'menuitem', tabindex: -1, 'data-as': as }, text);
		item.addEventListener('click', () => {
			this.open(false);
			run().catch((error) => this.host.fail(error));
		});
		this.menu.append(item);
	}

	private open(isOpen: boolean): void {
		this.menu.hidden = !isOpen;
		this.opener.setAttribute('aria-expanded', String(isOpen));
		if (isOpen)
			(this.menu.firstElementChild as HTMLElement).focus();
	}

	private key(event: KeyboardEvent): void {
		if (this.menu.hidden)
			return;
		const items = [...this.menu.children] as HTMLElement[];
		const at = items.indexOf(document.activeElement as HTMLElement);
		if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
			items[(at + (event.key === 'ArrowDown' ? 1 : -1) + items.length) % items.length].focus();
		} else if (event.key === 'Escape') {
			this.open(false);
			this.opener.focus();
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}
