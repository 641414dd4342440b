// The cards of the filters: their state, and the operator's actions.
import {call} from './calls.js';
import {announce, byId, bytes, count, percent, seconds, setText, showError} from './page.js';

const STATES = {READY: 'good', WARMING: 'warn', EMPTY: 'warn', DOUBTFUL: 'bad', FAILED: 'bad', DISARMED: 'bad'};
const SLOW = 2000;
const FAST = 400;

/** Shows the filters of an endpoint. */
export class Filters {
  #endpoint;
  #cards = new Map();
  #soon = () => {};

  constructor(endpoint) {
    this.#endpoint = endpoint;
  }

  /** Calls `soon` when there is news to show. */
  whenChanged(soon) {
    this.#soon = soon;
  }

  /** Reads all filters and shows them; returns the wait until the next time. */
  async update() {
    const {filters} = await call(this.#endpoint);
    const all = Object.entries(filters);
    for (const [name, filter] of all) {
      this.#card(name).show(filter);
    }
    const ready = all.filter(([, filter]) => filter.state === 'READY').length;
    setText(byId('summary'), `${ready} of ${all.length} filters ready`);
    return all.some(([, filter]) => filter.rebuild.running) ? FAST : SLOW;
  }

  #card(name) {
    let card = this.#cards.get(name);
    if (!card) {
      card = new Card(name, `${this.#endpoint}/${encodeURIComponent(name)}`, () => this.#soon());
      this.#cards.set(name, card);
      byId('filters').append(card.root);
    }
    return card;
  }
}

/** The number of keys of a filter; of filters by subject, the sum of all subjects. */
function elements({estimatedElements, expectedInsertions, subjects}) {
  if (!subjects) {
    return `${count(estimatedElements)} of ${count(expectedInsertions)}`;
  }
  const {fill} = subjects;
  return (
    `${count(subjects.elements)} in ${count(subjects.count)} of ${count(subjects.maxCount)} subjects; ` +
    `the median one ${count(estimatedElements)} of ${count(expectedInsertions)}, fullest of ${fill.sampled}: ${percent(fill.max)}`
  );
}

/** One filter. */
class Card {
  #name;
  #path;
  #soon;
  #last;
  #state;
  #mode;

  constructor(name, path, soon) {
    this.#name = name;
    this.#path = path;
    this.#soon = soon;
    this.root = byId('card').content.firstElementChild.cloneNode(true);
    this.root.dataset.filter = name;
    setText(this.#part('h3'), name);
    this.#part('.gauge').setAttribute('aria-label', `Fill of ${name}`);
    this.#part('progress').setAttribute('aria-label', `Rebuild of ${name}`);
    this.#button('.rebuild', `Rebuild ${name}`, () => this.#rebuild());
    this.#button('.cancel', `Cancel the rebuild of ${name}`, () => this.#cancel());
    this.#button('.rollback', `Roll back ${name}`, () => this.#rollback());
    this.#button('.arm', `Arm ${name}`, () => this.#arm());
    this.#button('.switch', `Observe ${name}`, () => this.#switch());
  }

  show(filter) {
    const {state, fillRatio: fill, designFillRatio: design, rebuild} = filter;
    setText(this.#part('.state'), state);
    this.#part('.state').className = `state ${STATES[state] ?? 'warn'}`;
    this.#showFill(fill, design);
    const {expected, configured} = filter.falsePositiveProbability;
    setText(this.#part('.expected'), `${percent(expected)} (configured ${percent(configured)})`);
    setText(this.#part('.elements'), elements(filter));
    setText(this.#part('.size'), `${bytes(filter.sizeBytes)}, ${filter.layout}, ${filter.backend}`);
    setText(this.#part('.generation'), String(filter.generation));
    setText(this.#part('.last'), lastBuild(filter.lastRebuild));
    this.#showRejection(filter);
    this.#showWarnings(filter.warnings ?? []);
    this.#showRebuild(rebuild);
    this.#tellNews(filter);
  }

  /** Whether the filter rejects, and what let-through rejections have shown. */
  #showRejection({state, reject, mode, verified}) {
    const blacklist = reject === 'present';
    const observes = mode === 'observe';
    const disarmed = state === 'DISARMED';
    setText(
      this.#part('.mode'),
      (blacklist ? 'blacklist, ' : '') +
        (observes ? 'observe: rejects nothing' : disarmed ? 'enforce, disarmed: rejects nothing' : 'enforce'),
    );
    const {confirmed, late, wrong, spelling} = verified;
    const spelled = spelling > 0 ? `, ${count(spelling)} spelled otherwise` : '';
    setText(
      this.#part('.verified'),
      blacklist ? 'not for a blacklist' : `${count(confirmed)} right, ${count(late)} late, ${count(wrong)} wrong${spelled}`,
    );
    const arm = this.#part('.arm');
    if (arm === document.activeElement && !disarmed) {
      this.#part('.rebuild').focus();
    }
    arm.hidden = !disarmed;
    const change = this.#part('.switch');
    setText(change, observes ? 'Enforce' : 'Observe');
    change.setAttribute('aria-label', `${observes ? 'Enforce' : 'Observe'} ${this.#name}`);
    this.#mode = mode;
  }

  #showWarnings(warnings) {
    const list = this.#part('.warnings');
    const shown = Array.from(list.children, (item) => item.textContent);
    if (shown.join('\n') !== warnings.join('\n')) {
      list.replaceChildren(...warnings.map((warning) => {
        const item = document.createElement('li');
        setText(item, warning);
        return item;
      }));
    }
    list.hidden = warnings.length === 0;
  }

  #showFill(fill, design) {
    const gauge = this.#part('.gauge');
    const bar = this.#part('.gauge-fill');
    const text = `${percent(fill)} (${percent(design)} when full)`;
    bar.style.width = `${fill * 100}%`;
    bar.className = `gauge-fill ${fill > design * 1.1 ? 'bad' : fill > design * 0.9 ? 'warn' : ''}`;
    this.#part('.gauge-design').style.left = `calc(${design * 100}% - 1px)`;
    gauge.setAttribute('aria-valuenow', (fill * 100).toFixed(1));
    gauge.setAttribute('aria-valuetext', text);
    setText(this.#part('.fill-text'), text);
  }

  #showRebuild(rebuild) {
    this.#part('.running').hidden = !rebuild.running;
    const cancel = this.#part('.cancel');
    if (cancel === document.activeElement && !rebuild.running) {
      this.#part('.rebuild').focus();
    }
    cancel.hidden = !rebuild.running;
    if (!rebuild.running) {
      return;
    }
    const progress = this.#part('progress');
    const total = rebuild.total ?? null;
    if (total) {
      progress.max = total;
      progress.value = Math.min(rebuild.scanned, total);
    } else {
      progress.removeAttribute('value');
    }
    const left = rebuild.etaSeconds == null ? '' : `, ${seconds(rebuild.etaSeconds)} left`;
    const of = total ? ` of about ${count(total)}` : '';
    setText(
      this.#part('.progress-text'),
      `${count(rebuild.scanned)}${of} keys read, ${count(rebuild.ratePerSecond)} a second${left}`,
    );
  }

  #tellNews({state, lastRebuild}) {
    const run = lastRebuild?.run;
    if (this.#last !== undefined && run && run !== this.#last) {
      this.#say(`Rebuild of ${this.#name}: ${lastBuild(lastRebuild)}`);
    } else if (this.#state !== undefined && state !== this.#state) {
      announce(`${this.#name} is ${state}`);
    }
    this.#last = run ?? '';
    this.#state = state;
  }

  async #rebuild() {
    await call(this.#path, {method: 'POST', body: {action: 'rebuild'}});
    this.#say(`Rebuild of ${this.#name} has begun`);
  }

  async #cancel() {
    await call(`${this.#path}/rebuild`, {method: 'DELETE'});
    this.#say(`The rebuild of ${this.#name} is being cancelled`);
  }

  async #rollback() {
    if (!(await confirmed('Roll back', `${this.#name} will serve its older generation again. Keys that were `
        + 'added since stay in both. A rebuild brings the newest keys back.'))) {
      return;
    }
    const {generation} = await call(this.#path, {method: 'POST', body: {action: 'rollback'}});
    this.#say(`${this.#name} serves generation ${generation}`);
  }

  async #arm() {
    if (!(await confirmed('Arm it', `${this.#name} is disarmed, most likely because it rejected a key that exists. `
        + 'Armed, it rejects keys that it does not hold. Has the cause been removed?'))) {
      return;
    }
    try {
      await call(this.#path, {method: 'POST', body: {action: 'arm'}});
      this.#say(`${this.#name} is armed`);
    } catch (problem) {
      if (problem.status !== 409 || !(await confirmed('Arm it all the same', problem.message))) {
        throw problem;
      }
      await call(this.#path, {method: 'POST', body: {action: 'arm', force: true}});
      this.#say(`${this.#name} is armed again, not rebuilt`);
    }
  }

  async #switch() {
    const action = this.#mode === 'observe' ? 'enforce' : 'observe';
    await call(this.#path, {method: 'POST', body: {action}});
    this.#say(`${this.#name}: ${action}`);
  }

  #say(text) {
    setText(this.#part('.done'), text);
  }

  #part(selector) {
    return this.root.querySelector(selector);
  }

  #button(selector, label, action) {
    const button = this.#part(selector);
    const error = this.root.querySelector(':scope > .error');
    button.setAttribute('aria-label', label);
    button.addEventListener('click', async () => {
      if (button.getAttribute('aria-busy') === 'true') {
        return;
      }
      showError(error, null);
      setText(this.#part('.done'), '');
      button.setAttribute('aria-busy', 'true');
      try {
        await action();
      } catch (problem) {
        showError(error, problem);
      } finally {
        button.setAttribute('aria-busy', 'false');
      }
      this.#soon();
    });
  }
}

function lastBuild(last) {
  if (!last) {
    return 'none yet';
  }
  const what = `${last.outcome}, ${count(last.keys)} keys in ${count(last.durationMs)} ms`;
  return last.failure ? `${what}: ${last.failure}` : what;
}

/** Asks whether to do what the button `action` says; resolves to the answer. */
function confirmed(action, question) {
  const dialog = byId('confirm');
  setText(byId('confirm-title'), `${action}?`);
  setText(byId('confirm-yes'), action);
  setText(byId('confirm-text'), question);
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    byId('confirm-yes').onclick = () => dialog.close('yes');
    byId('confirm-no').onclick = () => dialog.close('no');
    dialog.onclose = () => resolve(dialog.returnValue === 'yes');
  });
}
