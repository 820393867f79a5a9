// Runs the engine on its own thread, so that the page stays responsive.

import { openPacked, PackedPage } from './packed';
import { Answered, WasmEngine } from './wasm';

/** The first message opens the page, every later one is a request. */
export type ToWorker = { open: PackedPage } | { name: string; query: string };
/** failed: the engine can no longer be used. */
export type FromWorker = { ready: true } | { answer: Answered } | { isMatching: boolean } | { failed: string };

interface Scope {
	onmessage: ((event: { data: ToWorker }) => void) | null;
	postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

const scope = self as unknown as Scope;
let engine: WasmEngine | null = null;

async function open(page: PackedPage): Promise<void> {
	engine = await openPacked(page, (isMatching) => scope.postMessage({ isMatching }));
	scope.postMessage({ ready: true });
}

function answer(name: string, query: string): void {
	const answered = engine!.ask(name, query);
	scope.postMessage({ answer: answered }, [answered.body]);
}

scope.onmessage = async ({ data }): Promise<void> => {
	try {
		if ('open' in data)
			await open(data.open);
		else
			answer(data.name, data.query);
	} catch (e) {
		scope.postMessage({ failed: (e as Error).message });
	}
};
