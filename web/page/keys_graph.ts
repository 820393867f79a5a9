// The keys of the graph. Views have numbers.

import { Graph } from './graph';
import { Key } from './page';
import { State } from './state';
import { VIEWS } from './toolbar';

export interface Commands {
	graph: Graph;
	state(): State;
	change(part: Partial<State>): void;
	focusSearch(): void;
	step(step: number): void;
	copyName(): void;
	copyStack(): void;
}

const GROUP = 'Graph';

function key(keys: string[], shown: string, does: string, run: (event: KeyboardEvent) => void): Key {
	return { keys, shown, does, group: GROUP, run };
}

export function graphKeys(commands: Commands): Key[] {
	const { graph } = commands;
	return [
		key(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], '\u2190 \u2191 \u2192 \u2193', 'move to the next frame',
			(event) => graph.arrow(event.key)),
		key(['Home', 'End'], 'Home End', 'first or last frame of the row', (event) => graph.edge(event.key === 'Home')),
		key(['Enter'], 'Enter', 'zoom to the frame', () => graph.zoomToFocus()),
		key(['Backspace'], 'Backspace', 'back to the previous zoom', () => graph.back()),
		key(['f'], 'f', 'zoom all the way out', () => graph.fit()),
		key(['1', '2', '3', '4', '5', '6'], '1 \u2026 6', 'flame, callers, left heavy, time order, sandwich, diff',
			(event) => commands.change({ view: VIEWS[Number(event.key) - 1].view })),
		key(['d'], 'd', 'toggle the diff against the baseline', () =>
			commands.change({ view: commands.state().view === 'diff' ? 'flame' : 'diff' })),
		key(['i'], 'i', 'icicle: root at the top', () => commands.change({ isIcicle: !commands.state().isIcicle })),
		key(['/'], '/', 'search', () => commands.focusSearch()),
		key(['n'], 'n', 'next hit', () => commands.step(1)),
		key(['N', 'Shift+N', 'Shift+n'], 'N', 'previous hit', () => commands.step(-1)),
		key(['c'], 'c', 'copy the name', () => commands.copyName()),
		key(['s'], 's', 'copy the stack', () => commands.copyStack()),
	];
}
