// The requests of the band When to api/heatmap. No DOM here.

import { Parameters } from './engine';
import { Plan, spanOf } from './heat_layout';
import { laneColumn_ns, laneFilters } from './lanes_layout';
import { selectionParameters, State, transformParameters } from './state';

/** All but the times, so that what is not selected stays in view. */
export function timelessParameters(state: State): Parameters {
	return selectionParameters({ ...state.selection, times: [] });
}

function spanParameters(plan: Plan): Parameters {
	return [['from', String(Math.max(0, Math.floor(plan.from_ns)))], ['until', String(Math.ceil(plan.from_ns + spanOf(plan)))]];
}

function searchParameters({ search }: State): Parameters {
	if (!search.text)
		return [];
	const parameters: Parameters = [['search', search.text]];
	if (search.isPlain)
		parameters.push(['plain', null]);
	if (search.matchesCase)
		parameters.push(['case', null]);
	return parameters;
}

export function heatQuestion(state: State, plan: Plan): Parameters {
	const parts: Parameters = state.rows === 'offset' ? [['parts', String(plan.parts)]] : [];
	return [
		...timelessParameters(state), ...transformParameters(state), ['rows', state.rows], ['column', String(plan.column_ns)], ...parts,
		...spanParameters(plan), ['align', state.align], ...searchParameters(state),
	];
}

export function laneQuestion(state: State, plan: Plan, width_px: number, rate_hz: number): Parameters {
	const column = Math.round(laneColumn_ns(spanOf(plan), width_px, rate_hz));
	const selection = { ...state.selection, times: [], where: laneFilters(state.selection.where) };
	return [
		...selectionParameters(selection), ...transformParameters(state), ['rows', 'thread'], ['column', String(column)], ...spanParameters(plan),
	];
}
