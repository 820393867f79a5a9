// What the Firefox Profiler itself makes of a profile: its own loader, upgraders and call tree, bundled by
// firefox_peer.sh. Prints `S thread;root;...;leaf SELF` (a thread without a
// name is left out) for each call node with a value of its own, and
// `F SELF TOTAL name` for each function whose name no other function or thread has, added up over threads.
import { readFileSync } from 'fs';
import { unserializeProfileOfArbitraryFormat } from 'firefox-profiler/profile-logic/process-profile';
import * as data from 'firefox-profiler/profile-logic/profile-data';
import * as tree from 'firefox-profiler/profile-logic/call-tree';

// As folded text has names. Bytes that are no UTF-8 are one or more U+FFFD.
const clean = (text) => text.replaceAll(';', ':').replaceAll('\n', ' ').replace(/\ufffd+/g, '\ufffd');
const round = (value) => Math.round(value * 1e3) / 1e3;
// Milliseconds are nanoseconds in folded text.
const unit = (thread) => (thread.samples.weightType === 'tracing-ms' ? 1e6 : 1);
const stacks = new Map();
const functions = new Map();
const add = (map, key, value) => map.set(key, (map.get(key) ?? 0) + value);

function addStacks(thread, names, callNodes, self) {
	const isNameless = thread.name === 'all' || (typeof thread.tid === 'number' && thread.name === String(thread.tid));
	const root = isNameless ? '' : clean(thread.name).replace(/[\0-\x20\x7f]/g, '_');
	const paths = [];
	for (let i = 0; i < callNodes.length; i++) {
		const parent = callNodes.prefix[i];
		const name = names[callNodes.func[i]];
		paths[i] = parent !== -1 ? `${paths[parent]};${name}` : root ? `${root};${name}` : name;
		if (self[i]) add(stacks, paths[i], self[i] * unit(thread));
	}
	thread.samples.stack.forEach((stack, i) => {
		if (stack === null) add(stacks, root || '[no stack]', (thread.samples.weight ? thread.samples.weight[i] : 1) * unit(thread));
	});
}

function addThread(profile, thread, frames, table, other) {
	const { shared } = profile;
	const names = shared.funcTable.name.map((i) => clean(shared.stringArray[i]));
	const info = data.getCallNodeInfo(table, frames, other);
	const callNodes = info.getCallNodeTable();
	const samples = data.computeSamplesTableFromRawSamplesTable(thread.samples, table, profile.meta.sampleUnits, 1, other);
	for (let i = 1; i < samples.length; i++)
		if (samples.time[i] < samples.time[i - 1]) throw new Error(`times of ${thread.name} go back at ${i}`);
	const nodeOfSample = data.getSampleIndexToCallNodeIndex(samples.stack, info.getStackIndexToNonInvertedCallNodeIndex());
	const sums = tree.computeCallNodeSelfAndSummary(samples, nodeOfSample, callNodes.length);
	addStacks(thread, names, callNodes, sums.callNodeSelf);
	const list = tree.computeFunctionListTimings(callNodes, data.computeCallNodeFuncIsDuplicate(callNodes), sums, names.length);
	for (const func of list.sortedFuncs) {
		const sum = functions.get(func) ?? { self: 0, total: 0 };
		sum.self += list.funcSelf[func] * unit(thread);
		sum.total += list.funcTotal[func] * unit(thread);
		functions.set(func, sum);
	}
	return names;
}

const profile = await unserializeProfileOfArbitraryFormat(new Uint8Array(readFileSync(process.argv[2])).buffer, process.argv[2]);
const other = profile.meta.categories.findIndex((c) => c.color === 'grey');
const frames = data.computeFrameTableFromRawFrameTable(profile.shared.frameTable);
const table = data.computeStackTableFromRawStackTable(profile.shared.stackTable, frames, profile.meta.categories, other);
data.validateStackTableShape(table);
const shown = profile.meta.initialVisibleThreads ?? profile.threads.keys();
let names = [];
for (const i of shown) names = addThread(profile, profile.threads[i], frames, table, other);

const uses = new Map();
for (const thread of profile.threads) add(uses, clean(thread.name), 1);
for (const func of functions.keys()) add(uses, names[func], 1);
for (const [path, value] of stacks) console.log(`S ${path} ${round(value)}`);
for (const [func, sum] of functions)
	if (uses.get(names[func]) === 1) console.log(`F ${round(sum.self)} ${round(sum.total)} ${names[func]}`);
