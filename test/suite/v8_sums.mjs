// What a .cpuprofile adds up to, computed without plume: `NAME NS` for each function, its own time.
//   node v8_sums.mjs FILE
import { readFileSync } from 'node:fs';

const profile = JSON.parse(readFileSync(process.argv[2]));
const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
let time = profile.startTime;
const samples = profile.timeDeltas.map((delta, i) => ({ time: (time += delta), node: profile.samples[i] }));
samples.sort((a, b) => a.time - b.time);
const sums = new Map();
samples.forEach((sample, i) => {
	const until = i + 1 < samples.length ? samples[i + 1].time : profile.endTime;
	const { functionName, url, lineNumber, columnNumber } = nodes.get(sample.node).callFrame;
	if (functionName === '(root)')
		return;
	const place = url ? ` ${url.replace(/^file:\/\//, '')}:${lineNumber + 1}:${columnNumber + 1}` : '';
	const name = (functionName || '(anonymous)') + place;
	sums.set(name, (sums.get(name) || 0) + Math.round((until - sample.time) * 1000));
});
for (const name of [...sums.keys()].sort())
	console.log(name, sums.get(name));
