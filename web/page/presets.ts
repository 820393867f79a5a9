// Sets of transforms with a name.

import { State, Transform } from './state';

export interface Preset {
	name: string;
	text: string;
	words: Transform[];
}

export const PRESETS: Preset[] = [
	{
		name: 'your code', text: 'Show the program and its packages; charge the rest to what called it',
		words: [{ word: 'your-code', value: null }],
	},
	{ name: 'tiers as one', text: 'Merge the interpreted and compiled copies of a function', words: [{ word: 'merge-tiers', value: null }] },
	{ name: 'recursion as one', text: 'Merge calls of a function to itself', words: [{ word: 'collapse-recursion', value: null }] },
	{ name: 'no inlined functions', text: 'Charge inlined functions to the one they are in', words: [{ word: 'no-inline', value: null }] },
];

function isSame(a: Transform, b: Transform): boolean {
	return a.word === b.word && a.value === b.value;
}

export function isOn(state: State, preset: Preset): boolean {
	return preset.words.every((word) => state.transforms.some((one) => isSame(one, word)));
}

export function toggled(state: State, preset: Preset): Partial<State> {
	const others = state.transforms.filter((one) => !preset.words.some((word) => isSame(one, word)));
	return { transforms: isOn(state, preset) ? others : [...others, ...preset.words] };
}
