// The selected ranges and the baseline, drawn on the heat map and the lanes.

import { token, rem } from './dom';
import { Geometry, outlinesOf } from './heat_layout';
import { Range, State } from './state';
import { rangeText } from './times';

type Polygon = [number, number][];

function trace(context: CanvasRenderingContext2D, polygon: Polygon): void {
	context.beginPath();
	polygon.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
	context.closePath();
}

interface Style {
	colour: string;
	isDashed: boolean;
}

function drawOutline(context: CanvasRenderingContext2D, polygon: Polygon, style: Style): void {
	context.save();
	trace(context, polygon);
	context.globalAlpha = 0.14;
	context.fillStyle = style.colour;
	context.fill();
	context.globalAlpha = 1;
	context.clip(); // the line is inside, so that ranges that touch have two
	for (const [colour, width] of [[token('ground'), 7], [style.colour, 4]] as [string, number][]) {
		context.setLineDash(style.isDashed && width === 4 ? [7, 4] : []);
		context.strokeStyle = colour;
		context.lineWidth = width;
		context.stroke();
	}
	context.restore();
}

/** On a plate of its own, inside of the picture. */
function drawLabel(context: CanvasRenderingContext2D, text: string, polygon: Polygon, g: Geometry, style: Style, top: number): void {
	const height = Math.round(rem() * 1.35);
	const width = Math.ceil(context.measureText(text).width) + 10;
	const left = Math.min(...polygon.map(([x]) => x));
	const foot = Math.min(...polygon.map(([, y]) => y));
	const x = Math.max(0, Math.min(left, g.width_px - width));
	const y = Math.max(top, Math.min(foot, g.height_px - height));
	context.fillStyle = style.colour;
	context.fillRect(x, y, width, height);
	context.fillStyle = token('on-strong');
	context.fillText(text, x + 5, y + height / 2 + 0.5);
}

function drawAll(context: CanvasRenderingContext2D, g: Geometry, ranges: Range[], style: Style, textOf: (range: Range) => string, top: number): void {
	const shown = ranges.map((range) => ({ range, polygons: outlinesOf(g, range) }));
	for (const { polygons } of shown)
		polygons.forEach((polygon) => drawOutline(context, polygon, style));
	if (textOf === noText || shown.length > 12) // labels of that many would hide the map
		return;
	for (const { range, polygons } of shown) {
		if (polygons.length)
			drawLabel(context, textOf(range), polygons[0], g, style, top);
	}
}

const noText = (): string => '';

export function drawRanges(context: CanvasRenderingContext2D, g: Geometry, state: State, top: number, hasLabels = true): void {
	const baseline = { colour: token('baseline'), isDashed: true };
	const selection = { colour: token('accent'), isDashed: false };
	drawAll(context, g, state.baseline ? state.baseline.times : [], baseline, hasLabels ? (range) => 'baseline ' + rangeText(range) : noText, top);
	drawAll(context, g, state.selection.times, selection, hasLabels ? rangeText : noText, top);
}
