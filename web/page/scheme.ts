// Dark or light: follows the system unless the state overrides it. page.css has the colours of both.

import { Scheme, Store } from './state';

const NEXT: { [scheme in Scheme]: Scheme } = { auto: 'dark', dark: 'light', light: 'auto' };

export class SchemeSwitch {
	private readonly system = window.matchMedia('(prefers-color-scheme: dark)');
	private watchers: (() => void)[] = [];

	constructor(private readonly store: Store) {
		this.system.addEventListener('change', () => this.apply());
		store.watch((state, before) => {
			if (state.scheme !== before.scheme)
				this.apply();
		});
		this.apply();
	}

	/** Calls back when the colours changed. */
	watch(callback: () => void): void {
		this.watchers.push(callback);
	}

	next(): void {
		this.store.change({ scheme: NEXT[this.store.state.scheme] });
	}

	private apply(): void {
		const { scheme } = this.store.state;
		const isDark = scheme === 'dark' || (scheme === 'auto' && this.system.matches);
		document.documentElement.dataset.scheme = isDark ? 'dark' : 'light';
		for (const watcher of this.watchers)
			watcher();
	}
}
