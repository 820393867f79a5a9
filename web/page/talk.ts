// The texts of the details and the tooltip about a frame.

import { Category } from './colours';
import { Facts } from './details';
import { Spot } from './flame';
import { FunctionRow } from './function_table';
import { Tip } from './tooltip';
import { isWithin, Tree } from './tree';
import { clean, Measure, measures, natureWords, percent, plural, tooNarrow } from './words';

export interface Context {
	tree: Tree;
	zoom: number;
	categories: Category[];
	all: number; // value of the whole profile, or 0
	row: FunctionRow | null; // all frames of the function
}

function wholesOf({ tree, zoom, all }: Context, node: number) {
	return { zoom: zoom > 0 && isWithin(tree, node, zoom) ? zoom : 0, all };
}

function categoryOf({ tree, categories }: Context, label: number): string {
	return (categories[tree.labels.category[label]] || { text: '' }).text;
}

/** "all frames of the function: self 24.80%, total 31.20%" */
function everywhere(tree: Tree, row: FunctionRow): string {
	const whole = tree.change ? tree.change.after.total[0] : tree.total[0];
	return `all frames of the function: self ${percent(row.self, whole)}, total ${percent(row.total, whole)}`;
}

export function factsOf({ node }: Spot, context: Context): Facts {
	const { tree, row } = context;
	const { labels, label, parent, depth } = tree;
	const at = label[node];
	const caller = parent[node] > 0 ? clean(labels.function[label[parent[node]]]) : '';
	const list = measures(tree, node, wholesOf(context, node));
	const isElsewhere = row && (row.total !== (tree.change ? tree.change.after.total : tree.total)[node]);
	return {
		name: clean(labels.function[at]),
		place: clean(labels.place[at]),
		nature: [
			...natureWords(labels, at, categoryOf(context, at)),
			isElsewhere ? everywhere(tree, row) : '',
			caller ? `called by ${caller}, ${plural(depth[node], 'frame')} deep` : '',
		].filter((words) => words),
		measures: list,
	};
}

function line({ what, count, time, shares, change }: Measure): string {
	const parts = [count, time, ...shares.map(({ of, text }) => `${text} of ${of}`), change];
	if (/^0 /.test(count) && !change)
		return what + ' 0';
	return `${what} ${parts.filter((part) => part).join(', ')}`;
}

export function tipOf({ node, strip }: Spot, context: Context): Tip {
	if (strip && strip.count > 1)
		return { name: tooNarrow(strip.count), notes: [], facts: ['click to zoom in'] };
	const { tree } = context;
	const at = tree.label[node];
	const place = clean(tree.labels.place[at]);
	return {
		name: clean(tree.labels.function[at]),
		notes: [place, natureWords(tree.labels, at, categoryOf(context, at)).join(', ')].filter((text) => text),
		facts: measures(tree, node, wholesOf(context, node)).map(line),
	};
}
