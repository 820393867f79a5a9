// The browser's history as the trail of zooms. A page that may not touch its history (a sandboxed frame) still works.

interface Step {
	plume: number; // how many zooms came before this one
}

function stepsBefore(): number {
	const state = history.state as Step | null;
	return state && typeof state.plume === 'number' ? state.plume : 0;
}

function address(hash: string): string {
	return hash || location.href.split('#')[0];
}

export function pushPlace(hash: string): void {
	try {
		history.pushState({ plume: stepsBefore() + 1 }, '', address(hash));
	} catch (e) {
		location.hash = hash;
	}
}

export function replacePlace(hash: string): void {
	try {
		history.replaceState({ plume: stepsBefore() }, '', address(hash));
	} catch (e) {
		// The address then says less than the picture does.
	}
}

/** True for a place in the history that this page made, false for an address that was typed or followed. */
export function isOwnPlace(): boolean {
	const state = history.state as Step | null;
	return !!state && typeof state.plume === 'number';
}

/** Goes back one zoom, if one was made on this page. */
export function goBack(): boolean {
	if (!stepsBefore())
		return false;
	history.back();
	return true;
}
