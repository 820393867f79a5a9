// Requests to the engine: one at a time; of those waiting, only the latest is sent.

import { Answer, Engine, Parameters } from './engine';

export class Latest {
	private isBusy = false;
	private next: (() => Promise<void>) | null = null;

	constructor(private readonly failed: (error: unknown) => void) {}

	ask(run: () => Promise<void>): void {
		this.next = run;
		if (!this.isBusy)
			void this.work();
	}

	private async work(): Promise<void> {
		this.isBusy = true;
		while (this.next) {
			const run = this.next;
			this.next = null;
			try {
				await run();
			} catch (error) {
				this.failed(error);
			}
		}
		this.isBusy = false;
	}
}

/** Reports how many requests are open, and when one was answered. */
export class WatchedEngine implements Engine {
	readonly isServed: boolean;
	private open = 0;

	constructor(private readonly engine: Engine, private readonly changed: (open: number, isAnswered: boolean) => void) {
		this.isServed = engine.isServed;
	}

	json<T>(name: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
		return this.watched(this.engine.json<T>(name, parameters, signal));
	}

	binary(name: string, parameters: Parameters, signal?: AbortSignal): Promise<Answer> {
		return this.watched(this.engine.binary(name, parameters, signal));
	}

	file(name: string, parameters: Parameters): Promise<{ name: string; type: string; bytes: Uint8Array }> {
		return this.watched(this.engine.file(name, parameters));
	}

	upload(name: string, bytes: ArrayBuffer): Promise<string> {
		return this.watched(this.engine.upload(name, bytes));
	}

	private async watched<T>(question: Promise<T>): Promise<T> {
		this.changed(++this.open, false);
		let isAnswered = false;
		try {
			const answer = await question;
			isAnswered = true;
			return answer;
		} finally {
			this.changed(--this.open, isAnswered);
		}
	}
}
