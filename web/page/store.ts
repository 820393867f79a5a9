// The state of the page, kept in the URL and in the browser's history.

import { State, Store } from './state';
import { formatHash, parseHash } from './url';

/** What the store needs of a window. */
export interface Browser {
	location: { hash: string };
	history: {
		readonly state: unknown;
		pushState(data: unknown, unused: string, url: string): void;
		replaceState(data: unknown, unused: string, url: string): void;
		back(): void;
		forward(): void;
	};
	addEventListener(type: 'popstate', listener: () => void): void;
}

type Watcher = (state: State, before: State) => void;

/** The position of an entry among those that the page made. */
function indexOf(data: unknown): number | null {
	const index = data && typeof data === 'object' ? (data as { plume?: unknown }).plume : null;
	return typeof index === 'number' ? index : null;
}

export class UrlStore implements Store {
	state: State;
	/** The URL did not choose a view. */
	isFirstLook: boolean;
	/** Words of the URL that the page does not know. */
	unknown: string[];
	private kept: State;
	private index: number;
	private top: number;
	private watchers: Watcher[] = [];

	constructor(private readonly browser: Browser) {
		const parsed = parseHash(browser.location.hash);
		this.state = this.kept = parsed.state;
		this.isFirstLook = parsed.isFirstLook;
		this.unknown = parsed.unknown;
		this.index = this.top = indexOf(browser.history.state) || 0;
		browser.history.replaceState({ plume: this.index }, '', browser.location.hash); // recognizes it on return
		browser.addEventListener('popstate', () => this.returned());
	}

	get canUndo(): boolean {
		return this.index > 0;
	}

	get canRedo(): boolean {
		return this.index < this.top;
	}

	/** The state of the URL, without a drag in progress. */
	get keptState(): State {
		return this.kept;
	}

	change(part: Partial<State>, how: 'kept' | 'passing' = 'kept'): void {
		const before = this.state;
		this.state = { ...before, ...part };
		const hash = formatHash(this.state);
		if (how === 'kept' && hash !== formatHash(this.kept)) {
			this.index++;
			this.top = this.index;
			this.browser.history.pushState({ plume: this.index }, '', '#' + hash);
		}
		if (how === 'kept')
			this.kept = this.state;
		if (how === 'kept' || hash !== formatHash(before))
			this.tell(before);
	}

	/** An automatic change, which undo should skip. */
	settle(part: Partial<State>): void {
		const before = this.state;
		this.state = this.kept = { ...this.kept, ...part };
		this.browser.history.replaceState({ plume: this.index }, '', '#' + formatHash(this.kept));
		this.tell(before);
	}

	/** Cancels a drag. */
	cancel(): void {
		const before = this.state;
		this.state = this.kept;
		this.tell(before);
	}

	watch(callback: Watcher): void {
		this.watchers.push(callback);
	}

	undo(): void {
		if (this.canUndo)
			this.browser.history.back();
	}

	redo(): void {
		if (this.canRedo)
			this.browser.history.forward();
	}

	/** Back, forward, or a typed hash. An entry that the page has not seen is a new one. */
	private returned(): void {
		const before = this.state;
		const index = indexOf(this.browser.history.state);
		this.index = index === null ? this.index + 1 : index;
		this.top = index === null ? this.index : Math.max(this.top, index);
		if (index === null)
			this.browser.history.replaceState({ plume: this.index }, '', this.browser.location.hash);
		const parsed = parseHash(this.browser.location.hash);
		this.state = this.kept = parsed.state;
		this.unknown = parsed.unknown;
		this.tell(before);
	}

	private tell(before: State): void {
		for (const watcher of this.watchers)
			watcher(this.state, before);
	}
}
