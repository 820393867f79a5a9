// The ends of ranges, for axes where time runs from left to right: each end can be dragged. No DOM here.

import { Geometry, xOf } from './heat_layout';
import { Range, State } from './state';

export interface Edge {
	range: Range;
	end: 'from' | 'until';
	isBaseline: boolean;
}

const NEAR_PX = 4;

/** The end of a range nearest to x, if one is near. */
export function edgeAt(g: Geometry, state: State, x: number): Edge | null {
	const edgesOf = (ranges: Range[], isBaseline: boolean): Edge[] =>
		ranges.flatMap((range) => (['from', 'until'] as const).map((end) => ({ range, end, isBaseline })));
	const distance = (edge: Edge): number => Math.abs(xOf(g, edge.range[edge.end] * 1e9) - x);
	const near = [...edgesOf(state.selection.times, false), ...edgesOf(state.baseline ? state.baseline.times : [], true)]
		.filter((edge) => distance(edge) <= NEAR_PX).sort((a, b) => distance(a) - distance(b));
	return near.length ? near[0] : null;
}

/** The state without the range that the edge belongs to. */
export function withoutEdge(state: State, edge: Edge): State {
	const others = (ranges: Range[]): Range[] => ranges.filter((one) => one.from !== edge.range.from || one.until !== edge.range.until);
	if (!edge.isBaseline)
		return { ...state, selection: { ...state.selection, times: others(state.selection.times) } };
	return { ...state, baseline: state.baseline && { ...state.baseline, times: others(state.baseline.times) } };
}
