// When no samples are left: which filters are to blame.

import { State } from './state';

export interface Blocker {
	text: string; // of a button
	part: Partial<State>; // the change that removes it
}

/** samples: the counts of api/tree, by the reason why samples were left out. */
export function blockers(state: State, samples: { [reason: string]: number }): Blocker[] {
	const { selection, transforms } = state;
	const found: [boolean, Blocker][] = [
		[samples.by_time > 0 && selection.times.length > 0,
			{ text: 'Remove the range', part: { selection: { ...selection, times: [] } } }],
		[samples.by_where > 0 && selection.where.length > 0,
			{ text: 'Remove ' + selection.where.join(', '), part: { selection: { ...selection, where: [] } } }],
		[samples.by_text > 0 && selection.only.length + selection.without.length > 0,
			{ text: 'Show all stacks', part: { selection: { ...selection, only: [], without: [] } } }],
		[samples.idle > 0 && selection.noIdle,
			{ text: 'Show idle samples', part: { selection: { ...selection, noIdle: false } } }],
		[samples.not_under_root > 0 && transforms.some(({ word }) => word === 'root'),
			{ text: 'Show stacks from their own root', part: { transforms: transforms.filter(({ word }) => word !== 'root') } }],
	];
	return found.filter(([isInTheWay]) => isInTheWay).map(([, blocker]) => blocker);
}

/** The function of a sandwich is not in the selection: what may be in its way, and the way out. */
export function sandwichBlockers(state: State, samples: { [reason: string]: number }): Blocker[] {
	const { transforms } = state;
	return [
		...blockers(state, samples),
		...(transforms.length ? [{ text: 'Remove the transforms', part: { transforms: [] } }] : []),
		{ text: 'Leave the sandwich', part: { view: 'flame', subject: '', zoom: [] } },
	];
}
