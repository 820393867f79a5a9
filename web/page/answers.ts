// Asks for trees, one at a time, and keeps their labels, so that the server need not send them again.

import { Engine, EngineError, Parameters } from './engine';
import { State, stateParameters, selectionParameters, transformParameters } from './state';
import { threadByThread } from './time_order';
import { Labels, labelsFrom, Tree, treeFrom } from './tree';

/** Trees with other transforms have other labels. The oldest beyond this number are dropped. */
const MOST_LABELS = 4;

/** The trees that the page shows. Callers and callees are those of the subject; null also if the selection lacks it. */
export interface Trees {
	main: Tree; // for the table, and for the graph unless it is a sandwich
	callers: Tree | null;
	callees: Tree | null;
	isReversed: boolean;
}

export interface Question {
	name: 'tree' | 'diff';
	main: Parameters;
	callers: Parameters | null;
	callees: Parameters | null;
	isReversed: boolean;
}

/** Whether the answer has both sides. Time order shows only one profile. */
function isTwoSided(state: State): boolean {
	return !!state.baseline && state.view !== 'time';
}

function diffParameters(state: State): Parameters {
	return [
		['delta', state.bySelf ? 'self' : 'total'],
		...(state.isAbsolute ? [['scale', 'none'] as [string, string]] : []),
	];
}

export function questionOf(state: State): Question {
	const isDiff = isTwoSided(state);
	const isReversed = state.view === 'callers';
	const all: Parameters = [
		...(isDiff ? stateParameters(state) : [...selectionParameters(state.selection), ...transformParameters(state)]),
		...(isDiff ? diffParameters(state) : []),
		...(state.colour === 'thread' || state.view === 'time' ? [['tid', null] as [string, null]] : []),
	];
	const hasSandwich = state.view === 'sandwich' && !!state.subject;
	return {
		name: isDiff ? 'diff' : 'tree',
		main: [
			...all,
			...(state.view === 'time' ? [['view', 'time'] as [string, string]] : []),
			...(isReversed ? [['reverse', null] as [string, null]] : []),
		],
		callers: hasSandwich ? [...all, ['callers', state.subject]] : null,
		callees: hasSandwich ? [...all, ['callees', state.subject]] : null,
		isReversed,
	};
}

/** Null if the selection lacks the function. The main tree came, so a 404 says the same. */
async function orNone(asked: Promise<Tree>): Promise<Tree | null> {
	try {
		const tree = await asked;
		const { total, change } = tree;
		return total[0] || change && (change.before.total[0] || change.after.total[0]) ? tree : null;
	} catch (error) {
		if (error instanceof EngineError && error.status === 404)
			return null;
		throw error;
	}
}

export class Answers {
	private readonly known = new Map<string, Labels>();
	private readonly last = new Map<string, string>(); // by request: the id of its labels

	constructor(private readonly engine: Engine) {}

	private keep(labels: Labels): Labels {
		this.known.delete(labels.id);
		this.known.set(labels.id, labels);
		if (this.known.size > MOST_LABELS)
			this.known.delete(this.known.keys().next().value as string);
		return labels;
	}

	private async tree(name: string, slot: string, parameters: Parameters): Promise<Tree> {
		const id = this.last.get(slot);
		const asked: Parameters = id && this.known.has(id) ? [...parameters, ['labels', id]] : parameters;
		const answer = await this.engine.binary(name, asked);
		const { labels, labels_id } = answer.header;
		const known = labels ? labelsFrom(labels_id, labels) : this.known.get(labels_id);
		if (!known) {
			this.last.delete(slot);
			return asked === parameters ? Promise.reject(new Error('the answer has no labels')) : this.tree(name, slot, parameters);
		}
		this.last.set(slot, labels_id);
		return treeFrom(answer, this.keep(known));
	}

	async ask(question: Question): Promise<Trees> {
		const { name, main, callers, callees, isReversed } = question;
		const tree = await this.tree(name, 'main', main);
		return {
			main: tree.isInTime ? threadByThread(tree) : tree,
			callers: callers && await orNone(this.tree(name, 'callers', callers)),
			callees: callees && await orNone(this.tree(name, 'callees', callees)),
			isReversed,
		};
	}
}

/** Runs one task at a time; of those that arrive meanwhile, only the newest runs next. */
export class Latest {
	private isBusy = false;
	private next: (() => Promise<void>) | null = null;

	run(job: () => Promise<void>): void {
		if (this.isBusy) {
			this.next = job;
			return;
		}
		this.isBusy = true;
		job().catch(() => {}).then(() => {
			this.isBusy = false;
			const { next } = this;
			this.next = null;
			if (next)
				this.run(next);
		});
	}

	get isIdle(): boolean {
		return !this.isBusy;
	}
}
