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
	context.globalAlpha = 0.1;
	context.fillStyle = style.colour;
	context.fill();
	context.globalAlpha = 1;
	context.clip(); // draw the line inside, so that touching ranges keep two lines
	for (const [colour, width] of [[token('ground'), 7], [style.colour, 4]] as [string, number][]) {
		context.setLineDash(style.isDashed && width === 4 ? [7, 4] : []);
		context.strokeStyle = colour;
		context.lineWidth = width;
		context.stroke();
	}
	context.restore();
}

interface Plate {
	x: number;
	y: number;
	width: number;
	text: string;
	colour: string;
}

/** A label inside the picture, below those already placed. */
function placeLabel(plates: Plate[], plate: Plate, height: number, least: number, most: number): void {
	const isOver = (other: Plate): boolean =>
		Math.abs(other.y - plate.y) < height && other.x < plate.x + plate.width && plate.x < other.x + other.width;
	plate.y = Math.max(least, Math.min(plate.y, most));
	for (let tries = 0; tries < plates.length; tries++) {
		const other = plates.find(isOver);
		if (!other)
			break;
		plate.y = other.y + height <= most ? other.y + height : least;
	}
	plates.push(plate);
}

function drawLabels(context: CanvasRenderingContext2D, plates: Plate[], height: number): void {
	for (const { x, y, width, text, colour } of plates) {
		context.fillStyle = colour;
		context.fillRect(x, y, width, height - 1);
		context.fillStyle = token('on-strong');
		context.fillText(text, x + 5, y + height / 2);
	}
}

const MOST_LABELS = 12; // more would hide the map

interface Shown {
	polygons: Polygon[];
	style: Style;
	text: string;
}

function shownOf(g: Geometry, ranges: Range[], style: Style, name: string): Shown[] {
	return ranges.map((range) => ({ polygons: outlinesOf(g, range), style, text: name + rangeText(range) }))
		.filter(({ polygons }) => polygons.length > 0);
}

/** top: the first visible row of pixels. */
export function drawRanges(context: CanvasRenderingContext2D, g: Geometry, state: State, top: number, hasLabels = true): void {
	const shown = [
		...shownOf(g, state.baseline ? state.baseline.times : [], { colour: token('baseline'), isDashed: true }, 'baseline '),
		...shownOf(g, state.selection.times, { colour: token('accent'), isDashed: false }, ''),
	];
	for (const { polygons, style } of shown)
		polygons.forEach((polygon) => drawOutline(context, polygon, style));
	if (!hasLabels || shown.length > MOST_LABELS)
		return;
	const height = Math.round(rem() * 1.35);
	const plates: Plate[] = [];
	for (const { polygons, style, text } of shown.reverse()) {
		const width = Math.ceil(context.measureText(text).width) + 10;
		const left = Math.min(...polygons[0].map(([x]) => x));
		const x = Math.max(0, Math.min(left, g.width_px - width));
		const y = Math.min(...polygons[0].map(([, at]) => at));
		placeLabel(plates, { x, y, width, text, colour: style.colour }, height, top, g.height_px - height);
	}
	drawLabels(context, plates, height);
}
