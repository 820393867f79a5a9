// The focused frame's neighbours among the frames that can be seen.

import { positionOf, View } from './layout';
import { isWithin, Model } from './model';

export type Direction = 'shallower' | 'deeper' | 'left' | 'right';

function widestChild(model: Model, view: View, frame: number): number {
	let best = frame;
	for (let at = positionOf(view, frame) + 1; at < view.frames.length; at++) {
		const i = view.frames[at];
		if (!isWithin(model, i, frame))
			break;
		const isWider = best === frame || model.value.numbers[i] > model.value.numbers[best];
		if (model.parent[i] === frame && isWider)
			best = i;
	}
	return best;
}

function besides(model: Model, view: View, frame: number, step: number): number {
	for (let at = positionOf(view, frame) + step; at >= 0 && at < view.frames.length; at += step) {
		const i = view.frames[at];
		if (model.depth[i] === model.depth[frame])
			return i;
	}
	return frame;
}

/** The frame itself when there is nothing in that direction. */
export function neighbour(model: Model, view: View, frame: number, to: Direction): number {
	switch (to) {
	case 'shallower':
		return model.parent[frame] < 0 ? frame : model.parent[frame];
	case 'deeper':
		return widestChild(model, view, frame);
	case 'left':
		return besides(model, view, frame, -1);
	case 'right':
		return besides(model, view, frame, 1);
	}
}
