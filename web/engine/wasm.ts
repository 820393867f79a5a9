// The query engine, compiled to WebAssembly from plume's own sources (engine.c): passes memory, texts and expressions
// between it and the page.

import { compileExpression, textOfBytes } from './expression';

export interface Answered {
	status: number;
	type: string;
	download: string;
	body: ArrayBuffer;
}

/** A .plume whose blocks are stored plain. */
export interface ProfileFile {
	name: string;
	isShown: boolean; // at first
	bytes: Uint8Array;
}

export interface SourceFile {
	path: Uint8Array;
	text: Uint8Array;
	origin: string;
}

interface Exports {
	memory: WebAssembly.Memory;
	_initialize(): void;
	engine_alloc(bytes: number): number;
	engine_add_source(path: number, pathBytes: number, text: number, textBytes: number, origin: number, originBytes: number): void;
	engine_open(number: number, isShown: boolean, bytes: number, n: number, name: number, nameBytes: number): number;
	engine_fault(): number;
	engine_fail(number: number, name: number, nameBytes: number, reason: number, reasonBytes: number): void;
	engine_ask(name: number, nameBytes: number, query: number, queryBytes: number): number;
	engine_type(): number;
	engine_download(): number;
	engine_body(): number;
	engine_body_bytes(): number;
}

/** Told when matching an expression starts and stops, because one may never end. */
export type Watch = (isMatching: boolean) => void;

const NO = 0, YES = 1, GAVE_UP = 2; // enum regex_result
const TELL_MS = 200;
const MOST_MATCHING_MS = 20000; // of one question

/** Expressions of the engine, by number. */
class Expressions {
	reason = '';
	private readonly list: (RegExp | null)[] = [];
	private spent = 0;
	private toldAt = 0;
	private isTold = false;

	constructor(private readonly watch: Watch) {}

	begin(): void {
		this.spent = 0;
	}

	add(pattern: Uint8Array): number {
		try {
			return this.list.push(compileExpression(pattern)) - 1;
		} catch (e) {
			this.reason = (e as Error).message.replace(/^Invalid regular expression: .*: /, '');
			return -1;
		}
	}

	remove(id: number): void {
		this.list[id] = null;
		this.tell(false);
	}

	match(id: number, subject: Uint8Array): number {
		if (this.spent > MOST_MATCHING_MS)
			return GAVE_UP;
		const start = performance.now();
		if (!this.isTold) {
			this.toldAt = start;
			this.tell(true);
		}
		const isMatch = this.list[id]!.test(textOfBytes(subject));
		const end = performance.now();
		this.spent += end - start;
		if (end - this.toldAt > TELL_MS)
			this.tell(false);
		return isMatch ? YES : NO;
	}

	private tell(isMatching: boolean): void {
		if (this.isTold !== isMatching)
			this.watch(isMatching);
		this.isTold = isMatching;
	}
}

/** The few system calls that the C library needs. */
function system(memory: () => WebAssembly.Memory): { [name: string]: (...values: never[]) => number } {
	const view = (): DataView => new DataView(memory().buffer);
	return {
		clock_time_get: (_clock: number, _precision: bigint, to: number): number => {
			view().setBigUint64(to, BigInt(Math.round(Date.now() * 1e6)), true);
			return 0;
		},
		fd_write: (_file: number, parts: number, n: number, written: number): number => {
			let bytes = 0;
			for (let i = 0; i < n; i++)
				bytes += view().getUint32(parts + 8 * i + 4, true);
			view().setUint32(written, bytes, true);
			return 0;
		},
		fd_close: (): number => 0,
		fd_seek: (): number => 8, // no such file
	};
}

export class WasmEngine {
	private constructor(private readonly exports: Exports, private readonly expressions: Expressions) {}

	static async make(code: BufferSource, watch: Watch): Promise<WasmEngine> {
		const expressions = new Expressions(watch);
		let exports: Exports;
		const bytes = (at: number, n: number): Uint8Array => new Uint8Array(exports.memory.buffer, at, n);
		const page = {
			regex_new: (at: number, n: number) => expressions.add(bytes(at, n)),
			regex_free: (id: number) => expressions.remove(id),
			regex_match: (id: number, at: number, n: number) => expressions.match(id, bytes(at, n)),
			regex_reason: (at: number, room: number) =>
				new TextEncoder().encodeInto(expressions.reason, bytes(at, room)).written || 0,
			utc_offset: (seconds: number) => -60 * new Date(1000 * seconds).getTimezoneOffset() || 0,
		};
		const { instance } = await WebAssembly.instantiate(code,
			{ page, wasi_snapshot_preview1: system(() => exports.memory) as WebAssembly.ModuleImports });
		exports = instance.exports as unknown as Exports;
		exports._initialize();
		return new WasmEngine(exports, expressions);
	}

	/** Returns what is wrong with the profile, or ''. */
	open(number: number, file: ProfileFile): string {
		const isOpen = this.exports.engine_open(number, file.isShown, ...this.pass(file.bytes), ...this.passText(file.name));
		return isOpen ? '' : this.string(this.exports.engine_fault());
	}

	/** Lists a profile that cannot be read. */
	fail(number: number, file: { name: string }, reason: string): void {
		this.exports.engine_fail(number, ...this.passText(file.name), ...this.passText(reason));
	}

	addSource(source: SourceFile): void {
		this.exports.engine_add_source(...this.pass(source.path), ...this.pass(source.text), ...this.passText(source.origin));
	}

	ask(name: string, query: string): Answered {
		this.expressions.begin();
		const status = this.exports.engine_ask(...this.passText(name), ...this.passText(query));
		const at = this.exports.engine_body();
		return {
			status,
			type: this.string(this.exports.engine_type()),
			download: this.string(this.exports.engine_download()),
			body: this.exports.memory.buffer.slice(at, at + this.exports.engine_body_bytes()),
		};
	}

	/** A copy in the engine's memory, which the engine takes over. */
	private pass(bytes: Uint8Array): [number, number] {
		const at = this.exports.engine_alloc(bytes.length);
		new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
		return [at, bytes.length];
	}

	private passText(text: string): [number, number] {
		return this.pass(new TextEncoder().encode(text));
	}

	private string(at: number): string {
		const bytes = new Uint8Array(this.exports.memory.buffer, at);
		return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
	}
}
