// The bands Where and Why.
import { Page } from './page';
export class Where {
	constructor(where: HTMLElement, why: HTMLElement, search: HTMLElement, page: Page) { void [where, why, search, page]; }
}
