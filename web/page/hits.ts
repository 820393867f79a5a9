// Search hits in the graph: counts them, lists them, steps through them.

import { Graph } from './graph';
import { FunctionHit, hitsByFunction, hitsOf, Matches, match, measureHits } from './matches';
import { ListedHit } from './search';
import { Search } from './state';
import { Trial } from './trial';
import { Labels, Tree } from './tree';
import { clean, hitWords, percent, plural, TOO_SLOW } from './words';

/** A function with no frame wider than this is listed as too narrow to see, px. */
const TINY = 2;

export class Hits {
	private matches: Matches = { isValid: true, isComplete: true, labels: null };
	private at = -1;
	private isTrying = false;
	private readonly trial = new Trial();
	private ordered: Uint32Array | null = null; // made when it is first needed
	private orderedOf: Tree | null = null;

	constructor(private readonly graph: Graph) {}

	/** By label; null without a search. */
	match(labels: Labels, search: Search): Uint8Array | null {
		this.trial.stop();
		return this.take(match(labels, search));
	}

	/** Matches an expression that may take very long. done comes later, if nothing else was searched for meanwhile. */
	tryMatch(labels: Labels, search: Search, done: (found: Uint8Array | null, isComplete: boolean) => void): void {
		this.take({ isValid: true, isComplete: true, labels: null });
		this.isTrying = true;
		this.trial.run(labels, search, (matches) => done(this.take(matches), matches.isComplete));
	}

	private take(matches: Matches): Uint8Array | null {
		this.matches = matches;
		this.isTrying = false;
		this.at = -1;
		this.ordered = null;
		return matches.labels;
	}

	private inOrder(tree: Tree): Uint32Array {
		if (this.ordered && this.orderedOf === tree)
			return this.ordered;
		this.orderedOf = tree;
		this.at = -1;
		return (this.ordered = this.matches.labels ? hitsOf(tree, this.matches.labels) : new Uint32Array());
	}

	step(step: number): void {
		const { tree } = this.graph;
		if (!tree || !this.matches.labels)
			return;
		const hits = this.inOrder(tree);
		if (!hits.length)
			return;
		this.at = this.at < 0 ? (step > 0 ? 0 : hits.length - 1) : (this.at + step + hits.length) % hits.length;
		this.graph.reach(hits[this.at]);
	}

	words(isHeld: boolean): { words: string; isWrong: boolean } {
		const { tree, zoom } = this.graph;
		if (isHeld)
			return { words: 'press Enter to search', isWrong: false };
		if (!this.matches.isValid)
			return { words: 'not a valid expression', isWrong: true };
		if (this.isTrying)
			return { words: 'searching\u2026', isWrong: false };
		if (!this.matches.labels && !this.matches.isComplete)
			return { words: TOO_SLOW, isWrong: true };
		if (!this.matches.labels || !tree || !tree.size)
			return { words: '', isWrong: false };
		const { value, count } = measureHits(tree, this.matches.labels, zoom);
		const share = percent(value, tree.total[zoom]);
		return { words: hitWords({ at: this.at, all: count, share, isComplete: this.matches.isComplete }), isWrong: false };
	}

	listed(): ListedHit[] {
		const { tree } = this.graph;
		return tree && this.matches.labels ? hitsByFunction(tree, this.matches.labels).map((hit) => this.entry(tree, hit)) : [];
	}

	private entry(tree: Tree, hit: FunctionHit): ListedHit {
		const { labels } = tree;
		const width = tree.total[hit.widest] / tree.total[0] * this.graph.flame.width;
		return {
			name: clean(labels.function[hit.label]),
			place: clean(labels.place[hit.label]),
			value: percent(hit.value, tree.total[0]),
			note: plural(hit.frames, 'frame') + (width < TINY ? ', too narrow to see' : ''),
			go: () => this.graph.reach(hit.widest),
		};
	}
}
