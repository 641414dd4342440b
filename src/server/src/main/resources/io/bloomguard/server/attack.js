// The demo: an attack on the catalogue, with and without the guard.
import {count, element, micros, onSubmit, row} from '../page.js';

/** Fills the panel. */
export async function show(section, {read, act}) {
  const {most} = await read();
  const form = element(
    'form',
    {},
    element('label', {for: 'requests'}, 'Requests of each side'),
    element('input', {
      id: 'requests',
      name: 'requests',
      type: 'number',
      min: 1,
      max: most,
      step: 1,
      value: 5000,
      required: '',
    }),
    element('button', {type: 'submit'}, 'Attack'),
  );
  const error = element('p', {class: 'error', role: 'alert', hidden: ''});
  const attacked = element('div', {id: 'attacked', role: 'status'});
  section.setAttribute('aria-labelledby', 'demo-title');
  section.append(
    element('h2', {id: 'demo-title'}, 'Demo: an attack with and without the guard'),
    element(
      'p',
      {},
      'This server asks its own catalogue for random ids that no product has: first as ',
      element('code', {}, 'GET /api/products/{id}'),
      ' does, then without the guard. It takes ten seconds at most.',
    ),
    form,
    error,
    attacked,
  );
  onSubmit(form, error, async (fields) => {
    attacked.replaceChildren();
    attacked.replaceChildren(table(await act({requests: Number(fields.get('requests'))})));
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
