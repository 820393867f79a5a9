// Whether plume says of each instruction of compiled code in which function it is: js_inlined.mjs CODE NUMBERS PERF-DATA TRACES
//   CODE       what test/js_code/code printed of the process
//   NUMBERS    lines `function number`: instructions with that number, if they do not only move it, are the function's
//   PERF-DATA  samples of it: instructions count as often as they were found running
//   TRACES     the folder with TurboFan's own account (--trace-turbo); - : none
// Judged by V8 itself. Of TurboFan's code by the position of the node that an instruction was made of; of Maglev's, which has no such account,
// by its table of positions: from an entry to the next one, or a jump, up to the last entry; behind it are slow paths. Three answers: right; cautious, which is a caller of the
// function; wrong, which is any other. Prints lines `TIER WHAT right cautious wrong unknown`, then what was wrong.
import fs from 'fs';

const [codeFile, numbersFile, dataFile, traceFolder] = process.argv.slice(2);

// --- what plume says ---

// FUNCTION:LINE:COLUMN@LINE:COLUMN;... as names, outermost first, and the places of their calls.
function chainOf(text) {
  const steps = text.split(';').map((step) => /^(.*):\d+:\d+@(\d+:\d+)$/.exec(step) || [step, step, '']);
  return { names: steps.map((step) => step[1]), places: steps.slice(0, -1).map((step) => step[2]), text: steps.map((step) => step[1]).join(';') };
}
const chains = new Map();
function chain(text) {
  if (!chains.has(text)) chains.set(text, chainOf(text));
  return chains.get(text);
}

function readCode(file) {
  const list = [];
  let code;
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const [kind, first, ...rest] = line.split(' ');
    if (kind === 'code') {
      code = { start: parseInt(first, 16), size: Number(rest[0]), tier: rest[1], name: rest.slice(2, -2).join(' '), state: rest.at(-2), told: [], at: [], exit: [], blind: [] };
      list.push(code);
    } else if (kind === 'at') {
      code.at.push({ at: Number(first), bytes: rest[0], chain: chain(rest.slice(1).join(' ')) });
    } else if (kind) {
      code[kind].push({ at: Number(first), chain: chain(rest.join(' ')) });
    }
  }
  return list.filter((each) => !isGivenUp(each));
}
// Code that is not used any more is overwritten by traps.
function isGivenUp(code) {
  return code.at.filter((each) => each.bytes === 'cc').length * 2 > code.at.length;
}
// The last of a list, by address, up to an instruction.
function last(list, at) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].at <= at) low = middle + 1; else high = middle;
  }
  return low ? list[low - 1] : undefined;
}

// --- what TurboFan says ---

function readTraces(folder) {
  const traces = new Map();
  if (folder === '-') return traces;
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    let trace;
    try {
      trace = JSON.parse(fs.readFileSync(`${folder}/${file}`, 'utf8'));
    } catch {
      continue; // it is being written, or the function was not compiled in the end
    }
    const start = /^0x([0-9a-f]+) +0 /m.exec(phase(trace, 'disassembly')?.data || '');
    if (start) traces.set(parseInt(start[1], 16), trace);
  }
  return traces;
}
function phase(trace, name) { return trace.phases.find((each) => each.name === name); }

// From an inlining to the names of functions, outermost first.
function namesOf(trace, own, id) {
  if (id === undefined) return '';
  if (id < 0) return own;
  const { sourceId, inliningPosition } = trace.inlinings[id];
  return `${namesOf(trace, own, inliningPosition.inliningId)};${trace.sources[sourceId].functionName}`;
}
// Up to 11.x: the node of each instruction. Later: the nodes of each block, of which the table says which it is.
function positionsOfNodes(trace) {
  const ranges = phase(trace, 'V8.TFSelectInstructions')?.nodeIdToInstructionRange, found = new Map();
  if (!ranges) return undefined;
  for (const [node, [from, to]] of Object.entries(ranges))
    if (trace.nodePositions[node]) for (let i = from; i < to; i++) found.set(i, [trace.nodePositions[node].inliningId]);
  return found;
}
function positionsOfBlocks(trace) {
  const graphs = trace.phases.filter((each) => each.type === 'turboshaft_graph'), found = new Map();
  const isNoCode = new Set(['Phi', 'FrameState', 'Constant', 'Parameter', 'FrameConstant']);
  for (const node of graphs.at(-1).data.nodes) {
    if (isNoCode.has(node.title) || (node.title === 'Goto' && !node.sourcePosition)) continue;
    if (!found.has(node.block_id)) found.set(node.block_id, []);
    found.get(node.block_id).push(node.sourcePosition?.inliningId);
  }
  return found;
}
// [{ at, names }], by address; names: a set of what it can be, empty: V8 does not know.
function truthOfTrace(code, trace) {
  const own = code.name.replace(/:\d+:\d+$/, ''), byNode = positionsOfNodes(trace), byBlock = byNode ? undefined : positionsOfBlocks(trace);
  const { instructionOffsetToPCOffset: places, codeOffsetsInfo: parts } = phase(trace, 'code generation');
  const begins = phase(trace, 'disassembly').blockIdToOffset, truth = [{ at: 0, end: 0, block: -1, names: new Set() }];
  for (const block of phase(trace, 'after register allocation').blocks)
    for (const { id } of block.instructions) {
      const ids = (byNode ? byNode.get(id) : byBlock.get(block.id)) || [];
      truth.push({ at: places[id].gap, end: places[id].condition, block: begins[block.id], id, names: new Set(ids.map((each) => namesOf(trace, own, each))) });
    }
  truth.push({ at: parts.outOfLineCode, end: Infinity, block: Infinity, names: new Set() });
  // Of several at one place all but the last are empty.
  return truth.sort((a, b) => a.at - b.at || a.end - b.end || a.block - b.block || a.id - b.id);
}

// Slow paths are behind all other code, and each belongs to the instruction that leads to it: [{ at, from }], by address.
function slowPaths(code, begin) {
  const paths = [];
  for (const { at, bytes } of code.at) {
    const [, , far, near] = /^(0f8.|e9)(.{8})$|^[7e].(..)$/.exec(bytes)?.slice(0, 4) || [];
    const distance = far ? Buffer.from(far, 'hex').readInt32LE() : near ? Buffer.from(near, 'hex').readInt8() : 0;
    const target = at + bytes.length / 2 + distance;
    if (at < begin && target >= begin && distance) paths.push({ at: target, from: at });
  }
  return paths.sort((a, b) => a.at - b.at || a.from - b.from);
}
// Where an instruction of a slow path comes from; undefined: from several, or it is not known.
function sourceOf(paths, at) {
  const path = last(paths, at);
  return path && paths.filter((each) => each.at === path.at).length === 1 ? path.from : undefined;
}

function truthOf(code, traces) {
  if (code.tier === '*') {
    const trace = traces.get(code.start);
    if (!trace) return undefined;
    const truth = truthOfTrace(code, trace), begin = truth.at(-1).at, paths = slowPaths(code, begin);
    return (place) => {
      const at = place < begin ? place : sourceOf(paths, place) ?? begin;
      const { names } = last(truth, at), told = last(code.told, at)?.chain;
      if (told && names.has(told.text)) return told;
      return names.size === 1 && !names.has('') ? { names: [...names][0].split(';') } : undefined;
    };
  }
  const end = code.told.at(-1)?.at ?? -1, jumps = code.at.filter((each) => /^(e9|eb|c2|c3|cc)/.test(each.bytes));
  const paths = slowPaths(code, end + 1);
  return (place) => {
    const at = place <= end ? place : sourceOf(paths, place) ?? end + 1;
    const told = last(code.told, at), jump = last(jumps, at - 1);
    return at <= end && told && !(jump && jump.at >= told.at) ? told.chain : undefined;
  };
}

// --- samples ---

function readSamples(file) {
  const counts = new Map(), bytes = fs.readFileSync(file), u64 = (at) => Number(bytes.readBigUInt64LE(at));
  const hasId = (bytes.readBigUInt64LE(u64(24) + 24) >> 16n & 1n) === 1n, end = u64(40) + u64(48);
  for (let at = u64(40); at + 8 <= end && bytes.readUInt16LE(at + 6); at += bytes.readUInt16LE(at + 6)) {
    if (bytes.readUInt32LE(at) !== 9) continue; // PERF_RECORD_SAMPLE
    const pc = u64(at + 8 + (hasId ? 8 : 0));
    counts.set(pc, (counts.get(pc) || 0) + 1);
  }
  return counts;
}

// --- the judgement ---

const ANSWERS = ['right', 'cautious', 'wrong', 'unknown'];
const tally = new Map(), wrong = [];
function count(key, answer, weight) {
  if (!tally.has(key)) tally.set(key, Object.fromEntries(ANSWERS.map((each) => [each, 0])));
  tally.get(key)[answer] += weight;
}
function isBeginOf(part, whole) { return part.every((name, i) => whole[i] === name); }
function judge(said, truth) {
  if (!truth) return 'unknown';
  if (!isBeginOf(said.names, truth.names)) return 'wrong';
  return said.names.length === truth.names.length ? 'right' : 'cautious';
}
function judgeOne(code, what, said, truth, instruction, samples) {
  const answer = judge(said, truth);
  count(`${code.tier} ${what}`, answer, 1);
  count(`${code.tier} ${what}-samples`, answer, samples);
  if (answer === 'wrong') wrong.push(`${what}: ${code.tier}${code.name}+${instruction.at} ${instruction.bytes} ${said.text}, V8 has ${truth.names.join(';')} (${samples} samples)`);
}

// As bytes of instructions.
function readNumbers(file) {
  const numbers = new Map();
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const [, name, number] = /^(\w+) (\d+)$/.exec(line) || [];
    if (!name) continue;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(Number(number));
    numbers.set(bytes.toString('hex'), name);
  }
  return numbers;
}
// A number that is only moved to a register may be moved anywhere: before a loop, or at its end.
function ownerOf(bytes, numbers) {
  if (/^(4.)?b[89a-f]/.test(bytes)) return undefined;
  for (const [number, name] of numbers) if (bytes.includes(number)) return name;
  return undefined;
}
// Whose caller is who, is known by all chains of the code in which its owner is.
function judgeNumber(code, instruction, owner, samples) {
  const { names } = instruction.chain, known = code.chains.filter((each) => each.names.includes(owner));
  const answer = names.at(-1) === owner ? 'right' : !known.length ? 'unknown' :
    known.some((each) => isBeginOf(names, each.names.slice(0, each.names.lastIndexOf(owner)))) ? 'cautious' : 'wrong';
  count(`${code.tier} numbers`, answer, 1);
  count(`${code.tier} numbers-samples`, answer, samples);
  if (answer === 'wrong') wrong.push(`numbers: ${code.tier}${code.name}+${instruction.at} ${instruction.bytes} ${instruction.chain.text}, it is of ${owner} (${samples} samples)`);
}

function main() {
  const traces = readTraces(traceFolder), samples = readSamples(dataFile), numbers = readNumbers(numbersFile);
  const functions = new Set();
  for (const code of readCode(codeFile)) {
    const truth = truthOf(code, traces), end = code.told.at(-1)?.at ?? -1;
    code.chains = [...new Set([code.told, code.exit, code.at].flat().map((each) => each.chain))];
    if (!truth || !code.chains.some((each) => each.names.length > 1)) continue;
    if (code.state !== 'known') wrong.push(`the control flow of ${code.tier}${code.name} is not known`);
    functions.add(`${code.tier}${code.name}`);
    for (const instruction of code.at) {
      const found = samples.get(code.start + instruction.at) || 0, told = truth(instruction.at), owner = ownerOf(instruction.bytes, numbers);
      judgeOne(code, 'all', instruction.chain, told, instruction, found);
      judgeOne(code, 'blind', (last(code.blind, instruction.at) || code.at[0]).chain, told, instruction, found);
      if (owner) judgeNumber(code, instruction, owner, found);
    }
    for (const exit of code.exit) {
      const told = last(code.told, exit.at), said = last(code.at, exit.at).chain;
      if (told && exit.at <= end) count(`${code.tier} exits`, judge(exit.chain, told.chain), 1);
      judgeOne(code, 'said', said, exit.chain, last(code.at, exit.at), 0);
      if (said.text === exit.chain.text && said.places.length) count(`${code.tier} places`, said.places.join() === exit.chain.places.join() ? 'right' : 'wrong', 1);
    }
  }
  for (const [key, each] of [...tally].sort()) console.log(key, ...ANSWERS.map((answer) => each[answer]));
  console.log('functions', functions.size);
  for (const line of wrong.slice(0, 20)) console.log(line);
}
main();
