// Polls the list of files: live recordings grow, and new files appear in folders.

import { make, button } from './dom';
import { FileList, Session } from './session';

const LIVE_MS = 1000;
const QUIET_MS = 3000;
const READING_MS = 200;

export class Live {
	private isPaused = false;
	private timer = 0;
	private readonly toggle = button('Pause', 'Stop following the recording', () => this.pause(!this.isPaused));
	private readonly text = make('span', { class: 'dot' }, 'live');

	constructor(private readonly element: HTMLElement, private readonly session: Session) {
		element.append(this.text, this.toggle);
		element.hidden = true;
		document.addEventListener('visibilitychange', () => {
			if (!document.hidden)
				this.now();
		});
	}

	/** Polls at once, or soon if a file is being read. */
	now(): void {
		if (this.session.isReading)
			this.later(READING_MS);
		else {
			clearTimeout(this.timer);
			void this.ask();
		}
	}

	pause(isPaused: boolean): void {
		this.isPaused = isPaused;
		this.show();
		this.session.remark(isPaused ? 'Paused: the recording continues, but the page does not follow it.' : 'Following the recording.');
		if (!isPaused)
			this.now();
	}

	get state(): 'live' | 'paused' | 'still' {
		return !this.session.list.live ? 'still' : this.isPaused ? 'paused' : 'live';
	}

	private async ask(): Promise<void> {
		try {
			const list = await this.session.engine.json<FileList>('files', []);
			if (!this.isPaused)
				this.session.setFiles(list);
		} catch (error) {
			this.session.filesFailed(error);
		}
		this.show();
		if (this.session.engine.isServed)
			this.later(this.session.isReading ? READING_MS : this.session.list.live ? LIVE_MS : QUIET_MS);
	}

	private later(delay_ms: number): void {
		clearTimeout(this.timer);
		this.timer = window.setTimeout(() => {
			if (document.hidden || this.isPaused)
				this.later(delay_ms);
			else
				void this.ask();
		}, delay_ms);
	}

	private show(): void {
		const { state } = this;
		this.element.hidden = state === 'still';
		this.element.dataset.state = state;
		this.text.textContent = state;
		this.toggle.textContent = state === 'paused' ? 'Resume' : 'Pause';
		this.toggle.title = state === 'paused' ? 'Follow the recording again' : 'Stop following the recording';
	}
}
