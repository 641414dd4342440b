// Outcomes of the last 15 minutes, and the first characters of rejected keys.
import {call} from './calls.js';
import {chart, sample} from './charts.js';
import {byId, count, element, percent, rounded, row, setText} from './page.js';

/** Steps of a minute, at one in five seconds. */
const MINUTE = 12;

const TIME = new Intl.DateTimeFormat('en-GB', {timeStyle: 'medium'});

const sum = (values) => values.reduce((total, value) => total + value, 0);

const mean = (values) => (values.length ? sum(values) / values.length : 0);

const words = (outcome) => outcome.replace('_', ' ');

const percentOf = (part, whole) => (whole > 0 ? percent(part / whole) : '–');

/** The seconds that are shown: the last 15 minutes, or as many of them as there are samples of. */
function span(first, now) {
  return [Math.max(now - 900, Math.min(first ?? now, now - 120)), now];
}

/** Shows the traffic of one filter. */
export class Traffic {
  #filter = '';
  #chart;
  #names = [];
  /** The server's, in seconds: the clock here may be another. */
  #now = 0;

  /** Shows another filter from now on. */
  show(filter) {
    this.#filter = filter;
  }

  async update() {
    const filter = this.#filter;
    if (!filter) {
      return;
    }
    const {now, rates, denied, copies} = await call(`data/${encodeURIComponent(filter)}/traffic`);
    if (filter !== this.#filter) {
      return;
    }
    this.#now = now / 1000;
    const outcomes = Object.entries(rates.perSecond);
    this.#draw(rates.times, outcomes);
    this.#table(outcomes);
    this.#rejections(outcomes);
    this.#prefixes(denied);
    this.#copies(copies);
  }

  #draw(times, outcomes) {
    if (!this.#chart) {
      this.#names = outcomes.map(([name]) => name);
      this.#chart = chart(byId('traffic-chart'), this.#names, {
        scales: {
          x: {range: (plot, first) => span(first, this.#now)},
          y: {range: (plot, low, high) => [0, Math.max(1, high * 1.05)]},
        },
        xValues: (plot, splits) => splits.map((at) => TIME.format(at * 1000)),
        yValues: (plot, splits) => splits.map(rounded),
      });
      this.#names.forEach((name, index) => this.#legend(name, index));
    }
    this.#chart.setData([times.map((at) => at / 1000), ...outcomes.map(([, values]) => values)]);
    const busiest = outcomes
      .map(([name, values]) => [name, mean(values)])
      .filter(([, value]) => value > 0)
      .sort((one, other) => other[1] - one[1]);
    const told = busiest.map(([name, value]) => `${words(name)} ${rounded(value)} a second`);
    byId('traffic-chart').setAttribute(
      'aria-label',
      told.length ? `Mean of 15 minutes: ${told.join(', ')}` : 'No traffic in the last 15 minutes',
    );
  }

  #legend(name, index) {
    const button = element('button', {type: 'button', 'aria-pressed': 'true'});
    button.append(sample(name, index), words(name));
    button.addEventListener('click', () => {
      const show = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(show));
      this.#chart.setSeries(index + 1, {show});
    });
    byId('traffic-legend').append(element('li', {}, button));
  }

  #table(outcomes) {
    byId('traffic-table').replaceChildren(
      ...outcomes.map(([name, values]) =>
        row(words(name), rounded(values.at(-1) ?? 0), rounded(mean(values)))),
    );
  }

  #rejections(outcomes) {
    const all = outcomes.map(([, values]) => values);
    const rejected = outcomes.find(([name]) => name === 'rejected')?.[1] ?? [];
    const of = (part) => sum(all.map((values) => sum(part(values))));
    const lately = (values) => values.slice(-MINUTE);
    setText(byId('reject-now'), percentOf(sum(lately(rejected)), of(lately)));
    setText(byId('reject-mean'), percentOf(sum(rejected), of((values) => values)));
    setText(byId('reject-rate'), rounded(mean(lately(rejected))));
  }

  #prefixes({length, total, prefixes}) {
    byId('prefix-table').hidden = prefixes.length === 0;
    let note = 'No key has been rejected recently.';
    if (prefixes.length > 0) {
      note = `About ${count(total)} recently rejected keys, by their first ${length} characters:`;
    } else if (total > 0) {
      note = `About ${count(total)} keys were rejected recently; no ${length} first characters are common to 1 % of them.`;
    }
    setText(byId('prefix-note'), note);
    byId('prefixes').replaceChildren(
      ...prefixes.map(({name, share}) =>
        row(element('span', {class: 'mono'}, name), `at most ${percent(share)}`)),
    );
  }

  #copies(copies) {
    byId('copies').hidden = !copies;
    if (copies) {
      setText(
        byId('copies'),
        `${count(copies.count)} processes hold a copy. Writers here have waited for copies ` +
          `${count(copies.waits)} times, ${rounded(copies.meanMillis)} ms on average; ` +
          `${count(copies.expired)} leases ran out.`,
      );
    }
  }
}
