// What the details bar says about a frame.

import { framesOf, Strip, View } from './layout';
import { Diff, isWithin, Model, shownOf } from './model';
import { count, counted, integer, plural, points, share, span } from './numbers';

export interface Words {
	type: string;
	name: string;
	note: string;
	facts: string[];
}

/** What a frame has beyond itself and its callees in the file. */
function missing(model: Model, frame: number): bigint {
	const children = [];
	for (let i = frame + 1; i < model.end[frame]; i = model.end[i])
		children.push(i);
	return model.value.exact(frame) - model.self.exact(frame) - model.value.sum(children);
}

/** " (12.30%, 1.24 s)": of all, and the time where counts are of a clock. */
function shareAndTime(model: Model, value: bigint): string {
	const { ns, decimals } = model.unit;
	return ' (' + share(value, model.total) + (ns && value > BigInt(0) ? ', ' + span(Number(value) / 10 ** decimals * ns) : '') + ')';
}

function flameFacts(model: Model, frame: number, zoom: number): string[] {
	const value = model.value.exact(frame);
	const self = model.self.exact(frame);
	let size = counted(value, model.unit) + shareAndTime(model, value);
	if (zoom > 0 && isWithin(model, frame, zoom))
		size += ', ' + share(value, model.value.exact(zoom)) + ' of view';
	return [size, 'self ' + count(self, model.unit) + shareAndTime(model, self)];
}

function change(model: Model, diff: Diff, before: bigint, after: bigint): string {
	if (diff.isAbsolute) {
		const more = after - before;
		return more === BigInt(0) ? 'no change' : (more > BigInt(0) ? '+' : '') + counted(more, model.unit);
	}
	const total = Number(diff.afterTotal);
	const more = Number(after) - diff.scale * Number(before);
	return total === 0 || more === 0 ? 'no change' : points(more / total) + ' points';
}

/** Where the sides are not simply compared by their shares, the points are not the difference of those. */
function scaling(diff: Diff): string {
	const byShares = Number(diff.afterTotal) / Number(diff.beforeTotal);
	const isByShares = Math.abs(diff.scale / byShares - 1) < 0.001;
	return diff.isAbsolute || isByShares ? '' : ' (before scaled by ' + Number(diff.scale.toPrecision(3)) + ')';
}

function diffFacts(model: Model, diff: Diff, frame: number): string[] {
	const before = diff.before.exact(frame);
	const after = diff.after.exact(frame);
	const side = (word: string, value: bigint, total: bigint) =>
		word + ' ' + counted(value, model.unit) + ' (' + share(value, total) + ')';
	const total = change(model, diff, before, after);
	const facts = [
		side('before', before, diff.beforeTotal) + ', ' + side('after', after, diff.afterTotal),
		total + (total === 'no change' ? '' : scaling(diff) + (diff.noise[frame] ? ', within sampling noise' : '')),
	];
	const beforeSelf = diff.beforeSelf.exact(frame);
	const afterSelf = diff.afterSelf.exact(frame);
	if (beforeSelf > BigInt(0) || afterSelf > BigInt(0))
		facts.push('self ' + count(beforeSelf, model.unit) + ' to ' + count(afterSelf, model.unit) +
			', ' + change(model, diff, beforeSelf, afterSelf) + (diff.ownNoise[frame] ? ', within sampling noise' : ''));
	return facts;
}

export function describe(model: Model, frame: number, zoom: number): Words {
	const facts = model.diff ? diffFacts(model, model.diff, frame) : flameFacts(model, frame, zoom);
	// The widths of a diff are not counts.
	const lost = model.narrowFrames && !model.diff ? missing(model, frame) : BigInt(0);
	if (lost > BigInt(0))
		facts.push(count(lost, model.unit) + ' in frames too narrow for this file');
	return {
		type: model.nameType,
		name: shownOf(model, frame),
		note: model.notes[model.name[frame]] || '',
		facts,
	};
}

export function describeStrip(model: Model, view: View, strip: Strip): Words {
	const frames = framesOf(model, view, strip);
	const value = model.value.sum(frames);
	const size = model.diff ? '' : ', ' + counted(value, model.unit);
	return {
		type: '',
		name: plural(frames.length, 'frame') + size + ' too narrow at this zoom: zoom in',
		note: '',
		facts: [share(value, model.total) + (model.diff ? ' of the width' : ' of all'), 'click to zoom in'],
	};
}

export interface Hits {
	at: number; // the one that was stepped to, or -1
	all: number;
	inView: number;
	share: string; // of the view
	isPartial: boolean; // frames too narrow for the file may match as well
}

/** "3 of 12 | 45.60% of view": before the first step to a hit only how many there are. */
export function hitWords(hits: Hits): string {
	if (!hits.all)
		return hits.isPartial ? 'no match in the frames of this file' : 'no match';
	const which = hits.at >= 0 ? integer(hits.at + 1) + ' of ' + integer(hits.all)
		: hits.inView < hits.all ? integer(hits.inView) + ' of ' + plural(hits.all, 'hit') + ' in view'
			: plural(hits.all, 'hit');
	return which + ' | ' + (hits.isPartial ? 'at least ' : '') + hits.share + ' of view';
}

/** What the picture shows, for the help. */
export function meaning(model: Model): string {
	const where = model.isInverted ? 'below' : 'above';
	return 'Each box is a frame of a stack. The wider it is, the more ' + model.unit.name +
		' it has, with all that lies ' + where + ' it. Pale strips are frames too narrow to draw at this zoom.';
}
