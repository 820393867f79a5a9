// Words of a link that plume refuses, such as `where=colour=red`: which they are, and the state without them. No DOM here.

import { EngineError, Parameters } from './engine';
import { Selection, selectionParameters, State, transformParameters } from './state';

/** A selection or a transform of the state. */
export interface Word {
	text: string; // as in the URL
	parameters: Parameters; // to ask for it alone
	without: (state: State) => State;
}

const LISTS = ['where', 'only', 'without'] as const;
/** Links do not have more, except those made to keep the server busy. */
const MOST_ASKED = 40;

function selectionWords(prefix: string, selection: Selection, change: (state: State, part: (s: Selection) => Selection) => State): Word[] {
	const one = { ...selection, times: [], where: [], only: [], without: [], noIdle: false };
	return LISTS.flatMap((list) => selection[list].map((value) => ({
		text: `${prefix}${list}=${value}`,
		parameters: selectionParameters({ ...one, [list]: [value] }, prefix),
		without: (state) => change(state, (s) => ({ ...s, [list]: s[list].filter((other) => other !== value) })),
	})));
}

export function wordsOf(state: State): Word[] {
	const { selection, baseline } = state;
	return [
		...selectionWords('', selection, (s, part) => ({ ...s, selection: part(s.selection) })),
		...(baseline ? selectionWords('base.', baseline, (s, part) => ({ ...s, baseline: s.baseline && part(s.baseline) })) : []),
		...state.transforms.map((transform): Word => ({
			text: transform.value === null ? transform.word : `${transform.word}=${transform.value}`,
			parameters: [...selectionParameters({ ...selection, times: [], where: [], only: [], without: [], noIdle: false }),
				...transformParameters({ ...state, weight: 'auto', transforms: [transform] })],
			without: (s) => ({ ...s, transforms: s.transforms.filter((other) => other.word !== transform.word || other.value !== transform.value) }),
		})),
	];
}

/** The words that plume refuses even alone. ask: api/ledger. */
export async function refusedWords(state: State, ask: (parameters: Parameters) => Promise<unknown>): Promise<Word[]> {
	const refused: Word[] = [];
	for (const word of wordsOf(state).slice(0, MOST_ASKED)) {
		try {
			await ask(word.parameters);
		} catch (error) {
			if (error instanceof EngineError && error.status === 400)
				refused.push(word);
		}
	}
	return refused;
}

export { EngineError }; // for tests: bundles do not share classes
