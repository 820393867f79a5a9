// Named sets of transforms: the ledger's for this profile, and some for every profile.

import { Ledger } from './page';
import { State, Transform } from './state';

export interface Preset {
	name: string;
	text: string;
	words: Transform[];
}

export const CHARGED: Preset = {
	name: 'charge all else to your code', text: 'Add the time of all other code to the function of yours that called it', words: [{ word: 'your-code', value: null }],
};

const ALWAYS: Preset[] = [
	CHARGED,
	{ name: 'merge tiers', text: 'Merge the interpreted and compiled copies of a function', words: [{ word: 'merge-tiers', value: null }] },
	{ name: 'collapse recursion', text: 'Merge calls of a function to itself', words: [{ word: 'collapse-recursion', value: null }] },
	{ name: 'no inlined functions', text: 'Charge inlined functions to the function they were inlined into', words: [{ word: 'no-inline', value: null }] },
];

function keyOf(words: Transform[]): string {
	return JSON.stringify(words.map(({ word, value }) => [word, value]));
}

function folding(ledger: Ledger | null): Preset[] {
	return (ledger?.presets || []).map(({ name, text, words }) => ({ name, text, words: words.map(([word, value]) => ({ word, value })) }))
		.filter((preset) => preset.words.length > 0);
}

/** What the button `your code` does: the ledger knows which preset suits the program's language. */
export function yourCodeOf(ledger: Ledger | null): Preset {
	const found = folding(ledger).find((preset) => preset.name === ledger?.preset);
	return found ? { ...found, name: 'your code' } : { ...CHARGED, name: 'your code' };
}

/** Your code first; presets with the same words are shown once. */
export function presetsOf(ledger: Ledger | null): Preset[] {
	const all = [yourCodeOf(ledger), ...folding(ledger).filter((preset) => preset.name === 'program'), ...ALWAYS];
	return all.filter((preset, at) => all.findIndex((one) => keyOf(one.words) === keyOf(preset.words)) === at);
}

function has(words: Transform[], wanted: Transform): boolean {
	return words.some((word) => word.word === wanted.word && word.value === wanted.value);
}

export function isOn(state: State, preset: Preset): boolean {
	return preset.words.every((word) => has(state.transforms, word));
}

/** Presets that fold or charge replace each other; transforms that the user added stay. */
export function toggled(state: State, preset: Preset, ledger: Ledger | null): Partial<State> {
	const kinds = [...folding(ledger), CHARGED];
	const replaced = kinds.some((one) => keyOf(one.words) === keyOf(preset.words)) ? kinds.flatMap((one) => one.words) : preset.words;
	const others = state.transforms.filter((one) => !has(replaced, one));
	return { transforms: isOn(state, preset) ? others : [...others, ...preset.words] };
}
