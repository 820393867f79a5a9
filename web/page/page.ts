// What the parts of the page share.

import { Engine } from './engine';
import { SearchGate } from './search_gate';
import { Store } from './state';

/** api/ledger, see doc/api.md. */
export interface Ledger {
	title: string;
	host: string;
	date: string;
	duration_ns: number;
	rate: number;
	samples: number;
	cpus_busy: number;
	start_unix_ns: string;
	revision: string;
	has: { time: boolean; cpu: boolean; threads: boolean; kinds: boolean; scripts: boolean; lines: boolean };
	events: { name: string; unit: string; samples: number }[];
	facts: [string, string][];
	notes: string[];
	ledger: [string, string][];
	threads: { pid: number; tid: number; comm: string; container: string; samples: number }[];
	marks: { time_ns: number; duration_ns: number; kind: string; text: string; pid: number; tid: number }[];
	categories: { name: string; text: string }[];
	presets?: { name: string; text: string; words: [string, string | null][] }[];
	preset?: string;
}

/** A keyboard shortcut and its line in the help. */
export interface Key {
	keys: string[]; // KeyboardEvent.key, with `Ctrl+` or `Shift+` before it
	shown: string; // in the help: `n N`
	does: string; // in the help: `next and previous hit`
	group: string; // heading in the help
	run: (event: KeyboardEvent) => void;
}

export interface Page {
	readonly engine: Engine;
	readonly store: Store;
	readonly ledger: Ledger | null;
	readonly gate: SearchGate;
	/** Calls back when the ledger arrived or changed (another selection, a live profile that grew). */
	watchLedger(callback: (ledger: Ledger) => void): void;
	addKeys(keys: Key[]): void;
	/** Shows a sentence for some seconds, and tells screen readers. */
	remark(sentence: string): void;
	/** Shows that something went wrong until the next answer arrives. */
	fail(error: unknown): void;
}
