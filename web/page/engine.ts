// Sends the requests of doc/api.md to the server, or to the same code compiled into the offline page.

export type Parameters = [string, string | null][];
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** A binary answer. */
export interface Answer {
	// eslint-disable-next-line @typescript-eslint/no-explicit-any
	header: any;
	columns: { [name: string]: Column };
}

/** A request failed; the message is a sentence for the user. */
export class EngineError extends Error {
	constructor(readonly status: number, message: string) {
		super(message);
	}
}

export interface Engine {
	/** Whether there is a server: live files, uploads. */
	readonly isServed: boolean;
	json<T>(name: string, parameters: Parameters, signal?: AbortSignal): Promise<T>;
	binary(name: string, parameters: Parameters, signal?: AbortSignal): Promise<Answer>;
	/** A download, as bytes with the suggested name. */
	file(name: string, parameters: Parameters): Promise<{ name: string; type: string; bytes: Uint8Array }>;
	/** Server only: adds a profile, returns its id. */
	upload(name: string, bytes: ArrayBuffer): Promise<string>;
}

const MAGIC = 'plume-1\n';
const WIDTH: { [type: string]: number } = { u8: 1, u16: 2, u32: 4, f64: 8 };

export function queryString(parameters: Parameters): string {
	return parameters.map(([name, value]) =>
		encodeURIComponent(name) + (value === null ? '' : '=' + encodeURIComponent(value))).join('&');
}

function columnAt(bytes: ArrayBuffer, at: number, type: string, n: number): Column {
	switch (type) {
	case 'u8': return new Uint8Array(bytes, at, n);
	case 'u16': return new Uint16Array(bytes, at, n);
	case 'u32': return new Uint32Array(bytes, at, n);
	default: return new Float64Array(bytes, at, n);
	}
}

/** Columns are views of bytes, not copies. */
export function parseAnswer(bytes: ArrayBuffer): Answer {
	const start = new Uint8Array(bytes, 0, 8);
	if (String.fromCharCode(...start) !== MAGIC)
		throw new EngineError(0, 'plume sent an answer that this page cannot read; reload the page');
	const length = new DataView(bytes).getUint32(8, true);
	const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 16, length)));
	const columns: { [name: string]: Column } = {};
	let at = 16 + length;
	for (const { name, type, n } of header.columns) {
		columns[name] = columnAt(bytes, at, type, n);
		at += Math.ceil(n * WIDTH[type] / 8) * 8;
	}
	return { header, columns };
}

async function check(response: Response): Promise<Response> {
	if (response.ok)
		return response;
	let message = `the server answered with status ${response.status}`;
	try {
		message = (await response.json()).error || message;
	} catch { /* not JSON: the status must do */ }
	throw new EngineError(response.status, message);
}

/** Asks the server that the page came from. */
export class ServedEngine implements Engine {
	readonly isServed = true;

	private async ask(name: string, parameters: Parameters, signal?: AbortSignal): Promise<Response> {
		let response;
		try {
			response = await fetch('api/' + name + '?' + queryString(parameters), { signal, cache: 'no-cache' });
		} catch (e) {
			if (signal && signal.aborted)
				throw e;
			throw new EngineError(0, 'plume does not respond; was it stopped?');
		}
		return check(response);
	}

	async json<T>(name: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
		return (await this.ask(name, parameters, signal)).json();
	}

	async binary(name: string, parameters: Parameters, signal?: AbortSignal): Promise<Answer> {
		return parseAnswer(await (await this.ask(name, parameters, signal)).arrayBuffer());
	}

	async file(name: string, parameters: Parameters): Promise<{ name: string; type: string; bytes: Uint8Array }> {
		const response = await this.ask(name, parameters);
		const suggested = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') || '');
		return {
			name: suggested ? suggested[1] : name,
			type: response.headers.get('content-type') || 'application/octet-stream',
			bytes: new Uint8Array(await response.arrayBuffer()),
		};
	}

	async upload(name: string, bytes: ArrayBuffer): Promise<string> {
		const response = await check(await fetch('api/upload?' + queryString([['name', name]]), { method: 'POST', body: bytes }));
		return (await response.json()).id;
	}
}
