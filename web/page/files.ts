// The list of files: one or several are shown, another can be the baseline; failed ones say why.
// Files can be dropped.

import { integer, span } from '../flame/numbers';
import { button, make } from './dom';
import { Popup } from './popup';
import { FileEntry, Session } from './session';
import { bytesText, dayOf, timeOfDay } from './times';

const MOST_ROWS = 500;
const MOST_BYTES = 256 * 1024 * 1024;

/** `web-1.plume`, `3 files`. */
export function nameOfFiles(files: FileEntry[]): string {
	return files.length === 1 ? files[0].name : files.length ? `${integer(files.length)} files` : 'no file';
}

function factsOf(file: FileEntry): string {
	if (file.state === 'failed')
		return file.reason;
	const start = BigInt(file.start_unix_ns || '0');
	return [
		start > BigInt(0) ? `${dayOf(start)} ${timeOfDay(start, 1e9)}` : '',
		file.duration_ns > 0 ? span(file.duration_ns) : '',
		file.samples > 0 ? `${integer(file.samples)} samples` : '',
		bytesText(file.bytes),
		{ waiting: 'not read yet', reading: 'being read', live: 'live', ready: '', failed: '' }[file.state],
	].filter((part) => part).join(' \u00b7 ');
}

export class Files {
	private readonly opener = make('button', { type: 'button', class: 'opener', title: 'Choose files or a baseline' });
	private readonly popup: Popup;
	private filter = '';

	constructor(element: HTMLElement, private readonly session: Session) {
		element.append(this.opener);
		this.popup = new Popup(this.opener, 'Files', (panel) => this.fill(panel));
		session.watchFiles(() => this.show());
		session.store.watch((state, before) => {
			if (state.selection.files !== before.selection.files || state.baseline !== before.baseline)
				this.show();
		});
		session.addKeys([
			{ keys: ['o'], shown: 'o', does: 'choose files', group: 'Page', run: () => this.popup.open() },
			{ keys: ['['], shown: '[ ]', does: 'previous or next file', group: 'Page', run: () => this.step(-1) },
			{ keys: [']'], shown: '', does: '', group: 'Page', run: () => this.step(1) },
		]);
		this.acceptDrops();
	}

	/** The file before or after the shown ones. */
	private step(by: number): void {
		const files = this.session.list.files.filter((file) => file.state !== 'failed');
		const shown = this.session.shownFiles();
		const at = files.indexOf(shown[by > 0 ? shown.length - 1 : 0]) + by;
		if (files[at])
			this.session.showFiles([files[at].id]);
		else
			this.session.remark(by > 0 ? 'This is the last file.' : 'This is the first file.');
	}

	private show(): void {
		this.opener.replaceChildren(make('span', {}, nameOfFiles(this.session.shownFiles())), make('span', { class: 'arrow', 'aria-hidden': 'true' }, '\u25be'));
		this.popup.refresh();
	}

	private fill(panel: HTMLElement): void {
		panel.classList.add('files');
		const list = make('div', { class: 'list' });
		const show = (): void => list.replaceChildren(...this.rows());
		if (this.session.list.files.length > 8)
			panel.append(this.filterBox(show));
		panel.append(list, this.footer());
		show();
	}

	private filterBox(changed: () => void): HTMLElement {
		const input = make('input', { type: 'search', placeholder: 'Filter by name', 'aria-label': 'Filter files by name', value: this.filter });
		input.addEventListener('input', () => {
			this.filter = input.value;
			changed();
		});
		return input;
	}

	private rows(): HTMLElement[] {
		const wanted = this.filter.toLowerCase();
		const files = this.session.list.files.filter((file) => (file.folder + '/' + file.name).toLowerCase().includes(wanted));
		const rows: HTMLElement[] = [];
		let folder = '';
		for (const file of files.slice(0, MOST_ROWS)) {
			if (file.folder !== folder)
				rows.push(make('h3', {}, file.folder));
			folder = file.folder;
			rows.push(this.row(file));
		}
		if (files.length > MOST_ROWS)
			rows.push(make('p', { class: 'muted' }, `${integer(files.length - MOST_ROWS)} more; filter by name to see them.`));
		if (!files.length)
			rows.push(make('p', { class: 'muted' }, this.session.list.files.length ? 'No file name matches.' : 'No files are open.'));
		return rows;
	}

	private row(file: FileEntry): HTMLElement {
		const isFailed = file.state === 'failed';
		const shown = this.session.shownFiles();
		const box = make('input', { type: 'checkbox', 'aria-label': 'Show ' + file.name, disabled: isFailed });
		box.checked = shown.includes(file);
		box.addEventListener('change', () => this.tick(file, box.checked));
		const name = button(file.name, 'Show only this file', () => {
			this.popup.close();
			this.session.showFiles([file.id]);
		}, { class: 'name', disabled: isFailed });
		const isBase = this.session.store.state.baseline?.files.includes(file.id) === true;
		const base = button('baseline', 'Use this file as the baseline', () => this.compareWith(file),
			{ disabled: isFailed || (shown.length === 1 && shown[0] === file), 'aria-pressed': String(isBase) });
		return make('div', { class: 'file ' + file.state }, box, make('div', { class: 'what' }, name, make('div', { class: 'muted' }, factsOf(file))), base);
	}

	private tick(file: FileEntry, isOn: boolean): void {
		const ids = this.session.shownFiles().map((one) => one.id).filter((id) => id !== file.id);
		const wanted = isOn ? [...ids, file.id] : ids;
		if (wanted.length)
			this.session.showFiles(this.session.list.files.map((one) => one.id).filter((id) => wanted.includes(id)));
		else
			this.show();
	}

	private compareWith(file: FileEntry): void {
		this.popup.close();
		this.session.showFiles(this.session.shownFiles().map((one) => one.id), [file.id]);
	}

	private footer(): HTMLElement {
		if (!this.session.engine.isServed)
			return make('p', { class: 'muted' }, 'This is an offline page; its files cannot be changed.');
		const input = make('input', { type: 'file', multiple: true, hidden: true, tabindex: -1 });
		input.addEventListener('change', () => void this.upload([...(input.files || [])]));
		return make('p', { class: 'footer' }, button('Open a file\u2026', 'Read a profile from this computer', () => input.click()), input,
			make('span', { class: 'muted' }, ' or drop one anywhere. It stays in memory and is never written to disk.'));
	}

	private acceptDrops(): void {
		const holdsFiles = (event: DragEvent): boolean => event.dataTransfer !== null && [...event.dataTransfer.types].includes('Files');
		document.addEventListener('dragover', (event) => {
			if (!holdsFiles(event))
				return;
			event.preventDefault();
			document.body.classList.add('dropping');
		});
		document.addEventListener('dragleave', (event) => {
			if (!event.relatedTarget)
				document.body.classList.remove('dropping');
		});
		document.addEventListener('drop', (event) => {
			document.body.classList.remove('dropping');
			if (!holdsFiles(event) || !event.dataTransfer)
				return;
			event.preventDefault();
			void this.upload([...event.dataTransfer.files]);
		});
	}

	private async upload(files: File[]): Promise<void> {
		if (!this.session.engine.isServed) {
			this.session.remark('This is an offline page; it cannot open other files. Use plume scope.');
			return;
		}
		const ids: string[] = [];
		for (const file of files) {
			if (file.size > MOST_BYTES)
				this.session.remark(`${file.name} is ${bytesText(file.size)}, more than ${bytesText(MOST_BYTES)}; run plume scope ${file.name}`);
			else
				ids.push(...await this.uploadOne(file));
		}
		if (ids.length) {
			this.popup.close();
			this.session.showFiles(ids);
			this.session.refreshFiles();
		}
	}

	private async uploadOne(file: File): Promise<string[]> {
		try {
			this.session.remark(`Opening ${file.name}\u2026`);
			return [await this.session.engine.upload(file.name, await file.arrayBuffer())];
		} catch (error) {
			this.session.fail(error);
			return [];
		}
	}
}
