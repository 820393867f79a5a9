// The contents of an offline page: the engine, profiles and source text, each gzipped and in base64.

import { Watch, WasmEngine } from './wasm';

export interface PackedPage {
	engine: string;
	files: { name: string; isShown: boolean; packed: string }[];
	sources: string; // '' if there are none
}

async function unpack(packed: string, what: string): Promise<Uint8Array> {
	if (typeof DecompressionStream === 'undefined')
		throw new Error('this browser is too old for this page: it cannot unpack gzip (no DecompressionStream)');
	try {
		const text = atob(packed);
		const bytes = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++)
			bytes[i] = text.charCodeAt(i);
		const stream = new Response(bytes).body!.pipeThrough(new DecompressionStream('gzip'));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	} catch {
		throw new Error(`${what} in this page cannot be unpacked: the file is damaged or incomplete`);
	}
}

/** For each file: the lengths of its path, text and origin (u32), then these three. */
function addSources(engine: WasmEngine, bytes: Uint8Array): void {
	const view = new DataView(bytes.buffer);
	for (let at = 0; at + 12 <= bytes.length;) {
		const lengths = [0, 4, 8].map((offset) => view.getUint32(at + offset, true));
		at += 12;
		const [path, text, origin] = lengths.map((n) => bytes.subarray(at, at += n));
		engine.addSource({ path, text, origin: new TextDecoder().decode(origin) });
	}
}

/** Returns what is wrong with the profile, or ''. */
async function openFile(engine: WasmEngine, number: number, { name, isShown, packed }: PackedPage['files'][0]): Promise<string> {
	try {
		const fault = engine.open(number, { name, isShown, bytes: await unpack(packed, 'the profile') });
		return fault && `the profile in this page is damaged: ${fault}`;
	} catch (e) {
		return (e as Error).message;
	}
}

/** Profiles that are damaged are listed with the reason. Throws an Error whose message is a sentence if none can be shown. */
export async function openPacked(page: PackedPage, watch: Watch): Promise<WasmEngine> {
	const engine = await WasmEngine.make(await unpack(page.engine, 'the query engine'), watch);
	let reason = '';
	let canShow = false;
	for (let i = 0; i < page.files.length; i++) {
		const fault = await openFile(engine, i + 1, page.files[i]);
		if (fault) {
			engine.fail(i + 1, page.files[i], fault);
			reason = reason || fault;
		}
		canShow = canShow || !fault && page.files[i].isShown;
	}
	if (!canShow && reason)
		throw new Error(reason);
	if (page.sources)
		addSources(engine, await unpack(page.sources, 'the source text'));
	return engine;
}
