// Which searches may run. An expression that may take very long waits for Enter, then for a trial in a worker; until it
// has passed nobody else runs it. None of this is in the URL, so a link cannot start one. No DOM here.

import { isRisky } from './matches';
import { Search } from './state';

function keyOf({ text, matchesCase }: Search): string {
	return JSON.stringify([text, matchesCase]);
}

export class SearchGate {
	private confirmed = ''; // by Enter
	private passed = '';
	private watchers: (() => void)[] = [];

	watch(callback: () => void): void {
		this.watchers.push(callback);
	}

	/** The user pressed Enter. */
	confirm(search: Search): void {
		this.confirmed = search.text;
	}

	/** The trial ended in time. */
	pass(search: Search): void {
		this.passed = keyOf(search);
		for (const watcher of this.watchers)
			watcher();
	}

	/** It waits for Enter. */
	isHeld(search: Search): boolean {
		return isRisky(search) && this.confirmed !== search.text;
	}

	isRisky(search: Search): boolean {
		return isRisky(search);
	}

	/** The search that requests may contain. */
	allowed(search: Search): Search {
		return isRisky(search) && (this.isHeld(search) || this.passed !== keyOf(search)) ? { ...search, text: '' } : search;
	}
}
