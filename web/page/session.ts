// Implements what the parts of the page share: the engine, the state, the ledger and the list of files.

import { Latest, WatchedEngine } from './asking';
import { Engine, EngineError } from './engine';
import { Keys } from './keys';
import { Key, Ledger, Page } from './page';
import { yourCodeOf } from './presets';
import { refusedWords } from './refused';
import { SearchGate } from './search_gate';
import { EVERYTHING, stateParameters } from './state';
import { UrlStore } from './store';

/** An entry of api/files. */
export interface FileEntry {
	id: string;
	name: string;
	folder: string;
	bytes: number;
	modified: number;
	state: 'waiting' | 'reading' | 'ready' | 'live' | 'failed';
	reason: string;
	samples: number;
	start_unix_ns: string;
	duration_ns: number;
	shown: boolean;
}

export interface FileList {
	revision: number;
	live: boolean;
	files: FileEntry[];
}

/** What is shown instead of the bands: nothing, or a sentence and what to do. */
export type Status =
	| { kind: 'shown' }
	| { kind: 'loading' | 'reading' | 'empty' | 'failed'; title: string; text: string }
	| { kind: 'refused'; title: string; text: string; ways: Way[] };

/** A button. */
export interface Way {
	text: string;
	go(): void;
}

/** What the session tells the shell. */
export interface Outlook {
	status(status: Status): void;
	remark(sentence: string): void;
	problem(sentence: string): void; // '': clears it
	busy(open: number): void;
}

/** By folder, then by time; files without a time last, by name. */
function inOrder(a: FileEntry, b: FileEntry): number {
	const startOf = (file: FileEntry): number => Number(file.start_unix_ns) || Infinity;
	return a.folder.localeCompare(b.folder) || (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : a.name.localeCompare(b.name));
}

function unreadable(files: FileEntry[]): Status {
	const [first, ...more] = files;
	return {
		kind: 'failed', title: more.length ? `None of ${files.length} files can be shown` : `Cannot show ${first.name}`,
		text: files.slice(0, 8).map((file) => file.reason).join('\n') + (files.length > 8 ? '\nThe list of files shows every reason.' : ''),
	};
}

export class Session implements Page {
	readonly engine: Engine;
	readonly gate = new SearchGate();
	ledger: Ledger | null = null;
	list: FileList = { revision: -1, live: false, files: [] };
	/** Requests the list of files now, after a file was opened. */
	refreshFiles: () => void = () => {};
	private ledgerWatchers: ((ledger: Ledger) => void)[] = [];
	private fileWatchers: ((list: FileList) => void)[] = [];
	private readonly asking: Latest;
	private isFirstLook: boolean;
	private asked = '';
	/** The server is reading a requested file. */
	isReading = false;

	constructor(engine: Engine, readonly store: UrlStore, readonly keys: Keys, private readonly outlook: Outlook) {
		this.engine = new WatchedEngine(engine, (open, isAnswered) => {
			outlook.busy(open);
			if (isAnswered)
				outlook.problem('');
		});
		this.asking = new Latest((error) => this.ledgerFailed(error));
		this.isFirstLook = store.isFirstLook;
		store.watch((state, before) => {
			this.isFirstLook = this.isFirstLook && state.transforms === before.transforms;
			this.selected();
		});
	}

	watchLedger(callback: (ledger: Ledger) => void): void {
		this.ledgerWatchers.push(callback);
		if (this.ledger)
			callback(this.ledger);
	}

	watchFiles(callback: (list: FileList) => void): void {
		this.fileWatchers.push(callback);
		callback(this.list);
	}

	addKeys(keys: Key[]): void {
		this.keys.add(keys);
	}

	remark(sentence: string): void {
		this.outlook.remark(sentence);
	}

	fail(error: unknown): void {
		const isExpected = (error instanceof EngineError && error.status === 409) || (error instanceof Error && error.name === 'AbortError');
		if (isExpected) // the file is still being read, or the answer is no longer wanted
			return;
		this.outlook.problem(error instanceof Error ? error.message : String(error));
		if (!(error instanceof EngineError))
			console.error(error);
	}

	/** The files on the page: those selected, or those shown at first. */
	shownFiles(): FileEntry[] {
		const { files } = this.store.state.selection;
		return this.list.files.filter((file) => (files.length ? files.includes(file.id) : file.shown));
	}

	setFiles(list: FileList): void {
		const before = JSON.stringify(this.shownFiles());
		const isChanged = list.revision !== this.list.revision;
		if (isChanged) {
			this.list = { ...list, files: [...list.files].sort(inOrder) };
			for (const watcher of this.fileWatchers)
				watcher(this.list);
		}
		const isStillReading = this.shownFiles().some((file) => file.state === 'reading');
		if (this.isReading ? !isStillReading : isChanged && (!this.ledger || JSON.stringify(this.shownFiles()) !== before))
			this.loadLedger();
	}

	/** The list of files did not arrive; without any files there is nothing to show. */
	filesFailed(error: unknown): void {
		if (this.list.revision < 0)
			this.outlook.status({ kind: 'failed', title: 'Cannot open this page', text: error instanceof Error ? error.message : String(error) });
		this.fail(error);
	}

	/** Shows other files from their start. baseline: the other side of a diff. */
	showFiles(files: string[], baseline: string[] | null = null): void {
		this.store.change({
			selection: { ...EVERYTHING, files }, window: null, zoom: [], subject: '',
			baseline: baseline && { ...EVERYTHING, files: baseline }, view: baseline ? 'diff' : 'flame',
		});
	}

	loadLedger(): void {
		this.asking.ask(async () => {
			if (!this.canAsk())
				return;
			const state = this.store.keptState;
			this.asked = JSON.stringify(stateParameters(state));
			this.isReading = false;
			const ledger = await this.engine.json<Ledger>('ledger', stateParameters(state));
			this.ledger = ledger;
			this.look(ledger);
			this.outlook.status({ kind: 'shown' });
			for (const watcher of this.ledgerWatchers)
				watcher(ledger);
		});
	}

	/** Whether there is a profile to show; says so if not. */
	private canAsk(): boolean {
		const shown = this.shownFiles();
		const { files } = this.list;
		// If a folder has no readable file, report all its files.
		const failed = (shown.length ? shown : files).filter((file) => file.state === 'failed');
		if (files.length === 0)
			this.outlook.status({ kind: 'empty', title: 'No profile yet', text: this.howToOpen() });
		else if (failed.length === (shown.length || files.length))
			this.outlook.status(unreadable(failed));
		else if (shown.length === 0)
			this.outlook.status({ kind: 'empty', title: 'No such file', text: 'The link names a file that is not open here. Choose another above.' });
		else
			return true;
		return false;
	}

	private howToOpen(): string {
		return this.engine.isServed ?
			'Drop a profile here, or start plume scope with a file: plume scope perf.data. New files in a watched folder appear here.' :
			'This page contains no profile.';
	}

	/** The first look folds what is not the user's code. A live profile may not have any such code yet. */
	private look(ledger: Ledger): void {
		if (!this.isFirstLook || !ledger.preset || ledger.preset === 'none')
			return;
		this.isFirstLook = false;
		this.store.settle({ transforms: yourCodeOf(ledger).words });
	}

	private selected(): void {
		if (this.store.state !== this.store.keptState)
			return;
		if (JSON.stringify(stateParameters(this.store.state)) !== this.asked)
			this.loadLedger();
	}

	private ledgerFailed(error: unknown): void {
		if (error instanceof EngineError && error.status === 409) {
			this.outlook.status({ kind: 'reading', title: 'Reading ' + this.shownFiles().map((file) => file.name).join(', '), text: this.sizes() });
			this.isReading = true;
			this.refreshFiles(); // the ledger is requested again once the file is read
			return;
		}
		if (!this.ledger && error instanceof EngineError && error.status === 400) {
			if (JSON.stringify(stateParameters(this.store.keptState)) === this.asked) // else the next request is waiting
				this.asking.ask(() => this.explainRefusal(error));
			return;
		}
		if (!this.ledger)
			this.outlook.status({
				kind: 'failed', title: 'Cannot show this profile', text: error instanceof Error ? error.message : String(error),
			});
		this.fail(error);
	}

	/** A word of the link is to blame: the chips stay, and buttons remove what plume refuses. */
	private async explainRefusal(error: EngineError): Promise<void> {
		const state = this.store.keptState;
		const words = await refusedWords(state, (parameters) => this.engine.json('ledger', parameters));
		const ways = words.map((word) => ({ text: `Remove ${word.text}`, go: () => this.store.change(word.without(this.store.keptState)) }));
		if (ways.length !== 1)
			ways.push({ text: 'Remove all filters and transforms', go: () => this.store.change(
				{ selection: { ...EVERYTHING, files: state.selection.files }, baseline: null, transforms: [], weight: 'auto' }) });
		const names = words.map((word) => word.text).join(', ');
		this.outlook.problem('');
		this.outlook.status({
			kind: 'refused', title: 'Cannot apply this link', ways,
			text: (names ? `plume does not understand ${names} in the link.\n` : '') + error.message,
		});
	}

	private sizes(): string {
		const bytes = this.shownFiles().reduce((sum, file) => sum + file.bytes, 0);
		return bytes > 50e6 ? `${Math.round(bytes / 1e6)} MB. This takes a moment.` : 'This takes a moment.';
	}
}
