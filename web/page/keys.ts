// The keyboard: one table of keys for the whole page.

import { isTyping } from './dom';
import { Key } from './page';

/** The names that a key may be registered under. */
export function namesOf(event: { key: string; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean; altKey: boolean }): string[] {
	if (event.altKey)
		return [];
	const { key } = event;
	if (event.ctrlKey || event.metaKey)
		return event.shiftKey ? [`Ctrl+Shift+${key}`, `Ctrl+Shift+${key.toLowerCase()}`] : ['Ctrl+' + key];
	return event.shiftKey ? ['Shift+' + key, 'Shift+' + key.toLowerCase(), ...(key.length === 1 ? [key] : [])] : [key];
}

/** Keys that a focused button or link needs for itself. */
function isNeeded(event: KeyboardEvent): boolean {
	return (event.key === 'Enter' || event.key === ' ') && event.target instanceof HTMLElement &&
		event.target.closest('button, a, summary, [role=button], [role=menuitem]') !== null;
}

export class Keys {
	readonly all: Key[] = [];

	listen(): void {
		document.addEventListener('keydown', (event) => this.pressed(event));
	}

	add(keys: Key[]): void {
		this.all.push(...keys);
	}

	private pressed(event: KeyboardEvent): void {
		if (event.defaultPrevented || event.isComposing || isTyping(event.target) || isNeeded(event) || document.querySelector('dialog[open]'))
			return;
		const names = namesOf(event);
		const key = names.map((name) => this.all.find((one) => one.keys.includes(name))).find((found) => found);
		if (!key)
			return;
		event.preventDefault();
		key.run(event);
	}
}
