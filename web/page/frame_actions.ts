// The actions that the details offer for their frame.

import { Action } from './details';
import { State } from './state';

export interface ActionHost {
	state(): State;
	change(part: Partial<State>): void;
	/** The frame's name, or ''. */
	name(): string;
	copyName(): void;
	copyStack(): void;
}

function escaped(name: string): string {
	return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** For words that match a frame's name. */
function exactly(name: string): string {
	return `^${escaped(name)}$`;
}

/** For words that match folded text. */
function inStack(name: string): string {
	return `(^|;)${escaped(name)}(;|$)`;
}

export function frameActions(host: ActionHost): Action[] {
	const named = (run: (name: string, state: State) => Partial<State>) => () => {
		const name = host.name();
		if (name)
			host.change(run(name, host.state()));
	};
	const transform = (word: string) => named((name, { transforms }) =>
		({ transforms: [...transforms, { word, value: exactly(name) }] }));
	return [
		{ id: 'copy-name', text: 'copy name', says: 'Copy the name (c)', run: () => host.copyName() },
		{ id: 'copy-stack', text: 'copy stack', says: 'Copy the stack as folded text (s)', run: () => host.copyStack() },
		{ id: 'sandwich', text: 'callers', says: 'Show all callers and callees of the function', run: named((subject) => ({ subject, view: 'sandwich' })) },
		{ id: 'source', text: 'source', says: 'Show the source of the function', run: named((subject) => ({ subject, panel: 'source' })) },
		{ id: 'hide', text: 'hide', says: 'Remove the function from all stacks; its time goes to its callers', run: transform('hide') },
		{ id: 'root', text: 'root', says: 'Start all stacks at the function', run: transform('root') },
		{
			id: 'only', text: 'only', says: 'Keep only stacks that contain the function',
			run: named((name, { selection }) => ({ selection: { ...selection, only: [...selection.only, inStack(name)] } })),
		},
	];
}
