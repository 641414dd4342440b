// The demo: an attack on the catalogue, with and without the guard.
import {call} from './calls.js';
import {byId, count, element, micros, onSubmit, row} from './page.js';

/** Shows the panel; `most` is how many requests the server makes at most. */
export function attack(most) {
  byId('demo').hidden = false;
  byId('requests').max = most;
  onSubmit(byId('attack'), byId('attack-error'), async (form) => {
    byId('attacked').replaceChildren();
    const requests = Number(form.get('requests'));
    const report = await call('data/attack', {method: 'POST', body: {requests}});
    byId('attacked').replaceChildren(table(report));
  });
}

function table({guarded, unguarded}) {
  const line = (heading, value) => row(heading, value(guarded), value(unguarded));
  return element(
    'table',
    {},
    element('caption', {}, 'What the attack cost'),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('td'),
        element('th', {scope: 'col', class: 'number'}, 'With the guard'),
        element('th', {scope: 'col', class: 'number'}, 'Without'),
      ),
    ),
    element(
      'tbody',
      {},
      line('Requests', (side) => count(side.requests)),
      line('Database queries', (side) => count(side.databaseQueries)),
      line('Time of a request, mean', (side) => micros(side.meanMicros)),
      line('Half within', (side) => micros(side.medianMicros)),
      line('99 of 100 within', (side) => micros(side.p99Micros)),
      line('All in', (side) => micros(side.elapsedMillis * 1000)),
    ),
  );
}
