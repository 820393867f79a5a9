// What Chrome DevTools makes of a .cpuprofile: its own model (`devtools`, bundled by v8_peer.sh) reads the file, and the
// own time of each function is printed: `NAME NS`.
import { readFileSync } from 'node:fs';
import { CPUProfileDataModel } from 'devtools';

function devtoolsSums(path) {
	const model = new CPUProfileDataModel(JSON.parse(readFileSync(path)));
	const sums = new Map();
	model.forEachFrame(() => {}, (depth, node, sample, time, duration, own) => {
		const { functionName, url, lineNumber, columnNumber } = node.callFrame;
		const line = lineNumber >= 0 ? ':' + (lineNumber + 1) + (columnNumber >= 0 ? ':' + (columnNumber + 1) : '') : '';
		const name = (functionName || '(anonymous)') + (url ? ' ' + url.replace(/^file:\/\//, '') + line : '');
		sums.set(name, (sums.get(name) || 0) + own * 1e6);
	});
	return { sums, hits: model.totalHitCount, last: model.samples.length };
}

function foldedSums(path) {
	const sums = new Map();
	for (const line of readFileSync(path).toString().trim().split('\n')) {
		const [, name, ns] = /^(?:.*;)?([^;]*) (\d+)$/.exec(line);
		sums.set(name, (sums.get(name) || 0) + +ns);
	}
	return sums;
}

// compare PROFILE FOLDED: DevTools guesses the length of the last sample from the others, so one function may differ by
// as much as two samples; all others only by what a double forgets.
function compare(profile, folded) {
	const { sums } = devtoolsSums(profile);
	const want = foldedSums(folded);
	const total = [...want.values()].reduce((a, b) => a + b, 0);
	let differing = 0;
	for (const name of new Set([...sums.keys(), ...want.keys()])) {
		const difference = Math.abs((sums.get(name) || 0) - (want.get(name) || 0));
		if (name === '(idle)' && !want.has(name))
			continue; // gaps
		if (difference > 1000 + total * 1e-9) {
			differing++;
			console.log(name, 'DevTools', sums.get(name), 'plume', want.get(name));
		}
	}
	return want.size > 0 && differing <= 1;
}

const [mode, ...paths] = process.argv.slice(2);
if (mode === 'compare')
	process.exit(compare(...paths) ? 0 : 1);
for (const [name, ns] of [...devtoolsSums(paths[0]).sums].sort())
	console.log(name, Math.round(ns));
