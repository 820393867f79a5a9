// The offline page: it holds the profile, and plume's query engine compiled to WebAssembly.

import { openPacked, PackedPage } from '../engine/packed';
import { Answered } from '../engine/wasm';
import { FromWorker, ToWorker } from '../engine/worker';
import { Answer, Engine, EngineError, Parameters, parseAnswer, queryString, ServedEngine } from './engine';

/** The contents that `plume flame -o page.html` writes into the page (src/page). */
interface Contents {
	title: string; // '': the profile's own
	state: string; // the initial hash
	files: { name: string; shown: boolean }[];
	hasSources: boolean;
}

const MOST_MATCHING_MS = 5000;

function textOf(id: string): string {
	const element = document.getElementById('plume-' + id);
	return element && element.textContent || '';
}

function readContents(): Contents | null {
	const text = textOf('page');
	return text ? JSON.parse(text) : null;
}

function readPacked(contents: Contents): PackedPage {
	return {
		engine: textOf('engine'),
		files: contents.files.map(({ name, shown }, i) => ({ name, isShown: shown, packed: textOf('file-' + (i + 1)) })),
		sources: contents.hasSources ? textOf('sources') : '',
	};
}

/** Answers one request at a time. */
interface Answerer {
	ask(name: string, query: string): Promise<Answered>;
}

/** Runs on the page's own thread, where workers are not available. */
class DirectAnswerer implements Answerer {
	private readonly engine;

	constructor(page: PackedPage) {
		this.engine = openPacked(page, () => undefined);
	}

	async ask(name: string, query: string): Promise<Answered> {
		return (await this.engine).ask(name, query);
	}
}

class WorkerAnswerer implements Answerer {
	private readonly worker: Worker;
	private readonly opened: Promise<void>;
	private settle: ((message: FromWorker) => void) | null = null;
	private timer = 0;

	/** Throws if this browser has no workers for such a page. */
	constructor(page: PackedPage) {
		const url = URL.createObjectURL(new Blob([textOf('worker')], { type: 'text/javascript' }));
		this.worker = new Worker(url);
		URL.revokeObjectURL(url);
		this.worker.onmessage = ({ data }: { data: FromWorker }) => this.receive(data);
		this.opened = this.send({ open: page }).then(() => undefined);
		this.opened.catch(() => undefined); // requests report the error
	}

	async ask(name: string, query: string): Promise<Answered> {
		await this.opened;
		const message = await this.send({ name, query });
		return (message as { answer: Answered }).answer;
	}

	end(): void {
		clearTimeout(this.timer);
		this.worker.terminate();
	}

	private send(message: ToWorker): Promise<FromWorker> {
		return new Promise((resolve, reject) => {
			this.settle = (answer) => 'failed' in answer ? reject(new Stopped(answer.failed)) : resolve(answer);
			this.worker.onerror = (event) => reject(event instanceof ErrorEvent ? new Stopped(event.message) : new NoWorker());
			this.worker.postMessage(message);
		});
	}

	private receive(message: FromWorker): void {
		if ('isMatching' in message)
			this.watch(message.isMatching);
		else
			this.settle!(message);
	}

	/** Stops an expression that takes too long on a single name. */
	private watch(isMatching: boolean): void {
		clearTimeout(this.timer);
		if (isMatching)
			this.timer = window.setTimeout(() => this.settle!({ failed: 'the expression takes too long; simplify it' }), MOST_MATCHING_MS);
	}
}

/** The engine cannot go on. */
class Stopped extends Error {}
/** The browser does not let the page have a worker. */
class NoWorker extends Error {}

interface Question {
	name: string;
	query: string;
	signal?: AbortSignal;
	resolve(answer: Answered): void;
	reject(reason: unknown): void;
}

export class OfflineEngine implements Engine {
	readonly isServed = false;
	private answerer: Answerer | null = null;
	private hasWorkers = typeof Worker !== 'undefined';
	private waiting: Question[] = [];
	private isBusy = false;

	constructor(private readonly contents: Contents) {}

	async json<T>(name: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
		const { body } = await this.ask(name, parameters, signal);
		const answer = JSON.parse(new TextDecoder().decode(body));
		if (name === 'ledger' && this.contents.title)
			answer.title = this.contents.title;
		return answer;
	}

	async binary(name: string, parameters: Parameters, signal?: AbortSignal): Promise<Answer> {
		return parseAnswer((await this.ask(name, parameters, signal)).body);
	}

	async file(name: string, parameters: Parameters): Promise<{ name: string; type: string; bytes: Uint8Array }> {
		const { download, type, body } = await this.ask(name, parameters);
		return { name: download || name, type, bytes: await packedLike(download, body) };
	}

	upload(): Promise<string> {
		return Promise.reject(new EngineError(0, 'this is an offline page; it cannot open other files. Use plume scope'));
	}

	private async ask(name: string, parameters: Parameters, signal?: AbortSignal): Promise<Answered> {
		const answered = await new Promise<Answered>((resolve, reject) => {
			this.waiting.push({ name, query: queryString(parameters), signal, resolve, reject });
			this.next();
		});
		if (answered.status !== 200)
			throw new EngineError(answered.status, JSON.parse(new TextDecoder().decode(answered.body)).error);
		return answered;
	}

	private async next(): Promise<void> {
		const question = this.isBusy ? undefined : this.waiting.shift();
		if (!question)
			return;
		this.isBusy = true;
		try {
			stopIfAborted(question);
			const answer = await this.answer(question);
			stopIfAborted(question);
			question.resolve(answer);
		} catch (e) {
			question.reject(e);
		}
		this.isBusy = false;
		this.next();
	}

	private async answer(question: Question): Promise<Answered> {
		try {
			this.answerer = this.answerer || this.start();
			return await this.answerer.ask(question.name, question.query);
		} catch (e) {
			this.stop();
			if (!(e instanceof NoWorker))
				throw new EngineError(0, (e as Error).message);
			this.hasWorkers = false;
			return this.answer(question);
		}
	}

	private start(): Answerer {
		const page = readPacked(this.contents);
		if (!this.hasWorkers)
			return new DirectAnswerer(page);
		try {
			return new WorkerAnswerer(page);
		} catch {
			throw new NoWorker();
		}
	}

	/** The next request starts it again. */
	private stop(): void {
		if (this.answerer instanceof WorkerAnswerer)
			this.answerer.end();
		this.answerer = null;
	}
}

function stopIfAborted(question: Question): void {
	if (question.signal && question.signal.aborted)
		throw new DOMException('no longer wanted', 'AbortError');
}

/** The engine does not compress, so this compresses files whose names end in .gz. */
async function packedLike(name: string, body: ArrayBuffer): Promise<Uint8Array> {
	if (!name.endsWith('.gz') || typeof CompressionStream === 'undefined')
		return new Uint8Array(body);
	const stream = new Response(body).body!.pipeThrough(new CompressionStream('gzip'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The engine of this page. An offline page also sets the initial state. */
export function engineOfPage(): Engine {
	const contents = readContents();
	if (!contents)
		return new ServedEngine();
	document.getElementById('plume-fallback')?.remove();
	if (!location.hash && contents.state)
		history.replaceState(history.state, '', '#' + contents.state);
	return new OfflineEngine(contents);
}
