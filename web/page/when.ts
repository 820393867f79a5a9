// The band When: holds the visible time, requests the heat map and the lanes, and has its parts draw them.

import { Latest } from './asking';
import { DayStrip } from './day';
import { make, oncePerPicture } from './dom';
import { Heat } from './heat';
import { gridOf } from './heat_grid';
import { Frame, Geometry, moved, planOf, Plan, spanOf, windowOf, zoomed } from './heat_layout';
import { Hint } from './hint';
import { Lanes } from './lanes';
import { Marks } from './marks';
import { Overview } from './overview';
import { Ledger } from './page';
import { chosen, withFilter, withoutRanges } from './ranges';
import { RowNames } from './row_names';
import { Selecting } from './selecting';
import { Session } from './session';
import { Range, State } from './state';
import { TimeAxis } from './time_axis';
import { rangeText, timeOfDay } from './times';
import { heatQuestion, laneQuestion } from './when_questions';
import { Tools } from './when_tools';

const LEAST_ROW_PX = 4;
/** Clock times are counted modulo a day, so that labels are round times of day. */
const CLOCK_NS = BigInt(86400e9);
/** Lanes take at most this share of the band. */
const LANES_SHARE = 0.36;
const SETTLE_MS = 500;

export class When {
	readonly heat: Heat;
	readonly lanes: Lanes;
	readonly marks: Marks;
	readonly selecting: Selecting;
	/** The next selection is the baseline. */
	isBaseline = false;
	/** The length of the visible time, ns. */
	shown_ns = 1;
	geometry: Geometry;
	private readonly plots = make('div', { class: 'plots' });
	private readonly timeless = make('p', { class: 'sentence', hidden: true },
		'The samples of this profile have no times, so there is no heat map. The graph below shows them all.');
	private readonly laneTitle = make('div', { class: 'axis-name' });
	private readonly tools: Tools;
	private readonly names: RowNames;
	private readonly axis: TimeAxis;
	private readonly overview: Overview;
	private readonly heatAsking: Latest;
	private readonly laneAsking: Latest;
	private heatAsked = '';
	private lanesAsked = '';
	private settleTimer = 0;
	readonly drawSoon = oncePerPicture(() => this.draw());

	constructor(element: HTMLElement, private readonly session: Session) {
		const hint = new Hint();
		this.selecting = new Selecting(session.store, () => this.arm(false));
		this.geometry = this.geometryOf(planOf(this.frame(1, 1)), 1, 1);
		this.heat = new Heat(this, this.selecting, hint);
		this.lanes = new Lanes(this, this.selecting, hint);
		this.marks = new Marks(this, hint);
		this.names = new RowNames(this.drawSoon, (where, isAdded) => this.choose(where, isAdded));
		this.axis = new TimeAxis(this, this.selecting);
		this.overview = new Overview(this, session);
		this.tools = new Tools(this, session.store);
		this.heatAsking = new Latest((error) => session.fail(error));
		this.laneAsking = new Latest((error) => session.fail(error));
		const day = new DayStrip(session, hint, () => requestAnimationFrame(() => this.update()));
		this.plots.append(day.name, day.box, make('div', { class: 'overview-name' }), this.overview.box,
			this.marks.name, this.marks.box, this.names.box, this.heat.box, this.laneTitle, this.axis.box, this.lanes.box);
		element.append(this.tools.element, this.timeless, this.plots);
		session.store.watch(() => this.update());
		session.gate.watch(() => this.update());
		session.watchLedger((ledger) => this.know(ledger));
		this.addKeys();
	}

	get state(): State {
		return this.session.store.state;
	}

	get ledger(): Ledger | null {
		return this.session.ledger;
	}

	get start_unix_ns(): bigint {
		return BigInt(this.ledger?.start_unix_ns || '0');
	}

	get clock_ns(): number {
		return Number(this.start_unix_ns % CLOCK_NS);
	}

	/** The visible time: less than the window if the columns are too wide for it. */
	get window_ns(): [number, number] {
		const [from, until] = windowOf(this.frame(1, 1));
		return [from, this.state.column_ns ? Math.min(until, from + spanOf(this.geometry)) : until];
	}

	change(part: Partial<State>): void {
		this.session.store.change(part);
	}

	choose(where: string[], isAdded: boolean): void {
		this.change(withFilter(this.state, { where: where.reduce((all, one) => chosen(all, one, isAdded), this.state.selection.where) }));
	}

	arm(isBaseline: boolean): void {
		this.isBaseline = isBaseline;
		this.tools.show();
	}

	/** A range for people: since the start, or on the clock. */
	timeText(range: Range): string {
		if (this.state.align !== 'wall' || this.start_unix_ns === BigInt(0))
			return rangeText(range);
		const step_ns = Math.min(1e9, (range.until - range.from) * 1e8);
		const at = (seconds: number): string => timeOfDay(this.start_unix_ns + BigInt(Math.round(seconds * 1e9)), step_ns);
		return `${at(range.from)}\u2013${at(range.until)}`;
	}

	/** factor < 1 zooms in. at_ns stays in place. */
	zoom(factor: number, at_ns: number | null = null, how: 'kept' | 'passing' = 'kept'): void {
		const { window_ns } = this;
		const middle = (window_ns[0] + window_ns[1]) / 2;
		const window = zoomed(window_ns, this.duration_ns, at_ns === null ? middle : at_ns, factor);
		this.session.store.change({ window, column_ns: 0 }, how);
	}

	fit(): void {
		this.change({ window: null, column_ns: 0 });
	}

	/** Zooms to the selected ranges. */
	zoomToRange(): void {
		const { times } = this.state.selection;
		if (times.length)
			this.change({ window: { from: times[0].from, until: times[times.length - 1].until }, column_ns: 0 });
	}

	/** Moves the window; the change is kept after the last move. */
	moveFrom(window_ns: [number, number], by_ns: number): void {
		if (!this.state.window && !this.isCut)
			return;
		this.session.store.change({ window: moved(window_ns, this.duration_ns, by_ns) }, 'passing');
		this.settleSoon();
	}

	wheel(event: WheelEvent, x: number): void {
		const span = spanOf(this.geometry);
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			this.zoom(Math.pow(1.002, event.deltaY), this.geometry.from_ns + x / this.geometry.width_px * span, 'passing');
			this.settleSoon();
			return;
		}
		const by = event.deltaX || (event.shiftKey ? event.deltaY : 0);
		if (!by)
			return;
		event.preventDefault();
		this.moveFrom(this.window_ns, by / this.geometry.width_px * span);
	}

	/** The columns are so wide that part of the time is out of view. */
	get isCut(): boolean {
		return this.geometry.from_ns + spanOf(this.geometry) < this.duration_ns || this.geometry.from_ns > 0;
	}

	get duration_ns(): number {
		return this.ledger ? this.ledger.duration_ns : 0;
	}

	resized(): void {
		this.update();
	}

	private settleSoon(): void {
		clearTimeout(this.settleTimer);
		this.settleTimer = window.setTimeout(() => {
			if (!this.selecting.isOpen)
				this.session.store.change({}, 'kept');
		}, SETTLE_MS);
	}

	private know(ledger: Ledger): void {
		const hasTime = ledger.has.time;
		this.timeless.hidden = hasTime;
		this.plots.hidden = this.tools.element.hidden = !hasTime;
		this.tools.know(ledger);
		this.lanes.know(ledger.threads);
		if (hasTime)
			this.update();
	}

	private frame(width_px: number, height_px: number): Frame {
		const { rows, align, window, column_ns } = this.state;
		return { duration_ns: this.duration_ns, clock_ns: this.clock_ns, rows, align, window, column_ns, width_px, height_px };
	}

	private geometryOf(plan: Plan, width_px: number, height_px: number): Geometry {
		const isOffset = this.state.rows === 'offset';
		const rows = isOffset ? plan.parts : Math.max(1, this.heat?.grid?.rowCount || 1);
		const height = isOffset ? height_px : Math.max(height_px, rows * LEAST_ROW_PX);
		return { ...plan, rows, isOffset, width_px, height_px: height };
	}

	/** The visible time or its contents may have changed. */
	private update(): void {
		this.lanes.arrange();
		this.lanes.fill(this.plots.clientHeight * LANES_SHARE, this.heat.room.width);
		const { width, height } = this.heat.room;
		if (!this.ledger || !this.ledger.has.time || width < 1 || height < 1)
			return;
		const plan = planOf(this.frame(width, height));
		this.geometry = this.geometryOf(plan, width, height);
		this.shown_ns = Math.min(spanOf(plan), Math.max(1, this.duration_ns - Math.max(0, plan.from_ns)));
		this.askHeat(plan);
		this.askLanes(plan);
		this.overview.update();
		this.drawSoon();
	}

	private askHeat(plan: Plan): void {
		const parameters = heatQuestion({ ...this.state, search: this.session.gate.allowed(this.state.search) }, plan);
		const key = JSON.stringify([parameters, this.ledger?.revision]);
		if (key === this.heatAsked)
			return;
		this.heatAsked = key;
		this.heatAsking.ask(async () => {
			const grid = gridOf(await this.session.engine.binary('heatmap', parameters));
			this.heat.show(grid);
			this.geometry = this.geometryOf(this.geometry, this.geometry.width_px, this.heat.room.height);
			this.tools.legend(grid);
		});
	}

	private askLanes(plan: Plan): void {
		const parameters = laneQuestion(this.state, plan, this.geometry.width_px, this.ledger?.rate || 0);
		const key = JSON.stringify([parameters, this.ledger?.revision]);
		if (key === this.lanesAsked || !this.ledger?.has.threads)
			return;
		this.lanesAsked = key;
		this.laneAsking.ask(async () => {
			this.lanes.show(gridOf(await this.session.engine.binary('heatmap', parameters)));
			this.laneTitle.textContent = this.laneTitle.title = this.lanes.title;
			this.update(); // there may be more lanes, and less room for the heat map
		});
	}

	private draw(): void {
		if (!this.ledger || !this.ledger.has.time)
			return;
		this.tools.show();
		this.overview.draw();
		this.marks.draw(this.ledger.marks);
		this.heat.draw();
		this.names.draw(this.geometry, this.heat.grid, this.heat.scrollTop);
		this.axis.draw();
		this.lanes.draw();
	}

	private addKeys(): void {
		const group = 'Time';
		this.session.addKeys([
			{ keys: ['Escape'], shown: 'Esc', does: 'cancel dragging, or clear the ranges', group, run: () => this.escape() },
			{ keys: ['+', '='], shown: '+ \u2212', does: 'zoom in or out', group, run: () => this.zoom(0.5) },
			{ keys: ['-'], shown: '', does: '', group, run: () => this.zoom(2) },
			{ keys: ['0'], shown: '0', does: 'show the whole profile', group, run: () => this.fit() },
			{ keys: ['z'], shown: 'z', does: 'zoom to the range', group, run: () => this.zoomToRange() },
			{ keys: ['b'], shown: 'b', does: 'make the next range the baseline', group, run: () => this.arm(!this.isBaseline) },
			{ keys: [','], shown: ', .', does: 'move earlier or later', group, run: () => this.step(-1) },
			{ keys: ['.'], shown: '', does: '', group, run: () => this.step(1) },
			{ keys: ['l'], shown: 'l', does: 'switch between linear and log colours', group, run: () => this.change({ isLog: !this.state.isLog }) },
		]);
	}

	private step(by: number): void {
		const { window_ns } = this;
		if (this.state.window)
			this.change({ window: moved(window_ns, this.duration_ns, by * (window_ns[1] - window_ns[0]) / 2) });
	}

	private escape(): void {
		if (this.selecting.isOpen)
			this.selecting.cancel();
		else if (this.isBaseline)
			this.arm(false);
		else if (this.state.selection.times.length || this.state.baseline?.times.length)
			this.change(withoutRanges(this.state));
	}
}
