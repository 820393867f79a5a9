// Creates elements. Text from profiles is only ever set as text.

export { oncePerPicture } from '../flame/dom';

export type Attributes = { [name: string]: string | number | boolean | null };
type Child = Node | string | null;

/** Attributes that are true are set to ''; those that are false or null are omitted. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (value !== false && value !== null)
			element.setAttribute(name, value === true ? '' : String(value));
	}
	element.append(...children.filter((child): child is Node | string => child !== null));
	return element;
}

/** title: what it does, for the pointer and for screen readers. */
export function button(text: string, title: string, run: (event: MouseEvent) => void, attributes: Attributes = {}): HTMLButtonElement {
	const element = make('button', { type: 'button', title, ...attributes }, text);
	if (!/[\p{L}\p{N}]/u.test(text))
		element.setAttribute('aria-label', title);
	element.addEventListener('click', run);
	return element;
}

/** A group of buttons, one of which is pressed. */
export class Choice<T extends string> {
	readonly element: HTMLElement;
	private readonly buttons: Map<T, HTMLButtonElement>;

	constructor(name: string, values: { value: T; text: string; title: string }[], choose: (value: T) => void) {
		this.element = make('div', { class: 'choice', role: 'group', 'aria-label': name });
		this.buttons = new Map(values.map(({ value, text, title }) => [value, button(text, title, () => choose(value))]));
		this.element.append(...this.buttons.values());
	}

	show(value: T): void {
		for (const [one, element] of this.buttons)
			element.setAttribute('aria-pressed', String(one === value));
	}

	/** Hides the choices that this profile cannot show. */
	allow(isAllowed: (value: T) => boolean): void {
		for (const [one, element] of this.buttons)
			element.hidden = !isAllowed(one);
	}
}

/** Pixels of 1rem: it follows the size of the window. */
export function rem(): number {
	return parseFloat(getComputedStyle(document.documentElement).fontSize) || 13;
}

/** A colour of page.css, by the name of its property. */
export function token(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

export function isTyping(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
		!(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type));
}
