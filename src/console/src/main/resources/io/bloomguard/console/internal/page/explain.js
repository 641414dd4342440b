// The filter's answer for one key, and the reason.
import {call} from './calls.js';
import {byId, count, element, onSubmit} from './page.js';

const ANSWERS = {
  ABSENT: 'Absent',
  POSSIBLY_PRESENT: 'Possibly present',
  UNKNOWN: 'Unknown',
};

const yesNo = (value) => (value == null ? 'not known' : value ? 'yes' : 'no');

/** Answers the form, for the filter that `chosen` names. */
export function explain(endpoint, chosen) {
  onSubmit(byId('explain'), byId('explain-error'), async (form) => {
    byId('explained').replaceChildren();
    const filter = encodeURIComponent(chosen());
    const key = form.get('key');
    const subject = form.get('subject') || undefined;
    const [told, prefix] = await Promise.all([
      call(`${endpoint}/${filter}`, {method: 'POST', body: {action: 'explain', key, subject}}),
      call(`data/${filter}/prefix`, {method: 'POST', body: {key}}),
    ]);
    byId('explained').replaceChildren(...answer(told, prefix.name));
  });
}

function answer(told, prefix) {
  const facts = element('dl', {class: 'facts'});
  const fact = (name, value, kind = '') =>
    facts.append(element('dt', {}, name), element('dd', {class: kind}, value));
  fact('Value cached', yesNo(told.cached));
  fact('Null entry', yesNo(told.nullEntry));
  fact('First characters, hashed', prefix, 'mono');
  const set = told.bits.filter((bit) => bit.set).length;
  return [
    element('p', {class: 'verdict'}, `${ANSWERS[told.membership] ?? told.membership}: ${told.verdict}`),
    element('p', {}, told.reason),
    facts,
    element('p', {}, told.bits.length ? `${set} of ${told.bits.length} bits are set:` : 'No bits can be read.'),
    element('ul', {class: 'bits', 'aria-label': 'Bits of the key'}, ...told.bits.map(bit)),
  ];
}

function bit({position, set}) {
  const state = set ? 'set' : 'clear';
  return element('li', {class: state}, `${count(position)}: ${state}`);
}
