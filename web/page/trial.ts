// Matches an expression in a worker, which is ended if that takes too long. A single name can keep an expression busy for
// years, and nothing else can interrupt it.

import { compile, Matches, textsOf } from './matches';
import { Search } from './state';
import { Labels } from './tree';

const PATIENCE_MS = 800;

const SCRIPT = `onmessage = ({ data: { pattern, texts } }) =>
	postMessage(Uint8Array.from(texts, (forms) => forms.some((text) => pattern.test(text)) ? 1 : 0));`;

const TOO_SLOW: Matches = { isValid: true, isComplete: false, labels: null };

export class Trial {
	private end: () => void = () => {};

	/** Ends the trial before it. done is not called then. */
	run(labels: Labels, search: Search, done: (matches: Matches) => void): void {
		this.end();
		const pattern = compile(search);
		if (!pattern) {
			done({ ...TOO_SLOW, isValid: false });
			return;
		}
		const url = URL.createObjectURL(new Blob([SCRIPT], { type: 'text/javascript' }));
		const worker = new Worker(url);
		const close = (): void => {
			clearTimeout(timer);
			worker.terminate();
			URL.revokeObjectURL(url);
			this.end = () => {};
		};
		const finish = (matches: Matches): void => {
			close();
			done(matches);
		};
		const timer = setTimeout(() => finish(TOO_SLOW), PATIENCE_MS);
		this.end = close;
		worker.onmessage = ({ data }: { data: Uint8Array }) => finish({ isValid: true, isComplete: true, labels: data });
		worker.onerror = () => finish(TOO_SLOW);
		worker.postMessage({ pattern, texts: labels.name.map((_, label) => textsOf(labels, label)) });
	}

	stop(): void {
		this.end();
	}
}
