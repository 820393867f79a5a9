// Which key does what. Keys typed into a field are text, and keys with Ctrl, Alt or Meta are the browser's; only Ctrl-F
// opens this picture's search, and once more the browser's.

import { Direction } from './walk';

/** More pages than any picture has. */
const ALL = 1e6;

export interface Commands {
	focusSearch(): void;
	step(step: number): void;
	move(direction: Direction): void;
	zoomToFocus(): void;
	back(): void;
	resetZoom(): void;
	resetAll(): void;
	copyName(): void;
	copyStack(): void;
	flipCase(): void;
	flipRegex(): void;
	toggleHelp(): void;
	escape(): void;
	/** False: there is nothing to scroll here, but maybe in the page. */
	scrollPages(pages: number): boolean;
}

function isField(target: EventTarget | null): boolean {
	const element = target as HTMLElement | null;
	return !!element && (/^(input|textarea|select)$/i.test(element.tagName || '') || !!element.isContentEditable);
}

function actions(commands: Commands, isInverted: boolean): { [key: string]: () => void | boolean } {
	const up = isInverted ? 'shallower' : 'deeper';
	const down = isInverted ? 'deeper' : 'shallower';
	return {
		'/': () => commands.focusSearch(),
		F3: () => commands.focusSearch(),
		n: () => commands.step(1),
		N: () => commands.step(-1),
		ArrowUp: () => commands.move(up),
		ArrowDown: () => commands.move(down),
		ArrowLeft: () => commands.move('left'),
		ArrowRight: () => commands.move('right'),
		Enter: () => commands.zoomToFocus(),
		Backspace: () => commands.back(),
		f: () => commands.resetZoom(),
		'0': () => commands.resetAll(),
		c: () => commands.copyName(),
		C: () => commands.copyStack(),
		s: () => commands.copyStack(),
		i: () => commands.flipCase(),
		r: () => commands.flipRegex(),
		'?': () => commands.toggleHelp(),
		Escape: () => commands.escape(),
		PageUp: () => commands.scrollPages(-1),
		PageDown: () => commands.scrollPages(1),
		Home: () => commands.scrollPages(-ALL),
		End: () => commands.scrollPages(ALL),
	};
}

export function listen(commands: Commands, isInverted: boolean, isHelpShown: () => boolean): void {
	const byKey = actions(commands, isInverted);
	document.addEventListener('keydown', (event) => {
		if (event.defaultPrevented || isField(event.target))
			return;
		const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'f';
		if (!isFind && (event.ctrlKey || event.metaKey || event.altKey))
			return;
		const isButton = /^button$/i.test((event.target as Element).tagName || '');
		if (isButton && event.key === 'Enter')
			return;
		if (isHelpShown() && !/^(Escape|\?)$/.test(event.key))
			return;
		const action = isFind ? byKey['/'] : byKey.hasOwnProperty(event.key) ? byKey[event.key] : null;
		if (!action)
			return;
		if (action() !== false)
			event.preventDefault();
	});
}
