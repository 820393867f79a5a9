// The bands WHERE and WHY with an engine that makes its own answer: a tree of N frames, the same in every run.

import { Answer, Engine, parseAnswer } from '../../web/page/engine';
import { Key, Ledger, Page } from '../../web/page/page';
import { SearchGate } from '../../web/page/search_gate';
import { START, State, Store } from '../../web/page/state';
import { Where } from '../../web/page/where';

const FUNCTIONS = 4000;
const DEEPEST = 60;
/** Until the page itself has been drawn. */
const WAIT_MS = 500;
const WORDS = ['parse', 'render', 'handle', 'emit', 'write', 'compile'];
const CATEGORIES = ['process', 'app', 'dependency', 'runtime', 'builtin', 'gc', 'native', 'kernel', 'unknown'];

/** A generator of numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff;
}

function labels() {
	const each = <T>(make: (i: number) => T) => Array.from({ length: FUNCTIONS }, (_, i) => make(i));
	const name = each((i) => i ? `f${i.toString(36)}_${WORDS[i % WORDS.length]}` : 'all');
	return {
		name, function: name, place: each((i) => i ? `lib/part${i % 9}/file${i % 90}.js:${i}` : ''), module: each((i) => `file${i % 90}.js`),
		kind: each(() => 'script'), category: each((i) => i ? 1 + i % 8 : 0), tiers: each((i) => i % 16), flags: each(() => 0),
	};
}

/** Parts of a number, of very different size. */
function parts(whole: number, most: number, random: () => number): number[] {
	const list = [];
	for (let left = whole; left > 0;) {
		const part = list.length === most - 1 ? left : Math.max(1, Math.round(left * (0.2 + 0.7 * random())));
		list.push(Math.min(part, left));
		left -= part;
	}
	return list;
}

/** Each subtree has a number of frames, which are split between its children; below the deepest row, side by side. */
function columns(frames: number) {
	const random = randomFrom(7);
	const label = new Uint16Array(frames);
	const depth = new Uint8Array(frames);
	const self = new Uint16Array(frames);
	const open = [{ depth: 0, frames }];
	for (let i = 0; open.length; i++) {
		const node = open.pop() as { depth: number; frames: number };
		depth[i] = node.depth;
		label[i] = i && 1 + Math.floor(random() * random() * (FUNCTIONS - 1));
		self[i] = i && random() < 0.6 ? Math.ceil(1 / (random() + 0.01)) : 0;
		const most = node.depth === DEEPEST - 1 ? Infinity : 1 + Math.floor(random() * 5);
		const sizes = most === Infinity ? new Array(node.frames - 1).fill(1) : parts(node.frames - 1, most, random);
		for (const size of sizes)
			open.push({ depth: node.depth + 1, frames: size });
	}
	return { label, depth, self };
}

/** An answer in the format of the page. */
function pack(frames: number): ArrayBuffer {
	const { label, depth, self } = columns(frames);
	const list = [['label', 'u16', label], ['depth', 'u8', depth], ['self', 'u16', self]] as const;
	const header = {
		n: frames, values: 1, unit: { name: 'samples', decimals: 0, ns: 1e7 }, samples: { in: 0 }, left_out: 0, empty: '',
		labels_id: 'bench', labels: labels(), columns: list.map(([name, type, values]) => ({ name, type, n: values.length })),
	};
	const text = new TextEncoder().encode(JSON.stringify(header));
	const headed = 16 + Math.ceil(text.length / 8) * 8;
	const bytes = new Uint8Array(headed + list.reduce((sum, [, , values]) => sum + Math.ceil(values.byteLength / 8) * 8, 0)).fill(32, 0, headed);
	bytes.set(new TextEncoder().encode('plume-1\n'));
	new DataView(bytes.buffer).setUint32(8, headed - 16, true);
	bytes.set(text, 16);
	let at = headed;
	for (const [, , values] of list) {
		bytes.set(new Uint8Array(values.buffer), at);
		at += Math.ceil(values.byteLength / 8) * 8;
	}
	return bytes.buffer;
}

class MemoryStore implements Store {
	state: State = START;
	canUndo = false;
	canRedo = false;
	private readonly watchers: ((state: State, before: State) => void)[] = [];

	change(part: Partial<State>): void {
		const before = this.state;
		this.state = { ...before, ...part };
		this.watchers.forEach((watcher) => watcher(this.state, before));
	}

	watch(callback: (state: State, before: State) => void): void {
		this.watchers.push(callback);
	}

	undo(): void {}

	redo(): void {}
}

const LEDGER = { samples: 0, revision: '1', categories: CATEGORIES.map((name) => ({ name, text: name })) } as unknown as Ledger;

/** Starts the bands; what they ask for is there at once. */
function start(frames: number) {
	const bytes = pack(frames);
	const times = { asked: 0 };
	const engine = {
		isServed: false,
		json: () => Promise.reject(new Error('not here')),
		binary: async (): Promise<Answer> => {
			await new Promise((done) => setTimeout(done, WAIT_MS));
			times.asked = performance.now();
			return parseAnswer(bytes);
		},
		file: () => Promise.reject(new Error('not here')),
		upload: () => Promise.reject(new Error('not here')),
	} as Engine;
	const store = new MemoryStore();
	const page: Page = {
		engine, store, ledger: LEDGER, gate: new SearchGate(), watchLedger: () => {}, addKeys: (_: Key[]) => {}, remark: () => {}, fail: (error) => console.error(String(error)),
	};
	const box = (id: string) => document.getElementById(id) as HTMLElement;
	new Where(box('where'), box('why'), box('search'), page);
	return { store, times };
}

(window as unknown as { bench: object }).bench = { start };
