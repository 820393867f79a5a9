// The page: creates the parts and connects them.

import { Chips } from './chips';
import { Files } from './files';
import { Header } from './header';
import { Help } from './help';
import { Keys } from './keys';
import { Live } from './live';
import { engineOfPage } from './offline';
import { SchemeSwitch } from './scheme';
import { Session } from './session';
import { Shell } from './shell';
import { UrlStore } from './store';
import { plural } from '../flame/numbers';
import { When } from './when';
import { Where } from './where';

function start(): void {
	const engine = engineOfPage(); // first: it may set the hash
	const store = new UrlStore(window);
	const scheme = new SchemeSwitch(store);
	const keys = new Keys();
	const help = new Help(keys.all);
	const shell = new Shell(store);
	const header = new Header(shell.header, () => help.open(), () => scheme.next());
	const session = new Session(engine, store, keys, {
		status: (status) => shell.status(status), remark: (sentence) => shell.remark(sentence),
		problem: (sentence) => shell.problem(sentence), busy: (open) => header.busy(open),
	});
	shell.status({ kind: 'loading', title: 'Opening', text: 'Loading the list of files.' });
	session.watchLedger((ledger) => {
		header.show(ledger);
		shell.collapseWhen(!ledger.has.time);
	});
	new Files(header.files, session);
	const live = new Live(header.live, session);
	session.refreshFiles = () => live.now();
	const when = new When(shell.when, session);
	new Chips(shell.chips, session);
	new Where(shell.where, shell.why, header.search, session);
	session.addKeys([{ keys: ['?'], shown: '?', does: 'this help', group: 'Page', run: () => help.open() }]);
	scheme.watch(() => when.drawSoon());
	keys.listen();
	if (store.unknown.length)
		session.remark(`This page ignored ${plural(store.unknown.length, 'unknown word')} in the link: ${store.unknown.slice(0, 3).join(', ')}`);
	expose(session, when, live);
	live.now();
}

/** For tests and the curious. */
function expose(session: Session, when: When, live: Live): void {
	const shown = window as unknown as { plume: object; plumeWhere?: object };
	shown.plume = {
		...shown.plumeWhere,
		state: () => session.store.state,
		ledger: () => session.ledger,
		files: () => session.list,
		live: () => live.state,
		heat: () => ({ geometry: when.geometry, grid: when.heat.grid }),
		marks: () => when.marks.shown(),
		lanes: () => when.lanes.lanes,
	};
}

start();
